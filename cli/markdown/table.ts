import type { Tokens } from 'marked'
import { pad } from '../output/width.ts'
import { inline } from './inline.ts'
import { type Row, rowWidth, type Span, span, wrap } from './rows.ts'

const gap = '  '
/** A column narrower than this cannot be read. */
const least = 6

/** A table whose columns share the width; cells wrap. Where there is no room, each record is a list of its cells. */
export function tableRows({ header, rows, align }: Tokens.Table, width: number): Row[] {
  const cells = rows.map((row) => row.map(({ tokens }) => inline(tokens)))
  const heads = header.map(({ tokens }) => inline(tokens, ['bold']))
  const widths = widthsWithin(
    heads.map((head, at) => Math.max(1, ...[head, ...cells.map((row) => row[at] ?? [])].map(longest))),
    width,
  )
  if (!widths) return cells.flatMap((row, at) => record(heads, row, width, at > 0))
  const rule: Row = [span(widths.map((it) => '─'.repeat(it)).join(gap), 'dim')]
  return [...line(heads, widths, align), rule, ...cells.flatMap((row) => line(row, widths, align))]
}

const longest = (spans: readonly Span[]): number => Math.max(0, ...wrap(spans, 10_000).map(rowWidth))

/** Widths that fit, taken from the widest columns first; null when some column would be unreadable. */
function widthsWithin(natural: number[], width: number): number[] | null {
  const widths = [...natural]
  const total = () => widths.reduce((sum, it) => sum + it, gap.length * (widths.length - 1))
  while (total() > width) {
    const widest = Math.max(...widths)
    if (widest <= least) return null
    widths[widths.indexOf(widest)]!--
  }
  return widths
}

function line(cells: readonly Span[][], widths: number[], align: Tokens.Table['align']): Row[] {
  const columns = widths.map((width, at) => wrap(cells[at] ?? [], width))
  const height = Math.max(...columns.map((rows) => rows.length))
  return Array.from({ length: height }, (_, y) =>
    columns.flatMap((rows, x) => [
      ...(x ? [span(gap)] : []),
      ...padded(rows[y] ?? [], widths[x]!, align[x] === 'right'),
    ]),
  )
}

const padded = (row: Row, width: number, right: boolean): Row => {
  const space = span(pad('', width - rowWidth(row)))
  return right ? [space, ...row] : [...row, space]
}

function record(heads: readonly Span[][], cells: readonly Span[][], width: number, follows: boolean): Row[] {
  const rows = heads.flatMap((head, at) => wrap([...head, span(': '), ...(cells[at] ?? [])], width))
  return follows ? [[], ...rows] : rows
}
