import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { crewId } from '../../lookup.ts'

export default class TripwiresRemove extends ApiCommand<typeof TripwiresRemove> {
  static override summary = 'Remove a tripwire, and let agents work again that it stopped'
  static override description = 'A decoy file goes from the home of each agent before its next run.'
  static override aliases = ['tripwires:delete']
  static override examples = ['$ <%= config.bin %> tripwires remove web-team c00000000000000000000000a']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'id of the tripwire' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { crew, tripwire } = this.args
    await this.confirm(`Remove tripwire ${tripwire}? What it noticed is settled by that.`)
    await this.api.tripwires.remove({ crewId: await crewId(this.api, crew), tripwireId: tripwire })
    await this.out.done(`Removed tripwire ${tripwire}.`)
  }
}
