import { Args, Flags } from '@oclif/core'
import { tripwireShapes } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { tripwireView } from '../../views/tripwires.ts'

export default class TripwiresPlant extends ApiCommand<typeof TripwiresPlant> {
  static override summary = 'Plant a decoy credential or file in a crew'
  static override description =
    'Agents have it from their next run on. Its value is made for it, opens nothing, and is shown to nobody.'
  static override examples = [
    '$ <%= config.bin %> tripwires plant web-team credential STRIPE_SECRET_KEY',
    '$ <%= config.bin %> tripwires plant web-team file .aws/credentials',
    '$ <%= config.bin %> tripwires plant web-team file .env.production --shape model',
  ]
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of the crew' }),
    kind: Args.string({ required: true, options: ['credential', 'file'], description: 'credential or file' }),
    name: Args.string({ required: true, description: 'the variable, or the path below the home of each agent' }),
  }
  static override flags = {
    shape: Flags.string({ options: [...tripwireShapes], description: 'what it looks like; by its name when absent' }),
  }

  async run(): Promise<void> {
    const { crew, kind, name } = this.args
    const body = { kind: kind as never, name, ...given({ shape: this.flags.shape as never }) }
    const made = await this.api.tripwires.plant({ crewId: await crewId(this.api, crew), body })
    await this.out.done(`Planted ${name}. Agents have it from their next run on.`, made, tripwireView)
  }
}
