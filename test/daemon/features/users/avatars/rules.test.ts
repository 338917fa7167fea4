import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Problem } from '#kernel/problem'
import { avatarLimits, inspectAvatar } from '../../../../../daemon/features/users/avatars/rules.ts'
import { pictures } from '../../../../support/pictures.ts'

const refusal = (bytes: Buffer): { detail: string; at: string } | null => {
  try {
    inspectAvatar(bytes)
    return null
  } catch (error) {
    const { code, status, field, message } = error as Problem
    return { detail: message, at: `${status} ${code} ${field}` }
  }
}
const at = '400 invalid_field file'
const broken = { at, detail: 'file is not an intact image' }
const foreign = { at, detail: 'file must be a PNG, JPEG or WebP image' }

/** The same bytes with others in their place. */
const patched = (bytes: Buffer, offset: number, ...values: number[]) => {
  const copy = Buffer.from(bytes)
  for (const [index, value] of values.entries()) copy[offset + index] = value
  return copy
}
const chunk = (kind: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
/** A PNG whose header is sound and says these sides. */
const png = (
  width: number,
  height: number,
  more: Buffer[] = [chunk('IDAT', Buffer.alloc(10)), chunk('IEND', Buffer.alloc(0))],
) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([pictures.png.subarray(0, 8), chunk('IHDR', header), ...more])
}
const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}
/** A JPEG with this in front of its first segment. */
const jpegWith = (first: Buffer, jpeg = pictures.jpeg) => Buffer.concat([jpeg.subarray(0, 2), first, jpeg.subarray(2)])
const frameOf = (jpeg: Buffer, marker = 0xc0) => jpeg.indexOf(Buffer.from([0xff, marker]))

