import { cut, displayable } from '../markdown/rows.ts'
import { widthOf } from '../output/width.ts'
import type { Cursor } from './screen.ts'

/** Text that is being typed in rows of at most `width` columns, and where the cursor stands in them. */
export function layout(text: string, at: number, width: number): { rows: string[]; cursor: Cursor } {
  const rows: string[] = []
  let cursor: Cursor = { row: 0, column: 0 }
  let start = 0
  for (const line of text.split('\n')) {
    const within = at >= start && at <= start + line.length ? widthOf(displayable(line.slice(0, at - start))) : -1
    let shown = displayable(line)
    let passed = 0
    do {
      const piece = shown.slice(0, cut(shown, width) || shown.length)
      shown = shown.slice(piece.length)
      const columns = widthOf(piece)
      if (within >= passed && (within < passed + columns || !shown))
        cursor = { row: rows.length, column: within - passed }
      passed += columns
      rows.push(piece)
    } while (shown)
    start += line.length + 1
  }
  return { rows, cursor }
}

/** As many rows as there is room for, those around the cursor. */
export function around(
  { rows, cursor }: { rows: string[]; cursor: Cursor },
  height: number,
): { rows: string[]; cursor: Cursor } {
  if (rows.length <= height) return { rows, cursor }
  const top = Math.min(Math.max(0, cursor.row - Math.floor(height / 2)), rows.length - height)
  return { rows: rows.slice(top, top + height), cursor: { row: cursor.row - top, column: cursor.column } }
}
