import { isAscii } from 'node:buffer'

/** A line longer than this is skipped. */
export const lineLimit = 16 * 1024 * 1024

export interface LineSink {
  /** `cut` marks a last line without its newline. */
  line(text: string, cut: boolean): void
  /** In place of a line of that many bytes, over the limit. */
  tooLong(bytes: number): void
}

const newline = 0x0a
const fewBytes = 1024

/** Cuts a byte stream into lines; characters and lines may be split over chunks anywhere. */
export function lineSplitter(sink: LineSink, limit = lineLimit): { feed(chunk: Buffer): void; flush(): void } {
  let parts: Buffer[] = []
  let size = 0

  const add = (part: Buffer) => {
    size += part.length
    if (size > limit) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const tell = (text: string, cut: boolean) => {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line.startsWith('{') || line.trim()) sink.line(line, cut)
  }
  const end = (cut: boolean) => {
    if (size > limit) sink.tooLong(size)
    else tell(parts.length === 1 ? parts[0]!.toString('utf8') : Buffer.concat(parts).toString('utf8'), cut)
    parts = []
    size = 0
  }
  const tellAll = (text: string) => {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      tell(text.slice(from, at), false)
      from = at + 1
    }
  }
  /** Whole lines within the limit, several at once: quicker than one by one. */
  const whole = (lines: Buffer) => {
    if (isAscii(lines)) return tellAll(lines.toString('latin1'))
    // One character beyond Latin-1 makes all of a string wide, which takes longer to parse: of few lines at a time.
    for (let from = 0, end = 0; from < lines.length; from = end) {
      end = lines.indexOf(newline, Math.min(from + fewBytes, lines.length - 1)) + 1
      tellAll(lines.toString('utf8', from, end))
    }
  }

  return {
    feed(chunk) {
      const first = chunk.indexOf(newline)
      if (first < 0) return add(chunk)
      add(chunk.subarray(0, first))
      end(false)
      const last = chunk.lastIndexOf(newline)
      if (chunk.length <= limit) whole(chunk.subarray(first + 1, last + 1))
      else
        for (let from = first + 1; from <= last; from = chunk.indexOf(newline, from) + 1) {
          add(chunk.subarray(from, chunk.indexOf(newline, from)))
          end(false)
        }
      add(chunk.subarray(last + 1))
    },
    flush() {
      if (size > 0) end(true)
    },
  }
}
