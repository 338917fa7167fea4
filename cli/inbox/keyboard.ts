import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { Editor } from '../chat/editor.ts'

export interface KeyboardEvents<A extends string> {
  action(action: A): void
  /** Something was typed, or no line is being typed any more. */
  change(): void
  clear(): void
  /** The terminal is gone. */
  hungUp(): void
  /** The program is about to be suspended; and it goes on. */
  suspend(): void
  resume(): void
}

const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'

/** What a key means. */
export type ActionOf<A extends string> = (text: string | undefined, key: Key) => A | 'suspend' | undefined

/** Keys, one at a time, as actions. Pasted text triggers none. */
export class Keyboard<A extends string> {
  private readonly input: ReadStream
  private readonly output: { write(text: string): unknown }
  private readonly on: KeyboardEvents<A>
  private readonly actionOf: ActionOf<A>
  private pasting = false
  /** A text is being typed: it has the keys. */
  private editor: Editor | null = null

  constructor(
    input: ReadStream,
    output: { write(text: string): unknown },
    on: KeyboardEvents<A>,
    actionOf: ActionOf<A>,
  ) {
    this.input = input
    this.output = output
    this.on = on
    this.actionOf = actionOf
    // The escape key is one only when nothing follows.
    emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface)
    input.on('keypress', this.press)
    input.on('end', this.end)
    process.on('SIGCONT', this.goOn)
    this.seize()
  }

  /** What is being typed, and where the cursor stands in it. */
  get typed(): { text: string; cursor: number } | null {
    return this.editor && { text: this.editor.text, cursor: this.editor.cursor }
  }

  /** Reads a text; Esc, Ctrl-C and Ctrl-D leave it. */
  read(entered: (text: string) => void): void {
    const left = () => this.stopTyping()
    this.editor = new Editor(this.input, this.output, {
      history: [],
      complete: (text) => text,
      on: {
        submit: (text) => {
          this.stopTyping()
          entered(text)
        },
        interrupt: left,
        leave: left,
        change: () => this.on.change(),
        clear: () => this.on.clear(),
        suspend: () => this.on.suspend(),
        resume: () => this.on.resume(),
      },
    })
  }

  private stopTyping(): void {
    this.editor?.close()
    this.editor = null
    this.seize()
    this.on.change()
  }

  private seize(): void {
    this.pasting = false
    this.input.setRawMode(true)
    this.input.ref()
    this.input.resume()
    this.output.write(pasteOn)
  }

  close(): void {
    this.editor?.close()
    this.input.off('keypress', this.press)
    this.input.off('end', this.end)
    process.off('SIGCONT', this.goOn)
    this.let()
    this.input.pause()
    this.input.unref()
  }

  private let(): void {
    this.output.write(pasteOff)
    this.input.setRawMode(false)
  }

  private readonly press = (text: string | undefined, key: Key = {}) => {
    if (this.editor) {
      if (key.name === 'escape') this.stopTyping()
      return
    }
    if (key.name === 'paste-start') this.pasting = true
    else if (key.name === 'paste-end') this.pasting = false
    else if (!this.pasting) this.pass(this.actionOf(text, key))
  }

  private pass(action: A | 'suspend' | undefined): void {
    if (action !== 'suspend') {
      if (action) this.on.action(action)
      return
    }
    this.on.suspend()
    this.let()
    process.kill(process.pid, 'SIGTSTP')
  }

  private readonly end = () => this.on.hungUp()

  private readonly goOn = () => {
    if (this.editor) return
    this.seize()
    this.on.resume()
  }
}
