import { Args } from '@oclif/core'
import { givenRoleFlag } from '../../bodies/roles.ts'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { shellWord } from '../../output/shell-word.ts'

export default class MembersAdd extends ApiCommand<typeof MembersAdd> {
  static override summary = 'Add a user of this server to the workspace'
  static override description =
    'Takes the id of the account, which its owner sees with `muster whoami --json`. Use `muster invitations ' +
    'create` to invite an address.'
  static override examples = ['$ <%= config.bin %> members add USER --role manager']
  static override next = {
    already_member: 'muster members set-role MEMBER ROLE',
    not_found: 'muster invitations create EMAIL',
  }
  static override args = { user: Args.string({ required: true, description: 'id of the user' }) }
  static override flags = givenRoleFlag

  async run(): Promise<void> {
    const { user } = this.args
    if (user.includes('@'))
      throw new InputError(
        'An account is added by its id; an address is invited.',
        `muster invitations create ${shellWord(user)}`,
      )
    const workspaceId = workspaceInUse(this.session)
    const member = await this.api.members.add({
      workspaceId,
      body: given({ user_id: user, role: this.flags.role }),
    })
    await this.out.done(`${user} is a ${member.role} now.`, member, { name: ({ id }) => id, columns: {} })
  }
}
