import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given, listFlags, onePage } from '../../flags.ts'
import { routineHistoryView } from '../../views/routines.ts'

export default class RoutinesHistory extends ApiCommand<typeof RoutinesHistory> {
  static override summary = 'List what the journal tells of the runs of a routine, newest first'
  static override examples = ['$ <%= config.bin %> routines history nightly-update --include-steps']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = {
    'include-steps': Flags.boolean({ description: 'what their steps came to, too' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const include_steps = this.flags['include-steps'] ? ('1' as const) : undefined
    const query = given({ include_steps, ...onePage(this.flags, 200) })
    const rows = await this.api.routines.history({ workspaceId, routineSlug: this.args.routine, query })
    await this.out.list(rows, routineHistoryView)
  }
}
