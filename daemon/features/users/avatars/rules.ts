import { problem } from '#kernel/problem'
import { isJpeg, jpegSides } from './jpeg.ts'
import { isPng, pngSides } from './png.ts'
import { isWebp, webpSides } from './webp.ts'

/** Pixels. */
export interface Sides {
  width: number
  height: number
}

/** Bytes, and pixels of a side. */
export const avatarLimits = { bytes: 2 * 1024 * 1024, side: 4096 }

const formats = [
  { type: 'image/png', is: isPng, sides: pngSides },
  { type: 'image/jpeg', is: isJpeg, sides: jpegSides },
  { type: 'image/webp', is: isWebp, sides: webpSides },
] as const

export type MediaType = (typeof formats)[number]['type']

const refuse = (detail: string) => problem('invalid_field', { field: 'file', detail })

/**
 * The media type that the bytes themselves have, whatever was said of them; throws what keeps them from being an
 * avatar.
 */
export function inspectAvatar(bytes: Buffer): MediaType {
  if (bytes.length === 0) throw refuse('file is empty')
  if (bytes.length > avatarLimits.bytes) throw refuse('file must not exceed 2 MB')
  const format = formats.find(({ is }) => is(bytes))
  if (!format) throw refuse('file must be a PNG, JPEG or WebP image')
  const sides = format.sides(bytes)
  if (!sides) throw refuse('file is not an intact image')
  const { width, height } = sides
  if (!width || !height) throw refuse('file is an image without pixels')
  if (Math.max(width, height) > avatarLimits.side)
    throw refuse(`file must not have more than ${avatarLimits.side} pixels on a side; it has ${width} x ${height}`)
  return format.type
}
