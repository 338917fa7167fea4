import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { roleFlag } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { crewId, crewMemberId } from '../../lookup.ts'
import { crewMemberView } from '../../views/crew-members.ts'

export default class CrewsSetMember extends ApiCommand<typeof CrewsSetMember> {
  static override summary = "Change a crew member's role"
  static override examples = [
    '$ <%= config.bin %> crews set-member web-team ada@example.com --role admin',
    '$ <%= config.bin %> crews set-member web-team ada@example.com --no-role',
  ]
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = {
    role: roleFlag('role in this crew'),
    'no-role': Flags.boolean({
      exclusive: ['role'],
      description: 'remove the role in this crew; the role in the workspace applies',
    }),
  }

  async run(): Promise<void> {
    const { role, 'no-role': none } = this.flags
    if (!role && !none) throw new InputError('Give --role ROLE or --no-role.')
    const crew = await crewId(this.api, this.args.crew)
    const memberId = await crewMemberId(this.api, crew, this.args.user)
    const member = await this.api.crews.setMember({ crewId: crew, memberId, body: { role: role ?? '' } })
    const now = member.role
      ? `is ${member.role.toLowerCase()} in the crew now`
      : 'has the role of the workspace in the crew now'
    await this.out.done(`${member.user.email} ${now}.`, member, crewMemberView)
  }
}
