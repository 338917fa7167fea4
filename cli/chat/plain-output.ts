import { clean, cleanLine } from '../output/clean.ts'
import { type Spinner, spinner } from '../output/spinner.ts'
import type { Paint } from '../output/theme.ts'
import { shorten } from '../output/width.ts'
import { collisionRow } from './collided.ts'
import { delegatedRow, rowText } from './delegated.ts'
import { lasted, type ToolUse } from './tools.ts'
import type { TurnEvent } from './turn.ts'

export interface PlainOutputOptions {
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Whether text is written as it comes. */
  stream: boolean
  /** Whether stderr reports what the agent does. */
  progress: boolean
  thinking: boolean
  paint: Paint
}

/** Writes a turn as plain text: only what the agent says to stdout, what it does to stderr. */
export class PlainOutput {
  private mark: Spinner | null = null
  /** Both streams may be one terminal, whose cursor stands behind text that has not ended its line. */
  private midLine = false
  private told = false
  /** What came while the terminal belongs to somebody else. */
  private held: (() => void)[] | null = null
  private readonly it: PlainOutputOptions

  constructor(options: PlainOutputOptions) {
    this.it = options
  }

  /** Keeps everything back until `release`. */
  hold(): void {
    this.rest()
    this.endLine()
    this.held ??= []
  }

  release(): void {
    const held = this.held ?? []
    this.held = null
    for (const write of held) write()
  }

  see(event: TurnEvent): void {
    if (this.held) this.held.push(() => this.see(event))
    else if (event.type === 'text') this.say(event.text, event.fresh)
    else if (event.type === 'status') this.turn(cleanLine(event.text))
    else if (event.type === 'thinking') this.think(event.text)
    else if (event.type === 'call') this.work(event.tool)
    else if (event.type === 'result') this.line(toolLine(event.tool, this.it.paint))
    else if (event.type === 'delegated') this.line(rowText(delegatedRow(event.work, 100)))
    else if (event.type === 'collision') this.line(rowText(collisionRow(event.summary, 100)))
  }

  private say(text: string, fresh: boolean): void {
    // What was told of tools on the same terminal has ended the line already.
    const apart = fresh && this.told ? (this.midLine || !this.it.stdout.isTTY ? '\n\n' : '\n') : ''
    this.told = true
    if (this.it.stream) this.write(apart + text)
  }

  private work({ name, brief }: ToolUse): void {
    if (this.it.progress) this.endLine()
    this.turn(`${name}  ${brief}`)
  }

  /** All of it, when it was not written as it came; and the end of its last line. */
  finish(text: string): void {
    this.rest()
    if (!this.it.stream) this.write(text)
    if (this.midLine || (text && !text.endsWith('\n') && !this.it.stdout.isTTY)) this.write('\n')
  }

  /** Makes way for a line of somebody else's on the same terminal. */
  part(): void {
    this.rest()
    if (this.it.progress) this.endLine()
  }

  /** A line of its own on stderr. */
  line(text: string): void {
    this.part()
    if (!this.it.progress) return
    this.it.stderr.write(`${text}\n`)
  }

  private endLine(): void {
    if (this.midLine) this.it.stdout.write('\n')
    this.midLine = false
  }

  /** Something that goes on. */
  turn(text: string): void {
    if (!this.it.progress || this.midLine || this.held) return
    const shown = shorten(text, Math.max(10, (this.it.stderr.columns || 80) - 3))
    if (this.mark) this.mark.say(shown)
    else this.mark = spinner(shown, this.it.stderr)
  }

  rest(): void {
    this.mark?.stop()
    this.mark = null
  }

  private think(text: string): void {
    this.turn('Thinking')
    if (!this.it.thinking) return
    this.rest()
    this.it.stderr.write(this.it.paint('dim', clean(text)))
  }

  private write(text: string): void {
    if (!text) return
    this.rest()
    const shown = this.it.stdout.isTTY ? clean(text) : text
    this.it.stdout.write(shown)
    if (shown) this.midLine = this.it.stdout.isTTY === true && !shown.endsWith('\n')
  }
}

/** `✓ Bash  ls -la · 0.3 s` */
export function toolLine({ name, brief, status, duration_ms }: ToolUse, paint: Paint): string {
  const mark = status === 'ok' ? paint('green', '✓') : status === 'failed' ? paint('red', '✗') : paint('yellow', '•')
  const notes = [status === 'failed' && 'failed', duration_ms !== null && lasted(duration_ms)].filter(Boolean)
  return `${mark} ${paint('bold', name)}${brief ? `  ${brief}` : ''}${
    notes.length ? paint('dim', ` · ${notes.join(' · ')}`) : ''
  }`
}
