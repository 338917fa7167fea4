import type { Key } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { type Row, span } from '../markdown/rows.ts'
import { colored, painter } from '../output/theme.ts'
import { FullScreen } from './full-screen.ts'
import { type ActionOf, Keyboard } from './keyboard.ts'

/** What a person may do on every screen whose changes are stored together. */
type Common = 'save' | 'leave' | 'yes' | 'redraw' | 'interrupt'
/** What the person decided: to save, to leave as it was, or the code of the signal that ended it. */
export type End = 'save' | 'leave' | number

const common: Readonly<Record<string, Common>> = { return: 'save', escape: 'leave', s: 'save', q: 'leave', y: 'yes' }

/** The actions of a screen by the names of keys and by letters as they are typed, beside those that all have. */
export const savingActions =
  <A extends string>(own: Readonly<Record<string, A>>): ActionOf<A | Common> =>
  (text, { name = '', ctrl, meta }: Key) => {
    if (ctrl) return ({ c: 'interrupt', d: 'leave', l: 'redraw', z: 'suspend' } as const)[name]
    if (meta) return undefined
    // A capital letter has the name of the small one.
    const of = (key: string) => own[key] ?? common[key]
    return (text?.length === 1 ? of(text) : undefined) ?? (name.length > 1 ? of(name) : undefined)
  }

/**
 * Something to change on the whole of a terminal. Nothing is stored here: what is to be saved is handed out, and what
 * would lose or store something asks first.
 */
export abstract class SavingScreen<A extends string> {
  protected readonly screen: FullScreen
  private readonly input: ReadStream
  private readonly output: WriteStream
  private readonly actionOf: ActionOf<A | Common>
  /** What a `y` is the answer to. */
  private asked: 'save' | 'leave' | null = null
  private finish!: (end: End) => void
  /** What the foot says of the keys. */
  protected abstract readonly keys: string
  protected abstract readonly edits: Readonly<Record<A, () => void>>

  constructor(input: ReadStream, output: WriteStream, actionOf: ActionOf<A | Common>) {
    this.input = input
    this.output = output
    this.actionOf = actionOf
    this.screen = new FullScreen(output, painter(colored(output)))
    this.screen.onResize = () => this.draw()
  }

  /** How many changes there are. */
  protected abstract count(): number
  /** All rows above the foot. */
  protected abstract body(): Row[]

  async run(leave: AbortSignal): Promise<End> {
    const over = new Promise<End>((resolve) => {
      this.finish = resolve
    })
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    const on = {
      action: (action: A | Common) => this.perform(action),
      change: () => this.draw(),
      clear: () => this.screen.clear(),
      hungUp: () => this.finish(129),
      suspend: () => this.screen.park(),
      resume: () => this.screen.resume(),
    }
    const keyboard = new Keyboard(this.input, this.output, on, this.actionOf)
    try {
      this.draw()
      return await over
    } finally {
      this.screen.close()
      keyboard.close()
    }
  }

  private perform(action: A | Common): void {
    const { asked } = this
    const end = this.endOf(action)
    if (end !== null) this.finish(end)
    else if (action === 'redraw') this.screen.clear()
    else if (!asked) (this.edits as Partial<Record<string, () => void>>)[action]?.()
    this.draw()
  }

  /** Whether an action is the end, and which. */
  private endOf(action: A | Common): End | null {
    const { asked } = this
    this.asked = null
    if (action === 'interrupt') return 130
    // Leaving twice is meant as well.
    if (asked && (action === 'yes' || (action === 'leave' && asked === 'leave'))) return asked
    const wanted = action === 'save' ? 'save' : action === 'leave' ? 'leave' : null
    if (wanted && !this.count()) return 'leave'
    this.asked = wanted
    return null
  }

  private draw(): void {
    this.screen.show([...this.body(), this.foot()])
  }

  private foot(): Row {
    const count = this.count()
    const changes = `${count} ${count === 1 ? 'change' : 'changes'}`
    if (this.asked === 'save') return [span(`Save ${changes}? y saves, any other key goes on.`, 'yellow')]
    if (this.asked === 'leave')
      return [span(`Leave without saving ${changes}? y leaves, any other key goes on.`, 'yellow')]
    return [span(count ? `${changes} · ${this.keys}` : this.keys, 'dim')]
  }
}
