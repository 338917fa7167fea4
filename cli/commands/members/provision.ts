import { Args, Flags } from '@oclif/core'
import { givenRoleFlag } from '../../bodies/roles.ts'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'

export default class MembersProvision extends ApiCommand<typeof MembersProvision> {
  static override summary = 'Add a member by address, creating an account if needed'
  static override description =
    'Writes the setup link of the account to standard output. It is shown only once: give it to that person ' +
    'alone, since whoever follows it controls the account.'
  static override examples = [
    '$ <%= config.bin %> members provision ada@example.com --name "Ada Lovelace" --role manager',
  ]
  static override next = { already_member: 'muster members list', unavailable: 'set SVC_PUBLIC_URL for the daemon' }
  static override args = { email: Args.string({ required: true, description: 'email address of the person' }) }
  static override flags = {
    ...givenRoleFlag,
    name: Flags.string({ description: 'full name, if an account is created' }),
  }

  async run(): Promise<void> {
    const { role, name } = this.flags
    const workspaceId = workspaceInUse(this.session)
    const made = await this.api.members.provision({
      workspaceId,
      body: given({ email: this.args.email, role, full_name: name }),
    })
    if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(made)
    this.out.note(
      `${made.email} is ${made.role} of ${workspaceId} now${made.created_user ? ', with a new account' : ''}.`,
    )
    if (!made.setup_url) return
    this.out.note(`This link sets the account up until ${made.expires_at}. It is shown this once:`)
    this.out.text(`${made.setup_url}\n`)
  }
}
