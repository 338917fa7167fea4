import { painted, type Row, rowWidth } from '../markdown/rows.ts'
import type { Paint } from '../output/theme.ts'

/** A terminal that is written to. */
export interface Output {
  columns: number
  rows: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface Cursor {
  row: number
  column: number
}

/** Rows that change, and where the cursor stands in them. */
export interface Live {
  rows: readonly Row[]
  cursor: Cursor
}

export interface ScreenOptions {
  /** Whether the terminal breaks what stands there into more rows when it becomes narrower; most do. */
  reflows: boolean
}

const frameMs = 33
/** A window that is drawn to another size has many sizes on the way. */
const settleMs = 60
const nothing: Live = { rows: [[]], cursor: { row: 0, column: 0 } }

// Synchronized output: terminals that support it draw everything between these at once.
const begin = '\u001b[?2026h\u001b[?25l'
const end = '\u001b[?25h\u001b[?2026l'
const clearLine = '\u001b[K'
const clearBelow = '\u001b[J'

/**
 * The lower end of a terminal: what is committed scrolls away like any output, and below it stand some rows that
 * change. Rows are written over, never wiped first, so that nothing flickers.
 */
export class Screen {
  private readonly out: Output
  private readonly paint: Paint
  private readonly reflows: boolean
  private committed: Row[] = []
  private next: () => Live = () => nothing
  private drawn: Live & { text: string } = { ...nothing, text: '' }
  private timer: NodeJS.Timeout | null = null
  private drawnAt = 0
  private parked = false
  private readonly resized = () => {
    this.drawn.text = ''
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.schedule(settleMs)
    this.onResize()
  }
  /** Called when the terminal has another size. */
  onResize: () => void = () => undefined

  constructor(out: Output, paint: Paint, { reflows }: ScreenOptions = { reflows: true }) {
    this.out = out
    this.paint = paint
    this.reflows = reflows
    out.on('resize', this.resized)
  }

  /** Columns that rows may take: a row that fills the last one would leave the cursor between two lines. */
  get width(): number {
    return Math.max(10, (this.out.columns || 80) - 1)
  }

  get height(): number {
    return Math.max(4, this.out.rows || 24)
  }

  /** Rows that stay. */
  commit(rows: readonly Row[]): void {
    this.committed.push(...rows)
    this.schedule()
  }

  /** What stands below them from now on; asked for once for each frame, however often it changes. */
  show(next: () => Live): void {
    this.next = next
    this.schedule()
  }

  /** Puts the cursor below everything, as before something else writes to the terminal. `resume` goes on. */
  park(): void {
    this.flush()
    const below = this.drawn.rows.length - 1 - this.drawn.cursor.row
    this.out.write(`${below > 0 ? `\u001b[${below}B` : ''}\r\n`)
    this.drawn = { ...nothing, text: '' }
    this.parked = true
  }

  resume(): void {
    this.parked = false
    this.schedule()
  }

  /** Wipes the terminal and draws anew. */
  clear(): void {
    this.out.write('\u001b[2J\u001b[H')
    this.drawn = { ...nothing, text: '' }
    this.schedule()
  }

  /** Leaves what is committed, takes the rest away and lets go of the terminal. */
  close(): void {
    this.out.off('resize', this.resized)
    if (this.parked) return
    this.next = () => nothing
    this.drawn.text = ''
    this.flush()
    this.parked = true
  }

  private schedule(least = 0): void {
    if (this.timer || this.parked) return
    this.timer = setTimeout(() => this.flush(), Math.max(least, this.drawnAt + frameMs - performance.now()))
  }

  /** Draws what is new without waiting for the next frame. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    if (this.parked) return
    const { rows, cursor } = clipped(this.next(), this.height - 1)
    const text = rows.map((row) => painted(row, this.paint) + clearLine).join('\r\n')
    const moved = cursor.row !== this.drawn.cursor.row || cursor.column !== this.drawn.cursor.column
    if (!this.committed.length && text === this.drawn.text && !moved) return
    const stays = this.committed.map((row) => `${painted(row, this.paint)}${clearLine}\r\n`).join('')
    const up = rows.length - 1 - cursor.row
    const place = `\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
    this.out.write(begin + this.toTop() + stays + text + clearBelow + place + end)
    this.committed = []
    this.drawn = { rows, cursor, text }
    this.drawnAt = performance.now()
  }

  /** From the cursor to the first of the changing rows. A narrower terminal has broken them into more by now. */
  private toTop(): string {
    const { rows, cursor } = this.drawn
    const columns = this.out.columns || 80
    const broken = (row: Row) => (this.reflows ? Math.max(1, Math.ceil(rowWidth(row) / columns)) : 1)
    const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + broken(row), 0)
    const up = above + (this.reflows ? Math.floor(cursor.column / columns) : 0)
    return `\r${up > 0 ? `\u001b[${up}A` : ''}`
  }
}

/** Whether the terminal is one of the few that cut what no longer fits; xterm and GNU screen tell who they are. */
export const reflowing = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['TMUX']) || !(env['XTERM_VERSION'] || env['STY'] || env['TERM'] === 'linux')

/** At most `height` rows; the upper ones give way. */
function clipped({ rows, cursor }: Live, height: number): Live {
  const over = rows.length - height
  return over > 0
    ? { rows: rows.slice(over), cursor: { row: Math.max(0, cursor.row - over), column: cursor.column } }
    : { rows, cursor }
}
