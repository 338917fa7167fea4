import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { listFlags, onePage } from '../../flags.ts'
import { logView } from '../../views/routines.ts'

export default class RoutinesLogs extends ApiCommand<typeof RoutinesLogs> {
  static override summary = 'Show what happened in a run of a routine and in the runs that it began, oldest first'
  static override examples = ['$ <%= config.bin %> routines logs 3fk2p8qz']
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const query = onePage(this.flags, 5000)
    const found = await this.api.routines.logs({ workspaceId, routineRunId: this.args['routine-run'], query })
    await this.out.list(found, logView)
  }
}
