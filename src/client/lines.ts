import type { Connection, RequestOptions } from './connection.ts'

/** A longer line is none: the server may never end it. */
const longestLine = 64 * 1024 * 1024

/** The objects of an NDJSON reply as they arrive. Ends when the server ends it; a broken connection or line throws. */
export async function* lines<T>(
  connection: Connection,
  { method, path }: { method: string; path: string },
  options: RequestOptions & { stall?: number } = {},
): AsyncGenerator<T> {
  const { body } = await connection.stream(method, path, {
    ...options,
    headers: { accept: 'application/x-ndjson', ...options.headers },
  })
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of body) {
      const text = decoder.decode(chunk as Buffer, { stream: true })
      if (rest.length + text.length > longestLine) throw new Error('The server sends a line that does not end')
      // Looking for the end in the new text alone keeps long lines linear.
      const end = text.lastIndexOf('\n')
      const parts = end < 0 ? [] : (rest + text.slice(0, end)).split('\n')
      rest = end < 0 ? rest + text : text.slice(end + 1)
      for (const line of parts) if (line.trim()) yield JSON.parse(line) as T
    }
    if (rest.trim()) yield JSON.parse(rest) as T
  } finally {
    body.destroy()
  }
}
