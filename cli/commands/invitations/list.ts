import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { windowFlags, windowOf } from '../../flags.ts'
import { invitationView } from '../../views/invitations.ts'

export default class InvitationsList extends ApiCommand<typeof InvitationsList> {
  static override summary = 'List the open invitations of the workspace, newest first'
  static override examples = [
    '$ <%= config.bin %> invitations',
    '$ <%= config.bin %> invitations list --json=email,role,expires_at',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(
      await this.api.invitations.list({ workspaceId: workspaceInUse(this.session), query: windowOf(this.flags) }),
      invitationView,
    )
  }
}
