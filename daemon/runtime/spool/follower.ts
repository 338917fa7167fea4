import { Buffer } from 'node:buffer'
import { closeSync, type FSWatcher, fstatSync, read, readSync, watch } from 'node:fs'
import { Socket } from 'node:net'
import { openFile, openPipe } from './files.ts'
import { ownWords } from './record.ts'
import { hasSupervisor } from './supervisor.ts'

const chunkBytes = 512 * 1024
const stderrBytes = 8 * 1024
/** Polling interval when the machine has no inotify instance left. */
const pollMs = 50
/** How long a supervisor may take until it opens `alive`, and how often that is looked at. */
const startMs = 30_000
const startPollMs = 20

export interface Spool {
  /** `chunk` is valid until the returned promise settles. */
  data(chunk: Buffer, offset: number): Promise<void> | void
  /** The supervisor is gone. `record` is the line of the run's `exit` file, null when there is none or it is empty. */
  ended(record: string | null, stderr: string): void
  failed(error: Error): void
}

export interface Following {
  close(): void
}

/**
 * Reads a run's `out` from `offset` until its supervisor is gone. inotify reports growth; the FIFO `alive` reports the
 * supervisor's death; one that is about to open it is waited for. The next read waits for the promise of `data`.
 */
export function followSpool(dir: string, offset: number, spool: Spool): Following {
  let out: number | null = null
  let watcher: FSWatcher | null = null
  let clock: NodeJS.Timeout | null = null
  let alive: Socket | null = null
  let starting: NodeJS.Timeout | null = null
  const latestStart = performance.now() + startMs
  let position = offset
  let limit = Number.POSITIVE_INFINITY
  let busy = false
  let again = false
  let closed = false

  function close(): void {
    closed = true
    watcher?.close()
    if (clock) clearInterval(clock)
    if (starting) clearTimeout(starting)
    alive?.destroy()
    if (out !== null && !busy) closeSync(out)
    if (!busy) out = null
  }

  function fail(error: unknown): void {
    if (closed) return
    close()
    spool.failed(error as Error)
  }

  function finish(): void {
    const [record, stderr] = [readTail(`${dir}/exit`, 1024), readTail(`${dir}/err`, stderrBytes)]
    close()
    spool.ended(record || null, ownWords(stderr ?? ''))
  }

  async function pump(): Promise<void> {
    again = true
    if (busy || closed) return
    busy = true
    try {
      while (again && !closed) {
        again = false
        await drain()
      }
    } catch (error) {
      fail(error)
    }
    busy = false
    if (closed && out !== null) {
      closeSync(out)
      out = null
    } else if (!closed && limit !== Number.POSITIVE_INFINITY) finish()
  }

  async function drain(): Promise<void> {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    while (!closed && out !== null && position < limit) {
      const count = await readAt(out, buffer, position, Math.min(chunkBytes, limit - position))
      if (count === 0 || closed) return
      await spool.data(buffer.subarray(0, count), position)
      position += count
    }
  }

  /** Output written after the supervisor's death does not belong to the run. */
  function onDeath(): void {
    if (closed) return
    limit = out === null ? 0 : fstatSync(out).size
    void pump()
  }

  function watchOut(): void {
    try {
      watcher = watch(`${dir}/out`, () => void pump())
      watcher.on('error', fail)
    } catch (error) {
      if (!['EMFILE', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      clock = setInterval(() => void pump(), pollMs)
    }
  }

  function begin(): void {
    // Before the FIFO, which is opened by whoever starts meanwhile.
    const soon = hasSupervisor(dir) && performance.now() < latestStart
    const pipe = openPipe(`${dir}/alive`)
    const living = pipe !== null && hasWriter(pipe)
    if (pipe !== null && !living) closeSync(pipe)
    if (soon && !living) {
      starting = setTimeout(attempt, startPollMs)
      return
    }
    out = openFile(`${dir}/out`)
    if (!living) {
      onDeath()
      return
    }
    alive = new Socket({ fd: pipe, readable: true, writable: false })
    alive.on('end', onDeath).on('error', fail).resume()
    if (out !== null) watchOut()
    void pump()
  }

  function attempt(): void {
    try {
      begin()
    } catch (error) {
      queueMicrotask(() => fail(error))
    }
  }

  attempt()
  return { close }
}

/** Reading a FIFO without a writer returns end of file; with a writer it returns EAGAIN. */
function hasWriter(pipe: number): boolean {
  try {
    return readSync(pipe, Buffer.alloc(1), 0, 1, null) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return true
    throw error
  }
}

function readTail(path: string, bytes: number): string | null {
  const file = openFile(path)
  if (file === null) return null
  try {
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(bytes, size))
    const count = readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8', 0, count)
  } finally {
    closeSync(file)
  }
}

const readAt = (file: number, buffer: Buffer, position: number, length: number): Promise<number> =>
  new Promise((resolve, reject) =>
    read(file, buffer, 0, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  )
