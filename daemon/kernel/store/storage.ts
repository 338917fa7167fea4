import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { codeOf, type StorageFault, storageFault } from './storage-fault.ts'

export interface StorageFailure {
  fault: StorageFault
  /** For anybody: names no path. */
  reason: string
  /** Of the error that told of it last. */
  code: string
}

/** What is known of the disk that holds the data. */
export interface Storage {
  /** Null while writes work. */
  readonly failure: StorageFailure | null
  /** The same, or that there is no place for another file: the database can do without, agents and logs cannot. */
  condition(): Promise<StorageFailure | null>
  /** How many wait for `working`. */
  readonly waiting: number
  /** Notes an error. One that is about the disk counts until a trial write of our own works. */
  failed(error: unknown): void
  /** Resolves when writes work, at once if they do, or as soon as the signal comes. */
  working(signal: AbortSignal): Promise<void>
}

const reasons = {
  full: 'The disk that holds the data is full',
  unavailable: 'The disk that holds the data cannot be written',
}

const firstTrialMs = 100
const longestTrialMs = 1000
/** Working for so long, the disk is trusted: a failure after that is looked after at once again. */
const calmMs = 30_000
/** A trial takes this much room: less may be had in the write-ahead log of a disk that is full. */
const trialBytes = 64 * 1024

export function createStorage(db: Db, log: Log): Storage {
  const wakers = new Set<() => void>()
  let failure: StorageFailure | null = null
  let trying = false
  let waitMs = firstTrialMs
  let mended = Number.NEGATIVE_INFINITY

  function note(error: unknown, fault: StorageFault): void {
    if (!failure) {
      log.error({ err: error }, `${reasons[fault]}: nothing is stored until it works again`)
      if (performance.now() - mended > calmMs) waitMs = firstTrialMs
    }
    failure = { fault, reason: reasons[fault], code: codeOf(error) }
    if (trying) return
    trying = true
    setTimeout(look, waitMs).unref()
    waitMs = Math.min(2 * waitMs, longestTrialMs)
  }

  async function look(): Promise<void> {
    try {
      if (!db.memory) await writeTrialFile(join(dirname(db.name), 'storage.trial'))
      if (!db.open) return
      // Writes the first page as it is: a change that the whole way to the disk has to take.
      db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
    } catch (error) {
      trying = false
      return note(error, storageFault(error) ?? 'unavailable')
    }
    trying = false
    failure = null
    mended = performance.now()
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
      // File systems that have no such limit say 0 of 0.
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
