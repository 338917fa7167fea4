import type { HostAsk, HostReply } from '#contract/host'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/auth/common-passwords'
import { homeOf } from '#kernel/auth/home'
import { audienceOf, journalAffair } from '../features/members/service.ts'
import { endSessions } from '../features/sessions/service.ts'
import { revokeOnHost } from '../features/tokens/service.ts'
import { disableTwoFactor } from '../features/totp/service.ts'
import { queries, type Subject } from './queries.ts'

/** Sets a password and lets nobody in who was in before. All of it or nothing, whenever the process ends. */
export async function resetPassword(
  app: App,
  user: Subject,
  { password, disable_two_factor }: HostAsk<'reset-password'>,
): Promise<HostReply<'reset-password'>> {
  checkPassword('password', password)
  const password_hash = await app.passwords.hash(password)
  return app.writeNow(() => {
    const now = app.now()
    queries(app.db).resetPassword.run({ user: user.id, password_hash, now })
    queries(app.db).forgetMailed.run(user.id)
    const unlocked = user.locked_until !== null && user.locked_until > now
    tell(app, user, `password of user ${user.id} reset on the host`, {
      changed: ['password', ...(unlocked ? ['locked_until'] : [])],
    })
    const sessions = endSessions(app, { user: user.id, reason: 'admin_force', now })
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

/** Ends the sessions of some users, and with `tokens` the tokens of their programs. */
export function invalidate(app: App, users: Subject[], tokens: boolean): HostReply<'invalidate-sessions'> {
  return app.writeNow(() => {
    const now = app.now()
    const done = { users: 0, sessions: 0, tokens: 0 }
    for (const user of users) {
      const sessions = endSessions(app, { user: user.id, reason: 'admin_invalidate', now })
      const revoked = tokens ? revokeOnHost(app, user.id, now) : 0
      if (!sessions && !revoked) continue
      tell(app, user, `user ${user.id} signed out on the host`, { changed: [], sessions, tokens: revoked })
      done.users++
      done.sessions += sessions
      done.tokens += revoked
    }
    return done
  })
}

/** The journals of the user's workspaces tell of it; without any, that of the server's first one. */
function tell(app: App, { id }: Subject, summary: string, metadata: object): void {
  const audience = audienceOf(app, id)
  const home = homeOf(app)
  const where = audience.length || !home ? audience : [home]
  journalAffair(
    app,
    { user: id, action: 'update', summary, metadata: { ...metadata, via: 'host' }, by: 'system' },
    where,
  )
}
