import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { bySystem, journalForUser } from '#kernel/journal/about-user'
import { queries, type Row } from './queries.ts'

export type Account = Row

/** Addresses are plain ASCII: another script's letter that becomes one of theirs in lower case is somebody else. */
export const accountOf = ({ db }: App, email: string): Account | undefined =>
  /^[\x20-\x7e]{1,300}$/.test(email) ? queries(db).byEmail.get(email.trim().toLowerCase()) : undefined
export const accountById = ({ db }: App, id: string): Account | undefined => queries(db).byId.get(id)

/** A lock never lasts longer than locks do, even when the clock was set back meanwhile. */
export function isLocked(app: App, { locked_until }: Account, now: string): boolean {
  const left = locked_until === null ? 0 : Date.parse(locked_until) - Date.parse(now)
  return left > 0 && left <= lockMs(app)
}

const lockMs = (app: App): number => app.limits.value('login.lockout_duration_sec') * 1000

/** bcrypt of cost 12 of something that nobody knows: unknown users take as long as known ones. */
const nobodys = '$2b$12$EJMTXHZbQYKv699q.InGN.U2qcG5Ny1vXhnJNtOHfEM0HrcgozleO'

/**
 * Whether this is the account's password. There is one comparison, whoever asks and whether there is an account or not.
 */
export async function passwordFits(app: App, account: Account | undefined, password: string): Promise<boolean> {
  const fits = await app.passwords.verify(password, account?.password_hash ?? nobodys)
  return fits && account?.password_hash != null
}

/**
 * Counts an attempt: sign-in and password change share the count. While the account is locked nothing counts; the
 * failure that reaches the threshold already answers `locked`.
 */
export function noteAttempt(app: App, id: string, right: boolean, now: string): 'right' | 'wrong' | 'locked' {
  const account = queries(app.db).byId.get(id)
  if (!account || isLocked(app, account, now)) return 'locked'
  if (right) {
    queries(app.db).clear.get(id)
    return 'right'
  }
  const until = wholeSeconds(app.clock() + lockMs(app))
  const after = queries(app.db).fail.get({ id, now, threshold: app.limits.value('login.lockout_threshold'), until })
  if (!after?.locked_until) return 'wrong'
  const { locked_until } = after
  const metadata = { changed: ['locked_until' as const], locked_until }
  journalForUser(app, id, fact('user.locked', { entity_id: id, name: account.email, metadata }, bySystem))
  return 'locked'
}
