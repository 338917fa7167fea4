import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, roleFlag } from '../../flags.ts'
import { crewId, userId } from '../../lookup.ts'
import { crewMemberView } from '../../views/crew-members.ts'

export default class CrewsAddMember extends ApiCommand<typeof CrewsAddMember> {
  static override summary = 'Add a workspace member to a crew'
  static override description =
    'Members see the credentials of the crew. A role gives them more rights here than in the rest of the ' +
    'workspace.'
  static override examples = [
    '$ <%= config.bin %> crews add-member web-team ada@example.com',
    '$ <%= config.bin %> crews add-member web-team ada@example.com --role manager',
  ]
  static override next = { already_member: 'muster crews set-member CREW USER --role ROLE' }
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = { role: roleFlag('role in this crew (default: the role in the workspace)') }

  async run(): Promise<void> {
    const crew = await this.api.crews.show({ crewId: await crewId(this.api, this.args.crew) })
    const user_id = await userId(this.api, crew.workspace_id, this.args.user)
    const { role } = this.flags
    const member = await this.api.crews.addMember({ crewId: crew.id, body: given({ user_id, role }) })
    await this.out.done(
      `${member.user.email} belongs to crew ${crew.slug}${role ? ` as ${role.toLowerCase()}` : ''}.`,
      member,
      crewMemberView,
    )
  }
}
