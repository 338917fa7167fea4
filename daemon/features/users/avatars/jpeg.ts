import type { Sides } from './rules.ts'

export const isJpeg = (bytes: Buffer): boolean =>
  bytes.length > 2 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff

const startOfScan = 0xda
/** Baseline, extended and progressive frames: those that browsers show. */
const frames = [0xc0, 0xc1, 0xc2]
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)

/**
 * The sides of the frame; null when the file is broken. Walks from segment to segment up to the first scan, so a
 * thumbnail within a segment is never taken for the picture.
 */
export function jpegSides(bytes: Buffer): Sides | null {
  let sides: Sides | null = null
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1]!
    // Any number of these may fill the space before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0 || standsAlone(marker)) return null
    const length = bytes.readUInt16BE(at + 2)
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) return null
    if (marker === startOfScan) return bytes.indexOf(endOfImage, end) < 0 ? null : sides
    if (frames.includes(marker)) {
      sides ??= frameSides(bytes.subarray(at + 4, end))
      if (!sides) return null
    }
    at = end
  }
  return null
}

const endOfImage = Buffer.from([0xff, 0xd9])

function frameSides(frame: Buffer): Sides | null {
  const components = frame[5] ?? 0
  const fits =
    frame.length === 6 + 3 * components && (frame[0] === 8 || frame[0] === 12) && [1, 3, 4].includes(components)
  return fits ? { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) } : null
}
