import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { crewConnectionView } from '../../views/crew-connections.ts'

export default class CrewsConnect extends ApiCommand<typeof CrewsConnect> {
  static override summary = 'Let the agents of two crews hand work to each other'
  static override description = 'Crews that are connected already are then connected as you say.'
  static override examples = [
    '$ <%= config.bin %> crews connect web-team research',
    '$ <%= config.bin %> crews connect web-team research --one-way',
  ]
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of a crew' }),
    other: Args.string({ required: true, description: 'slug or id of the other crew' }),
  }
  static override flags = {
    'one-way': Flags.boolean({ description: 'only the first crew hands work to the other' }),
  }

  async run(): Promise<void> {
    const from_crew_id = await crewId(this.api, this.args.crew)
    const to_crew_id = await crewId(this.api, this.args.other)
    const direction = this.flags['one-way'] ? 'unidirectional' : 'bidirectional'
    const made = await this.api.crews.connect({ body: { from_crew_id, to_crew_id, direction } })
    const [from, to] = [made.from_crew_slug, made.to_crew_slug]
    const said =
      made.direction === 'bidirectional'
        ? `Crews ${from} and ${to} may hand work to each other.`
        : `Crew ${from} may hand work to crew ${to}.`
    await this.out.done(said, made, crewConnectionView)
  }
}
