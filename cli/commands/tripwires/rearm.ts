import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { crewId, tripwireId } from '../../lookup.ts'
import { tripwireView } from '../../views/tripwires.ts'

export default class TripwiresRearm extends ApiCommand<typeof TripwiresRearm> {
  static override summary = 'Settle what a tripwire noticed, arm it again, and let its agents work again'
  static override examples = [
    '$ <%= config.bin %> tripwires rearm web-team STRIPE_SECRET_KEY --false-alarm',
    '$ <%= config.bin %> tripwires rearm web-team STRIPE_SECRET_KEY --reason "the prompt was at fault"',
  ]
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'name or id of the tripwire' }),
  }
  static override flags = {
    'false-alarm': Flags.boolean({ description: 'nothing bad was meant' }),
    reason: Flags.string({ description: 'what people decided, for the journal' }),
  }

  async run(): Promise<void> {
    const crew = await crewId(this.api, this.args.crew)
    const id = await tripwireId(this.api, crew, this.args.tripwire)
    const body = given({ false_alarm: this.flags['false-alarm'] || undefined, reason: this.flags.reason })
    const armed = await this.api.tripwires.rearm({ crewId: crew, tripwireId: id, body })
    await this.out.done(`Tripwire ${armed.name} is armed again.`, armed, tripwireView)
  }
}
