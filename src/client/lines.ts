import type { Connection, RequestOptions } from './connection.ts'

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
      const parts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) if (line.trim()) yield JSON.parse(line) as T
    }
    if (rest.trim()) yield JSON.parse(rest) as T
  } finally {
    body.destroy()
  }
}
