import { createHmac } from 'node:crypto'
import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { totp } from '#contract/totp'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { bySystem, byUser, journalForUser } from '#kernel/journal/about-user'
import { type Problem, problem } from '#kernel/problem'
import { type Account, accountById, isLocked, noteAttempt, passwordFits } from '../users/lockout/service.ts'
import { setTwoFactor } from '../users/service.ts'
import { letters } from './letters.ts'
import { queries } from './queries.ts'
import { newRecoveryCode, stepOf, typed } from './rules.ts'

const codesGiven = 10
/** A set-up that was begun may be finished for so long, in milliseconds. */
export const pendingFor = 60 * 60_000

export const isPending = ({ db, clock }: App, user: string) => {
  const row = queries(db).find.get({ user, confirmed: 0 })
  return row && Math.abs(clock() - Date.parse(row.created_at)) < pendingFor ? row : undefined
}

export function show(app: App, { actor: { id } }: Call<typeof totp.show>): Static<typeof totp.show.reply> {
  const account = accountById(app, id)
  const { codesLeft, requiredBy } = queries(app.db)
  return {
    enabled: account?.two_factor_at != null,
    since: account?.two_factor_at ?? null,
    recovery_codes_left: codesLeft.get(id)!,
    pending: isPending(app, id) !== undefined,
    needs_password: account?.password_hash != null,
    required_by: requiredBy.all(id),
  }
}

function keys({ vault }: App) {
  if (!vault) throw problem('encryption_unavailable')
  const key = vault.derive('recovery-codes')
  return { vault, hashed: (code: string) => createHmac('sha256', key).update(code).digest('hex') }
}

/** A sealed secret belongs to its row. */
export const sealed = (app: App, id: string, secret: string): string =>
  keys(app).vault.seal(secret, `totp_secrets:${id}`)
export const opened = (app: App, { id, secret }: { id: string; secret: string }): string =>
  keys(app).vault.open(secret, `totp_secrets:${id}`)

/** Takes a code of the app for a secret; false for one that is wrong or was taken before. */
export function takeStep(app: App, row: { id: string; secret: string }, code: string): boolean {
  const step = stepOf(opened(app, row), code, app.clock())
  return step !== null && queries(app.db).take.get({ id: row.id, step }) !== undefined
}

/**
 * Takes a code of a user who has a second factor. Each is good once; false for one that is none of the user's. Whoever
 * calls counts the attempt.
 */
export function takeCode(app: App, { id: user, email }: Account, given: string): boolean {
  const { find, burn, codesLeft } = queries(app.db)
  const it = typed(given)
  if (it?.kind === 'app') {
    const row = find.get({ user, confirmed: 1 })
    return row !== undefined && takeStep(app, row, it.code)
  }
  if (it?.kind !== 'recovery' || !burn.get({ user, hash: keys(app).hashed(it.code) })) return false
  const left = codesLeft.get(user)!
  const metadata = { changed: ['recovery_codes' as const], left }
  journalForUser(app, user, fact('user.recovery_code_used', { entity_id: user, name: email, metadata }, byUser(user)))
  tell(app, user, letters.recoveryUsed(left))
  return true
}

/** Counts a wrong code, which is a wrong password by other means; true when guessing has locked the account. */
export function noteWrongCode(app: App, { id }: Account, now: string): boolean {
  if (noteAttempt(app, id, false, now) !== 'locked') return false
  tell(app, id, letters.guessed())
  return true
}

interface Shown {
  /** Whether the password was right; null when none is asked for. */
  fits: boolean | null
  /** Null when no code is asked for. */
  code: string | null | undefined
}

/**
 * What speaks against a change by what was shown; null when nothing does. To be returned, not thrown: attempts count.
 */
export function demand(app: App, account: Account, { fits, code }: Shown, now: string): Problem | null {
  if (isLocked(app, account, now)) return problem('account_locked')
  if (fits === false)
    return problem(noteAttempt(app, account.id, false, now) === 'locked' ? 'account_locked' : 'wrong_password', {
      field: 'password',
    })
  if (code === undefined)
    return problem('missing_field', { field: 'code', detail: 'code is required: the account has a second factor' })
  if (code !== null && !takeCode(app, account, code))
    return problem(noteWrongCode(app, account, now) ? 'account_locked' : 'second_factor_invalid', {
      field: 'code',
    })
  noteAttempt(app, account.id, true, now)
  return null
}

