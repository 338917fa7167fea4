import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { scheduleView } from '../../views/schedules.ts'

export default class SchedulesList extends ApiCommand<typeof SchedulesList> {
  static override summary = 'List schedules of routines, the next one first'
  static override examples = ['$ <%= config.bin %> schedules list']
  static override flags = listFlags

  async run(): Promise<void> {
    const found = await this.api.schedules.list({ workspaceId: workspaceInUse(this.session) })
    await this.out.list(limited(found, this.flags), scheduleView)
  }
}
