import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { registry } from '#contract/registry'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { queries } from './queries.ts'

const pauseMs = 3_600_000
const dayMs = 86_400_000

const ago = (app: App, ms: number) => wholeSeconds(app.clock() - ms)

/** Has the registry fetched, unless that was done within the hour. */
export function startSync(app: App, { actor, now }: Call<typeof registry.sync>): Reply<typeof registry.sync> {
  if (!app.config.registryUrl)
    throw problem('unavailable', { detail: 'This server asks no registry (SVC_MCP_REGISTRY_URL is empty)' })
  if (!queries(app.db).start.get({ now, before: ago(app, pauseMs) })) throw tooSoon(app)
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('mcp_registry.sync_started', { entity_id: 'mcp-registry', name: 'mcp-registry' }, about))
  app.afterCommit(() => app.bus.emit('registry'))
  return { status: 'sync_started', message: 'The registry is being fetched; its servers appear page by page' }
}

function tooSoon(app: App) {
  const { started_at, failure } = queries(app.db).newest.get()!
  const wait = Math.max(1, Math.ceil((Date.parse(started_at) + pauseMs - app.clock()) / 1000))
  const said =
    failure === null
      ? 'The registry was fetched within the last hour'
      : `The registry was asked within the last hour, without success (${failure})`
  return problem('rate_limited', {
    detail: `${said}; try again in ${Math.ceil(wait / 60)} min`,
    headers: { 'retry-after': String(wait) },
  })
}

/** When the registry is due: at once when a sync was begun and not ended, else daily; null before the first one. */
export function nextSync({ db }: App): number | null {
  const newest = queries(db).newest.get()
  if (!newest) return null
  return newest.ended_at === null ? Date.parse(newest.started_at) : Date.parse(newest.started_at) + dayMs
}

/** Notes that a sync begins which nobody asked for, unless one is under way. */
export const beginSync = (app: App): void => void queries(app.db).start.get({ now: app.now(), before: ago(app, dayMs) })

/** Notes how the sync ended; `failure` is null when the registry was fetched. */
export const endSync = (app: App, failure: string | null): void => void queries(app.db).end.run(app.now(), failure)
