import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { memoryOwner } from '../../memory/path.ts'
import { memoryFilesView } from '../../views/memory.ts'

export default class MemoryList extends ApiCommand<typeof MemoryList> {
  static override summary = 'List the memory files of an agent, a crew or the workspace'
  static override result = { of: ['memory.list'] }
  static override examples = [
    '$ <%= config.bin %> memory list ada',
    '$ <%= config.bin %> memory list crew:web',
    '$ <%= config.bin %> memory list workspace',
  ]
  static override args = {
    path: Args.string({ required: true, description: 'agent, or crew:SLUG, workspace, agent:SLUG/daily/' }),
  }
  static override flags = listFlags

  async run(): Promise<void> {
    const { files } = await this.api.memory.list({ query: { path: memoryOwner(this.args.path) } })
    await this.out.list(limited(files, this.flags), memoryFilesView)
  }
}
