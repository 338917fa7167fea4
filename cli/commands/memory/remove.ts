import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'

export default class MemoryRemove extends ApiCommand<typeof MemoryRemove> {
  static override summary = 'Remove a memory file'
  static override description = 'Its versions are kept, so it can be restored.'
  static override examples = ['$ <%= config.bin %> memory remove agent:ada/topics/old.md --yes']
  static override args = { path: Args.string({ required: true, description: pathHelp }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const path = memoryPath(this.args.path)
    await this.confirm(`Remove ${path}?`)
    await this.api.memory.remove({ query: { path } })
    await this.out.done(`Removed ${path}.`)
  }
}
