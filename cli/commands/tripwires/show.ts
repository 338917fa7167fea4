import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId, tripwireId } from '../../lookup.ts'
import { shownTripwireView } from '../../views/tripwires.ts'

export default class TripwiresShow extends ApiCommand<typeof TripwiresShow> {
  static override summary = 'Show a tripwire, and who touched it with the evidence that is kept'
  static override examples = ['$ <%= config.bin %> tripwires show web-team STRIPE_SECRET_KEY']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'name or id of the tripwire' }),
  }

  async run(): Promise<void> {
    const crew = await crewId(this.api, this.args.crew)
    const id = await tripwireId(this.api, crew, this.args.tripwire)
    const found = await this.api.tripwires.show({ crewId: crew, tripwireId: id })
    await this.out.show(found, shownTripwireView)
  }
}
