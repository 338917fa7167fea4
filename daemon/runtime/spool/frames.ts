import { Buffer } from 'node:buffer'

/** Frames of the channel program: length of the rest, type, request, payload. All numbers are big-endian. */
export const frameTypes = { hello: 1, data: 2, done: 3, failed: 4 } as const
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

export interface Frame {
  type: number
  request: number
  payload: Buffer
}

const head = 9

/** The header of a frame. */
export function frameHead(type: FrameType, request: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(head)
  bytes.writeUInt32BE(length + head - 4, 0)
  bytes.writeUInt8(type, 4)
  bytes.writeUInt32BE(request, 5)
  return bytes
}

export const encodeFrame = (type: FrameType, request: number, payload: Buffer): Buffer =>
  Buffer.concat([frameHead(type, request, payload.length), payload])

/**
 * Splits a byte stream into frames. A client attaches in the middle of the stream, so everything before the hello that
 * answers `nonce` is dropped. Payloads of data frames are passed in pieces as they arrive, others whole; a payload is
 * valid until `each` returns.
 */
export function frameReader(nonce: string, each: (frame: Frame) => void): (chunk: Buffer) => void {
  const answer = encodeFrame(frameTypes.hello, 0, Buffer.from(nonce))
  const header = Buffer.alloc(head)
  let unsynced: Buffer | null = Buffer.alloc(0)
  let headerBytes = 0
  let missing = 0
  let parts: Buffer[] = []

  /** The bytes from our hello on; null before it. */
  function sync(before: Buffer, chunk: Buffer): Buffer | null {
    const seen = Buffer.concat([before, chunk])
    const at = seen.indexOf(answer)
    unsynced = at < 0 ? seen.subarray(Math.max(0, seen.length - answer.length + 1)) : null
    return at < 0 ? null : seen.subarray(at)
  }

  function takeHeader(bytes: Buffer, at: number): number {
    const count = Math.min(head - headerBytes, bytes.length - at)
    bytes.copy(header, headerBytes, at, at + count)
    headerBytes += count
    if (headerBytes === head) missing = header.readUInt32BE(0) - (head - 4)
    return count
  }

  function takePayload(piece: Buffer): void {
    const type = header.readUInt8(4)
    missing -= piece.length
    if (type === frameTypes.data || (missing === 0 && parts.length === 0)) {
      each({ type, request: header.readUInt32BE(5), payload: piece })
      return
    }
    parts.push(Buffer.from(piece))
    if (missing > 0) return
    each({ type, request: header.readUInt32BE(5), payload: Buffer.concat(parts) })
    parts = []
  }

  return (chunk) => {
    const bytes = unsynced ? sync(unsynced, chunk) : chunk
    for (let at = 0; bytes && at < bytes.length; ) {
      if (headerBytes < head) {
        at += takeHeader(bytes, at)
        if (headerBytes < head) return
      }
      const piece = bytes.subarray(at, at + missing)
      at += piece.length
      if (piece.length > 0 || missing === 0) takePayload(piece)
      if (missing === 0) headerBytes = 0
    }
  }
}
