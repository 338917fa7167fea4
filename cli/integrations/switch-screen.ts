import type { Key } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { FullScreen } from '../inbox/full-screen.ts'
import { Keyboard } from '../inbox/keyboard.ts'
import { type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import { colored, painter } from '../output/theme.ts'
import type { Tool } from '../views/integration-tools.ts'
import type { Switches } from './switches.ts'

const actions = ['up', 'down', 'toggle', 'approve', 'save', 'leave', 'yes', 'redraw'] as const
type Action = (typeof actions)[number] | 'interrupt'
type End = 'save' | 'leave' | number

const named: Readonly<Record<string, Action>> = {
  up: 'up',
  down: 'down',
  space: 'toggle',
  return: 'save',
  escape: 'leave',
}
const typed: Readonly<Record<string, Action>> = {
  k: 'up',
  j: 'down',
  x: 'toggle',
  a: 'approve',
  s: 'save',
  q: 'leave',
  y: 'yes',
}

function actionOf(text: string | undefined, { name = '', ctrl, meta }: Key): Action | 'suspend' | undefined {
  if (ctrl) return ({ c: 'interrupt', d: 'leave', l: 'redraw', z: 'suspend' } as const)[name]
  if (meta) return undefined
  return (text === undefined ? undefined : typed[text]) ?? named[name]
}

const keys = 'arrows move · Space on or off · a approve · Enter save · q leave'
/** Rows for what the server says of the chosen tool. */
const below = 8

/** The tools of a server on the whole of a terminal. Nothing is stored here: what is to be saved is handed out. */
export class SwitchScreen {
  private readonly switches: Switches
  private readonly screen: FullScreen
  private readonly input: ReadStream
  private readonly output: WriteStream
  /** What a `y` is the answer to. */
  private asked: 'save' | 'leave' | null = null
  private finish!: (end: End) => void

  constructor(switches: Switches, input: ReadStream, output: WriteStream) {
    this.switches = switches
    this.input = input
    this.output = output
    this.screen = new FullScreen(output, painter(colored(output)))
    this.screen.onResize = () => this.draw()
  }

  /** What the person decided: to save, to leave as it was, or the code of the signal that ended it. */
  async run(leave: AbortSignal): Promise<End> {
    const over = new Promise<End>((resolve) => {
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
  private endOf(action: Action): End | null {
    const { asked } = this
    this.asked = null
    if (action === 'interrupt') return 130
    // Leaving twice is meant as well.
    if (asked && (action === 'yes' || (action === 'leave' && asked === 'leave'))) return asked
    if (action !== 'save' && action !== 'leave') return null
    if (!this.switches.count) return 'leave'
    this.asked = action
    return null
  }

  private readonly edits = {
    up: () => this.switches.move(-1),
    down: () => this.switches.move(1),
    toggle: () => this.switches.toggle(),
    approve: () => this.switches.approve(),
  }

  private draw(): void {
    const { tools, at } = this.switches
    const details = this.details()
    const room = Math.max(1, this.screen.height - details.length - 2)
    const top = Math.max(0, Math.min(at - Math.floor(room / 2), tools.length - room))
    const rows = tools.slice(top, top + room).map((tool) => this.line(tool))
    this.screen.show([...rows, [], ...details, this.foot()])
  }

  private line(tool: Tool): Row {
    const { switches } = this
    const isHere = tool === switches.here
    const mark = switches.isOn(tool) ? 'x' : ' '
    const held = switches.isApproved(tool) ? 'approved' : tool.held_since === null ? '' : 'held'
    const text = `${isHere ? '>' : ' '}[${mark}]${switches.isChanged(tool) ? '*' : ' '} ${cleanLine(tool.tool_name)}`
    return [span(text, ...(isHere ? (['bold', 'cyan'] as const) : [])), span(held && `  ${held}`, 'yellow')]
  }

  /** What the server says of the chosen tool; of one that is held, why and what changed. */
  private details(): Row[] {
    const { here } = this.switches
    const text = here.change ?? here.description ?? ''
    const lines = text.split('\n').slice(0, Math.min(below, Math.floor(this.screen.height / 2) - 2))
    const why = here.held_for === null ? [] : [[span(cleanLine(here.held_for), 'yellow')]]
    return [...why, ...lines.map((line) => [span(cleanLine(line), 'dim')])]
  }

  private foot(): Row {
    const { count } = this.switches
    const changes = `${count} ${count === 1 ? 'change' : 'changes'}`
    if (this.asked === 'save') return [span(`Save ${changes}? y saves, any other key goes on.`, 'yellow')]
    if (this.asked === 'leave')
      return [span(`Leave without saving ${changes}? y leaves, any other key goes on.`, 'yellow')]
    return [span(count ? `${changes} · ${keys}` : keys, 'dim')]
  }
}
