import { randomBytes } from 'node:crypto'

/** A form with one file, and its content type. */
export function formOf(bytes: Buffer, name: string): { type: string; body: Buffer } {
  const boundary = `muster-${randomBytes(16).toString('hex')}`
  const quoted = name.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, ' ')
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\nContent-Type: ` +
    'application/octet-stream\r\n\r\n'
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
