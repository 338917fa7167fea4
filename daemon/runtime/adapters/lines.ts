/** A line longer than this is skipped. */
export const lineLimit = 16 * 1024 * 1024

export interface LineSink {
  /** `cut` marks a last line without its newline. */
  line(text: string, cut: boolean): void
  /** In place of a line of that many bytes, over the limit. */
  tooLong(bytes: number): void
}

const newline = 0x0a

/** Cuts a byte stream into lines; characters and lines may be split over chunks anywhere. */
export function lineSplitter(sink: LineSink, limit = lineLimit): { feed(chunk: Buffer): void; flush(): void } {
  let parts: Buffer[] = []
  let size = 0

  const add = (part: Buffer) => {
    size += part.length
    if (size > limit) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const end = (cut: boolean) => {
    if (size > limit) sink.tooLong(size)
    else {
      const text = parts.length === 1 ? parts[0]!.toString('utf8') : Buffer.concat(parts).toString('utf8')
      const line = text.endsWith('\r') ? text.slice(0, -1) : text
      if (line.trim()) sink.line(line, cut)
    }
    parts = []
    size = 0
  }

  return {
    feed(chunk) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at))
        end(false)
        from = at + 1
      }
      add(chunk.subarray(from))
    },
    flush() {
      if (size > 0) end(true)
    },
  }
}
