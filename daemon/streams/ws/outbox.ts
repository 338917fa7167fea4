import type { WebSocket } from 'ws'

/** Most frames and bytes in flight; more are dropped. A single frame may be larger. */
const bufferLimit = 64
const byteLimit = 1024 * 1024
const dropLimit = 128
const writeDeadlineMs = 10_000

export interface Writer {
  /** Called when frames can be sent again. */
  more(): void
  /** Called when many frames in a row were dropped. */
  tooSlow(): void
}

/** Sends frames to one client and drops those that it is too slow to read. */
export class Outbox {
  private readonly socket: WebSocket
  private readonly writer: Writer
  private underWay = 0
  private dropped = 0
  private progressAt = 0

  constructor(socket: WebSocket, writer: Writer) {
    this.socket = socket
    this.writer = writer
  }

  get roomy(): boolean {
    return this.underWay < bufferLimit / 2 && this.socket.bufferedAmount < byteLimit / 2
  }

  /** Whether the client reads nothing. */
  get stalled(): boolean {
    return this.underWay > 0 && performance.now() - this.progressAt > writeDeadlineMs
  }

  send(frame: string | Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return
    if (this.underWay >= bufferLimit || this.socket.bufferedAmount >= byteLimit) {
      this.dropped++
      if (this.dropped >= dropLimit) this.writer.tooSlow()
      return
    }
    this.dropped = 0
    if (this.underWay === 0) this.progressAt = performance.now()
    this.underWay++
    this.socket.send(frame, { binary: false }, () => {
      this.underWay--
      this.progressAt = performance.now()
      if (this.roomy) this.writer.more()
    })
  }
}
