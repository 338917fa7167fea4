import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { isResting, reviewNext, watchMission } from '../../missions/watching.ts'
import { movedView } from '../../views/missions.ts'

export default class MissionsStart extends ApiCommand<typeof MissionsStart> {
  static override summary = 'Start a mission'
  static override description =
    'A task begins as soon as all that it depends on is done. With --watch the exit code tells how the mission ' +
    'ended: 0 completed or in review, 1 failed, 2 cancelled.'
  static override next = {
    mission_empty: 'muster missions plan MISSION',
    mission_refused: 'muster missions show MISSION',
  }
  static override examples = [
    '$ <%= config.bin %> missions start Relaunch',
    '$ <%= config.bin %> missions start Relaunch --watch',
  ]
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }
  static override flags = { watch: Flags.boolean({ description: 'show its tasks until it is over' }) }

  async run(): Promise<void> {
    const at = await missionAt(this.api, this.args.mission)
    const moved = await this.api.missions.start(at)
    await this.out.done(`Started the mission ${this.args.mission}.`, moved, movedView)
    if (!this.flags.watch) return
    const { api, connection, out } = this
    const { status } = await watchMission({ api, connection, out, at, over: isResting })
    if (status === 'REVIEW') out.note(reviewNext(this.args.mission), 'dim')
    this.finish(status === 'FAILED' ? 1 : status === 'CANCELLED' ? 2 : 0)
  }
}
