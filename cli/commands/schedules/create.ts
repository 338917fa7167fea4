import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { membersIn, scheduleFlags } from '../../schedules/flags.ts'
import { nextInWords, scheduleView } from '../../views/schedules.ts'

export default class SchedulesCreate extends ApiCommand<typeof SchedulesCreate> {
  static override summary = 'Create a schedule for a routine'
  static override examples = [
    '$ <%= config.bin %> schedules create nightly --routine nightly-update --cron "0 3 * * *" --timezone Europe/Berlin',
    '$ <%= config.bin %> schedules create hourly --routine poll --cron @hourly --wake has-news',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the schedule' }) }
  static override flags = {
    routine: Flags.string({ required: true, description: 'slug of the routine' }),
    cron: Flags.string({ required: true, helpValue: 'CRON', description: 'five fields, or @daily and the like' }),
    ...scheduleFlags,
    disabled: Flags.boolean({ description: 'do not begin anything yet' }),
  }

  async run(): Promise<void> {
    const { routine, cron, disabled } = this.flags
    const row = await this.api.schedules.create({
      workspaceId: workspaceInUse(this.session),
      body: {
        name: this.args.name,
        cron_expr: cron,
        target_pipeline_slug: routine,
        ...membersIn(this.flags),
        ...given<{ enabled?: boolean }>({ enabled: disabled ? false : undefined }),
      },
    })
    await this.out.done(`Created schedule ${row.name}. ${nextInWords(row)}`, row, scheduleView)
  }
}
