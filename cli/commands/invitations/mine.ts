import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { ownInvitationView } from '../../views/invitations.ts'

export default class InvitationsMine extends ApiCommand<typeof InvitationsMine> {
  static override summary = 'List the open invitations to your address, newest first'
  static override examples = ['$ <%= config.bin %> invitations mine', '$ <%= config.bin %> invitations mine -q']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.invitations.mine({ query })), ownInvitationView)
  }
}
