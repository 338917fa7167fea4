import { createHash } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { problem } from '../problem.ts'

/** The first file of this name in a `multipart/form-data` body, or null. Keeps one byte more than `most` of it. */
export function fileOf(
  name: string,
  { type, body, most }: { type: string | undefined; body: unknown; most: number },
): Promise<Buffer | null> {
  if (!type || !Buffer.isBuffer(body) || body.length === 0) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const broken = () => reject(malformed(name))
    const parts = formParser(name, type, most)
    if (!parts) return broken()
    let found: Buffer[] | null = null
    parts.on('file', (field, stream) => {
      const chunks: Buffer[] | null = field === name && !found ? [] : null
      found ??= chunks
      stream.on('data', (chunk: Buffer) => chunks?.push(chunk))
      stream.on('error', broken)
    })
    parts.on('error', broken)
    parts.on('finish', () => resolve(found && Buffer.concat(found)))
    parts.end(body)
  })
}

/** A file that came in, and what its part said of it. */
export interface Received {
  filename: string
  contentType: string
  size: number
  sha256: string
}

interface Receiving {
  type: string | undefined
  body: Readable
  most: number
  /** Opened when the file begins. */
  to: () => Writable
}

/**
 * Hands the first file of this name in a `multipart/form-data` body on as it comes in; null without one. Rejects with a
 * problem for a malformed body and for more than `most` bytes. What is left of the body is read to its end.
 */
export function receiveFile(name: string, { type, body, most, to }: Receiving): Promise<Received | null> {
  const broken = malformed(name)
  return new Promise((resolve, reject) => {
    const parts = formParser(name, type, most)
    let current: Readable | null = null
    let work: Promise<Received> | null = null
    const fail = (error: Error) => {
      if (parts) body.unpipe(parts)
      body.resume()
      current?.destroy(error)
      Promise.resolve(work).then(
        () => reject(error),
        () => reject(error),
      )
    }
    if (!parts) return fail(broken)
    parts.on('file', (field, stream, filename, _encoding, contentType) => {
      if (field !== name || work) return void stream.resume()
      current = stream
      work = keep(stream, to(), most, name).then((kept) => ({ filename, contentType, ...kept }))
      work.catch(fail)
    })
    parts.on('error', () => fail(broken))
    parts.on('finish', () => resolve(work))
    body.on('error', () => fail(broken))
    body.on('close', () => body.readableEnded || fail(broken))
    body.pipe(parts)
  })
}

const malformed = (field: string) =>
  problem('invalid_field', { field, detail: 'The body is not valid multipart/form-data' })

/** Null for a content type without a boundary. */
function formParser(name: string, type: string | undefined, most: number): InstanceType<typeof Busboy> | null {
  try {
    return new Busboy({
      headers: { 'content-type': type ?? '' },
      isPartAFile: (field, _type, file) => field === name || file !== undefined,
      limits: { fileSize: most + 1, parts: 20, fieldSize: 1000, headerPairs: 20 },
    })
  } catch {
    return null
  }
}

async function keep(from: Readable, to: Writable, most: number, field: string) {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    from,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > most)
          throw problem('invalid_field', { field, detail: `A file has at most ${Math.floor(most / 1024 ** 2)} MB` })
        hash.update(chunk)
        yield chunk
      }
    },
    to,
  )
  return { size, sha256: hash.digest('hex') }
}
