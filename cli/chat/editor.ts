import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

export interface EditorEvents {
  /** A whole message was entered. */
  submit(text: string): void
  /** Ctrl-C. */
  interrupt(): void
  /** Ctrl-D on an empty line, or the terminal is gone. */
  leave(): void
  /** Something was typed. */
  change(): void
  /** Ctrl-L. */
  clear(): void
  /** Ctrl-Z is about to suspend the program; and it goes on. */
  suspend(): void
  resume(): void
}

export interface EditorOptions {
  /** Entered before, oldest first. */
  history: readonly string[]
  /** What Tab makes of the text. */
  complete(text: string): string
  on: EditorEvents
}

// What the line holds is drawn by the screen, so that it can stand below what the agent says.
const mute = () => new Writable({ write: (_chunk, _encoding, done) => done() })
const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'

type Reader = Omit<Interface, 'line' | 'cursor'> & { line: string; cursor: number }

/**
 * The line that is being typed, with the keys of readline. A message of several lines is entered with a backslash at
 * the end of a line, with Alt-Enter or Ctrl-J, or by pasting it.
 */
export class Editor {
  private readonly reader: Reader
  private readonly input: ReadStream
  private readonly output: { write(text: string): unknown }
  private readonly options: EditorOptions
  private readonly history: string[]
  /** Where in the history the line comes from; its length is the line that is new. */
  private place: number
  private draft = ''
  private pasting = false
  /** Where the cursor stood when the last key came. */
  private at = 0
  private key: Key = {}
  /** Entered a moment ago: more in the same moment means that it was pasted. */
  private entered: string | null = null
  private closed = false

  constructor(input: ReadStream, output: { write(text: string): unknown }, options: EditorOptions) {
    this.input = input
    this.output = output
    this.options = options
    this.history = [...options.history]
    this.place = this.history.length
    emitKeypressEvents(input)
    input.on('keypress', this.before)
    this.reader = createInterface({
      input,
      output: mute(),
      terminal: true,
      historySize: 0,
      escapeCodeTimeout: 50,
    }) as Reader
    input.on('keypress', this.after)
    this.reader.on('line', (line) => this.enter(line))
    this.reader.on('SIGINT', () => options.on.interrupt())
    this.reader.on('SIGCONT', () => this.goOn())
    this.reader.on('close', () => {
      if (!this.closed) options.on.leave()
    })
    output.write(pasteOn)
  }

  get text(): string {
    return this.reader.line
  }

  get cursor(): number {
    return this.reader.cursor
  }

  set(text: string, cursor = text.length): void {
    this.reader.line = text
    this.reader.cursor = cursor
    this.options.on.change()
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.output.write(pasteOff)
    this.input.off('keypress', this.before)
    this.input.off('keypress', this.after)
    this.reader.close()
    this.input.unref()
  }

  /** Runs before readline sees the key. */
  private readonly before = (_text: string | undefined, key: Key = {}) => {
    if (this.entered !== null) {
      const text = `${this.entered}\n`
      this.entered = null
      this.set(text)
    }
    this.key = key
    this.at = this.reader.cursor
    const { name, ctrl, meta } = key
    if (name === 'paste-start') this.pasting = true
    else if (name === 'paste-end') this.pasting = false
    else if (this.pasting) return
    else if (name === 'return' && meta) this.breakLine(this.text, this.at)
    else if (name === 'up' || (ctrl && name === 'p')) this.up()
    else if (name === 'down' || (ctrl && name === 'n')) this.down()
    else if (ctrl && name === 'l') this.options.on.clear()
    else if (ctrl && name === 'z') this.stop()
  }

  private readonly after = () => {
    if (this.key.name === 'tab' && !this.pasting) this.complete()
    if (!(this.key.ctrl && this.key.name === 'c')) this.options.on.change()
  }

  /** readline has taken the key for a character like any other. */
  private complete(): void {
    const text = this.text.slice(0, this.at) + this.text.slice(this.cursor)
    if (text.startsWith('/') && this.at === text.length) this.set(this.options.complete(text))
  }

  private enter(line: string): void {
    if (this.pasting || this.key.name === 'enter') this.breakLine(line, this.at)
    else if (line.endsWith('\\')) this.set(`${line.slice(0, -1)}\n`)
    else {
      this.entered = line
      setImmediate(() => this.settle())
    }
  }

  private settle(): void {
    const text = this.entered
    this.entered = null
    if (text !== null) this.submit(text)
  }

  private submit(text: string): void {
    if (!text.trim()) return void this.options.on.change()
    if (this.history.at(-1) !== text) this.history.push(text)
    this.place = this.history.length
    this.draft = ''
    this.options.on.submit(text)
  }

  private breakLine(text: string, at: number): void {
    this.set(`${text.slice(0, at)}\n${text.slice(at)}`, at + 1)
  }

  /** A line up in the text, else back in the history. */
  private up(): void {
    const start = this.text.lastIndexOf('\n', this.at - 1) + 1
    if (start > 0) {
      const above = this.text.lastIndexOf('\n', start - 2) + 1
      return void this.set(this.text, Math.min(above + this.at - start, start - 1))
    }
    if (this.place === 0) return
    if (this.place === this.history.length) this.draft = this.text
    this.place--
    this.set(this.history[this.place]!)
  }

  private down(): void {
    const end = this.text.indexOf('\n', this.at)
    if (end >= 0) {
      const column = this.at - (this.text.lastIndexOf('\n', this.at - 1) + 1)
      const below = this.text.indexOf('\n', end + 1)
      return void this.set(this.text, Math.min(end + 1 + column, below < 0 ? this.text.length : below))
    }
    if (this.place === this.history.length) return
    this.place++
    this.set(this.history[this.place] ?? this.draft)
  }

  private stop(): void {
    this.options.on.suspend()
    this.output.write(pasteOff)
  }

  private goOn(): void {
    this.reader.resume()
    this.output.write(pasteOn)
    this.options.on.resume()
  }
}
