import { nestsDeeper } from '#kernel/http/json-depth'

/** What a function is given: its arguments reckoned, and how much work it is. */
export interface Work {
  /** Counts work; throws when it becomes too much. */
  charge(amount: number): void
}

type Of = (work: Work, ...args: unknown[]) => unknown

export const kindOf = (value: unknown): string =>
  value === null || value === undefined
    ? 'nil'
    : Array.isArray(value)
      ? 'list'
      : typeof value === 'object'
        ? 'map'
        : typeof value

const wrong = (name: string, wants: string, value: unknown): never => {
  throw new Error(`${name} wants ${wants}, not ${kindOf(value)}`)
}

export const text = (name: string, value: unknown): string =>
  typeof value === 'string' ? value : wrong(name, 'text', value)
export const num = (name: string, value: unknown): number =>
  typeof value === 'number' ? value : wrong(name, 'a number', value)
export const list = (name: string, value: unknown): unknown[] =>
  Array.isArray(value) ? value : wrong(name, 'a list', value)
const map = (name: string, value: unknown): Record<string, unknown> =>
  kindOf(value) === 'map' ? (value as Record<string, unknown>) : wrong(name, 'a map', value)

/** Values are the same when they say the same. */
export function same(work: Work, a: unknown, b: unknown): boolean {
  work.charge(1)
  const [one, other] = [a ?? null, b ?? null]
  if (typeof one === 'string' && typeof other === 'string') work.charge(Math.min(one.length, other.length) / 16)
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((it, at) => same(work, it, other[at]))
    )
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && same(work, one[name as never], other[name as never]))
  )
}

/** Below 0, 0 or above, as the first one comes before the second or after it. */
export function order(sign: string, a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  throw new Error(`${sign} compares numbers, or texts, not ${kindOf(a)} and ${kindOf(b)}`)
}

const lengthOf = (value: unknown): number =>
  kindOf(value) === 'map'
    ? Object.keys(value as object).length
    : typeof value === 'string'
      ? [...value].length
      : list('len', value).length

/** What a value takes to be looked at as a whole. */
export function weigh(work: Work, value: unknown): void {
  work.charge(typeof value === 'string' ? 1 + value.length / 16 : 1)
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) weigh(work, one)
}

function whole(name: string, value: unknown): number {
  const found =
    typeof value === 'string' && value.trim() !== ''
      ? Number(value)
      : typeof value === 'boolean'
        ? Number.NaN
        : num(name, value)
  if (Number.isNaN(found)) throw new Error(`${name} cannot read ${JSON.stringify(value)} as a number`)
  return found
}

const numbers = (name: string, args: unknown[]): number[] =>
  args.flatMap((one) => (Array.isArray(one) ? one : [one])).map((one) => num(name, one))

function sorted(work: Work, name: string, value: unknown, by: unknown = 'asc'): unknown[] {
  const items = list(name, value)
  work.charge(items.length * Math.log2(items.length + 2))
  const made = [...items].sort((a, b) => order(name, a, b))
  return by === 'desc' ? made.reverse() : made
}

function unique(work: Work, value: unknown): unknown[] {
  const found: unknown[] = []
  for (const one of list('uniq', value)) if (!found.some((other) => same(work, one, other))) found.push(one)
  return found
}

function flat(work: Work, value: unknown, depth = 0): unknown[] {
  if (depth > 50) throw new Error('flatten wants lists that are nested less deep')
  work.charge(1)
  return list('flatten', value).flatMap((one) => (Array.isArray(one) ? flat(work, one, depth + 1) : [one]))
}

/** A text that is made grows only as far as there is work left for it. */
function grown(work: Work, size: number): void {
  work.charge(size / 4)
}

function repeated(work: Work, value: unknown, times: unknown): string {
  const [one, count] = [text('repeat', value), Math.max(0, Math.trunc(num('repeat', times)))]
  grown(work, one.length * count)
  return one.repeat(count)
}

function replaced(work: Work, value: unknown, from: unknown, to: unknown): string {
  const [all, old, fresh] = [text('replace', value), text('replace', from), text('replace', to)]
  grown(work, (all.length + 1) * (1 + fresh.length / Math.max(1, old.length)))
  return all.replaceAll(old, () => fresh)
}

