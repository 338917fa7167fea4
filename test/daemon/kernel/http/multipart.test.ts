import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileOf } from '#kernel/http/multipart'
import { formWith } from '../../../support/form.ts'

const bytes = Buffer.from([0, 13, 10, 255, 45, 45, 1])
const read = (body: Buffer, most = 100) => fileOf('file', { type: formWith(bytes).type, body, most })

describe('fileOf', () => {
  it('finds the file and leaves its bytes alone', async () => expect(await read(formWith(bytes).body)).toEqual(bytes))

  it('takes the first of that name, wherever it stands', async () => {
    const { body } = formWith(bytes, { before: [['a', 'b']] })
    const twice = Buffer.concat([body.subarray(0, -4), Buffer.from('\r\n'), formWith(Buffer.from('second')).body])
    expect(await read(twice)).toEqual(bytes)
    expect(await read(formWith(bytes, { name: 'other' }).body)).toBeNull()
  })

  it('keeps one byte more than are wanted, so that too many can be told', async () =>
    expect(await read(formWith(Buffer.alloc(500)).body, 100)).toHaveLength(101))

  it('passes over a crowd of parts', async () => {
    const crowd = Array.from({ length: 2000 }, (): [string, string] => ['a', 'b'])
    expect(await read(formWith(bytes, { before: crowd }).body)).toBeNull()
  })

  it('comes to an end wherever the body is cut off', async () => {
    const { body } = formWith(bytes, { before: [['a', 'b']] })
    for (let length = 0; length < body.length - 4; length += 1)
      expect(await read(body.subarray(0, length)).catch(({ code }) => code), `${length} bytes`).toBeOneOf([
        null,
        'invalid_field',
      ])
  })

  it('comes to an end whatever the body is', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (noise, at) => {
        const { body } = formWith(bytes)
        const spoilt = Buffer.concat([body.subarray(0, at), noise, body.subarray(at)])
        const found = await read(spoilt, 1000).catch(({ code }) => code)
        return found === null || found === 'invalid_field' || Buffer.isBuffer(found)
      }),
      { numRuns: 300 },
    ))
})
