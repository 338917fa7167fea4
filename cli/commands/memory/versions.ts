import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags, onePage } from '../../flags.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { memoryVersionsView } from '../../views/memory.ts'

export default class MemoryVersions extends ApiCommand<typeof MemoryVersions> {
  static override summary = 'List the versions of a memory file, newest first'
  static override description = 'The server gives the newest 100 at most.'
  static override result = { of: ['memory.versions'] }
  static override examples = [
    '$ <%= config.bin %> memory versions ada',
    '$ <%= config.bin %> memory versions crew:web --all -o wide',
  ]
  static override args = { path: Args.string({ required: true, description: pathHelp }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const query = { path: memoryPath(this.args.path), ...onePage(this.flags, 100) }
    const { entries } = await this.api.memory.versions({ query })
    await this.out.list(limited(entries, this.flags), memoryVersionsView)
  }
}
