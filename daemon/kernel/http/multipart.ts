import { Busboy } from '@fastify/busboy'
import { problem } from '../problem.ts'

/** The first file of this name in a `multipart/form-data` body, or null. Keeps one byte more than `most` of it. */
export function fileOf(
  name: string,
  { type, body, most }: { type: string | undefined; body: unknown; most: number },
): Promise<Buffer | null> {
  if (!type || !Buffer.isBuffer(body) || body.length === 0) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const broken = () =>
      reject(problem('invalid_field', { field: name, detail: 'The body is not valid multipart/form-data' }))
    let found: Buffer[] | null = null
    try {
      const parts = new Busboy({
        headers: { 'content-type': type },
        isPartAFile: (field, _type, file) => field === name || file !== undefined,
        limits: { fileSize: most + 1, parts: 20, fieldSize: 1000, headerPairs: 20 },
      })
      parts.on('file', (field, stream) => {
        const chunks: Buffer[] | null = field === name && !found ? [] : null
        found ??= chunks
        stream.on('data', (chunk: Buffer) => chunks?.push(chunk))
        stream.on('error', broken)
      })
      parts.on('error', broken)
      parts.on('finish', () => resolve(found && Buffer.concat(found)))
      parts.end(body)
    } catch {
      broken()
    }
  })
}
