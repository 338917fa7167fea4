import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import { type Limiter, type LimiterKey, limiterKeys, limiters, type limits } from '#contract/limits'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { homeOf, homeRoleOf } from '#kernel/auth/home'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { queries } from './queries.ts'

type Shown = Static<typeof Limiter>

/** Puts the stored values in force, when the daemon starts. A key that this version does not know has no effect. */
export function applyStored(app: App): void {
  for (const { key, value } of queries(app.db).list.all()) if (isKey(key)) app.limits.override(key, value)
}

const isKey = (key: string): key is LimiterKey => Object.hasOwn(limiters, key)

const present = ({ limits }: App, key: LimiterKey): Shown => ({
  key,
  ...limiters[key],
  display_name: limiters[key].label,
  default: limits.fallback(key),
  value: limits.value(key),
  overridden: limits.overridden(key),
})

export function list(app: App, actor: Actor): { limiters: Shown[] } {
  guard(app, actor)
  return { limiters: limiterKeys.map((key) => present(app, key)) }
}

export function set(app: App, { actor, key, body: { value }, now }: Call<typeof limits.set>): Shown {
  guard(app, actor)
  const known = find(key)
  const { min, max, unit } = limiters[known]
  if (value < min || value > max)
    throw problem('invalid_field', { field: 'value', detail: `${known} takes ${min} to ${max} ${unit}` })
  return change(app, actor, known, value, () => queries(app.db).set.run({ key, value, user: actor.id, now }))
}

export function reset(app: App, { actor, key }: Call<typeof limits.reset>): Shown {
  guard(app, actor)
  return change(app, actor, find(key), null, () => queries(app.db).reset.run(key))
}

/** The limits are everybody's on this server, and anyone may own a workspace: only the first one counts. */
function guard(app: App, actor: Actor): void {
  const role = homeRoleOf(app, actor.id)
  if (!role || !allows('ADMIN', role))
    throw problem('insufficient_role', {
      detail: 'Only ADMIN and OWNER of the first workspace of this server see and change its limits',
    })
}

function find(key: string): LimiterKey {
  if (isKey(key)) return key
  throw problem('not_found', {
    field: 'key',
    detail: `There is no limit of that name; there are ${limiterKeys.join(', ')}`,
  })
}

function change(app: App, actor: Actor, key: LimiterKey, value: number | null, store: () => void): Shown {
  const [before, after] = [app.limits.value(key), value ?? app.limits.fallback(key)]
  store()
  // What is in force follows what is stored: not before the commit.
  app.afterCommit(() => app.limits.override(key, value))
  const metadata = { from: before, to: after, overridden: value !== null }
  const about = { workspace_id: homeOf(app)!, ...actorOf(actor) }
  app.journal(fact('rate_limit.updated', { entity_id: key, name: key, metadata }, about))
  return { ...present(app, key), value: after, overridden: value !== null }
}