describe('an avatar', () => {
  it.each([
    ['PNG', pictures.png, 'image/png'],
    ['JPEG', pictures.jpeg, 'image/jpeg'],
    ['progressive JPEG', pictures.progressiveJpeg, 'image/jpeg'],
    ['lossy WebP', pictures.webp, 'image/webp'],
    ['lossless WebP', pictures.losslessWebp, 'image/webp'],
    ['extended WebP', pictures.alphaWebp, 'image/webp'],
    ['animated WebP', pictures.animatedWebp, 'image/webp'],
  ])('may be %s', (_, bytes, type) => expect(inspectAvatar(bytes)).toBe(type))

  it('may be an animated PNG', () => {
    const control = chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))
    expect(
      inspectAvatar(
        png(3, 2, [
          control,
          chunk('IDAT', Buffer.alloc(10)),
          chunk('fdAT', Buffer.alloc(10)),
          chunk('IEND', Buffer.alloc(0)),
        ]),
      ),
    ).toBe('image/png')
  })

  it('may have 4096 pixels on a side and 2 MB', () => {
    expect(inspectAvatar(png(4096, 4096))).toBe('image/png')
    const frame = png(1, 1, []).length
    const filled = png(1, 1, [
      chunk('IDAT', Buffer.alloc(avatarLimits.bytes - frame - 24)),
      chunk('IEND', Buffer.alloc(0)),
    ])
    expect(filled.length).toBe(avatarLimits.bytes)
    expect(inspectAvatar(filled)).toBe('image/png')
    expect(refusal(Buffer.concat([filled, Buffer.alloc(1)]))).toEqual({ at, detail: 'file must not exceed 2 MB' })
  })

  it('is measured by its own frame, not by the thumbnail in its metadata', () => {
    const thumbnail = patched(pictures.jpeg, frameOf(pictures.jpeg) + 5, 0x7f, 0xff, 0x7f, 0xff)
    expect(inspectAvatar(jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), thumbnail]))))).toBe(
      'image/jpeg',
    )
    const large = patched(pictures.jpeg, frameOf(pictures.jpeg) + 5, 0x10, 0x01)
    expect(
      refusal(jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), pictures.jpeg])), large))?.detail,
    ).toContain('3 x 4097')
  })

  it.each([
    ['nothing', Buffer.alloc(0), { at, detail: 'file is empty' }],
    ['a GIF', pictures.gif, foreign],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>'),
      foreign,
    ],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), foreign],
    ['a page in front of a picture', Buffer.concat([Buffer.from('<script>alert(1)</script>'), pictures.png]), foreign],
    [
      'a signature and a page',
      Buffer.concat([pictures.png.subarray(0, 8), Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(3))]),
      broken,
    ],
    ['two bytes', Buffer.from([0xff, 0xd8]), foreign],
    ['another RIFF file', patched(pictures.webp, 8, 0x57, 0x41, 0x56, 0x45), foreign],
    ['a PNG without pixels', png(0, 5), { at, detail: 'file is an image without pixels' }],
    [
      'a PNG of a huge width',
      png(0x7fffffff, 1),
      { at, detail: 'file must not have more than 4096 pixels on a side; it has 2147483647 x 1' },
    ],
    [
      'a PNG one pixel too high',
      png(1, 4097),
      { at, detail: 'file must not have more than 4096 pixels on a side; it has 1 x 4097' },
    ],
    ['a PNG whose header was changed', patched(pictures.png, 19, 9), broken],
    ['a PNG without data', png(3, 2, [chunk('IEND', Buffer.alloc(0))]), broken],
    ['a PNG with a chunk past its end', png(3, 2, [Buffer.from('ffffffff4944415400000000', 'hex')]), broken],
    [
      'a PNG with a page for chunks',
      png(3, 2, [chunk('IDAT', Buffer.alloc(4)), Buffer.from('<script>alert(1)</script>')]),
      broken,
    ],
    [
      'a JPEG without height',
      patched(pictures.jpeg, frameOf(pictures.jpeg) + 5, 0, 0),
      { at, detail: 'file is an image without pixels' },
    ],
    [
      'a JPEG that is too wide',
      patched(pictures.progressiveJpeg, frameOf(pictures.progressiveJpeg, 0xc2) + 7, 0xff, 0xff),
      { at, detail: expect.stringContaining('65535') },
    ],
    ['a JPEG with an empty segment', jpegWith(Buffer.from([0xff, 0xe1, 0, 0])), broken],
    ['a JPEG with a segment past its end', jpegWith(Buffer.from([0xff, 0xe1, 0xff, 0xff])), broken],
    [
      'a JPEG of nothing but fill bytes',
      Buffer.concat([pictures.jpeg.subarray(0, 2), Buffer.alloc(1_000_000, 0xff)]),
      broken,
    ],
    [
      'a JPEG with a page between its segments',
      jpegWith(Buffer.concat([segment(0xfe, Buffer.from('x')), Buffer.from('<script>alert(1)</script>')])),
      broken,
    ],
    ['a WebP that says it is longer', patched(pictures.webp, 4, 0xff, 0xff, 0xff, 0x7f), broken],
    ['a WebP with an endless chunk', patched(pictures.webp, 16, 0xff, 0xff, 0xff, 0xff), broken],
    ['a WebP without a start code', patched(pictures.webp, 23, 0), broken],
    ['a lossless WebP of another version', patched(pictures.losslessWebp, 24, 0xff), broken],
    ['a WebP without width', patched(pictures.webp, 26, 0, 0), { at, detail: 'file is an image without pixels' }],
    ['a WebP canvas without its picture', patched(pictures.alphaWebp, 24, 0xff), broken],
    [
      'a WebP whose frame leaves the canvas',
      patched(pictures.animatedWebp, pictures.animatedWebp.indexOf('ANMF') + 8, 9),
      broken,
    ],
  ])('is not %s', (_, bytes, expected) => expect(refusal(bytes)).toEqual(expected))

  it.each(Object.entries(pictures).filter(([name]) => name !== 'gif'))(
    'is refused wherever it was cut off: %s',
    (_, bytes) => {
      for (let length = 0; length < bytes.length - 1; length += 1)
        expect(refusal(bytes.subarray(0, length))?.at, `${length} bytes`).toBe(at)
    },
  )

  it.each(Object.entries(pictures))('is judged without a fault whichever byte is wrong: %s', (_, bytes) => {
    for (let index = 0; index < bytes.length; index += 1)
      for (const value of [0x00, 0x01, 0x7f, 0xff])
        expect([undefined, at]).toContain(refusal(patched(bytes, index, value))?.at)
  })
})
