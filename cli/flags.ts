import { Flags, type Interfaces } from '@oclif/core'
import { roles } from '#client/words'
import { InputError } from './input.ts'
import { everything } from './output/format.ts'

/**
 * `--json` may stand alone or name members. oclif knows no optional values, so the list is joined to the flag here:
 * after `=`, or as the next word when it has a comma or the command takes no arguments that it could be meant for.
 */
export function expandJson(argv: string[], takesArguments: boolean): string[] {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const at = words.findIndex((word) => word === '--json' || word === '--json=')
  if (at < 0) return argv
  const next = words[at + 1]
  const isList =
    next !== undefined && /^[A-Za-z_][\w.]*(,[\w.]+)*$/.test(next) && (next.includes(',') || !takesArguments)
  return [...argv.slice(0, at), `--json=${isList ? next : everything}`, ...argv.slice(at + (isList ? 2 : 1))]
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `90`, `90s`, `5m`, `2h` or `1d`; bare numbers are seconds. Undefined stays so. */
export function durationMs(text: string | undefined, name: string): number | undefined {
  if (text === undefined || text === '') return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match) throw new InputError(`${name} must be a duration such as 10s, 5m or 2h, not "${text}".`)
  return Number(match[1]) * units[(match[2] ?? 's') as keyof typeof units]
}

/** The moment that `--since` or `--until` names: a time, or a duration ago. */
export function momentOf(text: string | undefined, name: string, now = Date.now()): string | undefined {
  if (text === undefined) return undefined
  const at = /^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text) ? now - durationMs(text, name)! : Date.parse(text)
  if (Number.isNaN(at))
    throw new InputError(`${name} must be a time such as 2026-01-31T12:00:00Z or a duration such as 2h, not "${text}".`)
  return new Date(at).toISOString()
}

/** The members of a body that have a value. Its type comes from where it is used, so that no other member compiles. */
export const given = <B extends object>(members: NoInfer<{ [M in keyof B]: B[M] | undefined }>): B =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as B

/** Flags of a list. */
export const listFlags = {
  limit: Flags.integer({ min: 1, helpValue: 'N', description: 'maximum number of rows' }),
  all: Flags.boolean({ description: 'fetch all pages', exclusive: ['limit'] }),
}

/** Flags of a list that comes in windows. */
export const windowFlags = {
  ...listFlags,
  offset: Flags.integer({ min: 0, helpValue: 'N', description: 'number of rows to skip' }),
}

export interface Window {
  limit?: number
  offset?: number
}

/** The most rows that the service gives at once. */
export const windowSize = 500

/** The query for a list that the service gives in one page of at most `most` rows; its usual number without flags. */
export const onePage = (
  { limit = Infinity, all }: { limit?: number | undefined; all?: boolean | undefined },
  most: number,
): { limit?: number } => (all || limit !== Infinity ? { limit: Math.min(limit, most) } : {})

/** The rows that `listFlags` or `windowFlags` ask for, in windows of at most `most`; the usual number without. */
export async function windowed<T>(
  { limit, all, offset = 0 }: { limit?: number | undefined; all?: boolean | undefined; offset?: number | undefined },
  fetch: (window: Window) => Promise<readonly T[]>,
  most = windowSize,
): Promise<T[]> {
  if (limit === undefined && !all) return [...(await fetch(offset ? { offset } : {}))]
  const rows: T[] = []
  for (;;) {
    const size = Math.min(most, (limit ?? Infinity) - rows.length)
    const page = await fetch({ limit: size, ...(offset + rows.length && { offset: offset + rows.length }) })
    rows.push(...page)
    if (page.length < size || rows.length >= (limit ?? Infinity)) return rows
  }
}

/** The rows of a list that the service gives as a whole. */
export const limited = <T>(rows: readonly T[], { limit }: { limit?: number | undefined }): readonly T[] =>
  limit === undefined ? rows : rows.slice(0, limit)

/** Flag of what cannot be undone. */
export const yesFlag = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation prompt' }) }

/** Flags of what cannot be undone and takes along what belongs to it. */
export const confirmFlags = {
  confirm: Flags.string({ helpValue: 'NAME', description: 'name of what is deleted, instead of typing it' }),
  yes: Flags.boolean({
    char: 'y',
    hidden: true,
    description: 'skip the confirmation prompt; deprecated for --confirm',
  }),
}

/** A flag that takes one of several words, in any case, with dashes for underscores if one likes. */
export function oneOf<const V extends string>(
  values: readonly V[],
  given: { description: string; helpValue?: string; aliases?: string[] },
): Interfaces.OptionFlag<V | undefined> {
  const parse = async (text: string, _: unknown, { name }: { name: string }): Promise<string> => {
    const found = values.find((value) => alike(value) === alike(text))
    if (found === undefined)
      throw new InputError(`--${name} must be one of ${values.filter(Boolean).join(', ')}, not "${text}".`)
    return found
  }
  return Flags.string({ helpValue: values.join('|'), ...given, parse }) as Interfaces.OptionFlag<V | undefined>
}

/** A flag that takes a role. */
export const roleFlag = (description: string) => oneOf(roles, { description })

const alike = (word: string) => word.toLowerCase().replaceAll('-', '_')
