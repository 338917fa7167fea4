import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { inputFlags, inputsIn } from '../../routines/inputs.ts'
import { dryView } from '../../views/routines.ts'

export default class RoutinesDryRun extends ApiCommand<typeof RoutinesDryRun> {
  static override summary = 'Show what a run of a routine would do, without doing it'
  static override examples = ['$ <%= config.bin %> routines dry-run nightly-update --input branch=main']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = inputFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const body = given({ inputs: inputsIn(this.flags) })
    const { steps } = await this.api.routines.dryRun({ workspaceId, routineSlug: this.args.routine, body })
    await this.out.list(steps, dryView)
  }
}
