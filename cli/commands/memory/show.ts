import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { memoryView } from '../../views/memory.ts'

export default class MemoryShow extends ApiCommand<typeof MemoryShow> {
  static override summary = 'Show a memory file'
  static override description =
    'The main file of an agent, unless another one is named. --version prints an earlier text.'
  static override result = { of: ['memory.show'] }
  static override hiddenAliases = ['memory:version']
  static override examples = [
    '$ <%= config.bin %> memory show ada',
    '$ <%= config.bin %> memory show agent:ada/daily/2026-11-26.md',
    '$ <%= config.bin %> memory show crew:web --jq .content',
    '$ <%= config.bin %> memory show ada --version 4f1c9a7be2d0',
  ]
  static override next = { not_found: 'muster memory list AGENT' }
  static override args = { path: Args.string({ required: true, description: pathHelp }) }
  static override flags = {
    version: Flags.string({ helpValue: 'HASH', description: 'text of that version, by the beginning of its hash' }),
  }

  async run(): Promise<void> {
    const path = memoryPath(this.args.path)
    const { version } = this.flags
    if (version !== undefined) return this.out.text(await this.api.memory.version({ sha: version, query: { path } }))
    await this.out.show(await this.api.memory.show({ query: { path } }), memoryView)
  }
}
