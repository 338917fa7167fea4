import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { membersIn, scheduleCalled, scheduleFlags } from '../../schedules/flags.ts'
import { nextInWords, scheduleView } from '../../views/schedules.ts'

export default class SchedulesUpdate extends ApiCommand<typeof SchedulesUpdate> {
  static override summary = 'Change a schedule'
  static override examples = ['$ <%= config.bin %> schedules update nightly --cron "30 2 * * 1-5"']
  static override args = { schedule: Args.string({ required: true, description: 'name of the schedule' }) }
  static override flags = {
    name: Flags.string({ description: 'another name' }),
    routine: Flags.string({ description: 'slug of another routine' }),
    cron: Flags.string({ helpValue: 'CRON', description: 'five fields, or @daily and the like' }),
    ...scheduleFlags,
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id } = await scheduleCalled(this.api, workspaceId, this.args.schedule)
    const { name, routine, cron } = this.flags
    type Named = { name?: string; cron_expr?: string; target_pipeline_slug?: string }
    const named = given<Named>({ name, cron_expr: cron, target_pipeline_slug: routine })
    const body = { ...named, ...membersIn(this.flags) }
    const row = await this.api.schedules.update({ workspaceId, scheduleId: id, body })
    await this.out.done(`Changed schedule ${row.name}. ${nextInWords(row)}`, row, scheduleView)
  }
}
