import { fitted } from '../inbox/full-screen.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import type { Tone } from '../output/theme.ts'
import { pad, shorten } from '../output/width.ts'
import type { Board, Card, Column } from './board.ts'
import { boardHelp } from './keys.ts'

export interface Remark {
  text: string
  tone: 'red' | 'yellow' | 'green'
}

/** Everything that is to be seen of a board. */
export interface Scene {
  board: Board
  /** Slug of the crew. */
  crew: string
  mode: 'board' | 'card' | 'help'
  scroll: number
  remark: Remark | null
  connected: boolean
  loaded: boolean
  width: number
  height: number
}

export interface Frame {
  rows: Row[]
  /** How far the text is scrolled, as far as there is something to scroll. */
  scroll: number
  /** Issues or rows that one page has. */
  page: number
}

const narrowest = 19
const tones: Partial<Record<Card['priority'], Tone>> = { urgent: 'red', high: 'yellow' }
const line = (text: string, width: number): string => pad(shorten(cleanLine(text), width), width)

/** Head, columns or one issue, a line of news and one of keys. */
export function boardFrame(it: Scene): Frame {
  const { width, height } = it
  const room = height - 3
  const body = it.mode === 'board' ? columnRows(it, room) : textRows(it, room)
  const rows = [headRow(it), ...body.rows, newsRow(it), hintRow(it)].map((row) => fitted(row, width))
  return { rows, scroll: body.scroll, page: body.page }
}

function headRow({ board, crew, loaded, connected }: Scene): Row {
  const count = loaded ? `${board.size} ${board.size === 1 ? 'issue' : 'issues'}` : 'Loading'
  const lost = connected ? [] : [span('  not connected', 'yellow')]
  return [span('Board  ', 'bold'), span(`${cleanLine(crew)}  `, 'dim'), span(count), ...lost]
}

/** As many columns as there is room for, those around the chosen one. */
function columnRows({ board, width }: Scene, room: number): Frame {
  const count = Math.max(1, Math.min(board.columns.length, Math.floor(width / narrowest)))
  const left = Math.max(0, Math.min(board.at.column - count + 2, board.columns.length - count))
  const first = Math.min(left, board.at.column)
  const each = Math.floor(width / count) - 1
  const page = Math.max(1, Math.floor((room - 2) / 2))
  const drawn = board.columns
    .slice(first, first + count)
    .map((column, at) => columnOf(column, first + at === board.at.column ? board.at.card : -1, each, room, page))
  const rows = Array.from({ length: room }, (_, y): Row => drawn.flatMap((column) => [...column[y]!, span(' ')]))
  return { rows, scroll: 0, page }
}

/** The rows of one column, each as wide as it. `chosen`: the place of the chosen issue, or -1. */
function columnOf({ status, cards }: Column, chosen: number, width: number, room: number, page: number): Row[] {
  const top = Math.max(0, Math.min(chosen - Math.floor(page / 2), cards.length - page))
  const shown = cards.slice(top, top + page)
  const more = cards.length - top - shown.length
  const head = line(
    `${status.toLowerCase().replaceAll('_', ' ')} ${cards.length}${more ? ` (${more} below)` : ''}`,
    width,
  )
  const rows: Row[] = [[span(head, ...(chosen >= 0 ? (['bold', 'cyan'] as const) : (['bold'] as const)))]]
  rows.push([span('─'.repeat(width), 'dim')])
  for (const [at, card] of shown.entries()) rows.push(...cardRows(card, top + at === chosen, width))
  while (rows.length < room) rows.push([span(' '.repeat(width))])
  return rows.slice(0, room)
}

function cardRows(card: Card, chosen: boolean, width: number): [Row, Row] {
  const mark = card.session_status === 'running' ? '*' : card.session_status === 'awaiting_input' ? '!' : ''
  const who = [mark, card.assignee_name].filter(Boolean).join(' ')
  const name = cleanLine(card.identifier)
  const tone = tones[card.priority]
  return [
    [
      span(chosen ? '›' : ' ', 'cyan'),
      span(name, ...(tone ? [tone] : []), ...(chosen ? (['bold'] as const) : [])),
      span(` ${line(who, Math.max(0, width - 2 - name.length))}`, 'dim'),
    ],
    [span(' '), span(line(card.title, width - 1), ...(chosen ? (['bold'] as const) : []))],
  ]
}

function textRows({ board, mode, width, scroll }: Scene, room: number): Frame {
  const all = mode === 'help' ? helpRows() : cardText(board.current, Math.min(width, 100))
  const from = Math.min(scroll, Math.max(0, all.length - room))
  const rows = Array.from({ length: room }, (_, y): Row => all[from + y] ?? [])
  return { rows, scroll: from, page: Math.max(1, room - 2) }
}

const helpRows = (): Row[] => boardHelp.map(([keys, about]) => [span(pad(keys, 18), 'cyan'), span(about)])

function cardText(card: Card | undefined, width: number): Row[] {
  if (!card) return [[span('The issue is not on the board any more.', 'dim')]]
  const { identifier, title, status, priority, assignee_name, labels, due_date, description } = card
  const facts = [
    status.toLowerCase().replaceAll('_', ' '),
    priority === 'none' ? '' : priority,
    assignee_name && `by ${assignee_name}`,
    labels.map(({ name }) => name).join(', '),
    due_date && `due ${due_date}`,
  ]
  const text = description ? renderMarkdown(description, width) : [[span('It has no description.', 'dim')]]
  return [
    [span(`${cleanLine(identifier)}  ${cleanLine(title)}`, 'bold')],
    [span(cleanLine(facts.filter(Boolean).join(' · ')), 'dim')],
    [],
    ...text,
  ]
}

function newsRow({ remark, board, mode, width }: Scene): Row {
  if (remark) return [span(shorten(cleanLine(remark.text), width), remark.tone)]
  const { current } = board
  return mode === 'board' && current ? [span(shorten(cleanLine(current.title), width), 'dim')] : []
}

const hintRow = ({ mode }: Scene): Row => [
  span(mode === 'board' ? '←→↑↓ choose  < > move  Enter show  ? help  q leave' : 'Esc back  q leave', 'dim'),
]
