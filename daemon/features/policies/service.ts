import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import {
  type AutonomyLevel,
  autonomyLevels,
  type BehaviorMode,
  behaviorModes,
  type Policy,
  type policies,
} from '#contract/policies'
import type { App } from '#kernel/app'
import { type Cache, createCache } from '#kernel/cache'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { storePolicy } from '../crews/service.ts'
import { queries, type Row } from './queries.ts'
import { type Verdict, verdictOf } from './rules.ts'

export type { Verdict } from './rules.ts'

type Shown = Static<typeof Policy>

/** Checks what is stored: an impossible pair is an error, never a permission. */
function present({ crew_id, autonomy_level, behavior_mode, set_by_user_id, set_at, reason }: Row): Shown {
  const level = autonomyLevels.find((it) => it === autonomy_level)
  const mode = behaviorModes.find((it) => it === behavior_mode)
  if (!level || !mode || (level === 'full' && mode === 'block'))
    throw problem('unavailable', { detail: `The stored policy of the crew ${crew_id} is not valid` })
  return {
    crew_id,
    autonomy_level: level,
    behavior_mode: mode,
    ...(set_by_user_id && { set_by_user_id }),
    ...(set_at && { set_at }),
    ...(reason && { reason }),
  }
}

export function list({ db }: App, { actor, query }: Call<typeof policies.list>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(db).list.all(actor.workspace, limit, offset).map(present)
}

export function show({ db }: App, { actor, crewId }: Call<typeof policies.show>): Shown {
  const row = queries(db).find.get(actor.workspace, crewId)
  if (!row) throw problem('not_found', { field: 'crewId' })
  return present(row)
}

export function set(app: App, { actor, crewId, body, now }: Call<typeof policies.set>): Shown {
  const { autonomy_level: level, behavior_mode: mode } = body
  const reason = body.reason?.trim() || null
  if (level === 'full' && mode === 'block') throw problem('forbidden_pairing', { field: 'behavior_mode' })
  if (level === 'full' && !reason)
    throw problem('reason_required', { field: 'reason', detail: 'Say why this crew may do everything without asking' })
  const found = storePolicy(app, { workspace: actor.workspace, crew: crewId, level, mode, reason, user: actor.id, now })
  if (!found) throw problem('not_found', { field: 'crewId' })
  app.afterCommit(() => cacheOf(app).delete(crewId))
  const payload = { autonomy_level: level, behavior_mode: mode, ...(reason && { reason }) }
  const about = { workspace_id: actor.workspace, crew_id: crewId, ...actorOf(actor), refs: { crew_id: crewId } }
  app.journal(fact('policy.changed', payload, about))
  return present(queries(app.db).find.get(actor.workspace, crewId)!)
}

interface Held {
  level: AutonomyLevel
  mode: BehaviorMode
  until: number
}

const caches = new WeakMap<App, Cache<Held>>()
const heldFor = 10_000

function cacheOf(app: App): Cache<Held> {
  const cache = caches.get(app) ?? createCache<Held>(1000)
  caches.set(app, cache)
  return cache
}

/** The policy of a crew, remembered for 10 s; guided and warn for a crew that is not there. */
export function policyOf(app: App, workspace: string, crewId: string): { level: AutonomyLevel; mode: BehaviorMode } {
  const cache = cacheOf(app)
  const known = cache.get(crewId)
  if (known && known.until > app.steady()) return known
  const row = queries(app.db).find.get(workspace, crewId)
  if (!row) return { level: 'guided', mode: 'warn' }
  const { autonomy_level: level, behavior_mode: mode } = present(row)
  const held = { level, mode, until: app.steady() + heldFor }
  cache.set(crewId, held)
  return held
}

/** The verdict on an agent's action. The crew is the one that the agent's token names. */
export const consult = (
  app: App,
  { workspace, crew, action }: { workspace: string; crew: string; action: string },
): Verdict => verdictOf(action, policyOf(app, workspace, crew).level)
