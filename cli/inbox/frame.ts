import { window } from '../chat/layout.ts'
import type { Cursor } from '../chat/screen.ts'
import { displayable, type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'
import { wordsOf } from './decisions.ts'
import type { ItemList } from './item-list.ts'
import { detailRows, headRow, helpRows, hintRow, listRows } from './pages.ts'
import type { Pending } from './pending.ts'

export interface Remark {
  text: string
  tone: 'red' | 'yellow' | 'green'
}

/** Labels of what is typed, all of the same width. */
export const answerLabel = 'Answer: '
export const filterLabel = 'Filter: '
export const jumpLabel = 'Go to:  '

/** Everything that is to be seen of an inbox. */
export interface Scene {
  itemList: ItemList
  pending: Pending
  /** Name of the workspace. */
  place: string
  mode: 'list' | 'item' | 'help'
  scroll: number
  /** What is being typed. */
  typed: { text: string; cursor: number; label: string } | null
  remark: Remark | null
  leaving: boolean
  connected: boolean
  explain(error: unknown): string
  width: number
  height: number
}

export interface Frame {
  rows: Row[]
  cursor: Cursor | null
  /** How far the text is scrolled, as far as there is something to scroll. */
  scroll: number
  /** Rows that one page of the text has. */
  page: number
}

/** Head, list, the chosen item, what is being typed, a line of news and one of keys. */
export function frameOf(it: Scene): Frame {
  const { itemList, width, height } = it
  const { list, below } = roomOf(it)
  const typed = typedRows(it)
  const text = textRows(it)
  const visible = Math.max(0, below - typed.rows.length)
  const scroll = Math.min(it.scroll, Math.max(0, text.length - visible))
  const rows: Row[] = [headRow(itemList, it.place, width)]
  if (list) rows.push(...padded(itemRows(it, list), list), [span('─'.repeat(width), 'dim')])
  rows.push(...padded(text.slice(scroll, scroll + visible), visible))
  const cursor = typed.cursor && { row: rows.length + typed.cursor.row, column: typed.cursor.column }
  rows.push(...typed.rows, statusRow(it), hintRow(it.typed ? null : itemList.shown, it.pending.size, width))
  return { rows: rows.slice(0, height), cursor, scroll, page: Math.max(1, visible - 2) }
}

/** Rows of the list, and of what stands below it. */
function roomOf({ itemList, mode, height }: Scene): { list: number; below: number } {
  const left = height - 4
  if (mode !== 'list') return { list: 0, below: left + 1 }
  const list = Math.max(1, Math.min(itemList.items.length || 1, Math.floor(left * 0.45)))
  return { list, below: left - list }
}

function itemRows({ itemList, pending, width }: Scene, height: number): Row[] {
  if (!itemList.items.length) return [[span(nothing(itemList), 'dim')]]
  return listRows(itemList, height, width, (id) => pending.of(id))
}

const nothing = ({ loaded, filter }: ItemList): string =>
  filter ? `Nothing has "${cleanLine(filter)}". Esc shows all.` : loaded ? 'Nothing waits for you.' : 'Loading'

function textRows({ itemList, mode, width, explain }: Scene): Row[] {
  if (mode === 'help') return helpRows(width)
  const { shown, gone, current, trouble } = itemList
  if (shown) return detailRows(shown, Math.min(width, 100))
  if (gone) return [[span('This item was decided meanwhile.', 'dim')]]
  if (current && trouble) return [[span(shorten(cleanLine(explain(trouble)), width), 'red')]]
  return current ? [[span('Loading', 'dim')]] : []
}

function typedRows({ typed, width, height }: Scene): { rows: Row[]; cursor: Cursor | null } {
  if (!typed) return { rows: [], cursor: null }
  const { rows, cursor } = window(typed.text, typed.cursor, width - 10, Math.max(2, Math.floor(height / 3)))
  const lines = rows.map((it, at): Row => [span(at ? '        ' : typed.label, 'cyan'), span(displayable(it))])
  return { rows: lines, cursor: { row: cursor.row, column: 8 + cursor.column } }
}

function statusRow({ pending, typed, leaving, remark, connected, width }: Scene): Row {
  const row = (text: string, tone: Remark['tone'] | 'dim') => [span(shorten(cleanLine(text), width), tone)]
  const { latest, size } = pending
  if (typed)
    return row(
      typed.label === answerLabel ? 'Enter sends · Alt-Enter begins a line · Esc leaves it' : 'Esc leaves it',
      'dim',
    )
  if (leaving && !size) return row('Sending', 'dim')
  if (leaving)
    return row(`${size} not sent yet. Enter sends, u takes back, Esc stays, Ctrl-C leaves without.`, 'yellow')
  if (remark?.tone === 'red') return row(remark.text, 'red')
  if (latest) {
    const more = size > 1 ? ` (and ${size - 1} more)` : ''
    return row(
      `${wordsOf(latest.decision.choice)[0]} in ${latest.seconds} s${more} · u undoes · ${latest.decision.item.title}`,
      'yellow',
    )
  }
  if (remark) return row(remark.text, remark.tone)
  return row(connected ? '' : 'The connection is lost; trying again', 'yellow')
}

const padded = (rows: readonly Row[], height: number): Row[] =>
  [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, (): Row => [])].slice(0, height)
