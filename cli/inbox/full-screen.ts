import type { Cursor, Output } from '../chat/screen.ts'
import { cut, painted, type Row } from '../markdown/rows.ts'
import type { Paint } from '../output/theme.ts'
import { widthOf } from '../output/width.ts'

const frameMs = 33
const enter = '\u001b[?1049h\u001b[2J'
const leave = '\u001b[?1049l\u001b[?25h'
// Synchronized output: terminals that support it draw everything between these at once.
const begin = '\u001b[?2026h\u001b[?25l'
const end = '\u001b[?2026l'

/**
 * The whole of a terminal, and what was there before comes back afterwards. Only rows that changed are written, over
 * what stood there, so that nothing flickers.
 */
export class FullScreen {
  private readonly out: Output
  private readonly paint: Paint
  private rows: readonly Row[] = []
  private cursor: Cursor | null = null
  /** What the terminal shows, row by row; null after a change of its size. */
  private drawn: string[] | null = []
  private place = ''
  private timer: NodeJS.Timeout | null = null
  private drawnAt = 0
  private open = false
  private readonly resized = () => {
    this.drawn = null
    this.onResize()
  }
  /** Called when the terminal has another size. */
  onResize: () => void = () => undefined

  constructor(out: Output, paint: Paint) {
    this.out = out
    this.paint = paint
    out.on('resize', this.resized)
    this.resume()
  }

  get width(): number {
    return Math.max(20, this.out.columns || 80)
  }

  get height(): number {
    return Math.max(6, this.out.rows || 24)
  }

  /** What stands there from now on; the cursor is hidden without a place. */
  show(rows: readonly Row[], cursor: Cursor | null = null): void {
    this.rows = rows
    this.cursor = cursor
    if (this.timer || !this.open) return
    this.timer = setTimeout(() => this.draw(), Math.max(0, this.drawnAt + frameMs - performance.now()))
  }

  /** Draws everything anew. */
  clear(): void {
    this.drawn = null
    this.show(this.rows, this.cursor)
  }

  /** Gives the terminal back, as before something else writes to it. `resume` goes on. */
  park(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    if (this.open) this.out.write(leave)
    this.open = false
  }

  resume(): void {
    if (this.open) return
    this.open = true
    this.drawn = []
    this.place = ''
    this.out.write(enter)
    this.show(this.rows, this.cursor)
  }

  close(): void {
    this.out.off('resize', this.resized)
    this.park()
  }

  private draw(): void {
    this.timer = null
    const { height, width } = this
    const lines = Array.from({ length: height }, (_, at) => painted(fitted(this.rows[at] ?? [], width), this.paint))
    const before = this.drawn
    const changes = lines
      .map((line, at) => (before && (before[at] ?? '') === line ? '' : `\u001b[${at + 1};1H${line}\u001b[K`))
      .join('')
    const place = this.cursor
      ? `\u001b[${this.cursor.row + 1};${Math.min(this.cursor.column + 1, width)}H\u001b[?25h`
      : ''
    this.drawnAt = performance.now()
    if (!changes && place === this.place && before) return
    // What a terminal of another size made of the old rows is unknown.
    this.out.write(begin + (before ? '' : '\u001b[2J') + changes + place + end)
    this.drawn = lines
    this.place = place
  }
}

/** As much of the row as fits. */
export function fitted(row: Row, width: number): Row {
  const kept = []
  let left = width
  for (const { text, tones } of row) {
    const shown = text.slice(0, cut(text, left))
    kept.push({ text: shown, tones })
    left -= widthOf(shown)
    if (shown.length < text.length) break
  }
  return kept
}
