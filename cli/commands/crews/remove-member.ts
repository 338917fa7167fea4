import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { crewId, crewMemberId } from '../../lookup.ts'

export default class CrewsRemoveMember extends ApiCommand<typeof CrewsRemoveMember> {
  static override summary = 'Remove a member from a crew'
  static override description = 'The person remains a member of the workspace and keeps the role there.'
  static override examples = ['$ <%= config.bin %> crews remove-member web-team ada@example.com']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { crew, user } = this.args
    const id = await crewId(this.api, crew)
    const memberId = await crewMemberId(this.api, id, user)
    await this.confirm(`Take ${user} out of crew ${crew}?`)
    await this.api.crews.removeMember({ crewId: id, memberId })
    await this.out.done(`Removed ${user} from crew ${crew}.`)
  }
}
