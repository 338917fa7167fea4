import type { Follow, RunEnd } from '../types.ts'

/** Bytes that wait to be read before the runtime is asked to stop sending, and those at which it may go on. */
const fullAt = 16 * 1024 * 1024
const drainedAt = 4 * 1024 * 1024
const firstWaitMs = 100
const longestWaitMs = 5000

export interface OutputEnd {
  end: RunEnd
  stderr: string
}

export interface OutputSource {
  /** Follows the run's output from a position on. */
  follow(
    offset: number,
    sink: {
      data(chunk: Buffer, offset: number): void
      end(end: RunEnd, stderr: string): void
      broken(error: Error): void
    },
  ): Follow
  /** Makes the source reachable again after it broke. Resolves with the reason when it never will be. */
  mend(error: Error): Promise<string | null>
  /** Takes the next bytes and gives back pieces of work, each small enough to be done at once. */
  read(chunk: Buffer): Iterable<() => void>
  /** The same after the last bytes. */
  flush(): Iterable<() => void>
}

/**
 * Reads a run's whole output, each byte once and in order, whatever happens to the connection. Between two pieces of
 * work the event loop turns, so that streams drain and requests are answered while an agent prints a lot.
 */
export class OutputReader {
  /** Bytes received, those waiting included. */
  private received = 0
  private readonly waiting: Buffer[] = []
  private waitingBytes = 0
  private link: Follow | null = null
  private ended: OutputEnd | null = null
  private reading = false
  /** The runtime was asked to stop sending until what waits is read. */
  private paused = false
  private closed = false
  private waitMs = firstWaitMs
  private readonly source: OutputSource
  private finish!: (end: OutputEnd | null) => void
  /** Null when reading was given up by `close`. */
  readonly done: Promise<OutputEnd | null>

  constructor(source: OutputSource) {
    this.source = source
    this.done = new Promise((resolve) => {
      this.finish = resolve
    })
    this.connect()
  }

  /** Stops reading; what was read stays read. */
  close(): void {
    this.closed = true
    this.link?.close()
    this.finish(null)
  }

  /** Ends with this, once what was received is read. */
  giveUp(end: OutputEnd): void {
    this.link?.close()
    this.ended ??= end
    void this.pump()
  }

  private connect(): void {
    if (this.closed || this.ended) return
    let stale = false
    const live = (work: () => void) => {
      if (!stale && !this.closed && !this.ended) work()
    }
    const link = this.source.follow(this.received, {
      data: (chunk, offset) => live(() => this.receive(chunk, offset)),
      end: (end, stderr) =>
        live(() => {
          this.ended = { end, stderr }
          void this.pump()
        }),
      broken: (error) =>
        live(() => {
          stale = true
          void this.reconnect(error)
        }),
    })
    this.link = {
      close: () => {
        stale = true
        link.close()
      },
    }
  }

  private receive(chunk: Buffer, offset: number): void {
    const known = this.received - offset
    if (known < 0) {
      // Bytes are missing: they are asked for again.
      this.link?.close()
      return void this.connect()
    }
    if (known >= chunk.length) return
    this.waitMs = firstWaitMs
    // The sender may use its buffer again.
    const fresh = Buffer.from(chunk.subarray(known))
    this.received += fresh.length
    this.waiting.push(fresh)
    this.waitingBytes += fresh.length
    if (this.waitingBytes > fullAt) {
      this.paused = true
      this.link?.close()
    }
    void this.pump()
  }

  private async reconnect(error: Error): Promise<void> {
    const wait = this.waitMs
    this.waitMs = Math.min(2 * wait, longestWaitMs)
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (this.closed || this.ended) return
    try {
      const reason = await this.source.mend(error)
      if (reason === null) this.connect()
      else this.giveUp({ end: { kind: 'lost', reason }, stderr: '' })
    } catch (again) {
      void this.reconnect(again as Error)
    }
  }

  private async pump(): Promise<void> {
    if (this.reading) return
    this.reading = true
    // A source may send before its caller knows this reader.
    await null
    try {
      await this.readWaiting()
    } catch (error) {
      // What cannot be read now never can be: the same bytes would come again.
      this.link?.close()
      this.finish({
        end: { kind: 'lost', reason: `its output cannot be read: ${(error as Error).message}` },
        stderr: '',
      })
      this.closed = true
    }
    this.reading = false
  }

  private async readWaiting(): Promise<void> {
    while (!this.closed) {
      const chunk = this.waiting.shift()
      if (!chunk) break
      await this.work(this.source.read(chunk))
      this.waitingBytes -= chunk.length
      if (this.paused && this.waitingBytes < drainedAt) {
        this.paused = false
        this.connect()
      }
    }
    if (this.ended && !this.closed) {
      await this.work(this.source.flush())
      this.finish(this.ended)
      this.closed = true
    }
    // In the same turn as the last look at what waits: whatever comes later starts the reading again.
    this.reading = false
  }

  private async work(pieces: Iterable<() => void>): Promise<void> {
    for (const piece of pieces) {
      if (this.closed) return
      piece()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
