import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { exitOf, watchRoutine } from '../../routines/watching.ts'

export default class RoutinesWatch extends ApiCommand<typeof RoutinesWatch> {
  static override summary = 'Show the steps of a run as they change, until it is over'
  static override description = 'The exit code tells how it ended: 0 completed, 1 failed, 2 cancelled.'
  static override examples = ['$ <%= config.bin %> routines watch 3fk2p8qz']
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }
  static override result = { of: ['routines.result'] }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const at = { workspaceId, routineRunId: this.args['routine-run'] }
    const { api, connection, out } = this
    const ended = await watchRoutine({ api, connection, out, at })
    this.finish(exitOf(ended))
  }
}
