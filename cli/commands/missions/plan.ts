import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { watchMission } from '../../missions/watching.ts'
import { type Mission, missionView } from '../../views/missions.ts'

const isPlanned = ({ planning }: Mission) => !planning

export default class MissionsPlan extends ApiCommand<typeof MissionsPlan> {
  static override summary = 'Let the LEAD of a mission plan its tasks'
  static override description =
    'Waits for the plan, which replaces the tasks that are there. With --start the mission begins with it, as far as ' +
    'the policy of the crew allows: otherwise people are asked first.'
  static override next = { mission_planning: 'muster missions watch MISSION' }
  static override examples = [
    '$ <%= config.bin %> missions plan Relaunch',
    '$ <%= config.bin %> missions plan Relaunch --start',
  ]
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }
  static override flags = {
    start: Flags.boolean({ description: 'begin with the plan, as far as the policy of the crew allows' }),
    wait: Flags.boolean({ allowNo: true, default: true, description: 'wait for the plan' }),
  }

  async run(): Promise<void> {
    const { api, connection, out } = this
    const at = await missionAt(api, this.args.mission)
    const asked = await api.missions.plan({ ...at, body: this.flags.start ? { start: true } : {} })
    out.note(`The LEAD plans in run ${asked.run_id}.`, 'dim')
    if (!this.flags.wait) return out.done('Asked the LEAD for a plan.')
    await watchMission({ api, connection, out, at, over: isPlanned })
    const mission = await api.missions.show(at)
    if (mission.error_message && !mission.tasks?.length) this.finish(1)
    await out.done(told(mission), mission, missionView)
  }
}

function told({ error_message, approval_id, tasks = [], status }: Mission): string {
  if (error_message) return `There is no plan: ${error_message}`
  const what = `The plan has ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}`
  if (approval_id) return `${what}; people have to approve it. Next: muster approvals list`
  return status === 'PLANNING' ? `${what}.` : `${what}, and the mission has begun.`
}
