import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { routineShownView } from '../../views/routines.ts'

export default class RoutinesShow extends ApiCommand<typeof RoutinesShow> {
  static override summary = 'Show a routine with its newest definition'
  static override examples = [
    '$ <%= config.bin %> routines show nightly-update',
    '$ <%= config.bin %> routines show nightly-update --jq .definition',
  ]
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const found = await this.api.routines.show({ workspaceId, routineSlug: this.args.routine })
    await this.out.show(found, routineShownView)
  }
}
