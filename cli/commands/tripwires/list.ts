import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { tripwireView } from '../../views/tripwires.ts'

export default class TripwiresList extends ApiCommand<typeof TripwiresList> {
  static override summary = 'List the tripwires of a crew, newest first'
  static override description =
    'Decoys that nobody needs: an agent that touches one is stopped. Values are never shown.'
  static override examples = [
    '$ <%= config.bin %> tripwires list web-team',
    '$ <%= config.bin %> tripwires list web-team --json=name,state',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    await this.out.list(limited(await this.api.tripwires.list({ crewId: id }), this.flags), tripwireView)
  }
}
