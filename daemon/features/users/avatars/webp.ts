import type { Sides } from './rules.ts'

const name = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)

export const isWebp = (bytes: Buffer): boolean => name(bytes, 0) === 'RIFF' && name(bytes, 8) === 'WEBP'

interface Chunk {
  kind: string
  data: Buffer
}

/** The sides of the picture; null when the file is broken, cut off, or its parts contradict each other. */
export function webpSides(bytes: Buffer): Sides | null {
  if (bytes.length < 20) return null
  const size = bytes.readUInt32LE(4)
  const chunks = size + 8 > bytes.length ? null : chunksOf(bytes.subarray(12, size + 8))
  const first = chunks?.[0]
  if (!chunks || !first) return null
  return first.kind === 'VP8X' ? extendedSides(first.data, chunks) : coded(first)
}

/** A RIFF body in its chunks; null when one reaches past the end. */
function chunksOf(body: Buffer): Chunk[] | null {
  const chunks: Chunk[] = []
  for (let at = 0; at < body.length; ) {
    if (at + 8 > body.length) return null
    const size = body.readUInt32LE(at + 4)
    if (at + 8 + size > body.length) return null
    chunks.push({ kind: name(body, at), data: body.subarray(at + 8, at + 8 + size) })
    at += 8 + size + (size % 2)
  }
  return chunks
}

/** What the coded picture itself says of its sides. */
function coded({ kind, data }: Chunk): Sides | null {
  if (kind === 'VP8 ') {
    const isKeyFrame = data.length >= 10 && (data[0]! & 1) === 0 && data.readUIntBE(3, 3) === 0x9d012a
    return isKeyFrame ? { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff } : null
  }
  if (kind !== 'VP8L' || data.length < 5 || data[0] !== 0x2f) return null
  const bits = data.readUInt32LE(1)
  return bits >>> 29 === 0 ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : null
}

const animated = 0x02

/** The canvas; what is drawn on it must be there and fit. */
function extendedSides(header: Buffer, chunks: Chunk[]): Sides | null {
  if (header.length < 10) return null
  const canvas = { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 }
  if ((header[0]! & animated) !== 0) {
    const frames = chunks.filter(({ kind }) => kind === 'ANMF')
    return frames.length > 0 && frames.every(({ data }) => frameFits(data, canvas)) ? canvas : null
  }
  const picture = chunks.find(isCoded)
  return picture && same(coded(picture), canvas) ? canvas : null
}

const isCoded = ({ kind }: Chunk) => kind === 'VP8 ' || kind === 'VP8L'
const same = (one: Sides | null, other: Sides) => one?.width === other.width && one.height === other.height

function frameFits(frame: Buffer, canvas: Sides): boolean {
  if (frame.length < 16) return false
  const [left, top] = [frame.readUIntLE(0, 3) * 2, frame.readUIntLE(3, 3) * 2]
  const sides = { width: frame.readUIntLE(6, 3) + 1, height: frame.readUIntLE(9, 3) + 1 }
  const picture = chunksOf(frame.subarray(16))?.find(isCoded)
  return (
    picture !== undefined &&
    same(coded(picture), sides) &&
    left + sides.width <= canvas.width &&
    top + sides.height <= canvas.height
  )
}
