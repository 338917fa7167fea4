import { fact } from '#contract/entries'
import type { HostAsk, HostReply } from '#contract/host'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/auth/common-passwords'
import { homeOf } from '#kernel/auth/home'
import { audienceOf, bySystem } from '#kernel/journal/about-user'
import { disableTwoFactor } from '../features/totp/service.ts'
import { replacePassword } from '../features/users/service.ts'
import { queries, type Subject } from './queries.ts'

/** Sets a password and ends all sessions, as one transaction. */
export async function resetPassword(
  app: App,
  user: Subject,
  { password, disable_two_factor }: HostAsk<'reset-password'>,
): Promise<HostReply<'reset-password'>> {
  checkPassword('password', password)
  const password_hash = await app.passwords.hash(password)
  return app.writeNow(() => {
    const now = app.now()
    const sessions = queries(app.db).countSessions.get({ user: user.id, alive_at: now })!
    const unlocked = user.locked_until !== null && user.locked_until > now
    replacePassword(app, { user: user.id, password_hash, mailed: false, now })
    const changed = ['password' as const, ...(unlocked ? ['locked_until' as const] : [])]
    const payload = { entity_id: user.id, name: user.email, metadata: { changed, via: 'host' as const } }
    app.journalIn(journalsOf(app, user.id), fact('user.password_reset', payload, bySystem))
    const two_factor_disabled = disable_two_factor === true && disableTwoFactor(app, user.id, now)
    return {
      email: user.email,
      unlocked,
      sessions,
      two_factor: user.two_factor_at !== null && !two_factor_disabled,
      two_factor_disabled,
    }
  })
}

/** Ends the sessions of these users and, with `tokens`, revokes their command-line tokens. */
export function invalidate(app: App, users: Subject[], tokens: boolean): HostReply<'invalidate-sessions'> {
  return app.writeNow(() => {
    const now = app.now()
    const done = { users: 0, sessions: 0, tokens: 0 }
    for (const { id, email } of users) {
      const sessions = queries(app.db).countSessions.get({ user: id, alive_at: now })!
      const revoked = tokens ? queries(app.db).countTokens.get(id)! : 0
      const metadata = { changed: [], sessions, tokens: revoked, via: 'host' as const }
      const signedOut = fact('user.signed_out', { entity_id: id, name: email, metadata }, bySystem)
      // Where nothing ends there is nothing to record, but pairing codes of ended sessions must still be cancelled.
      app.journalIn(sessions || revoked ? journalsOf(app, id) : [], signedOut)
      if (sessions || revoked) done.users++
      done.sessions += sessions
      done.tokens += revoked
    }
    return done
  })
}

/** The journals of the user's workspaces; without any, that of the server's first one. */
function journalsOf(app: App, user: string): string[] {
  const audience = audienceOf(app, user)
  const home = homeOf(app)
  return audience.length || !home ? audience : [home]
}
