import { Args } from '@oclif/core'
import { givenRoleFlag } from '../../bodies/roles.ts'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'

export default class InvitationsCreate extends ApiCommand<typeof InvitationsCreate> {
  static override summary = 'Invite an address to the workspace for seven days'
  static override description =
    'Sends no mail. Writes the link, or the token if the server has no public address, to standard output. It is ' +
    'shown only once: give it to that person alone.'
  static override aliases = ['members:invite']
  static override examples = [
    '$ <%= config.bin %> invitations create ada@example.com',
    '$ <%= config.bin %> members invite ada@example.com --role manager',
  ]
  static override next = { invitation_exists: 'muster invitations revoke EMAIL', already_member: 'muster members list' }
  static override args = { email: Args.string({ required: true, description: 'email address to invite' }) }
  static override flags = givenRoleFlag

  async run(): Promise<void> {
    const { role } = this.flags
    const workspaceId = workspaceInUse(this.session)
    const made = await this.api.invitations.create({
      workspaceId,
      body: given({ email: this.args.email, role }),
    })
    if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(made)
    this.out.note(
      `Invited ${made.email} as ${made.role} until ${made.expires_at}. The ${made.link ? 'link' : 'token'} is ` +
        'shown this once:',
    )
    this.out.text(`${made.link ?? made.token}\n`)
  }
}
