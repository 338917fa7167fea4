import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'

export default class RoutinesReject extends ApiCommand<typeof RoutinesReject> {
  static override summary = 'Refuse the newest version of a routine'
  static override examples = ['$ <%= config.bin %> routines reject nightly-update']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    const moved = await this.api.routines.reject({ workspaceId, routineSlug })
    await this.out.done(`Refused the routine ${routineSlug}, which is ${moved.status} now.`, moved)
  }
}
