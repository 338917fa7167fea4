import { type Columns, human } from './cell.ts'
import { folded } from './fold.ts'
import { shortIds } from './short-id.ts'
import type { Paint } from './theme.ts'
import { pad, shortenProse, shortenWords, widthOf } from './width.ts'

const gap = 2
// A longer word does not force its column to be wide: its cell shows that something is left out.
const longWord = 24
/** Columns that say what a row is about: they are kept, with room for some words, when others no longer fit. */
const telling = ['PROMPT', 'QUESTION', 'SUMMARY', 'TEXT', 'TITLE']

export interface TableForm {
  width: number
  paint: Paint
  /** Nothing is shortened, and no column left out. */
  uncut?: boolean
}

interface Column {
  header: string
  cells: ReturnType<typeof human>[]
  numeric: boolean
  width: number
  /** The width below which it would be of no use. */
  least: number
}

/**
 * Rows as aligned text within `width` columns. What does not fit is shortened between words, and then columns are left
 * out, the least important first: their headers are in `left`.
 */
export function table<T>(rows: readonly T[], columns: Columns<T>, form: TableForm): { text: string; left: string[] } {
  const all = Object.entries(columns).map(([header, value]) => columnOf(header, rows.map(value), form.uncut === true))
  const shown = form.uncut ? all : fitting(all, form.width)
  const { paint } = form
  const head = shown.map((column) => paint('dim', filled(column, column.header)))
  const lines = rows.map((_, at) =>
    shown.map((column) => paint(column.cells[at]!.tone, filled(column, column.cells[at]!.text))),
  )
  const text = [head, ...lines].map((cells) => `${cells.join(' '.repeat(gap)).trimEnd()}\n`).join('')
  return { text, left: all.filter((column) => !shown.includes(column)).map(({ header }) => header) }
}

function columnOf(header: string, values: Parameters<typeof human>[0][], uncut: boolean): Column {
  const read = values.map(human)
  const texts = read.map(({ text }) => text)
  const shown = uncut ? texts : shortIds(texts)
  const cells = read.map((cell, at) => ({ ...cell, text: shown[at]! }))
  const width = Math.max(widthOf(header), ...shown.map(widthOf))
  const numeric = values.length > 0 && values.every((value) => typeof value === 'number')
  // Only what has several words can be shortened without breaking one, but for what a row is about.
  const isProse = telling.includes(header) || shown.some((text) => text.includes(' '))
  const word = Math.max(0, ...shown.map((text) => widthOf(text.split(' ')[0]!) + 1))
  const first = telling.includes(header) ? longWord : Math.min(longWord, word)
  return { header, cells, numeric, width, least: isProse ? Math.min(width, Math.max(widthOf(header), first)) : width }
}

/** Names stay whole or are left out; what a row is about is told as far as there is room. */
function filled({ header, width, numeric }: Column, text: string): string {
  return pad(telling.includes(header) ? shortenProse(text, width) : shortenWords(text, width), width, numeric)
}

/** The columns that fit: important ones stand first, but the age, which is last, is kept longer than most. */
function fitting(columns: Column[], width: number): Column[] {
  const last = columns.length - 1
  const [first, ...others] = [...columns.keys()].sort((a, b) => rank(a, columns, last) - rank(b, columns, last))
  const kept = [first!]
  for (const at of others) if (total([...kept, at].map((it) => columns[it]!.least)) <= width) kept.push(at)
  const shown = columns.filter((_, at) => kept.includes(at))
  narrow(shown, width)
  return shown
}

function rank(at: number, columns: Column[], last: number): number {
  const { header } = columns[at]!
  if (at > 0 && telling.includes(header)) return 0.5
  return at === last && header === 'AGE' ? 3.5 : at
}

const total = (widths: number[]): number => widths.reduce((sum, it) => sum + it, 0) + gap * (widths.length - 1)

/** Takes from the widest column that can spare something until all fit. */
function narrow(columns: Column[], width: number): void {
  for (let excess = total(columns.map((it) => it.width)) - width; excess > 0; excess--) {
    const spare = columns.filter((it) => it.width > it.least)
    if (!spare.length) return
    spare.reduce((a, b) => (b.width > a.width ? b : a)).width--
  }
}

/** One thing as aligned "Name  value" lines of at most `width` columns. Absent values are left out. */
export function detail<T>(
  row: T,
  columns: Columns<T>,
  { paint, width: room = Number.POSITIVE_INFINITY }: { paint: Paint; width?: number | undefined },
): string {
  const lines = Object.entries(columns).flatMap(([header, value]) => {
    const cell = value(row)
    return cell === null || cell === undefined || cell === '' ? [] : [{ header, ...human(cell) }]
  })
  const width = Math.max(0, ...lines.map(({ header }) => widthOf(header)))
  const taken = width + gap
  return lines
    .map(({ header, text, tone }) => {
      const value = folded(text, room, { indent: ' '.repeat(taken), taken, widthOf })
      return `${paint('dim', pad(header, width))}  ${paint(tone, value)}\n`
    })
    .join('')
}
