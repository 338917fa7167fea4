import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { invitationView } from '../../views/invitations.ts'

export default class InvitationsList extends ApiCommand<typeof InvitationsList> {
  static override summary = 'List the open invitations of the workspace, newest first'
  static override examples = [
    '$ <%= config.bin %> invitations',
    '$ <%= config.bin %> invitations list --json=email,role,expires_at',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    await this.out.list(
      await windowed(this.flags, (query) => this.api.invitations.list({ workspaceId, query })),
      invitationView,
    )
  }
}
