import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { routineRunView } from '../../views/routines.ts'

export default class RoutinesActive extends ApiCommand<typeof RoutinesActive> {
  static override summary = 'List the runs of routines that are not over'
  static override examples = ['$ <%= config.bin %> routines active']
  static override flags = listFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    await this.out.list(limited(await this.api.routines.active({ workspaceId }), this.flags), routineRunView)
  }
}
