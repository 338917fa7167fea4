import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'

export interface TypingEvents {
  /** A key that is no text; true when it is dealt with. */
  before(key: Key): boolean
  /** A key was handed on. */
  after(key: Key): void
  /** What is to be inserted: one character that was typed, or many that came at once. */
  text(text: string): void
  /** Text between the marks that terminals put around what is pasted. */
  paste(text: string): void
}

interface Pressed {
  text: string | undefined
  key: Key
}

const newline: Pressed = { text: '\r', key: { name: 'return', sequence: '\r', ctrl: false, meta: false, shift: false } }

/**
 * The keys of a terminal as readline takes them, without the many of a paste: readline measures the whole line again
 * for each, so these are put together here.
 */
export class Typing {
  /** What readline reads from. */
  readonly input: ReadStream
  private readonly terminal: ReadStream
  private readonly on: TypingEvents
  private pasted: { parts: string[]; dropped: boolean } | null = null
  private gathered = ''
  /** The last of the gathered keys was Enter. */
  private entered = false
  private closed = false

  constructor(terminal: ReadStream, on: TypingEvents) {
    this.terminal = terminal
    this.on = on
    const setRawMode = (to: boolean) => terminal.setRawMode(to)
    this.input = Object.assign(new PassThrough(), { isTTY: true, setRawMode }) as unknown as ReadStream
    emitKeypressEvents(terminal, { escapeCodeTimeout: 50 } as unknown as Interface)
    terminal.on('keypress', this.press)
    terminal.on('end', this.end)
    terminal.ref()
    terminal.resume()
  }

  /** Reads on after the program was suspended. */
  again(): void {
    this.terminal.pause()
    this.terminal.resume()
  }

  close(): void {
    this.closed = true
    this.terminal.off('keypress', this.press)
    this.terminal.off('end', this.end)
    this.terminal.pause()
    this.terminal.unref()
  }

  private readonly end = () => this.input.emit('end')

  private readonly press = (text: string | undefined, key: Key = {}) => {
    if (this.closed) return
    if (this.pasted) return this.collect(text, key)
    if (key.name === 'enter') return this.gather('\n', false)
    if (plain(text, key)) return key.name === 'return' ? this.gather('\n', true) : this.gather(text!, false)
    this.settle()
    if (key.name === 'paste-start') this.pasted = { parts: [], dropped: false }
    else this.pass({ text, key })
  }

  private collect(text: string | undefined, key: Key): void {
    const { parts, dropped } = this.pasted!
    if (key.name === 'paste-end') {
      this.pasted = null
      if (!dropped) this.on.paste(parts.join('').replace(/\r\n?/g, '\n'))
    } else if (key.ctrl && key.name === 'c') {
      // As keys the rest of it could do anything.
      this.pasted = { parts: [], dropped: true }
      this.pass({ text, key })
    } else if (!dropped) parts.push(text ?? key.sequence ?? '')
  }

  /** Keys that come in the same moment are inserted at once. Only the last of them can be an Enter that sends. */
  private gather(text: string, entered: boolean): void {
    if (!this.gathered) process.nextTick(() => this.settle())
    this.gathered += text
    this.entered = entered
  }

  private settle(): void {
    const text = this.gathered
    this.gathered = ''
    if (!text || this.closed) return
    // A backslash before Enter begins another line, also when both are typed ahead.
    const inserted = (this.entered ? text.slice(0, -1) : text).replaceAll('\\\n', '\n')
    if (inserted) this.on.text(inserted)
    if (this.entered) this.pass(newline)
  }

  private pass({ text, key }: Pressed): void {
    if (this.on.before(key)) return
    this.input.emit('keypress', text, key)
    this.on.after(key)
  }
}

/** Part of a text, and no key that moves, deletes or commands. */
const plain = (text: string | undefined, { name, ctrl, meta }: Key): boolean =>
  !ctrl && !meta && text !== undefined && text !== '' && (name === 'return' || text >= ' ') && text !== '\u007f'
