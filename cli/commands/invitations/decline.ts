import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { ownInvitationId } from '../../lookup.ts'

export default class InvitationsDecline extends ApiCommand<typeof InvitationsDecline> {
  static override summary = 'Decline an invitation to your address'
  static override examples = [
    '$ <%= config.bin %> invitations decline research',
    '$ <%= config.bin %> invitations decline INVITATION --yes',
  ]
  static override next = { not_found: 'muster invitations mine' }
  static override args = {
    invitation: Args.string({ required: true, description: 'slug of the workspace, or id of the invitation' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { invitation } = this.args
    const id = await ownInvitationId(this.api, invitation)
    await this.confirm(`Decline the invitation ${invitation}?`)
    await this.api.invitations.decline({ invitationId: id })
    await this.out.done(`Declined the invitation ${invitation}.`)
  }
}
