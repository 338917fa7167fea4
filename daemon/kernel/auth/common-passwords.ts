import { createRequire } from 'node:module'
import { problem } from '../problem.ts'
import { canonical, passwordBytes } from './passwords.ts'

/** Fewest characters (code points) of a password. */
const fewest = 8

// Loaded with the first password that somebody chooses: most processes never need the list.
const load = createRequire(import.meta.url)
let common: Set<string> | undefined

/** The common passwords of sufficient length, in lower case. */
function commonPasswords(): Set<string> {
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).filter((word) => word.length >= fewest))
}

/** Refuses a password that is too short, too long for bcrypt, or common; `field` is the member that held it. */
export function checkPassword(field: string, password: string): void {
  const text = canonical(password)
  if ([...text].length < fewest)
    throw problem('invalid_field', { field, detail: `${field} must have at least ${fewest} characters` })
  if (Buffer.byteLength(text) > passwordBytes)
    throw problem('invalid_field', { field, detail: `${field} must not exceed ${passwordBytes} bytes` })
  common ??= commonPasswords()
  if (common.has(text.toLowerCase()))
    throw problem('common_password', { field, detail: `${field} is among the most common ones; choose another` })
}
