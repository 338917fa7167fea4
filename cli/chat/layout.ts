import { cut, displayable } from '../markdown/rows.ts'
import { widthOf } from '../output/width.ts'
import type { Cursor } from './screen.ts'

interface Laid {
  rows: string[]
  cursor: Cursor
}

/** Text that is being typed in rows of at most `width` columns, and where the cursor stands in them. */
export function layout(text: string, at: number, width: number): Laid {
  const rows: string[] = []
  let cursor: Cursor = { row: 0, column: 0 }
  let start = 0
  for (const line of text.split('\n')) {
    const within = at >= start && at <= start + line.length ? widthOf(displayable(line.slice(0, at - start))) : -1
    let shown = displayable(line)
    let passed = 0
    do {
      const piece = shown.slice(0, breakOf(shown, width) || shown.length)
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

/** Where a row ends: behind the space before the word that no longer fits, else in the middle of a long word. */
function breakOf(text: string, width: number): number {
  const fits = cut(text, width)
  if (fits >= text.length) return fits
  // A space may stand in the column that is left for the cursor.
  if (text[fits] === ' ') return fits + 1
  return text.lastIndexOf(' ', fits - 1) + 1 || fits
}

/** As many rows as there is room for, those around the cursor. */
export function around({ rows, cursor }: Laid, height: number): Laid {
  if (rows.length <= height) return { rows, cursor }
  const top = Math.min(Math.max(0, cursor.row - Math.floor(height / 2)), rows.length - height)
  return { rows: rows.slice(top, top + height), cursor: { row: cursor.row - top, column: cursor.column } }
}

/** The rows around the cursor of a text of any length: lines that are too far away to be seen are not laid out. */
export function window(text: string, at: number, width: number, height: number): Laid {
  const start = above(text, at, height)
  return around(layout(text.slice(start, below(text, at, height)), at - start, width), height)
}

function above(text: string, at: number, lines: number): number {
  let start = at
  for (let left = lines; left >= 0 && start >= 0; left--) start = start ? text.lastIndexOf('\n', start - 1) : -1
  return start + 1
}

function below(text: string, at: number, lines: number): number {
  let end = at - 1
  for (let left = lines; left >= 0 && end < text.length; left--) {
    const next = text.indexOf('\n', end + 1)
    end = next < 0 ? text.length : next
  }
  return end
}
