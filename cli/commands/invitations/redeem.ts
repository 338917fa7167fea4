import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { secret } from '../../input.ts'
import { slugOfWorkspace } from '../../lookup.ts'

export default class InvitationsRedeem extends ApiCommand<typeof InvitationsRedeem> {
  static override summary = 'Accept an invitation with its token'
  static override description =
    'The token, or the link that contains it, is read from standard input or prompted for without echo.'
  static override examples = [
    '$ <%= config.bin %> invitations redeem',
    '$ <%= config.bin %> invitations redeem < link.txt',
  ]
  static override next = { invalid_token: 'ask for another invitation', already_member: 'muster workspaces list' }
  static override flags = {
    'token-stdin': Flags.boolean({
      description: 'read the token from standard input (default without a terminal)',
    }),
  }

  async run(): Promise<void> {
    const given = await secret('Token or link', { piped: this.flags['token-stdin'] })
    const token = /[?&]token=([^&#\s]+)/.exec(given)?.[1] ?? given.trim()
    const joined = await this.api.invitations.redeem({ body: { token } })
    const slug = await slugOfWorkspace(this.api, joined.workspace_id)
    await this.out.done(`You are ${joined.role} of ${slug} now.`, joined, {
      name: () => slug,
      columns: {},
    })
  }
}
