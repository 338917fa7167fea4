import { Buffer } from 'node:buffer'

/** Longest line on the sidecar's private channel. */
export const lineLimit = 8 * 1024 * 1024

/** Splits a byte stream into lines; a line over the limit is dropped. */
export function lineReader(each: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)])
      if (size + end - from <= lineLimit && line.length) each(line.toString('utf8'))
      parts = []
      size = 0
      from = end + 1
    }
    size += chunk.length - from
    if (size > lineLimit) parts = []
    else if (from < chunk.length) parts.push(Buffer.from(chunk.subarray(from)))
  }
}

/** The object on a line; null for anything else, such as a partial line of a process that was killed. */
export function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
