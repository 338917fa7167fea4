import type { accounts } from '#contract/accounts'
import { fact } from '#contract/entries'
import { isEmail } from '#contract/fields'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/auth/common-passwords'
import type { Call } from '#kernel/feature'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import type { Letter } from '#kernel/mail/letter'
import { problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import { burnLink, isLink, issueLink } from '../../users/links/service.ts'
import { accountOf } from '../../users/lockout/service.ts'
import { tellChanged } from '../../users/passwords/service.ts'
import { find, replacePassword } from '../../users/service.ts'
import { resetLetter } from '../letters.ts'

export { sweepMailTokens } from '../../users/links/service.ts'

const lifetime = 30 * 60_000

const told = { ok: true, message: 'If the address has an account, a mail with the next step is on its way.' }
const hinted = new WeakSet<App>()

/** Answers the same in any case, before anything is looked up: the work follows after the answer. */
export function forgot(app: App, { body }: Call<typeof accounts.forgot>) {
  const { config, mailer } = app
  if (mailer.configured && config.publicUrl) {
    const email = body?.email.trim() ?? ''
    if (isEmail(email)) mailer.send(() => issue(app, email))
  } else if (!hinted.has(app)) {
    hinted.add(app)
    app.log.warn(
      'Somebody asked for a new password, and no mail can be sent: set SVC_PUBLIC_URL, MAILER_FROM and ' +
        'MAILER_API_KEY or SMTP_URL',
    )
  }
  return told
}

/**
 * A token for the owner of the address, replacing earlier ones; null when the address has no account or was sent too
 * many mails.
 */
async function issue(app: App, email: string): Promise<Letter | null> {
  const user = accountOf(app, email)
  if (!user || app.limits.take('mail', `reset ${user.id}`)) return null
  const { token } = await untilWritten(app, () =>
    issueLink(app, { user: user.id, purpose: 'password_reset', lifetime }),
  )
  return resetLetter(app.config, user, token)
}

/** The token comes first: guesses cost no hash, and 256 random bits are not found by how long an answer takes. */
export async function prepareReset(app: App, { body }: Call<typeof accounts.reset>): Promise<string> {
  if (body.token === undefined || !isLink(app, body.token)) throw problem('invalid_token')
  checkPassword('new_password', body.new_password)
  return app.passwords.hash(body.new_password)
}

/**
 * Uses up the token and sets the password; sessions and other links end. A mailed token proves that the address is the
 * user's. A setup link that an administrator handed over proves nothing.
 */
export function reset(app: App, { body, now }: Call<typeof accounts.reset>, password_hash: string) {
  const burned = body.token === undefined ? null : burnLink(app, body.token)
  if (!burned) throw problem('invalid_token')
  const { user_id: user, purpose } = burned
  replacePassword(app, { user, password_hash, mailed: purpose === 'password_reset', now })
  const metadata = { changed: ['password' as const], via: 'password_reset' as const }
  const payload = { entity_id: user, name: find(app, user).email, metadata }
  journalForUser(app, user, fact('user.password_reset', payload, byUser(user)))
  tellChanged(app, user, 'reset', now)
  return { ok: true }
}
