import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { viewOf } from '../../output/any-view.ts'

export default class RoutinesDiff extends ApiCommand<typeof RoutinesDiff> {
  static override summary = 'Compare two versions of a routine'
  static override examples = [
    '$ <%= config.bin %> routines diff nightly-update',
    '$ <%= config.bin %> routines diff nightly-update --from 2 --to 5',
  ]
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = {
    from: Flags.integer({ min: 1, description: 'the earlier version; the one before unless given' }),
    to: Flags.integer({ min: 1, description: 'the later version; the newest unless given' }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { from, to } = this.flags
    const found = await this.api.routines.diff({
      workspaceId,
      routineSlug: this.args.routine,
      query: given({ from, to }),
    })
    if (this.out.wanted.format !== 'auto') return this.out.show(found, viewOf([found]))
    this.out.text(found.identical ? 'Both versions are the same.\n' : found.unified_diff)
  }
}
