import { Flags } from '@oclif/core'
import type { Target } from '#client'
import { travelsOpenly } from '../contexts/sign-in.ts'
import { ask, InputError, interactive, secret } from '../input.ts'

/** Flags of what asks for a code. */
export const codeFlag = {
  code: Flags.string({
    helpValue: 'CODE',
    description: 'code from the authenticator app, or a recovery code; prompted for if omitted',
  }),
}
/** Flags of what asks for the password. */
export const passwordFlag = {
  'password-stdin': Flags.boolean({
    description: 'read the password from standard input (default without a terminal)',
  }),
}

/** What to do about refusals that all of these commands meet. */
export const remedies = {
  second_factor_invalid:
    'type the code that the app shows now; each is taken once, and the clocks of both devices must be right',
  second_factor_missing: 'muster account 2fa on',
  second_factor_not_started: 'muster account 2fa on',
  wrong_password: 'try again; too many wrong guesses lock the account for a while',
  account_locked: 'wait a few minutes; the count then starts again',
}

/** The code of the flag, else one that is asked for. */
export async function codeOf(
  given: string | undefined,
  question = 'Code of your authenticator app, or a recovery code',
): Promise<string> {
  const code = given ?? (interactive() ? await ask(question) : '')
  if (!code.trim()) throw new InputError('--code is missing.', 'repeat the command with --code CODE')
  return code.trim()
}

/** The password as a member of a body, when the account has one. It never goes where others can read it. */
export async function passwordOf(
  needed: boolean,
  target: Target,
  piped: boolean | undefined,
): Promise<{ password?: string }> {
  if (!needed) return {}
  if (travelsOpenly(target))
    throw new InputError(
      `${target.key} is not encrypted: a password must not travel to it.`,
      'name the server by an https address',
    )
  return { password: await secret('Your password', { piped: piped ?? false }) }
}
