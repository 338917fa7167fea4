import type { ReadStream, WriteStream } from 'node:tty'
import { SavingScreen, savingActions } from '../inbox/saving-screen.ts'
import { type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten, widthOf } from '../output/width.ts'
import { type Grid, rows } from './grid.ts'

type Action = 'up' | 'down' | 'left' | 'right' | 'toggle' | 'row' | 'column'

const actionOf = savingActions<Action>({
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  space: 'toggle',
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
  x: 'toggle',
  r: 'row',
  c: 'column',
})

const labelWidth = Math.max(...rows.map((it) => it.length)) + 2
const columnWidth = 14

/** Categories and channels on the whole of a terminal. */
export class GridScreen extends SavingScreen<Action> {
  protected readonly keys = 'arrows move · Space on or off · r row · c channel · Enter save · q leave'
  private readonly grid: Grid

  constructor(grid: Grid, input: ReadStream, output: WriteStream) {
    super(input, output, actionOf)
    this.grid = grid
  }

  protected readonly edits = {
    up: () => this.grid.move(-1, 0),
    down: () => this.grid.move(1, 0),
    left: () => this.grid.move(0, -1),
    right: () => this.grid.move(0, 1),
    toggle: () => this.grid.toggle(),
    row: () => this.grid.toggleRow(),
    column: () => this.grid.toggleColumn(),
  }

  protected count(): number {
    return this.grid.changes().length
  }

  protected body(): Row[] {
    const { height, width } = this.screen
    // A terminal shows part of a grid that is larger; what is chosen is in it.
    const shown = Math.max(1, Math.floor((width - labelWidth) / columnWidth))
    const from = Math.max(0, this.grid.column - shown + 1)
    const columns = this.grid.channels.map((_, at) => at).slice(from, from + shown)
    const room = Math.max(1, height - 3)
    const top = Math.max(0, Math.min(this.grid.row - Math.floor(room / 2), rows.length - room))
    const lines = rows.map((_, at) => this.line(at, columns)).slice(top, top + room)
    return [this.head(columns), ...lines, []]
  }

  private head(columns: readonly number[]): Row {
    const names = columns.map((at) => span(padded(cleanLine(this.grid.names[at]!), columnWidth), 'bold'))
    return [span(' '.repeat(labelWidth)), ...names]
  }

  private line(row: number, columns: readonly number[]): Row {
    const { grid } = this
    const label = rows[row] === '*' ? 'mute all of it' : rows[row]!
    const cells = columns.map((column) => {
      const mark = grid.state(row, column) === 'off' ? ' ' : 'x'
      const isHere = row === grid.row && column === grid.column
      const text = `${isHere ? '>' : ' '}[${mark}]${grid.isChanged(row, column) ? '*' : ' '}`
      return span(padded(text, columnWidth), ...(isHere ? (['bold', 'cyan'] as const) : []))
    })
    return [span(padded(label, labelWidth), ...(row === grid.row ? (['bold'] as const) : [])), ...cells]
  }
}

function padded(text: string, width: number): string {
  const short = shorten(text, width - 1)
  return short + ' '.repeat(Math.max(0, width - widthOf(short)))
}