/** Before the transaction: whether the password is that of the account; null when it has none. */
export async function comparePassword(
  app: App,
  user: string,
  password: string | undefined,
): Promise<{ account: Account; fits: boolean | null }> {
  const account = accountById(app, user)
  if (!account) throw problem('session_invalid')
  if (!account.password_hash) return { account, fits: null }
  if (password === undefined) throw problem('missing_field', { field: 'password', detail: 'password is required' })
  return { account, fits: await passwordFits(app, account, password) }
}

/** The account at the moment of the change, and whether the password that was compared is still its own. */
export function stillFits(
  app: App,
  { account, fits }: { account: Account; fits: boolean | null },
): { account: Account; fits: boolean | null } {
  const now = accountById(app, account.id)!
  return { account: now, fits: fits && now.password_hash === account.password_hash }
}

/** Ten new codes in place of all others. */
export function giveCodes(app: App, user: string, now: string): string[] {
  const { burnAll, addCode, codesLeft } = queries(app.db)
  const { hashed } = keys(app)
  burnAll.run(user)
  const codes = new Set<string>()
  while (codes.size < codesGiven) codes.add(newRecoveryCode())
  for (const code of codes) addCode.run({ user, hash: hashed(code.replace('-', '')), now })
  if (codesLeft.get(user) !== codesGiven) throw new Error('Recovery codes were not stored')
  return [...codes]
}

export function renew(app: App, { actor, body, now }: Call<typeof totp.renew>): { recovery_codes: string[] } | Problem {
  const account = accountById(app, actor.id)!
  if (!account.two_factor_at) return problem('second_factor_missing', { detail: 'This account has no second factor' })
  const refused = demand(app, account, { fits: null, code: body.code }, now)
  if (refused) return refused
  const recovery_codes = giveCodes(app, actor.id, now)
  const payload = { entity_id: actor.id, name: account.email, metadata: { changed: ['recovery_codes' as const] } }
  journalForUser(app, actor.id, fact('user.recovery_codes_renewed', payload, byUser(actor.id)))
  tell(app, actor.id, letters.renewed())
  return { recovery_codes }
}

export function remove(
  app: App,
  { actor, body, now }: Call<typeof totp.remove>,
  compared: { account: Account; fits: boolean | null },
) {
  const { account, fits } = stillFits(app, compared)
  if (!account.two_factor_at) return problem('second_factor_missing', { detail: 'This account has no second factor' })
  const refused = demand(app, account, { fits, code: body.code }, now)
  if (refused) return refused
  turnOff(app, account, now)
  tell(app, actor.id, letters.turnedOff())
  return { enabled: false, barred_from: queries(app.db).requiredBy.all(actor.id) }
}

/** False when there was no second factor. */
function turnOff(app: App, { id: user, email }: Account, now: string, via?: 'host'): boolean {
  const { forget, burnAll, requiredBy } = queries(app.db)
  for (const confirmed of [0, 1] as const) forget.run({ user, confirmed })
  burnAll.run(user)
  if (!setTwoFactor(app, user, false, now)) return false
  const metadata = { changed: ['two_factor_at' as const], two_factor: false as const, ...(via && { via }) }
  const payload = { entity_id: user, name: email, metadata }
  journalForUser(app, user, fact('user.two_factor_off', payload, via ? bySystem : byUser(user)))
  for (const { id } of requiredBy.all(user)) app.afterCommit(() => app.bus.emit('access_lost', id))
  return true
}

/** Takes the second factor of a user away, in the name of the host's administrator; false when there was none. */
export const disableTwoFactor = (app: App, user: string, now: string): boolean =>
  turnOff(app, accountById(app, user)!, now, 'host')

/** Mails the user once the change is committed. */
export function tell(app: App, user: string, letter: ReturnType<(typeof letters)[keyof typeof letters]>): void {
  const account = accountById(app, user)
  if (account) app.afterCommit(() => app.mailer.send({ ...letter, to: account.email, name: account.full_name }))
}
