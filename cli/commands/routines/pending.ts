import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { pendingView } from '../../views/routines.ts'

export default class RoutinesPending extends ApiCommand<typeof RoutinesPending> {
  static override summary = 'List the runs of routines that begin later, the next one first'
  static override examples = ['$ <%= config.bin %> routines pending']
  static override flags = listFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    await this.out.list(limited(await this.api.routines.pending({ workspaceId }), this.flags), pendingView)
  }
}
