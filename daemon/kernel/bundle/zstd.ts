import { Decoder, Encoder } from '@toondepauw/node-zstd'
import { ByteReader } from './byte-reader.ts'
import { altered, BundleRefused } from './refusal.ts'

/**
 * Bytes that become one frame. Frames are independent, so memory is bounded both ways; `zstd` reads a row of them as
 * one file.
 */
const frameBytes = 1024 * 1024
const level = 3
/** Most blocks of a frame that is read; the format allows 128 KiB in each. */
const mostBlocks = 64
const magic = 0xfd2fb528

/** Compresses a stream, frame by frame, outside of the event loop. */
export async function* compressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const encoder = new Encoder(level)
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + frameBytes - size)
      parts.push(part)
      size += part.length
      at += part.length
      if (size < frameBytes) continue
      yield await encoder.encode(Buffer.concat(parts))
      parts = []
      size = 0
    }
  }
  if (size) yield await encoder.encode(Buffer.concat(parts))
}

/** Undoes `compressed`; refuses what is not a row of whole frames of at most 8 MiB. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = new Decoder()
  const reader = new ByteReader(source)
  for (let frame = await nextFrame(reader); frame; frame = await nextFrame(reader)) {
    try {
      yield await decoder.decode(frame)
    } catch (error) {
      throw altered(`it does not decompress (${(error as Error).message})`)
    }
  }
}

/** A frame as RFC 8878 has it: header, blocks, and perhaps a checksum. */
async function nextFrame(reader: ByteReader): Promise<Buffer | null> {
  const start = await reader.takeOrEnd(5)
  if (!start) return null
  if (start.readUInt32LE(0) !== magic) throw altered('it does not decompress (no frame begins where one should)')
  const descriptor = start[4]!
  const single = (descriptor & 0x20) !== 0
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  const parts = [start, await reader.take((single ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]! + sizeBytes)]
  for (let blocks = 1, last = false; !last; blocks++) {
    if (blocks > mostBlocks)
      throw new BundleRefused('bundle_hostile', 'A frame of the bundle is larger than any is made')
    const header = await reader.take(3)
    const word = header.readUIntLE(0, 3)
    last = (word & 1) === 1
    const kind = (word >> 1) & 3
    if (kind === 3) throw altered('it does not decompress (a block of no known kind)')
    parts.push(header, await reader.take(kind === 1 ? 1 : word >> 3))
  }
  if (descriptor & 4) parts.push(await reader.take(4))
  return Buffer.concat(parts)
}
