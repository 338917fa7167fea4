import type { WebSocket } from 'ws'

/** Burst and rate per second of a client's frames. A frame costs one, and one more for each 4 KiB. */
const burst = 600
const perSecond = 60
const bytesPerUnit = 4096
/** Most queued frames and bytes before reading from the client pauses. */
const waitingFrames = 32
const waitingBytes = 128 * 1024
/** Most buffered bytes of a client that sends pings and does not read the pongs. */
const pongLimit = 16 * 1024

export interface Frame {
  data: Buffer
  binary: boolean
}

export interface Reader {
  /** Handles a frame; never throws. */
  take(frame: Frame): Promise<void>
  /** Called when the client exceeds its rate. */
  flooded(): void
  /** Called for every pong. */
  alive(): void
}

/** Receives the frames of one client, including control frames: counts them and handles them in order. */
export class Inbox {
  private readonly socket: WebSocket
  private readonly reader: Reader
  private waiting: Frame[] = []
  private bytes = 0
  private busy = false
  private left = burst
  private countedAt = performance.now()

  constructor(socket: WebSocket, reader: Reader) {
    this.socket = socket
    this.reader = reader
    socket.on('message', (data, binary) => this.receive({ data: data as Buffer, binary }))
    socket.on('ping', (data) => {
      if (this.affords(data) && socket.bufferedAmount < pongLimit) socket.pong(data)
    })
    socket.on('pong', (data) => {
      if (this.affords(data)) reader.alive()
    })
  }

  /** Ignores further frames and drops the queued ones. */
  stop(): void {
    for (const event of ['message', 'ping', 'pong']) this.socket.removeAllListeners(event)
    this.waiting = []
    this.bytes = 0
    if (this.socket.isPaused) this.socket.resume()
  }

  private receive(frame: Frame): void {
    if (!this.affords(frame.data)) return
    this.waiting.push(frame)
    this.bytes += frame.data.length
    if (this.waiting.length >= waitingFrames || this.bytes >= waitingBytes) this.socket.pause()
    if (!this.busy) void this.work()
  }

  private async work(): Promise<void> {
    this.busy = true
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      await this.reader.take(next)
      this.bytes -= next.data.length
      if (this.socket.isPaused && this.waiting.length < waitingFrames / 2 && this.bytes < waitingBytes / 2)
        this.socket.resume()
    }
    this.busy = false
  }

  private affords({ length }: Buffer): boolean {
    const now = performance.now()
    this.left = Math.min(burst, this.left + ((now - this.countedAt) * perSecond) / 1000)
    this.countedAt = now
    this.left -= 1 + Math.floor(length / bytesPerUnit)
    if (this.left >= 0) return true
    this.reader.flooded()
    return false
  }
}
