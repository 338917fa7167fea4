import { Buffer } from 'node:buffer'

/** What the channel program sends: length of what follows the length, type, request, payload. All numbers big-endian. */
export const frameTypes = { hello: 1, data: 2, done: 3, failed: 4 } as const
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

export interface Frame {
  type: number
  request: number
  payload: Buffer
}

const head = 9

/** The bytes that go before a payload. */
export function frameHead(type: FrameType, request: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(head)
  bytes.writeUInt32BE(length + head - 4, 0)
  bytes.writeUInt8(type, 4)
  bytes.writeUInt32BE(request, 5)
  return bytes
}

export const encodeFrame = (type: FrameType, request: number, payload: Buffer): Buffer => Buffer.concat([frameHead(type, request, payload.length), payload])

/**
 * Cuts a byte stream into frames. Whoever attaches comes into the middle of the stream, so everything before the hello
 * that answers `nonce` is thrown away. A payload lies in the chunk it came in where it can; it is valid until `each` returns.
 */
export function frameReader(nonce: string, each: (frame: Frame) => void): (chunk: Buffer) => void {
  const answer = encodeFrame(frameTypes.hello, 0, Buffer.from(nonce))
  let synced = false
  let rest: Buffer = Buffer.alloc(0)
  let parts: Buffer[] = []
  let missing = 0

  function sync(chunk: Buffer): Buffer | null {
    const seen = Buffer.concat([rest, chunk])
    const at = seen.indexOf(answer)
    if (at < 0) {
      rest = seen.subarray(Math.max(0, seen.length - answer.length + 1))
      return null
    }
    synced = true
    rest = Buffer.alloc(0)
    return seen.subarray(at)
  }

  function read(bytes: Buffer): void {
    let at = 0
    while (bytes.length - at >= 4) {
      const end = at + 4 + bytes.readUInt32BE(at)
      if (end > bytes.length) break
      each({ type: bytes.readUInt8(at + 4), request: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + head, end) })
      at = end
    }
    const left = bytes.subarray(at)
    parts = left.length ? [left] : []
    missing = left.length >= 4 ? 4 + left.readUInt32BE(0) - left.length : left.length ? 4 - left.length : 0
  }

  return (chunk) => {
    const bytes = synced ? chunk : sync(chunk)
    if (!bytes) return
    if (!parts.length) return read(bytes)
    parts.push(bytes)
    missing -= bytes.length
    if (missing > 0) return
    const whole = Buffer.concat(parts)
    parts = []
    read(whole)
  }
}
