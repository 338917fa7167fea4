interface Form {
  name?: string
  /** null: the part says none. */
  filename?: string | null
  type?: string
  /** Parts that come first, as name and text. */
  before?: [name: string, text: string][]
}

/** A `multipart/form-data` body that holds a file, and its content type. */
export function formWith(
  bytes: Buffer,
  { name = 'file', filename = 'me.png', type = 'image/png', before = [] }: Form = {},
) {
  const boundary = 'muster-test-boundary'
  const disposition = (of: string, file?: string | null) =>
    `Content-Disposition: form-data; name="${of}"${file ? `; filename="${file}"` : ''}\r\n`
  const parts = before.map(([of, text]) => `--${boundary}\r\n${disposition(of)}\r\n${text}\r\n`)
  const head = `--${boundary}\r\n${disposition(name, filename)}Content-Type: ${type}\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(parts.join('') + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
