import { cleanCode, cleanLine } from './clean.ts'
import type { Tone } from './theme.ts'

/**
 * A value in a table: plain, or with how people read it (`text`) and how programs do (`value`). Of a line of code the
 * spaces before it stay.
 */
export type Cell =
  | string
  | number
  | boolean
  | null
  | undefined
  | { text: string; value?: string | number | null; tone?: Tone; code?: true }

/** Header to value. Columns stand in the order of their declaration. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell>>

/** As a person reads it, on one line. */
export function human(cell: Cell): { text: string; tone?: Tone } {
  if (cell === null || cell === undefined || cell === '') return { text: '-', tone: 'dim' }
  if (typeof cell === 'boolean') return { text: cell ? 'yes' : 'no' }
  const { text, tone, code = false } = typeof cell === 'object' ? cell : { text: String(cell), tone: undefined }
  if (code) return { text: cleanCode(text) }
  const shown = cleanLine(text)
  return shown ? { text: shown, ...(tone && { tone }) } : { text: '-', tone: 'dim' }
}

/** As a program reads it: no relative times, nothing for an absent value. */
export function plain(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const value = typeof cell === 'object' ? (cell.value === undefined ? cell.text : (cell.value ?? '')) : cell
  return typeof cell === 'object' && cell.code ? cleanCode(String(value)) : cleanLine(String(value))
}

/** A cost: "unknown" where there is no price. */
export function dollars(cost: number | null): Cell {
  if (cost === null) return { text: 'unknown', value: null, tone: 'dim' }
  return { text: `$${cost.toFixed(cost > 0 && cost < 0.01 ? 4 : 2)}`, value: cost }
}

const spans: [seconds: number, unit: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** "5 min" of a number of seconds: the largest unit that fits, rounded down. */
export function span(seconds: number): string {
  const [size, unit] = spans.find(([size]) => seconds >= size) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}

/** "5m" of a number of seconds, for columns. */
export const shortSpan = (seconds: number): string => span(seconds).replace(' ', '').replace('min', 'm')

/** A time: "5 min ago" or "in 2 h" for people, RFC 3339 for programs. */
export function when(time: string | null | undefined, now = Date.now()): Cell {
  if (!time) return null
  const seconds = (now - Date.parse(time)) / 1000
  if (Number.isNaN(seconds)) return time
  const text = Math.abs(seconds) < 1 ? 'now' : seconds > 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`
  return { text, value: time }
}

/** How long ago something was made: "5m" or "3d" for people, RFC 3339 for programs. */
export function age(time: string | null | undefined, now = Date.now()): Cell {
  if (!time) return null
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  if (Number.isNaN(seconds)) return time
  return { text: shortSpan(seconds), value: time }
}

const tones: Record<string, Tone> = {}
for (const word of 'running active idle completed ok success succeeded valid consumed'.split(' ')) tones[word] = 'green'
for (const word of 'failed error stopped_error timeout revoked expired rejected invalid unhealthy'.split(' '))
  tones[word] = 'red'
const waits = 'waiting pending creating starting stopping pending_review pending_approval'
for (const word of `${waits} rate_limited busy warn stale cancelled`.split(' ')) tones[word] = 'yellow'

/** A word of the service, in lower case for people. */
export const word = (text: string | null | undefined): Cell =>
  text ? { text: text.toLowerCase().replaceAll('_', '-'), value: text } : null

/** A status word, coloured by what it means. */
export function status(word: string | null | undefined): Cell {
  if (!word) return null
  const tone = tones[word.toLowerCase()]
  return { text: word.toLowerCase(), value: word, ...(tone && { tone }) }
}

/** Bytes as "1.5 MB" for people. */
export function size(bytes: number | null | undefined): Cell {
  if (bytes === null || bytes === undefined) return null
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const text =
    power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
  return { text, value: bytes }
}

/** What is left until a moment, as "9:05". */
export function timeLeft(until: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
