import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { isResting, reviewNext, watchMission } from '../../missions/watching.ts'

export default class MissionsWatch extends ApiCommand<typeof MissionsWatch> {
  static override summary = 'Watch the tasks of a mission until it is over or a person has to look at it'
  static override description =
    'A tree at a terminal; elsewhere a line for each change. The exit code tells how it ended: 0 completed or in ' +
    'review, 1 failed, 2 cancelled.'
  static override result = { members: [] }
  static override examples = ['$ <%= config.bin %> missions watch Relaunch']
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }

  async run(): Promise<void> {
    const { api, connection, out } = this
    const at = await missionAt(api, this.args.mission)
    const { status } = await watchMission({ api, connection, out, at, over: isResting })
    if (status === 'REVIEW') out.note(reviewNext(this.args.mission), 'dim')
    this.finish(status === 'FAILED' ? 1 : status === 'CANCELLED' ? 2 : 0)
  }
}
