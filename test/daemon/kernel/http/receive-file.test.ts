import { createWriteStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { receiveFile } from '../../../../daemon/kernel/http/multipart.ts'
import { storageProblem } from '../../../../daemon/kernel/store/storage-fault.ts'
import { formWith } from '../../../support/form.ts'

const receive = (bytes: Buffer, to: () => NodeJS.WritableStream, most = 1000) => {
  const { type, body } = formWith(bytes, { before: [['note', 'x']] })
  const from = Readable.from([body.subarray(0, 300), body.subarray(300)])
  return { from, work: receiveFile('file', { type, body: from, most, to: to as never }) }
}

describe('receiveFile', () => {
  it('hands on what comes in, and says what it was', async () => {
    const to = new PassThrough()
    const { work } = receive(Buffer.from('x'.repeat(1000)), () => to)
    expect(await work).toMatchObject({ filename: 'me.png', contentType: 'image/png', size: 1000 })
    expect(String(await to.setEncoding('utf8').toArray())).toBe('x'.repeat(1000))
  })

  it('says of a full disk that it is full', async () => {
    const { work, from } = receive(Buffer.alloc(1000), () => createWriteStream('/dev/full'))
    const error = await work.catch((error) => error)
    expect(storageProblem(error)).toMatchObject({ code: 'storage_full', status: 507 })
    await expect.poll(() => from.readableEnded).toBe(true)
  })

  it('reads a body that is too large to its end', async () => {
    const { work, from } = receive(Buffer.alloc(1001), () => new PassThrough().resume())
    await expect(work).rejects.toMatchObject({ code: 'invalid_field', field: 'file' })
    await expect.poll(() => from.readableEnded).toBe(true)
  })
})
