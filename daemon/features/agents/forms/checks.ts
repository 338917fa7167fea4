import { problem } from '#kernel/problem'
import type { Json } from '../json.ts'
import { countOf } from './text.ts'

export const refuse = (detail: string) =>
  problem('invalid_field', { field: 'ask_forms', detail: `ask_forms: ${detail}` })

const control = /\p{Cc}/u

export function known(given: Json, keys: readonly string[], where: string): void {
  const stray = Object.keys(given).find((key) => !keys.includes(key))
  if (stray !== undefined) throw refuse(`${where}: there is no member "${stray.slice(0, 50)}"`)
}

export function word(value: unknown, shape: RegExp, where: string): string {
  if (typeof value === 'string' && value.length <= 48 && shape.test(value)) return value
  throw refuse(`${where} must be at most 48 of a-z, 0-9 and _, beginning with a letter or digit`)
}

/** A line of text, trimmed. */
export function text(value: unknown, limit: number, where: string): string {
  const clean = typeof value === 'string' ? value.trim() : ''
  if (!clean || countOf(clean) > limit) throw refuse(`${where} must be text of at most ${limit} characters`)
  if (control.test(clean)) throw refuse(`${where} must not have control characters`)
  return clean
}

/** Texts, trimmed; undefined for none. */
export function list(value: unknown, where: string): string[] | undefined {
  if (value == null) return undefined
  const clean = Array.isArray(value) ? value.map((it) => (typeof it === 'string' ? it.trim() : '')) : ['']
  if (clean.includes('')) throw refuse(`${where} must be texts that are not blank`)
  if (clean.some((it) => control.test(it))) throw refuse(`${where} must not have control characters`)
  unique(clean, (it) => `${where} has "${it}" twice`)
  return clean.length ? clean : undefined
}

export function unique(all: readonly unknown[], say: (twice: unknown) => string): void {
  const twice = all.find((it, index) => all.indexOf(it) !== index)
  if (twice !== undefined) throw refuse(say(twice))
}

export const optional = (value: unknown, kind: 'string' | 'boolean'): boolean => value == null || typeof value === kind
export const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)

const empty: readonly unknown[] = [null, undefined, '', false]

/** The members that say something, in the order of `keys`. */
export const ordered = (members: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.flatMap((key) => (empty.includes(members[key]) ? [] : [[key, members[key]]])))
