import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'

export default class RoutinesEnable extends ApiCommand<typeof RoutinesEnable> {
  static override summary = 'Enable a routine that was disabled'
  static override examples = ['$ <%= config.bin %> routines enable nightly-update']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    const moved = await this.api.routines.enable({ workspaceId, routineSlug })
    await this.out.done(`Enabled the routine ${routineSlug}, which is ${moved.status} now.`, moved)
  }
}
