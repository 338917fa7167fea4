import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { exits } from '../../failure.ts'
import { type IssueAt, issueAt } from '../../lookup.ts'
import { shellWord } from '../../output/shell-word.ts'
import { watchRoutine } from '../../routines/watching.ts'
import { printLog } from '../../runs/print-log.ts'
import { startedView } from '../../views/issues.ts'

/** Exit codes by what became of the issue. */
const codes: Partial<Record<string, number>> = { FAILED: exits.other, TODO: exits.interrupted }

export default class IssuesStart extends ApiCommand<typeof IssuesStart> {
  static override summary = 'Let the agent or the routine of an issue work on it'
  static override description =
    'The issue goes to IN_PROGRESS, and to REVIEW once its agent is done. --follow shows what the agent does until ' +
    'its run is over, also while it waits for a person, and exits with 0 when the issue is to be reviewed, 1 when ' +
    'the agent failed and 130 when the run was cancelled. Leaving with Ctrl-C cancels nothing. In a pipe the id of ' +
    'the run is written, for `muster wait`. An issue that a routine does starts that routine, whose runs ' +
    'are those of `muster routines`; --follow shows its steps.'
  static override result = { any: true as const }
  static override examples = [
    '$ <%= config.bin %> issues start WEB-12',
    '$ <%= config.bin %> issues start WEB-12 -f',
    '$ <%= config.bin %> wait "$(muster issues start WEB-12)"',
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'show what the agent does until its run is over' }),
  }

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const begun = await this.api.issues.start(at)
    if (this.flags.follow && !this.dry) return this.follow(at, begun)
    await this.out.done(`${at.identifier} is IN_PROGRESS.`, begun, startedView)
  }

  private async follow(at: IssueAt, { run_id, routine_slug }: { run_id: string; routine_slug: string | null }) {
    this.out.note(`${at.identifier} is IN_PROGRESS.`, 'dim')
    const leave = () => {
      this.out.note(`\nIt goes on. Next: muster issues stop ${shellWord(at.identifier)}`, 'dim')
      process.exit(exits.interrupted)
    }
    process.once('SIGINT', leave)
    const { api, connection, out } = this
    if (routine_slug === null)
      await printLog(out, connection, locate('runs.logs', { runId: run_id, query: { follow: true } }))
    else
      await watchRoutine({
        api,
        connection,
        out,
        at: { workspaceId: workspaceInUse(this.session), routineRunId: run_id },
      })
    process.off('SIGINT', leave)
    const { status } = await this.api.issues.show(at)
    this.out.note(`${at.identifier} is ${status}. Next: muster issues show ${shellWord(at.identifier)}`, 'dim')
    this.finish(codes[status] ?? exits.ok)
  }
}
