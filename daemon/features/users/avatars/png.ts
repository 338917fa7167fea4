import { crc32 } from 'node:zlib'
import type { Sides } from './rules.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(signature)

/** Bits of a sample that each kind of colour may have. PNG specification, table 11.1. */
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** The sides that an intact header states; null when the file is broken or ends before the picture does. */
export function pngSides(bytes: Buffer): Sides | null {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  if (crc32(bytes.subarray(12, 29)) !== bytes.readUInt32BE(29)) return null
  const [depth, colour, compression, filter, interlace] = bytes.subarray(24, 29) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ]
  if (!depths[colour]?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return null
  return isWhole(bytes) ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null
}

/** Walks the chunks after the header to the last one. */
function isWhole(bytes: Buffer): boolean {
  let pixels = false
  for (let at = 33; at + 12 <= bytes.length; ) {
    const kind = bytes.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(kind)) return false
    if (kind === 'IEND') return pixels
    pixels ||= kind === 'IDAT'
    at += 12 + bytes.readUInt32BE(at)
  }
  return false
}
