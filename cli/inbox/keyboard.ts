import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { type Wish, wishOf } from './keys.ts'

export interface KeyboardEvents {
  wish(wish: Wish): void
  /** The escape key, while a line is being typed. */
  escape(): void
  /** The terminal is gone. */
  hungUp(): void
  /** The program is about to be suspended; and it goes on. */
  suspend(): void
  resume(): void
}

const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'

/** Keys, one at a time, as wishes. Whatever is pasted is no wish. */
export class Keyboard {
  private readonly input: ReadStream
  private readonly output: { write(text: string): unknown }
  private readonly on: KeyboardEvents
  private pasting = false
  /** A line is being typed: whoever reads it has the keys. */
  typing = false

  constructor(input: ReadStream, output: { write(text: string): unknown }, on: KeyboardEvents) {
    this.input = input
    this.output = output
    this.on = on
    // The escape key is one only when nothing follows.
    emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface)
    input.on('keypress', this.press)
    input.on('end', this.end)
    process.on('SIGCONT', this.goOn)
    this.seize()
  }

  /** Takes the keys, also back from who read a line. */
  seize(): void {
    this.typing = false
    this.pasting = false
    this.input.setRawMode(true)
    this.input.ref()
    this.input.resume()
    this.output.write(pasteOn)
  }

  close(): void {
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
    if (this.typing) {
      if (key.name === 'escape') this.on.escape()
      return
    }
    if (key.name === 'paste-start') this.pasting = true
    else if (key.name === 'paste-end') this.pasting = false
    else if (!this.pasting) this.pass(wishOf(text, key))
  }

  private pass(wish: Wish | undefined): void {
    if (wish !== 'suspend') {
      if (wish) this.on.wish(wish)
      return
    }
    this.on.suspend()
    this.let()
    process.kill(process.pid, 'SIGTSTP')
  }

  private readonly end = () => this.on.hungUp()

  private readonly goOn = () => {
    if (this.typing) return
    this.seize()
    this.on.resume()
  }
}
