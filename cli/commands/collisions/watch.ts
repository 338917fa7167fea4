import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { collisionWatchView } from '../../views/collisions.ts'

export default class CollisionsWatch extends ApiCommand<typeof CollisionsWatch> {
  static override summary = 'Show whether the shared folders of a crew are watched, and what is not noticed'
  static override description = 'They are watched while two or more agents of the crew are at work.'
  static override examples = [
    '$ <%= config.bin %> collisions watch web-team',
    '$ <%= config.bin %> collisions watch web-team --json=state,reason',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    await this.out.show(await this.api.collisions.watch({ crewId: id }), collisionWatchView)
  }
}
