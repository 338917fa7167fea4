import type { ServerResponse } from 'node:http'

/** Most lines buffered for a client that does not read. */
const lineLimit = 512
/** Time for a client to read the last lines before the connection is destroyed. */
const lastLinesMs = 10_000

/** Writes lines to a client, one write for each turn of the event loop, and detects a client that stops reading. */
export class LineWriter {
  private readonly out: ServerResponse
  private waiting: string[] = []
  private blocked = false
  private scheduled = false
  private closed = false

  constructor(out: ServerResponse) {
    this.out = out
    out.on('drain', () => {
      this.blocked = false
      this.schedule()
    })
    out.on('error', () => out.destroy())
  }

  /** False when the client reads too slowly: the line is dropped and the stream should end. */
  write(line: string): boolean {
    if (this.closed) return true
    if (this.blocked && this.waiting.length >= lineLimit) return false
    this.waiting.push(line)
    this.schedule()
    return true
  }

  /** Writes these objects after the buffered lines, then ends. */
  end(objects: object[]): void {
    if (this.closed) return
    this.closed = true
    this.out.end(this.taken() + objects.map((it) => `${JSON.stringify(it)}\n`).join(''))
    const timer = setTimeout(() => this.out.destroy(), lastLinesMs)
    this.out.once('close', () => clearTimeout(timer))
  }

  private schedule(): void {
    if (this.scheduled || this.blocked || this.closed) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      if (this.blocked || this.closed || this.waiting.length === 0) return
      this.blocked = !this.out.write(this.taken())
    })
  }

  private taken(): string {
    const text = this.waiting.map((line) => `${line}\n`).join('')
    this.waiting = []
    return text
  }
}
