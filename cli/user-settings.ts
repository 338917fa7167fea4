import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Trying } from './changing.ts'
import { plainRead } from './contexts/plain.ts'
import { isAbsent, replacePrivate } from './files.ts'
import { InputError } from './input.ts'
import { changed } from './local-change.ts'
import { configFile } from './paths.ts'

type Env = NodeJS.ProcessEnv

/** What `muster config set` stores, and the variable that each setting stands in for. */
export const userSettings = {
  http_timeout: { env: 'SVC_HTTP_TIMEOUT', description: 'how long a request may take, as 30s', kind: 'duration' },
  no_color: { env: 'NO_COLOR', description: 'no colours', kind: 'switch' },
  no_input: { env: 'SVC_NO_INPUT', description: 'never ask; refuse what would need an answer', kind: 'switch' },
  pager: { env: 'SVC_PAGER', description: 'program that pages long results; cat turns it off', kind: 'text' },
} as const

export type UserSetting = keyof typeof userSettings

export interface UserFile {
  settings: Partial<Record<UserSetting, string>>
  /** Names for command lines, see `muster alias`. */
  aliases: Record<string, string>
}

/** Beside the contexts, and without secrets, so that it may be kept with one's other dot files. */
export const userFile = (env: Env = process.env): string => join(dirname(configFile(env)), 'settings.yaml')

/** Reads the settings and aliases of the user; an absent file holds none. */
export function readUserFile(env: Env = process.env): UserFile {
  const path = userFile(env)
  const text = textOf(path)
  if (text === undefined) return { settings: {}, aliases: {} }
  const value = plainRead(text)
  if (!isMap(value)) throw refusal(path, 'cannot be read')
  for (const key of Object.keys(value))
    if (key !== 'settings' && key !== 'aliases') throw refusal(path, `has an unknown member "${key}"`)
  const settings = textsOf(value['settings'], path)
  for (const key of Object.keys(settings))
    if (!Object.hasOwn(userSettings, key)) throw refusal(path, `has an unknown setting "${key}"`)
  return { settings, aliases: textsOf(value['aliases'], path) }
}

/** Changes the file as a whole: after a crash it is the old one or the new one. */
export async function changeUserFile(change: (file: UserFile) => void, tried?: Trying): Promise<void> {
  const path = userFile()
  const rewrite = () => write(path, changed(path, readUserFile(), change, tried))
  if (tried) return rewrite()
  const { exclusively } = await import('./exclusively.ts')
  await exclusively(path, rewrite)
}

function write(path: string, file: UserFile): void {
  const lines = ['# Settings and aliases of the muster command; see `muster config set` and `muster alias set`.']
  for (const [name, texts] of Object.entries(file)) {
    if (!Object.keys(texts).length) continue
    lines.push(`${name}:`)
    for (const [key, text] of Object.entries(texts)) lines.push(`  ${JSON.stringify(key)}: ${JSON.stringify(text)}`)
  }
  replacePrivate(path, `${lines.join('\n')}\n`, { flush: true })
}

/** Stored settings stand in for variables that are not set. */
export function applyUserSettings({ settings }: UserFile, env: Env = process.env): void {
  for (const [name, value] of Object.entries(settings)) {
    const { env: variable } = userSettings[name as UserSetting]
    if (!env[variable]) {
      env[variable] = value
      stored.add(variable)
    }
  }
}

const stored = new Set<string>()

/** Whether a variable's value came from the user's settings. */
export const isStored = (variable: string): boolean => stored.has(variable)

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw new InputError(`The settings ${path} cannot be read: ${(error as Error).message}`)
  }
}

const refusal = (path: string, what: string) =>
  new InputError(`The settings ${path} ${what}.`, `correct or remove ${path}; it holds "settings" and "aliases"`)

function textsOf(value: unknown, path: string): Record<string, string> {
  if (value === undefined) return {}
  if (!isMap(value) || Object.values(value).some((text) => typeof text !== 'string'))
    throw refusal(path, 'must hold text by name')
  return value as Record<string, string>
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
