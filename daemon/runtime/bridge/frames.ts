import { Buffer } from 'node:buffer'

/**
 * Many connections over one pair of pipes. A frame is its type (a byte), its connection and its length (four bytes
 * each, high byte first), then its bytes.
 */
export const frames = {
  /** Asks for a connection; two bytes of port. */
  open: 1,
  /** The connection is established. */
  opened: 2,
  data: 3,
  /** So many bytes more may be sent; four bytes. */
  more: 4,
  /** Nothing more comes from this side. */
  end: 5,
  /** The connection is no more; the reason as text. */
  reset: 6,
  /** A heartbeat of the other side. */
  alive: 7,
} as const

export interface FrameListener {
  /** Bytes of a data frame, as they come; valid until it returns. */
  data(connection: number, bytes: Buffer): void
  control(type: number, connection: number, payload: Buffer): void
}

const headBytes = 9
const longest = 1024 * 1024
const longestControl = 4096

export function frame(type: number, connection: number, payload: Buffer = Buffer.alloc(0)): Buffer[] {
  const head = Buffer.allocUnsafe(headBytes)
  head[0] = type
  head.writeUInt32BE(connection, 1)
  head.writeUInt32BE(payload.length, 5)
  return payload.length ? [head, payload] : [head]
}

/** Takes frames apart, however the pipe cuts them. Throws when what comes cannot be frames. */
export function frameReader(listener: FrameListener): (chunk: Buffer) => void {
  const head = Buffer.alloc(headBytes)
  let headFilled = 0
  let left = 0
  let control: Buffer[] = []

  function begin(): void {
    left = head.readUInt32BE(5)
    if (
      head[0]! < frames.open ||
      head[0]! > frames.alive ||
      left > (head[0] === frames.data ? longest : longestControl)
    )
      throw new Error('no frame')
    control = []
    if (left === 0) finish()
  }

  function finish(): void {
    headFilled = 0
    if (head[0] !== frames.data) listener.control(head[0]!, head.readUInt32BE(1), Buffer.concat(control))
  }

  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (headFilled < headBytes) {
        const count = Math.min(headBytes - headFilled, chunk.length - at)
        chunk.copy(head, headFilled, at, at + count)
        headFilled += count
        at += count
        if (headFilled === headBytes) begin()
        continue
      }
      const part = chunk.subarray(at, at + left)
      at += part.length
      left -= part.length
      if (head[0] === frames.data) listener.data(head.readUInt32BE(1), part)
      else control.push(Buffer.from(part))
      if (left === 0) finish()
    }
  }
}

export function uint(value: number, bytes: 2 | 4): Buffer {
  const payload = Buffer.allocUnsafe(bytes)
  payload.writeUIntBE(value, 0, bytes)
  return payload
}
