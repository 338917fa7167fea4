import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { runShownView } from '../../views/routines.ts'

export default class RoutinesResult extends ApiCommand<typeof RoutinesResult> {
  static override summary = 'Show a run of a routine with its steps'
  static override examples = [
    '$ <%= config.bin %> routines result 3fk2p8qz',
    '$ <%= config.bin %> routines result 3fk2p8qz --jq .output',
    '$ <%= config.bin %> routines result 3fk2p8qz --io-step merge',
  ]
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }
  static override flags = {
    'io-step': Flags.string({
      helpValue: 'STEP',
      description: 'show what the tools of the agent of this step took and gave too',
    }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const query = given<{ io_step?: string }>({ io_step: this.flags['io-step'] })
    const found = await this.api.routines.result({ workspaceId, routineRunId: this.args['routine-run'], query })
    await this.out.show(found, runShownView)
  }
}
