import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { tripwireView } from '../../views/tripwires.ts'

export default class TripwiresRearm extends ApiCommand<typeof TripwiresRearm> {
  static override summary = 'Settle what a tripwire noticed, arm it again, and let its agents work again'
  static override examples = [
    '$ <%= config.bin %> tripwires rearm web-team c00000000000000000000000a --false-alarm',
    '$ <%= config.bin %> tripwires rearm web-team c00000000000000000000000a --reason "the prompt was at fault"',
  ]
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    tripwire: Args.string({ required: true, description: 'id of the tripwire' }),
  }
  static override flags = {
    'false-alarm': Flags.boolean({ description: 'nothing bad was meant' }),
    reason: Flags.string({ description: 'what people decided, for the journal' }),
  }

  async run(): Promise<void> {
    const { crew, tripwire } = this.args
    const body = given({ false_alarm: this.flags['false-alarm'] || undefined, reason: this.flags.reason })
    const armed = await this.api.tripwires.rearm({ crewId: await crewId(this.api, crew), tripwireId: tripwire, body })
    await this.out.done(`Tripwire ${armed.name} is armed again.`, armed, tripwireView)
  }
}
