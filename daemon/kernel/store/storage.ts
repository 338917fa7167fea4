import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { codeOf, type StorageFault, storageFault } from './storage-fault.ts'

export interface StorageFailure {
  fault: StorageFault
  /** Shown to anybody, so it names no path. */
  reason: string
  /** Code of the latest error. */
  code: string
}

/** State of the disk that holds the data. */
export interface Storage {
  /** Null while writes work. */
  readonly failure: StorageFailure | null
  /** `failure`, or that no more files can be created, which stops agents and logs but not the database. */
  condition(): Promise<StorageFailure | null>
  /** Number of callers that wait for `working`. */
  readonly waiting: number
  /** Takes note of an error. A disk fault stands until a trial write succeeds. */
  failed(error: unknown): void
  /** Resolves when writes work or the signal aborts. */
  working(signal: AbortSignal): Promise<void>
}

const reasons = {
  full: 'The disk that holds the data is full',
  unavailable: 'The disk that holds the data cannot be written',
}

const firstTrialMs = 100
const longestTrialMs = 1000
/** After this long without a failure, the delay between trials starts at its minimum again. */
const stableMs = 30_000
/** Size of the trial file. Less could still fit into the write-ahead log while the disk is full. */
const trialBytes = 64 * 1024

export function createStorage(db: Db, log: Log): Storage {
  const wakers = new Set<() => void>()
  let failure: StorageFailure | null = null
  let trying = false
  let waitMs = firstTrialMs
  let recoveredAt = Number.NEGATIVE_INFINITY

  function note(error: unknown, fault: StorageFault): void {
    if (!failure) {
      log.error({ err: error }, `${reasons[fault]}: nothing is stored until it works again`)
      if (performance.now() - recoveredAt > stableMs) waitMs = firstTrialMs
    }
    failure = { fault, reason: reasons[fault], code: codeOf(error) }
    if (trying) return
    trying = true
    setTimeout(tryWriting, waitMs).unref()
    waitMs = Math.min(2 * waitMs, longestTrialMs)
  }

  async function tryWriting(): Promise<void> {
    try {
      if (!db.memory) await writeTrialFile(join(dirname(db.name), 'storage.trial'))
      if (!db.open) return
      // Rewrites the first page unchanged, which goes all the way to the disk.
      db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
    } catch (error) {
      trying = false
      return note(error, storageFault(error) ?? 'unavailable')
    }
    trying = false
    failure = null
    recoveredAt = performance.now()
    log.warn('The disk that holds the data works again')
    for (const wake of [...wakers]) wake()
  }

  return {
    get failure() {
      return failure
    },
    async condition() {
      if (failure || db.memory) return failure
      const { files, ffree } = await statfs(dirname(db.name))
      // File systems without this limit report 0 of 0.
      return files > 0 && ffree === 0
        ? { fault: 'full', reason: 'The disk that holds the data takes no more files', code: 'ENOSPC' }
        : failure
    },
    get waiting() {
      return wakers.size
    },
    failed(error) {
      const fault = storageFault(error)
      if (fault) note(error, fault)
    },
    working(signal) {
      if (!failure || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const done = () => {
          wakers.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        wakers.add(done)
        signal.addEventListener('abort', done)
      })
    },
  }
}

async function writeTrialFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(Buffer.alloc(trialBytes))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
