import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { inputFlags, inputsIn } from '../../routines/inputs.ts'

export default class RoutinesReplay extends ApiCommand<typeof RoutinesReplay> {
  static override summary = 'Run a routine once more with the inputs of an earlier run'
  static override examples = [
    '$ <%= config.bin %> routines replay 3fk2p8qz',
    '$ <%= config.bin %> routines replay 3fk2p8qz --from-step review',
  ]
  static override args = { 'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }) }
  static override flags = {
    'from-step': Flags.string({
      helpValue: 'STEP',
      description: 'keep what was done before this step and begin with it',
    }),
    ...inputFlags,
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { 'from-step': from_step } = this.flags
    const body = given({ from_step, inputs: inputsIn(this.flags) })
    const begun = await this.api.routines.replay({ workspaceId, routineRunId: this.args['routine-run'], body })
    await this.out.done(`The run ${begun.run_id} is ${begun.status.toLowerCase()}.`, begun)
  }
}
