import { Buffer } from 'node:buffer'

/** Longest line that either side of the sidecar's private channel takes. */
export const lineLimit = 8 * 1024 * 1024

/** Cuts a byte stream into lines; a line over the limit is thrown away whole. */
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

/** The object on a line, or null for what is none: half a line is left behind by whoever was killed while writing. */
export function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
