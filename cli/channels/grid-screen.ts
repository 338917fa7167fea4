import type { Key } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { FullScreen } from '../inbox/full-screen.ts'
import { Keyboard } from '../inbox/keyboard.ts'
import { type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import { colored, painter } from '../output/theme.ts'
import { shorten, widthOf } from '../output/width.ts'
import { type Grid, rows } from './grid.ts'

const actions = ['up', 'down', 'left', 'right', 'toggle', 'row', 'column', 'save', 'leave', 'yes', 'redraw'] as const
type Action = (typeof actions)[number] | 'interrupt'

const named: Readonly<Record<string, Action>> = {
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  space: 'toggle',
  return: 'save',
  escape: 'leave',
}
const typed: Readonly<Record<string, Action>> = {
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
  x: 'toggle',
  r: 'row',
  c: 'column',
  s: 'save',
  q: 'leave',
  y: 'yes',
}

function actionOf(text: string | undefined, { name = '', ctrl, meta }: Key): Action | 'suspend' | undefined {
  if (ctrl) return ({ c: 'interrupt', d: 'leave', l: 'redraw', z: 'suspend' } as const)[name]
  if (meta) return undefined
  return (text === undefined ? undefined : typed[text]) ?? named[name]
}

const labelWidth = Math.max(...rows.map((it) => it.length)) + 2
const columnWidth = 14
const keys = 'arrows move · Space on or off · r row · c channel · Enter save · q leave'

/** Categories and channels on the whole of a terminal. Nothing is stored here: what is to be saved is handed out. */
export class GridScreen {
  private readonly grid: Grid
  private readonly screen: FullScreen
  private readonly input: ReadStream
  private readonly output: WriteStream
  /** What a `y` is the answer to. */
  private asked: 'save' | 'leave' | null = null
  private finish!: (end: 'save' | 'leave' | number) => void

  constructor(grid: Grid, input: ReadStream, output: WriteStream) {
    this.grid = grid
    this.input = input
    this.output = output
    this.screen = new FullScreen(output, painter(colored(output)))
    this.screen.onResize = () => this.draw()
  }

  /** What the person decided: to save, to leave as it was, or the code of the signal that ended it. */
  async run(leave: AbortSignal): Promise<'save' | 'leave' | number> {
    const over = new Promise<'save' | 'leave' | number>((resolve) => {
      this.finish = resolve
    })
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    const on = {
      action: (action: Action) => this.perform(action),
      change: () => this.draw(),
      clear: () => this.screen.clear(),
      hungUp: () => this.finish(129),
      suspend: () => this.screen.park(),
      resume: () => this.screen.resume(),
    }
    const keyboard = new Keyboard<Action>(this.input, this.output, on, actionOf)
    try {
      this.draw()
      return await over
    } finally {
      this.screen.close()
      keyboard.close()
    }
  }

  private perform(action: Action): void {
    const { asked } = this
    const end = this.endOf(action)
    if (end !== null) this.finish(end)
    else if (action === 'redraw') this.screen.clear()
    else if (!asked) this.edits[action as keyof typeof this.edits]?.()
    this.draw()
  }

  /** Whether an action is the end, and which; what would lose or store something asks first. */
  private endOf(action: Action): 'save' | 'leave' | number | null {
    const { asked } = this
    this.asked = null
    if (action === 'interrupt') return 130
    // Leaving twice is meant as well.
    if (asked && (action === 'yes' || (action === 'leave' && asked === 'leave'))) return asked
    if (action !== 'save' && action !== 'leave') return null
    if (!this.grid.changes().length) return 'leave'
    this.asked = action
    return null
  }

  private readonly edits = {
    up: () => this.grid.move(-1, 0),
    down: () => this.grid.move(1, 0),
    left: () => this.grid.move(0, -1),
    right: () => this.grid.move(0, 1),
    toggle: () => this.grid.toggle(),
    row: () => this.grid.toggleRow(),
    column: () => this.grid.toggleColumn(),
  }

  private draw(): void {
    const { height, width } = this.screen
    // A terminal shows part of a grid that is larger; what is chosen is in it.
    const shown = Math.max(1, Math.floor((width - labelWidth) / columnWidth))
    const from = Math.max(0, this.grid.column - shown + 1)
    const columns = this.grid.channels.map((_, at) => at).slice(from, from + shown)
    const room = Math.max(1, height - 3)
    const top = Math.max(0, Math.min(this.grid.row - Math.floor(room / 2), rows.length - room))
    const lines = rows.map((_, at) => this.line(at, columns)).slice(top, top + room)
    this.screen.show([this.head(columns), ...lines, [], this.foot()])
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

  private foot(): Row {
    const count = this.grid.changes().length
    const changes = `${count} ${count === 1 ? 'change' : 'changes'}`
    if (this.asked === 'save') return [span(`Save ${changes}? y saves, any other key goes on.`, 'yellow')]
    if (this.asked === 'leave')
      return [span(`Leave without saving ${changes}? y leaves, any other key goes on.`, 'yellow')]
    return [span(count ? `${changes} · ${keys}` : keys, 'dim')]
  }
}

function padded(text: string, width: number): string {
  const short = shorten(text, width - 1)
  return short + ' '.repeat(Math.max(0, width - widthOf(short)))
}
