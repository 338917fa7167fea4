import type { LogFrame } from '#contract/frames'
import type { runs } from '#contract/runs'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import { membership } from '#kernel/auth/membership'
import type { Actor, Call, Web } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { serveRunLog } from '../../../streams/run-log.ts'
import { mayRead } from '../chains/service.ts'
import { sourceOf } from '../messages/service.ts'
import { queries, type Run } from '../queries.ts'
import { framesOf } from './rules.ts'

type Logs = Call<typeof runs.logs> & { web: Web }

/** Answers with the log of a run: stored messages, then live frames. */
export function logs(app: App, { actor, runId, query, web }: Logs): void {
  const run = queries(app.db).find.get(runId)
  if (run?.workspace_id !== actor.workspace) throw problem('not_found', { detail: 'There is no such run' })
  if (!mayRead(app, run, actor.id))
    throw problem('not_found', { detail: 'This log is for the members of its room alone' })
  if (!app.runs.available) throw problem('unavailable', { detail: 'This server runs no agents' })
  const working = run.phase !== 'ended' && run.phase !== 'parked'
  serveRunLog(app, app.runs, web, {
    run,
    status: run.outcome ?? 'RUNNING',
    open: run.phase !== 'ended',
    past: pastOf(app, run),
    after: working ? run.first_frame - 1 : null,
    follow: query.follow ?? false,
    allowed: () => mayWatch(app, actor) && mayRead(app, run, actor.id),
  })
}

function pastOf(app: App, run: Run): LogFrame[] {
  const source = sourceOf(app, run)
  const kept = source.kept(app, run)
  const first = kept.some(({ role }) => role === 'user') ? null : source.prompt(app, run)?.shown
  return [...(first ? [first] : []), ...kept.flatMap(framesOf)]
}

function mayWatch(app: App, actor: Actor): boolean {
  const credential = credentialOf(actor)
  return (
    (credential === null || app.auth.holds(credential)) && membership(app.db, actor.workspace, actor.id) !== undefined
  )
}
