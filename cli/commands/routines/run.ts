import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { begunWords, requestOf, runFlags } from '../../routines/asking.ts'
import { exitOf, watchRoutine } from '../../routines/watching.ts'

export default class RoutinesRun extends ApiCommand<typeof RoutinesRun> {
  static override summary = 'Run a routine, now or later'
  static override description =
    'It waits ten seconds for the end (--wait says how long), with --watch until it is over. The exit code tells how ' +
    'it ended: 0 completed or still at work, 1 failed, 2 cancelled.'
  static override examples = [
    '$ <%= config.bin %> routines run nightly-update --watch',
    '$ <%= config.bin %> routines run nightly-update --input branch=main --input labels=\'["deps"]\'',
    '$ <%= config.bin %> routines run nightly-update --delay 2h',
  ]
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = runFlags
  static override next = {
    routine_inactive: 'muster routines show ROUTINE',
    invalid_inputs: 'muster routines show ROUTINE',
    missing_credentials: 'muster credentials list',
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    const body = requestOf(this.flags)
    const begun = await this.progress(`Running ${routineSlug}`, () =>
      this.api.routines.run({ workspaceId, routineSlug, body }, { timeout: 90_000 }),
    )
    if (begun.status === 'SCHEDULED') return this.out.done(`It begins at ${begun.fire_at}.`, begun)
    if (!this.flags.watch || !begun.run_id) {
      await this.out.done(begunWords(begun), begun)
      return this.finish(
        begun.status === 'FAILED' || begun.status === 'INTERRUPTED' ? 1 : begun.status === 'CANCELLED' ? 2 : 0,
      )
    }
    const { api, connection, out } = this
    const ended = await watchRoutine({ api, connection, out, at: { workspaceId, routineRunId: begun.run_id } })
    this.finish(exitOf(ended))
  }
}
