import type { Config } from '#kernel/config'
import { type Letter, shownTime } from '#kernel/mail/letter'

/** To whom a letter goes. */
interface Reader {
  email: string
  full_name: string | null
}

const begin = ({ email, full_name }: Reader) => ({ to: email, name: full_name })

/** Where the server is, as users see it; null when it does not say. */
export const originOf = ({ publicUrl }: Config): string | null => (publicUrl ? new URL(publicUrl).origin : null)

const server = (config: Config) => {
  const origin = originOf(config)
  return origin ? ` -s ${origin}` : ''
}

/** Somebody tried to sign up with the reader's address. */
export const takenLetter = (config: Config, reader: Reader): Letter => ({
  ...begin(reader),
  kind: 'signup_taken',
  subject: 'You already have a Muster account',
  blocks: [
    'Somebody, perhaps you, tried to sign up with this address. It has an account already, so nothing was changed.',
    'If it was you, sign in as before. If you have forgotten the password, ask for a new one:',
    { code: [`muster account forgot${server(config)}`] },
    'If it was not you, there is nothing to do: whoever it was learned nothing.',
  ],
})

/** How to replace a forgotten password. */
export const resetLetter = (config: Config, reader: Reader, token: string): Letter => {
  const origin = originOf(config)!
  return {
    ...begin(reader),
    kind: 'password_reset',
    subject: 'Choose a new password for Muster',
    blocks: [
      'Somebody, perhaps you, asked for a new password for this account. The link works once, for 30 minutes.',
      { label: 'Choose a new password', link: `${origin}/reset-password?token=${token}` },
      'Or in a terminal; paste the token when it is asked for:',
      { code: [`muster account reset -s ${origin}`, token] },
      'If it was not you, there is nothing to do: the password stays as it is.',
    ],
  }
}

/** The password was replaced. */
export const changedLetter = (config: Config, reader: Reader, now: string): Letter => ({
  ...begin(reader),
  kind: 'password_changed',
  subject: 'Your Muster password was changed',
  blocks: [
    'The password of this account was replaced with the help of a mail to this address. Every browser that was signed in is signed out.',
    { facts: { When: shownTime(now) } },
    'CLI tokens go on working. If you think that somebody else had access, look through them and revoke those that you do not know:',
    { code: ['muster tokens list', 'muster tokens revoke TOKEN'] },
    'If it was not you, ask for a new password at once, and tell whoever runs the server:',
    { code: [`muster account forgot${server(config)}`] },
  ],
})
