import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'

export default class RoutinesRemove extends ApiCommand<typeof RoutinesRemove> {
  static override summary = 'Delete a routine and cancel its runs'
  static override examples = ['$ <%= config.bin %> routines remove nightly-update --yes']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    await this.confirm(`Delete the routine ${routineSlug} and cancel its runs?`)
    await this.api.routines.remove({ workspaceId, routineSlug })
    await this.out.done(`Deleted the routine ${routineSlug}.`)
  }
}
