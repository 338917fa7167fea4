import { type Columns, human } from './cell.ts'
import type { Paint } from './theme.ts'
import { pad, shorten, widthOf } from './width.ts'

const gap = 2
const least = 6

/** Rows as aligned text within `width` columns; long cells are cut, widest columns first. */
export function table<T>(
  rows: readonly T[],
  columns: Columns<T>,
  { width, paint }: { width: number; paint: Paint },
): string {
  const headers = Object.keys(columns)
  const cells = rows.map((row) => Object.values(columns).map((value) => human(value(row))))
  const numeric = Object.values(columns).map(
    (value) => rows.length > 0 && rows.every((row) => typeof value(row) === 'number'),
  )
  const natural = headers.map((header, at) =>
    Math.max(widthOf(header), ...cells.map((line) => widthOf(line[at]!.text))),
  )
  const widths = shrink(natural, width)
  const last = headers.length - 1
  const line = (texts: string[], tint: (at: number) => Parameters<Paint>[0]) =>
    texts
      .map((text, at) => {
        const shown = shorten(text, widths[at]!)
        const filled = at === last && !numeric[at] ? shown : pad(shown, widths[at]!, numeric[at])
        return paint(tint(at), filled)
      })
      .join(' '.repeat(gap))
      .trimEnd()
  return [
    line(headers, () => 'dim'),
    ...cells.map((row) =>
      line(
        row.map((cell) => cell.text),
        (at) => row[at]!.tone,
      ),
    ),
  ]
    .map((text) => `${text}\n`)
    .join('')
}

/** Widths that fit: columns are narrowed from the widest down, none below a readable least. */
function shrink(natural: number[], width: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, it) => sum + it, 0) + gap * (widths.length - 1) - width
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= least) break
    const wide = widths.flatMap((it, at) => (it === widest ? [at] : []))
    const next = Math.max(least, ...widths.filter((it) => it < widest))
    const cut = Math.min(widest - next || 1, Math.max(1, Math.floor(excess / wide.length)))
    for (const at of wide) {
      if (excess <= 0) break
      widths[at]! -= cut
      excess -= cut
    }
  }
  return widths
}

/** One thing as aligned "Name  value" lines. Absent values are left out. */
export function detail<T>(row: T, columns: Columns<T>, { paint }: { paint: Paint }): string {
  const lines = Object.entries(columns).flatMap(([header, value]) => {
    const cell = value(row)
    return cell === null || cell === undefined || cell === '' ? [] : [{ header, ...human(cell) }]
  })
  const width = Math.max(0, ...lines.map(({ header }) => widthOf(header)))
  return lines.map(({ header, text, tone }) => `${paint('dim', pad(header, width))}  ${paint(tone, text)}\n`).join('')
}
