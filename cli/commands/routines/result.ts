import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { runShownView } from '../../views/routines.ts'

export default class RoutinesResult extends ApiCommand<typeof RoutinesResult> {
  static override summary = 'Show a run of a routine with its steps'
  static override examples = [
    '$ <%= config.bin %> routines result 3fk2p8qz',
    '$ <%= config.bin %> routines result 3fk2p8qz --jq .output',
  ]
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const found = await this.api.routines.result({ workspaceId, routineRunId: this.args['routine-run'] })
    await this.out.show(found, runShownView)
  }
}
