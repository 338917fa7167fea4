import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { parseTarget } from '#client'
import { travelsOpenly } from '../contexts/sign-in.ts'
import { InputError, stdinText } from '../input.ts'
import type { Printer } from '../output/printer.ts'

/** Where entries are sent, and what they are signed with. */
export interface Target {
  url: string
  secret: string
}

/** Flags of commands that send entries to a program. */
export const targetFlags = {
  'secret-file': Flags.string({
    helpValue: 'FILE',
    description: 'sign with the secret in this file, or on standard input with - (default: a new secret, shown once)',
  }),
}

/** Reads what the flags name, and tells of a new secret. */
export async function targetOf(address: string, secretFile: string | undefined, out: Printer): Promise<Target> {
  const url = urlOf(address)
  if (travelsOpenly(parseTarget(url.origin)))
    out.note(`${url.host} is not encrypted: whoever is on the way can read the journal.`, 'yellow')
  if (secretFile !== undefined) return { url: url.href, secret: await storedSecret(secretFile) }
  const secret = randomBytes(32).toString('hex')
  out.note(`Signing secret: ${secret}`)
  return { url: url.href, secret }
}

function urlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname)
    throw new InputError(`--forward-to must be an address such as http://127.0.0.1:3000/hook, not "${address}".`)
  if (url.username || url.password)
    throw new InputError('--forward-to takes no user or password: command lines are visible to others.')
  return url
}

/** The secret in the file that a flag names, or on standard input. */
export async function storedSecret(path: string, flag = 'secret-file'): Promise<string> {
  const text = (path === '-' ? await stdinText() : readSecret(path, flag)).replace(/\r?\n$/, '')
  if (!text) throw new InputError(`--${flag}: ${path === '-' ? 'standard input' : path} is empty.`)
  return text
}

function readSecret(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`--${flag}: ${path} cannot be read: ${(error as Error).message}`)
  }
}
