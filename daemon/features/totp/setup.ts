import { fact } from '#contract/entries'
import type { totp } from '#contract/totp'
import { type App, wholeSeconds } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { type Problem, problem } from '#kernel/problem'
import { type Account, accountById } from '../users/lockout/service.ts'
import { setTwoFactor } from '../users/service.ts'
import { letters } from './letters.ts'
import { queries } from './queries.ts'
import { newSecret, typed, uriOf } from './rules.ts'
import { demand, giveCodes, isPending, pendingFor, sealed, stillFits, takeStep, tell } from './service.ts'

/** How old the sign-in may be of somebody who has no password to show, in milliseconds. */
const freshFor = 15 * 60_000

/** Stores a secret that does nothing yet, in place of one that waited before. */
export function start(
  app: App,
  { actor, body, now }: Call<typeof totp.start>,
  compared: { account: Account; fits: boolean | null },
) {
  const { account, fits } = stillFits(app, compared)
  if (fits === null && !isFresh(app, actor))
    return problem('fresh_session_required', {
      detail: 'This account has no password: do this in a browser within 15 minutes of signing in, or set a password',
    })
  const refused = demand(app, account, { fits, code: account.two_factor_at ? body?.code : null }, now)
  if (refused) return refused
  const { forget, insert } = queries(app.db)
  const secret = newSecret()
  const id = newId(app.clock())
  forget.run({ user: actor.id, confirmed: 0 })
  insert.run({ id, user: actor.id, secret: sealed(app, id, secret), now })
  return { secret, uri: uriOf(account.email, secret), expires_at: wholeSeconds(app.clock() + pendingFor) }
}

const isFresh = (app: App, { session }: Actor): boolean => {
  const since = session && queries(app.db).sessionBegan.get(session.id)?.created_at
  return since != null && Math.abs(app.clock() - Date.parse(since)) < freshFor
}

/** The first code proves that the app has the secret. Other browsers must show the factor from now on. */
export function confirm(
  app: App,
  { actor, body, now }: Call<typeof totp.confirm>,
): { since: string; recovery_codes: string[] } | Problem {
  const row = isPending(app, actor.id)
  if (!row) return problem('second_factor_not_started')
  const it = typed(body.code)
  if (it?.kind !== 'app' || !takeStep(app, row, it.code)) return problem('second_factor_invalid', { field: 'code' })
  const { email, two_factor_at } = accountById(app, actor.id)!
  const moved = two_factor_at !== null
  const { forget, confirm: use } = queries(app.db)
  forget.run({ user: actor.id, confirmed: 1 })
  use.run(row.id)
  setTwoFactor(app, actor.id, true, now)
  const shown = actor.session && { session_id: actor.session.id }
  const metadata = { changed: ['two_factor_at' as const], two_factor: true as const, ...shown }
  const payload = { entity_id: actor.id, name: email, metadata }
  const what = moved ? 'user.two_factor_moved' : 'user.two_factor_on'
  journalForUser(app, actor.id, fact(what, payload, byUser(actor.id)))
  tell(app, actor.id, moved ? letters.moved() : letters.turnedOn())
  return { since: now, recovery_codes: giveCodes(app, actor.id, now) }
}
