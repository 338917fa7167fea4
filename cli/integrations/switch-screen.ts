import type { ReadStream, WriteStream } from 'node:tty'
import { SavingScreen, savingActions } from '../inbox/saving-screen.ts'
import { type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import type { Tool } from '../views/integration-tools.ts'
import type { Switches } from './switches.ts'

type Action = 'up' | 'down' | 'toggle' | 'approve'

const actionOf = savingActions<Action>({
  up: 'up',
  down: 'down',
  space: 'toggle',
  k: 'up',
  j: 'down',
  x: 'toggle',
  a: 'approve',
})

/** Rows for what the server says of the chosen tool. */
const below = 8

/** The tools of a server on the whole of a terminal. */
export class SwitchScreen extends SavingScreen<Action> {
  protected readonly keys = 'arrows move · Space on or off · a approve · Enter save · q leave'
  private readonly switches: Switches

  constructor(switches: Switches, input: ReadStream, output: WriteStream) {
    super(input, output, actionOf)
    this.switches = switches
  }

  protected readonly edits = {
    up: () => this.switches.move(-1),
    down: () => this.switches.move(1),
    toggle: () => this.switches.toggle(),
    approve: () => this.switches.approve(),
  }

  protected count(): number {
    return this.switches.count
  }

  protected body(): Row[] {
    const { tools, at } = this.switches
    const details = this.details()
    const room = Math.max(1, this.screen.height - details.length - 2)
    const top = Math.max(0, Math.min(at - Math.floor(room / 2), tools.length - room))
    const rows = tools.slice(top, top + room).map((tool) => this.line(tool))
    return [...rows, [], ...details]
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
}
