import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'

export default class RoutinesCancel extends ApiCommand<typeof RoutinesCancel> {
  static override summary = 'Cancel a run of a routine, wherever it is'
  static override examples = ['$ <%= config.bin %> routines cancel 3fk2p8qz']
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const routineRunId = this.args['routine-run']
    const done = await this.api.routines.cancel({ workspaceId, routineRunId })
    const words = done.cancel_requested ? 'Cancelled the run' : 'It was over already: the run'
    await this.out.done(`${words} ${this.called('routine-run')}.`, done)
  }
}
