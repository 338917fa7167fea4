import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SumList } from './members.ts'

const linesAtOnce = 1000

/** Keeps sums in a file, which the caller removes. */
export function spooledSums(path: string): SumList {
  let lines: string[] = []
  let size = 0
  const opened = open(path, 'w', 0o600)
  opened.catch(() => undefined)

  async function flush(): Promise<void> {
    const bytes = Buffer.from(lines.join(''))
    lines = []
    size += bytes.length
    await (await opened).appendFile(bytes)
  }

  return {
    async add(line) {
      lines.push(line)
      if (lines.length >= linesAtOnce) await flush()
    },
    async close() {
      await flush()
      await (await opened).close()
      return { size, content: createReadStream(path) }
    },
  }
}
