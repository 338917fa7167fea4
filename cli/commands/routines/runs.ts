import { routineRunStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given, oneOf, windowed, windowFlags } from '../../flags.ts'
import { routineRunView } from '../../views/routines.ts'

export default class RoutinesRuns extends ApiCommand<typeof RoutinesRuns> {
  static override summary = 'List the runs of all routines, newest first'
  static override examples = ['$ <%= config.bin %> routines runs', '$ <%= config.bin %> routines runs --status active']
  static override flags = {
    status: oneOf([...routineRunStatuses, 'active'], { description: 'only runs that are; active: not over' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { status } = this.flags
    const page = async (window: object) =>
      (await this.api.routines.runs({ workspaceId, query: given({ status, ...window }) })).rows
    await this.out.list(await windowed(this.flags, page, 200), routineRunView)
  }
}
