import type { Config } from '#kernel/config'
import type { Letter } from '#kernel/mail/letter'

/** To whom a letter goes. */
interface Reader {
  email: string
  full_name: string | null
}

const begin = ({ email, full_name }: Reader) => ({ to: email, name: full_name })

/** The flag that names the server's public address; empty when none is set. */
const server = ({ publicUrl }: Config) => (publicUrl ? ` -s ${new URL(publicUrl).origin}` : '')

/** Somebody tried to sign up with the reader's address. */
export const takenLetter = (config: Config, reader: Reader): Letter => ({
  ...begin(reader),
  kind: 'signup_taken',
  subject: 'You already have a Muster account',
  blocks: [
    'Somebody, perhaps you, tried to sign up with this address. It has an account already, so nothing was changed.',
    'If it was you, sign in as before. If you have forgotten the password, ask for a new one:',
    { code: [`muster account forgot ${reader.email}${server(config)}`] },
    'If it was not you, there is nothing to do: whoever it was learned nothing.',
  ],
})

/** How to replace a forgotten password. */
export const resetLetter = (config: Config, reader: Reader, token: string): Letter => {
  const { origin } = new URL(config.publicUrl)
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