function joined(work: Work, value: unknown, by: unknown = ''): string {
  const items = list('join', value).map((one) => text('join', one))
  const between = text('join', by)
  grown(
    work,
    items.reduce((sum, one) => sum + one.length + between.length, 0),
  )
  return items.join(between)
}

export const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? 'nil'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)

function parsed(json: string): unknown {
  if (nestsDeeper(json, 100)) throw new Error('fromJSON wants JSON that is nested less deep')
  return JSON.parse(json)
}

/** Functions that take values alone. Those that take predicates stand in `reckoning.ts`. */
export const functions: Readonly<Record<string, Of>> = {
  len: (_, value) => lengthOf(value),
  type: (_, value) =>
    ({ list: 'array', boolean: 'bool', number: Number.isInteger(value) ? 'int' : 'float' })[kindOf(value)] ??
    kindOf(value),
  abs: (_, value) => Math.abs(num('abs', value)),
  ceil: (_, value) => Math.ceil(num('ceil', value)),
  floor: (_, value) => Math.floor(num('floor', value)),
  round: (_, value) => Math.round(num('round', value)),
  int: (_, value) => Math.trunc(whole('int', value)),
  float: (_, value) => whole('float', value),
  string: (_, value) => shown(value),
  max: (_, ...args) => (args.length ? numbers('max', args).reduce((a, b) => Math.max(a, b)) : null),
  min: (_, ...args) => (args.length ? numbers('min', args).reduce((a, b) => Math.min(a, b)) : null),
  mean: (_, ...args) => numbers('mean', args).reduce((a, b) => a + b, 0) / Math.max(1, numbers('mean', args).length),
  trim: (_, value) => text('trim', value).trim(),
  trimPrefix: (_, value, by) =>
    text('trimPrefix', value).startsWith(text('trimPrefix', by))
      ? (value as string).slice((by as string).length)
      : value,
  trimSuffix: (_, value, by) =>
    by !== '' && text('trimSuffix', value).endsWith(text('trimSuffix', by))
      ? (value as string).slice(0, -(by as string).length)
      : value,
  upper: (_, value) => text('upper', value).toUpperCase(),
  lower: (_, value) => text('lower', value).toLowerCase(),
  split: (_, value, by) => text('split', value).split(text('split', by)),
  join: joined,
  replace: replaced,
  repeat: repeated,
  indexOf: (_, value, of) => text('indexOf', value).indexOf(text('indexOf', of)),
  lastIndexOf: (_, value, of) => text('lastIndexOf', value).lastIndexOf(text('lastIndexOf', of)),
  hasPrefix: (_, value, of) => text('hasPrefix', value).startsWith(text('hasPrefix', of)),
  hasSuffix: (_, value, of) => text('hasSuffix', value).endsWith(text('hasSuffix', of)),
  first: (_, value) => list('first', value)[0] ?? null,
  last: (_, value) => list('last', value).at(-1) ?? null,
  take: (_, value, count) => list('take', value).slice(0, Math.max(0, num('take', count))),
  reverse: (_, value) => [...list('reverse', value)].reverse(),
  concat: (_, ...args) => args.flatMap((one) => list('concat', one)),
  flatten: (work, value) => flat(work, value),
  uniq: unique,
  sort: (work, value, by) => sorted(work, 'sort', value, by),
  keys: (_, value) => Object.keys(map('keys', value)),
  values: (_, value) => Object.values(map('values', value)),
  toPairs: (_, value) => Object.entries(map('toPairs', value)),
  fromPairs: (_, value) =>
    Object.fromEntries(
      list('fromPairs', value).map((one) => [shown(list('fromPairs', one)[0]), (one as unknown[])[1] ?? null]),
    ),
  get: (_, of, name) =>
    kindOf(of) === 'map'
      ? Object.hasOwn(of as object, shown(name))
        ? (of as Record<string, unknown>)[shown(name)]
        : null
      : (list('get', of).at(num('get', name)) ?? null),
  toJSON: (_, value) => JSON.stringify(value ?? null, null, 2),
  fromJSON: (_, value) => parsed(text('fromJSON', value)),
}
