import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { workspaceView } from '../../views/workspaces.ts'

export default class WorkspacesList extends ApiCommand<typeof WorkspacesList> {
  static override summary = 'List your workspaces, newest first'
  static override examples = ['$ <%= config.bin %> workspaces', '$ <%= config.bin %> workspaces list -q']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.workspaces.list({ query })), workspaceView)
  }
}
