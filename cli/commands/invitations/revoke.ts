import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { invitationId } from '../../lookup.ts'

export default class InvitationsRevoke extends ApiCommand<typeof InvitationsRevoke> {
  static override summary = 'Revoke an open invitation'
  static override examples = [
    '$ <%= config.bin %> invitations revoke ada@example.com',
    '$ <%= config.bin %> invitations revoke INVITATION --yes',
  ]
  static override args = { invitation: Args.string({ required: true, description: 'email address or id' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { invitation } = this.args
    const workspaceId = workspaceInUse(this.session)
    const id = await invitationId(this.api, workspaceId, invitation)
    await this.confirm(`Take the invitation ${invitation} back?`)
    await this.api.invitations.revoke({ workspaceId, invitationId: id })
    await this.out.done(`Revoked the invitation ${invitation}.`)
  }
}
