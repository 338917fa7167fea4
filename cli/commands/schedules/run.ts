import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { scheduleCalled } from '../../schedules/flags.ts'

export default class SchedulesRun extends ApiCommand<typeof SchedulesRun> {
  static override summary = 'Run the routine of a schedule now, as if it were due'
  static override examples = ['$ <%= config.bin %> schedules run nightly']
  static override args = { schedule: Args.string({ required: true, description: 'name of the schedule' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, name } = await scheduleCalled(this.api, workspaceId, this.args.schedule)
    const begun = await this.api.schedules.run({ workspaceId, scheduleId: id })
    await this.out.done(`Began the run ${begun.run_id} of the schedule ${name}.`, begun)
  }
}
