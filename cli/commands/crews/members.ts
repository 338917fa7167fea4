import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
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
    const id = await crewId(this.api, this.args.crew)
    await this.out.list(
      await windowed(this.flags, (query) => this.api.crews.members({ crewId: id, query })),
      crewMemberView,
    )
  }
}
