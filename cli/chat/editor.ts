import { createInterface, type Interface, type Key } from 'node:readline'
import { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import type { Pastes } from './pastes.ts'
import { Typing } from './typing.ts'

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
  /** The escape key. */
  escape?(): void
  /** Ctrl-Z is about to suspend the program; and it goes on. */
  suspend(): void
  resume(): void
}

export interface EditorOptions {
  /** Entered before, oldest first. */
  history: readonly string[]
  /** What Tab makes of the text. */
  complete(text: string): string
  /** Where long pastes are kept; without it they stand in the line as they are. */
  pastes?: Pastes
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
  private readonly typing: Typing
  private readonly output: { write(text: string): unknown }
  private readonly options: EditorOptions
  private readonly history: string[]
  /** Where in the history the line comes from; its length is the line that is new. */
  private place: number
  private draft = ''
  /** Entered a moment ago: more in the same moment means that it was pasted. */
  private entered: string | null = null
  private closed = false

  constructor(input: ReadStream, output: { write(text: string): unknown }, options: EditorOptions) {
    this.output = output
    this.options = options
    this.history = [...options.history]
    this.place = this.history.length
    this.typing = new Typing(input, {
      before: (key) => this.before(key),
      // What Enter and Ctrl-C change is told by what comes of them.
      after: ({ ctrl, name }) => {
        if (name !== 'return' && !(ctrl && name === 'c')) options.on.change()
      },
      text: (text) => this.insert(text),
      paste: (text) => this.insert(options.pastes?.put(text) ?? text),
    })
    this.reader = createInterface({
      input: this.typing.input,
      output: mute(),
      terminal: true,
      historySize: 0,
    }) as Reader
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
    this.reader.close()
    this.typing.close()
  }

  private insert(text: string): void {
    this.more()
    const { line, cursor } = this.reader
    this.set(line.slice(0, cursor) + text + line.slice(cursor), cursor + text.length)
  }

  /** What was entered goes on in another line. */
  private more(): void {
    if (this.entered === null) return
    const text = `${this.entered}\n`
    this.entered = null
    this.set(text)
  }

  /** Keys that readline knows nothing of, or something else. */
  private before(key: Key): boolean {
    this.more()
    const { name, ctrl, meta } = key
    if (name === 'return' && meta) this.insert('\n')
    else if (name === 'up' || (ctrl && name === 'p')) this.up()
    else if (name === 'down' || (ctrl && name === 'n')) this.down()
    else if (ctrl && name === 'l') this.options.on.clear()
    else if (ctrl && name === 'o') this.expand()
    else if (name === 'tab') this.complete()
    else if (name === 'escape') this.options.on.escape?.()
    else {
      if (ctrl && name === 'z') this.stop()
      return false
    }
    return true
  }

  private complete(): void {
    const { text } = this
    if (text.startsWith('/') && this.cursor === text.length) this.set(this.options.complete(text))
    else this.insert('\t')
  }

  /** Pastes as the text that they are. */
  private expand(): void {
    const { pastes } = this.options
    if (pastes) this.set(pastes.whole(this.text), pastes.whole(this.text.slice(0, this.cursor)).length)
  }

  private enter(line: string): void {
    if (line.endsWith('\\')) this.set(`${line.slice(0, -1)}\n`)
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

  /** A line up in the text, else back in the history. */
  private up(): void {
    const start = this.text.lastIndexOf('\n', this.cursor - 1) + 1
    if (start > 0) {
      const above = this.text.lastIndexOf('\n', start - 2) + 1
      return void this.set(this.text, Math.min(above + this.cursor - start, start - 1))
    }
    if (this.place === 0) return
    if (this.place === this.history.length) this.draft = this.text
    this.place--
    this.set(this.history[this.place]!)
  }

  private down(): void {
    const end = this.text.indexOf('\n', this.cursor)
    if (end >= 0) {
      const column = this.cursor - (this.text.lastIndexOf('\n', this.cursor - 1) + 1)
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
    this.typing.again()
    this.output.write(pasteOn)
    this.options.on.resume()
  }
}
