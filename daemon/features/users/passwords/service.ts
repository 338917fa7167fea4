import { fact } from '#contract/entries'
import type { users } from '#contract/users'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/auth/common-passwords'
import type { Call } from '#kernel/feature'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { type Problem, problem } from '#kernel/problem'
import { accountById, isLocked, noteAttempt, passwordFits } from '../lockout/service.ts'
import { find } from '../service.ts'
import { changedLetter } from './letters.ts'
import { queries } from './queries.ts'

type Change = Call<typeof users.password>

/** The hash that was compared with; with the new one when the current password was right. */
interface Ready {
  old: string
  password_hash: string | null
}

/**
 * Compares and hashes, both off the event loop. Nothing is learnt of the new password before the current one is right.
 */
export async function prepare(app: App, { actor, body, now }: Change): Promise<Ready> {
  const account = accountById(app, actor.id)
  if (!account?.password_hash)
    throw problem('no_password_set', { detail: 'This account has no password; it is signed in by other means' })
  if (isLocked(app, account, now)) throw problem('account_locked')
  const old = account.password_hash
  if (!(await passwordFits(app, account, body.current_password))) return { old, password_hash: null }
  checkPassword('new_password', body.new_password)
  return { old, password_hash: await app.passwords.hash(body.new_password) }
}

/** Stores the new password and counts a wrong guess. Every other session ends with it. */
export function commit(
  app: App,
  { actor, now }: Change,
  { old, password_hash }: Ready,
): { success: true; sessions_revoked: number } | Problem {
  const verdict = noteAttempt(app, actor.id, password_hash !== null, now)
  if (verdict === 'locked') return problem('account_locked')
  if (password_hash === null) return wrong()
  // Somebody else changed it in the meantime: what was right then is wrong now.
  if (!queries(app.db).replace.get({ id: actor.id, old, password_hash, now })) throw wrong()
  const kept = actor.session?.id
  const sessions_revoked = queries(app.db).countSessions.get({ user: actor.id, except: kept ?? null, now })!
  const metadata = { changed: ['password' as const], ...(kept && { session_id: kept }) }
  const payload = { entity_id: actor.id, name: find(app, actor.id).email, metadata }
  journalForUser(app, actor.id, fact('user.password_changed', payload, byUser(actor.id)))
  tellChanged(app, actor.id, 'change', now)
  return { success: true, sessions_revoked }
}

/** Tells the owner by mail, once the change is stored. */
export function tellChanged(app: App, user: string, how: 'change' | 'reset', at: string): void {
  const { email, full_name } = find(app, user)
  const origin = app.config.publicUrl ? new URL(app.config.publicUrl).origin : null
  app.afterCommit(() => app.mailer.send(changedLetter({ email, full_name, how, at, origin })))
}

const wrong = () => problem('wrong_password', { field: 'current_password' })
