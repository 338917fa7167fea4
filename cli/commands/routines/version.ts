import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { versionView } from '../../views/routines.ts'

export default class RoutinesVersion extends ApiCommand<typeof RoutinesVersion> {
  static override summary = 'Show a version of a routine with its definition'
  static override examples = ['$ <%= config.bin %> routines version nightly-update 3']
  static override args = {
    routine: Args.string({ required: true, description: 'slug of the routine' }),
    version: Args.string({ required: true, description: 'number of the version' }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug, version } = this.args
    await this.out.show(await this.api.routines.version({ workspaceId, routineSlug, version }), versionView)
  }
}
