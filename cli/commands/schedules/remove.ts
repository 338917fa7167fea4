import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { scheduleCalled } from '../../schedules/flags.ts'

export default class SchedulesRemove extends ApiCommand<typeof SchedulesRemove> {
  static override summary = 'Delete a schedule'
  static override examples = ['$ <%= config.bin %> schedules remove nightly --yes']
  static override args = { schedule: Args.string({ required: true, description: 'name of the schedule' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, name } = await scheduleCalled(this.api, workspaceId, this.args.schedule)
    await this.confirm(`Delete schedule ${name}?`)
    await this.api.schedules.remove({ workspaceId, scheduleId: id })
    await this.out.done(`Deleted schedule ${name}.`)
  }
}
