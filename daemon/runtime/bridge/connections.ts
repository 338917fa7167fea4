import { Buffer } from 'node:buffer'
import { Duplex } from 'node:stream'
import { frame, frameReader, frames, uint } from './frames.ts'

const usualWindow = 1024 * 1024
const frameBytes = 64 * 1024
/** Far more than all connections have to say at once. */
const mostUnread = 10_000

export interface Pipe {
  /** Takes bytes; `done` when there is room for more. */
  write(bytes: Buffer, done: () => void): void
  /** What came in is not what was agreed on. */
  broken(error: Error): void
  /** Connects for the other side. Absent where only we ask. */
  connect?(port: number): Promise<Duplex>
  /** How many connections the other side may have at once. */
  most?: number
  /** Bytes that may be under way on a connection before the other side has taken some; the same at both ends. */
  window?: number
  /** How many connections there are now, whenever that changes. */
  counted?(open: number): void
}

/** One end of the pipes: connections that are asked for, and those that the other end asks for. */
export interface Connections {
  receive(chunk: Buffer): void
  /** A connection to a port at the other end. */
  open(port: number): Promise<Duplex>
  alive(): void
  /** Every connection ends with this error. */
  close(error: Error): void
}

export function createConnections(pipe: Pipe): Connections {
  const all = new Map<number, Connection>()
  let last = 0
  let accepted = 0
  let unread = 0
  let over: Error | null = null

  /** Data waits for its turn by itself; all else answers what came in, however much that was. */
  function send(type: number, id: number, payload?: Buffer, done: () => void = () => {}): void {
    if (type !== frames.data && ++unread > mostUnread) pipe.broken(new Error('the other side does not read'))
    const parts = over ? [] : frame(type, id, payload)
    const written = () => {
      if (type !== frames.data) unread--
      done()
    }
    if (over) written()
    for (const [index, part] of parts.entries()) pipe.write(part, index === parts.length - 1 ? written : () => {})
  }

  function add(id: number): Connection {
    const gone = () => {
      if (all.delete(id)) pipe.counted?.(all.size)
    }
    const made = new Connection(id, pipe.window ?? usualWindow, send, gone)
    all.set(id, made)
    pipe.counted?.(all.size)
    return made
  }

  async function accept(id: number, port: number): Promise<void> {
    if (accepted >= (pipe.most ?? Number.POSITIVE_INFINITY)) {
      send(frames.reset, id, Buffer.from('too many connections are open'))
      return
    }
    accepted++
    const ours = add(id)
    const closed = new Promise<void>((resolve) => ours.once('close', resolve))
    try {
      if (!pipe.connect) throw new Error('nobody connects here')
      const theirs = await pipe.connect(port)
      if (ours.destroyed) theirs.destroy()
      else {
        couple(ours, theirs)
        send(frames.opened, id)
      }
    } catch (error) {
      ours.destroy(error as Error)
    }
    // Held until then: who asks and hangs up at once has no more than others.
    await closed
    accepted--
  }

  const read = frameReader({
    data: (id, bytes) => all.get(id)?.arrived(bytes),
    control(type, id, payload) {
      if (type === frames.open && payload.length === 2 && !all.has(id)) void accept(id, payload.readUInt16BE(0))
      else if (type !== frames.alive) all.get(id)?.told(type, payload)
    },
  })

  return {
    receive(chunk) {
      if (over) return
      try {
        read(chunk)
      } catch (error) {
        pipe.broken(error as Error)
      }
    },
    open(port) {
      if (over) return Promise.reject(over)
      last = (last % 0xffff_ffff) + 1
      const made = add(last)
      send(frames.open, last, uint(port, 2))
      return made.standing.then(() => made)
    },
    alive: () => send(frames.alive, 0),
    close(error) {
      over ??= error
      for (const it of [...all.values()]) it.destroy(error)
    },
  }
}

type Send = (type: number, id: number, payload?: Buffer, done?: () => void) => void

class Connection extends Duplex {
  readonly standing: Promise<void>
  readonly #id: number
  readonly #window: number
  readonly #send: Send
  readonly #gone: () => void
  #stands: (error?: Error) => void = () => {}
  #credit: number
  #waiting: (() => void) | null = null
  #taken = 0
  #full = false
  #reset = false
  #ended = false

  constructor(id: number, window: number, send: Send, gone: () => void) {
    super({ allowHalfOpen: true, highWaterMark: window / 4 })
    this.#id = id
    this.#window = window
    this.#credit = window
    this.#send = send
    this.#gone = gone
    this.standing = new Promise((resolve, reject) => {
      this.#stands = (error) => (error ? reject(error) : resolve())
    })
    this.standing.catch(() => {})
    this.on('error', () => {})
  }

  arrived(bytes: Buffer): void {
    if (this.destroyed) return
    this.#taken += bytes.length
    // The other side sends no more than it was allowed to.
    if (this.#taken > 2 * this.#window) return void this.destroy(new Error('too much at once'))
    this.#full = !this.push(Buffer.from(bytes))
    if (!this.#full) this.#allowMore(this.#window / 4)
  }

  #allowMore(least: number): void {
    if (this.#taken < least) return
    this.#send(frames.more, this.#id, uint(this.#taken, 4))
    this.#taken = 0
  }

  told(type: number, payload: Buffer): void {
    if (type === frames.opened) this.#stands()
    else if (type === frames.end) {
      this.#ended = true
      this.push(null)
    } else if (type === frames.more && payload.length === 4) {
      this.#credit += payload.readUInt32BE(0)
      this.#waiting?.()
    } else if (type === frames.reset) {
      this.#reset = true
      this.destroy(new Error(payload.toString('utf8') || 'the connection was closed'))
    }
  }

  override _read(): void {
    this.#full = false
    this.#allowMore(this.#window / 4)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const next = (at: number): void => {
      if (at >= chunk.length) {
        done()
        return
      }
      if (this.#credit === 0) {
        this.#waiting = () => {
          this.#waiting = null
          next(at)
        }
        return
      }
      const part = chunk.subarray(at, at + Math.min(frameBytes, this.#credit))
      this.#credit -= part.length
      this.#send(frames.data, this.#id, part, () => next(at + part.length))
    }
    next(0)
  }

  override _final(done: () => void): void {
    this.#send(frames.end, this.#id)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#gone()
    // Where both sides have said that they are done, there is nothing more to say.
    if (!this.#reset && !(this.#ended && this.writableFinished))
      this.#send(frames.reset, this.#id, Buffer.from((error?.message ?? '').slice(0, 500)))
    this.#stands(error ?? new Error('the connection was closed'))
    done(error)
  }
}

/** What comes from one goes to the other; both end when either fails. */
export function couple(one: Duplex, other: Duplex): void {
  one.pipe(other)
  other.pipe(one)
  other.on('error', (error) => one.destroy(error))
  one.on('close', () => {
    if (one.errored || !one.readableEnded) other.destroy()
  })
  other.on('close', () => {
    if (!other.readableEnded) one.destroy()
  })
}
