import { readFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import type { Client } from '#client'
import { mcpCredentialTypes } from '#client/words'
import type { IntegrationPatch } from '#contract/integrations'
import { given, oneOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { credentialId } from '../lookup.ts'

/** The flag that means a crew's servers instead of the workspace's. */
export const crewFlag = { crew: Flags.string({ description: 'of this crew instead of the whole workspace' }) }

/** Flags of how a server is reached and run. */
export const serverFlags = {
  url: Flags.string({ description: 'https address of a server over HTTP' }),
  command: Flags.string({ helpValue: 'PROGRAM', description: 'program of a server over standard streams' }),
  arg: Flags.string({ multiple: true, multipleNonGreedy: true, description: 'argument of it; may be repeated' }),
  'env-file': Flags.string({
    helpValue: 'FILE',
    description: 'file of NAME=VALUE lines with its variables; - for standard input',
  }),
  header: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAME=VALUE',
    description: 'header of every call, none that is a secret; may be repeated',
  }),
  timeout: Flags.integer({
    min: 1,
    max: 300,
    helpValue: 'SECONDS',
    description: 'time that a call of a tool may take',
  }),
  'display-name': Flags.string({ description: 'name for people' }),
  icon: Flags.string({ description: 'character or address of a picture' }),
}

interface Given {
  url?: string | undefined
  command?: string | undefined
  arg?: string[] | undefined
  'env-file'?: string | undefined
  header?: string[] | undefined
  timeout?: number | undefined
  'display-name'?: string | undefined
  icon?: string | undefined
}

/** The members of a body that the flags say. */
export function serverBody(flags: Given): Static<typeof IntegrationPatch> {
  const { url, command, arg, icon } = flags
  if (url !== undefined && command !== undefined) throw new InputError('--url and --command exclude each other.')
  const env = flags['env-file'] === undefined ? undefined : variablesIn(flags['env-file'])
  return given({
    transport: command !== undefined ? 'stdio' : url !== undefined ? 'streamable-http' : undefined,
    endpoint: url,
    command,
    args_json: arg && JSON.stringify(arg),
    env_json: env && JSON.stringify(env),
    config_json: settingsJson(flags),
    display_name: flags['display-name'],
    icon,
  })
}

/** The settings that flags say, as JSON; undefined when they say none. */
export function settingsJson({ header, timeout }: Pick<Given, 'header' | 'timeout'>): string | undefined {
  if (header === undefined && timeout === undefined) return undefined
  const headers = header && Object.fromEntries(header.map((one) => pairOf('header', one)))
  return JSON.stringify({ ...(headers && { headers }), ...(timeout !== undefined && { timeout_seconds: timeout }) })
}

/** Values of variables are often secrets, which others could read on a command line. */
function variablesIn(file: string): Record<string, string> {
  const text = readText(file)
  const lines = text.split(/\r?\n/).filter((line) => line.trim() && !line.trimStart().startsWith('#'))
  return Object.fromEntries(lines.map((line) => pairOf('env-file', line)))
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new InputError(`There is no file ${file} that could be read.`)
  }
}

function pairOf(flag: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  // What stands there may be a secret.
  if (at < 1) throw new InputError(`--${flag} must have NAME=VALUE.`)
  return [text.slice(0, at).trim(), text.slice(at + 1)]
}

/** Flags of how an agent uses a server. */
export const bindingFlags = {
  credential: Flags.string({ description: 'credential that is sent to the server' }),
  type: oneOf(mcpCredentialTypes, {
    helpValue: 'TYPE',
    description: `how it is sent: ${mcpCredentialTypes.join(', ')}`,
  }),
  'cred-header': Flags.string({ helpValue: 'NAME', description: 'header that carries it, if not the usual one' }),
  'env-var-name': Flags.string({
    aliases: ['variable'],
    helpValue: 'NAME',
    description: 'variable that carries it to a server over standard streams',
  }),
  header: serverFlags.header,
  timeout: serverFlags.timeout,
}

interface Binding {
  credential?: string | undefined
  type?: (typeof mcpCredentialTypes)[number] | undefined
  'cred-header'?: string | undefined
  'env-var-name'?: string | undefined
  header?: string[] | undefined
  timeout?: number | undefined
}

/** The members of a binding that the flags say. */
export const bindingBody = async (api: Client, flags: Binding) =>
  given({
    credential_id: flags.credential === undefined ? undefined : await credentialId(api, flags.credential),
    cred_type: flags.type,
    cred_header: flags['cred-header'],
    env_var_name: flags['env-var-name'],
    config_override_json: settingsJson(flags),
  })
