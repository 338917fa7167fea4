import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { dropSearchIndex, isDamaged, openCheckpointer, openReader, openSearchIndex } from './db.ts'
import type { Answer, OpenJobs, Request, ThreadData } from './reads.ts'
import { codeOf, unlessStorage } from './storage-fault.ts'

/** Frames (64 MiB) after which the write-ahead log is truncated, even if a writer has to wait for it. */
const longLog = 16_384

/** Main function of a reading thread: answers requests from its own connections and indexes in between. */
export function serveReads(open: OpenJobs): void {
  const port = parentPort!
  const { lane, file, idleAfter } = workerData as ThreadData
  const indexFile = lane === 'search' ? join(file, '..', 'search.db') : ':memory:'
  const [journal, index] = [openReader(file), openSearchIndex(indexFile)]
  const jobs = open({ journal, index })
  const store = lane === 'scan' ? openCheckpointer(file) : null
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

  /** Checkpoints the write-ahead log here, so that no commit has to. */
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
      // After a disk error, these entries are indexed together with the next ones or by the next search.
      unlessStorage(error)
    }
    working = false
  }

  function close(): void {
    closing = true
    port.close()
    for (const db of [journal, index, store]) db?.close()
  }

  /** Ends the thread without its index; the next request starts both again. */
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
