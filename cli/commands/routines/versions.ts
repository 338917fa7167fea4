import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { versionView } from '../../views/routines.ts'

export default class RoutinesVersions extends ApiCommand<typeof RoutinesVersions> {
  static override summary = 'List the versions of a routine, newest first'
  static override examples = ['$ <%= config.bin %> routines versions nightly-update']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const found = await this.api.routines.versions({ workspaceId, routineSlug: this.args.routine })
    await this.out.list(limited(found, this.flags), versionView)
  }
}
