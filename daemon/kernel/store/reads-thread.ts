import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { dropSearchIndex, isDamaged, openReader, openSearchIndex, openSide } from './db.ts'
import type { Answer, OpenJobs, Request, ThreadData } from './reads.ts'
import { codeOf, unlessStorage } from './storage-fault.ts'

/** Frames after which the write-ahead log is cut back, even if a writer has to wait for it. 64 MiB. */
const longLog = 16_384

/** The program of a reading thread: answers requests from connections of its own, and does what can wait in between. */
export function serveReads(open: OpenJobs): void {
  const port = parentPort!
  const { lane, file, idleAfter } = workerData as ThreadData
  const indexFile = lane === 'search' ? join(file, '..', 'search.db') : ':memory:'
  const [journal, index] = [openReader(file), openSearchIndex(indexFile)]
  const jobs = open({ journal, index })
  const store = lane === 'scan' ? openSide(file) : null
  let head = 0
  let working = false
  let closing = false

  async function answer(id: number, job: string, args: unknown): Promise<Answer> {
    try {
      return { id, text: await jobs.run[job]!(args) }
    } catch (error) {
      if (lane === 'search' && isDamaged(error)) startOver()
      return { id, fault: String((error as Error).stack), code: codeOf(error) }
    }
  }

  /** Moves what was written into the database file, so that no answered write ever waits for it. */
  function checkpoint(): void {
    try {
      const [state] = store!.pragma('wal_checkpoint(PASSIVE)') as { log: number }[]
      if (state && state.log > longLog) store!.pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      unlessStorage(error)
    }
  }

  async function work(): Promise<void> {
    if (working) return
    working = true
    try {
      while (!closing && jobs.grown(lane, head)) await turn()
    } catch (error) {
      if (lane === 'search' && isDamaged(error)) startOver()
      // What the disk refuses is indexed with the next entries, or when somebody searches.
      unlessStorage(error)
    }
    working = false
  }

  function close(): void {
    closing = true
    port.close()
    for (const db of [journal, index, store]) db?.close()
  }

  /** The next request starts this thread, and with it the index, afresh. */
  function startOver(): never {
    dropSearchIndex(indexFile)
    process.exit(1)
  }

  const rest = () => setTimeout(() => port.postMessage({ idle: true } satisfies Answer), idleAfter)
  let idle = rest()

  port.on('message', async (request: Request) => {
    clearTimeout(idle)
    if ('close' in request) return close()
    if ('id' in request) port.postMessage(await answer(request.id, request.job, request.args))
    else {
      head = request.head
      if (store) checkpoint()
    }
    await work()
    clearTimeout(idle)
    if (!working && !closing) idle = rest()
  })
}
