import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { crewId, tripwireId } from '../../lookup.ts'

export default class TripwiresRemove extends ApiCommand<typeof TripwiresRemove> {
  static override summary = 'Remove a tripwire, and let agents work again that it stopped'
  static override description = 'A decoy file goes from the home of each agent before its next run.'
  static override aliases = ['tripwires:delete']
  static override examples = ['$ <%= config.bin %> tripwires remove web-team STRIPE_SECRET_KEY']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'name or id of the tripwire' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { tripwire } = this.args
    const crew = await crewId(this.api, this.args.crew)
    const id = await tripwireId(this.api, crew, tripwire)
    await this.confirm(`Remove tripwire ${tripwire}? What it noticed is settled by that.`)
    await this.api.tripwires.remove({ crewId: crew, tripwireId: id })
    await this.out.done(`Removed tripwire ${tripwire}.`)
  }
}
