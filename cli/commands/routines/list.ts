import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { routineView } from '../../views/routines.ts'

export default class RoutinesList extends ApiCommand<typeof RoutinesList> {
  static override summary = 'List routines'
  static override examples = ['$ <%= config.bin %> routines', '$ <%= config.bin %> routines list --json=slug,status']
  static override flags = listFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    await this.out.list(limited(await this.api.routines.list({ workspaceId }), this.flags), routineView)
  }
}
