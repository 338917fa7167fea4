import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowFlags, windowOf } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { crewMemberView } from '../../views/crew-members.ts'

export default class CrewsMembers extends ApiCommand<typeof CrewsMembers> {
  static override summary = 'List the members of a crew, oldest first'
  static override description = 'A role in the crew applies when it is higher than the role in the workspace.'
  static override examples = [
    '$ <%= config.bin %> crews members web-team',
    '$ <%= config.bin %> crews members web-team --json=role,user.email',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const query = windowOf(this.flags)
    await this.out.list(
      await this.api.crews.members({ crewId: await crewId(this.api, this.args.crew), query }),
      crewMemberView,
    )
  }
}
