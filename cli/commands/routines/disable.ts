import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'

export default class RoutinesDisable extends ApiCommand<typeof RoutinesDisable> {
  static override summary = 'Disable a routine and cancel its runs'
  static override examples = ['$ <%= config.bin %> routines disable nightly-update --yes']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    await this.confirm(`Disable the routine ${routineSlug} and cancel its runs?`)
    const moved = await this.api.routines.disable({ workspaceId, routineSlug })
    await this.out.done(`Disabled the routine ${routineSlug}.`, moved)
  }
}
