import { ApiCommand } from '../../command.ts'
import { adminWorkspaceView } from '../../views/admin.ts'

export default class AdminWorkspaces extends ApiCommand<typeof AdminWorkspaces> {
  static override summary = 'Count what the workspace holds, as a list of one'
  static override description = 'For the OWNER of the workspace.'
  static override examples = ['$ <%= config.bin %> admin workspaces -w research']

  async run(): Promise<void> {
    await this.out.list(await this.api.admin.workspaces(), adminWorkspaceView)
  }
}
