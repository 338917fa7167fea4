import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { ownInvitationId, slugOfWorkspace } from '../../lookup.ts'

export default class InvitationsAccept extends ApiCommand<typeof InvitationsAccept> {
  static override summary = 'Accept an invitation to your address'
  static override description =
    'To accept an invitation to another address of yours, use its token with `muster invitations redeem`.'
  static override examples = [
    '$ <%= config.bin %> invitations accept research',
    '$ <%= config.bin %> invitations accept INVITATION',
  ]
  static override next = { not_found: 'muster invitations mine', already_member: 'muster workspaces list' }
  static override args = {
    invitation: Args.string({ required: true, description: 'slug of the workspace, or id of the invitation' }),
  }

  async run(): Promise<void> {
    const invitation = await ownInvitationId(this.api, this.args.invitation)
    const joined = await this.api.invitations.accept({ invitationId: invitation })
    const slug = await slugOfWorkspace(this.api, joined.workspace_id)
    await this.out.done(`You are ${joined.role} of ${slug} now.`, joined, {
      name: () => slug,
      columns: {},
    })
  }
}
