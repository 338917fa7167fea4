import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { InputError } from '../../input.ts'
import { routineView } from '../../views/routines.ts'

export default class RoutinesRollback extends ApiCommand<typeof RoutinesRollback> {
  static override summary = 'Go back to an earlier version of a routine'
  static override examples = ['$ <%= config.bin %> routines rollback nightly-update 3']
  static override args = {
    routine: Args.string({ required: true, description: 'slug of the routine' }),
    version: Args.string({ required: true, description: 'number of the version' }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    const version = Number(this.args.version)
    if (!Number.isInteger(version)) throw new InputError(`A version is a number such as 3, not "${this.args.version}".`)
    const row = await this.api.routines.rollback({ workspaceId, routineSlug, body: { version } })
    await this.out.done(`Version ${row.version} of ${routineSlug} is as version ${version} was.`, row, routineView)
  }
}
