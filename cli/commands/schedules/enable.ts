import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { scheduleCalled } from '../../schedules/flags.ts'
import { nextInWords, scheduleView } from '../../views/schedules.ts'

export default class SchedulesEnable extends ApiCommand<typeof SchedulesEnable> {
  static override summary = 'Enable a schedule'
  static override result = { of: ['schedules.update'] }
  static override examples = ['$ <%= config.bin %> schedules enable nightly']
  static override args = { schedule: Args.string({ required: true, description: 'name of the schedule' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id } = await scheduleCalled(this.api, workspaceId, this.args.schedule)
    const row = await this.api.schedules.update({ workspaceId, scheduleId: id, body: { enabled: true } })
    await this.out.done(`Enabled schedule ${row.name}. ${nextInWords(row)}`, row, scheduleView)
  }
}
