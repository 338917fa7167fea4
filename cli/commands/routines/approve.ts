import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'

export default class RoutinesApprove extends ApiCommand<typeof RoutinesApprove> {
  static override summary = 'Let the newest version of a routine run'
  static override examples = ['$ <%= config.bin %> routines approve nightly-update']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    const moved = await this.api.routines.approve({ workspaceId, routineSlug })
    await this.out.done(`Approved the routine ${routineSlug}, which is ${moved.status} now.`, moved)
  }
}
