import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { shownTripwireView } from '../../views/tripwires.ts'

export default class TripwiresShow extends ApiCommand<typeof TripwiresShow> {
  static override summary = 'Show a tripwire, and who touched it with the evidence that is kept'
  static override examples = ['$ <%= config.bin %> tripwires show web-team c00000000000000000000000a']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'id of the tripwire' }),
  }

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    const found = await this.api.tripwires.show({ crewId: id, tripwireId: this.args.tripwire })
    await this.out.show(found, shownTripwireView)
  }
}
