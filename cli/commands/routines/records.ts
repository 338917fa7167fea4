import { Args } from '@oclif/core'
import { routineRunStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given, listFlags, oneOf, onePage } from '../../flags.ts'
import { routineRunView } from '../../views/routines.ts'

export default class RoutinesRecords extends ApiCommand<typeof RoutinesRecords> {
  static override summary = 'List the runs of a routine, newest first'
  static override examples = ['$ <%= config.bin %> routines records nightly-update --status failed']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = { status: oneOf(routineRunStatuses, { description: 'only runs that are' }), ...listFlags }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { status } = this.flags
    const query = given({ status, ...onePage(this.flags, 200) })
    const rows = await this.api.routines.records({ workspaceId, routineSlug: this.args.routine, query })
    await this.out.list(rows, routineRunView)
  }
}
