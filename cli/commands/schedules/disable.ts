import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { scheduleCalled } from '../../schedules/flags.ts'
import { scheduleView } from '../../views/schedules.ts'

export default class SchedulesDisable extends ApiCommand<typeof SchedulesDisable> {
  static override summary = 'Disable a schedule'
  static override result = { of: ['schedules.update'] }
  static override examples = ['$ <%= config.bin %> schedules disable nightly']
  static override args = { schedule: Args.string({ required: true, description: 'name of the schedule' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id } = await scheduleCalled(this.api, workspaceId, this.args.schedule)
    const row = await this.api.schedules.update({ workspaceId, scheduleId: id, body: { enabled: false } })
    await this.out.done(`Disabled schedule ${row.name}.`, row, scheduleView)
  }
}
