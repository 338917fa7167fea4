import type { pairing } from '#contract/pairing'
import { type App, wholeSeconds } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { requireHeld } from '#kernel/http/admit'
import { newId } from '#kernel/ids'
import { type Letter, shownTime } from '#kernel/mail/letter'
import { problem } from '#kernel/problem'
import { mint, reachOf } from '../tokens/service.ts'
import { find as findUser } from '../users/service.ts'
import { challengeOf, cleanHint, hashCode, isChallenge, newCode, shown, typed } from './codes.ts'
import { queries } from './queries.ts'

const lifetime = 10 * 60_000
/** What a clock may be set back by without ending codes; set back by more it must not prolong them. */
const leeway = 60_000

/** Codes are hashed with a key that only the server has. */
function hashed({ vault }: App, code: string): string {
  if (!vault) throw problem('encryption_unavailable')
  return hashCode(vault.derive('pairing-code'), code)
}

export function start(app: App, { actor, body, now }: Call<typeof pairing.start>) {
  requireHeld(app, actor)
  const { db, clock } = app
  const challenge = body?.challenge ?? null
  if (challenge !== null && !isChallenge(challenge))
    throw problem('invalid_field', { field: 'challenge', detail: 'challenge must be a SHA-256 in base64url' })
  // Whatever has elapsed is reported like a code that never was, so nothing is lost with it.
  queries(db).forget.run(now)
  const expires_at = wholeSeconds(clock() + lifetime)
  const row = {
    user: actor.id,
    token: actor.token?.id ?? null,
    hint: cleanHint(body?.adapter_hint),
    challenge,
    now,
    expires_at,
  }
  let code: string
  do code = newCode()
  while (!queries(db).insert.get({ ...row, id: newId(clock()), hash: hashed(app, code) }))
  return { code: shown(code), expires_at }
}

const latest = ({ clock }: App) => wholeSeconds(clock() + lifetime + leeway)

/** Unknown, foreign and expired codes get the same answer. */
export function poll(app: App, { actor, query, now }: Call<typeof pairing.poll>) {
  const code = typed(query.code)
  if (!code) throw problem('invalid_field', { field: 'code', detail: 'code must have 8 characters, as ABCD-EFGH' })
  const row = queries(app.db).find.get({ hash: hashed(app, code), user: actor.id, now, latest: latest(app) })
  if (!row) return { status: 'expired' as const, expires_at: '' }
  return { status: row.status, ...(row.adapter_hint && { adapter_hint: row.adapter_hint }), expires_at: row.expires_at }
}

/** A code is worth one token, which reaches as far and as long as the one that asked for the code. */
export function redeem(app: App, { body, now, web }: Call<typeof pairing.redeem>) {
  // Besides the bucket of each address: guessing from many addresses at once must stay hopeless.
  const refused = app.limits.take('pairing', 'everybody')
  if (refused) throw refused
  const code = typed(body.code)
  const challenge = body.verifier === undefined ? null : challengeOf(body.verifier)
  const row =
    code &&
    queries(app.db).consume.get({
      hash: hashed(app, code),
      hint: cleanHint(body.adapter_hint),
      challenge,
      now,
      latest: latest(app),
    })
  const reach =
    row && (row.token_id ? reachOf(app, row.user_id, row.token_id, now) : { scopes: null, expires_at: null })
  if (!row || !reach) throw problem('invalid_code')
  const { user_id, adapter_hint } = row
  const name = adapter_hint ? `pair-${adapter_hint.toLowerCase()}` : 'pair'
  const { raw, token } = mint(app, { user: user_id, name, ...reach, via: 'pairing', adapter_hint, now })
  const user = findUser(app, user_id)
  tellOwner(
    app,
    user,
    {
      token_id: token.id,
      name,
      ip: web?.ip ?? '',
      user_agent: (web?.request.headers['user-agent'] ?? '').slice(0, 250),
    },
    now,
  )
  return { cli_token: raw, user_id, email: user.email }
}

/** Ends the codes that a user's sessions asked for: one would be worth a token to whoever was shut out. */
export const forgetCodes = ({ db }: App, user: string): void => void queries(db).forgetPending.run(user)

interface Device {
  token_id: string
  name: string
  ip: string
  user_agent: string
}

/** Once it is stored: whoever had not meant to pair a device should hear of it, at once and by mail. */
function tellOwner(app: App, user: ReturnType<typeof findUser>, device: Device, now: string): void {
  app.broadcast({ channel: `user:${user.id}`, type: 'device.paired', payload: device })
  app.afterCommit(() => app.mailer.send(pairedLetter(user, device, now)))
}

const pairedLetter = (
  { email, full_name }: ReturnType<typeof findUser>,
  { token_id, name, ip, user_agent }: Device,
  now: string,
): Letter => ({
  to: email,
  kind: 'device_paired',
  subject: 'A device was signed in to your Muster account',
  name: full_name,
  blocks: [
    'A pairing code of yours was used: a device is signed in as you.',
    { facts: { Device: name, Address: ip || 'unknown', Program: user_agent || 'unknown', When: shownTime(now) } },
    'If you did not do this, revoke its token at once:',
    { code: [`muster tokens revoke ${token_id}`] },
  ],
})
