import type { Db } from './db.ts'
import { storageFault } from './storage-fault.ts'

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** Hears where each change begins and ends, so that exactly what is stored gets published. */
export interface ChangeListener {
  /** A change begins; whatever it records belongs to it until `keep` or `drop`. */
  begin(): void
  keep(): void
  drop(): void
  /** All kept changes are stored. Must not throw. */
  committed(): void
  /** No change since the last `committed` or `aborted` is stored. Must not throw. */
  aborted(error: unknown): void
}

export interface Writer {
  /** Runs `work` in a write transaction; resolves after the commit that holds it. A throw undoes this change alone. */
  write<T>(work: () => T): Promise<T>
  /** Runs `work` at once, for start-up and tests. */
  writeNow<T>(work: () => T): T
  /** Resolves when every queued change is stored or has failed. */
  idle(): Promise<void>
}

const batchLimit = 256

/**
 * Group commit: the changes of one turn of the event loop share a transaction and its fsync, with a savepoint each.
 * A disk fault aborts the transaction, and with it every change of that turn.
 */
export function createWriter(db: Db, listener: ChangeListener): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT change')
  const release = db.prepare('RELEASE change')
  const undo = db.prepare('ROLLBACK TO change')
  const queue: Job[] = []
  let scheduled = false

  function runOne({ work }: Pick<Job, 'work'>): { value: unknown } | { error: unknown } {
    savepoint.run()
    listener.begin()
    try {
      const value = settledAtOnce(work())
      release.run()
      listener.keep()
      return { value }
    } catch (error) {
      // SQLite itself may have rolled back everything.
      if (storageFault(error) || !db.inTransaction) throw error
      undo.run()
      release.run()
      listener.drop()
      return { error }
    }
  }

  /** Runs a change that has the transaction to itself without a savepoint, which would copy every page it touches. */
  function runAlone({ work }: Pick<Job, 'work'>): { value: unknown } | { error: unknown } {
    listener.begin()
    let value: unknown
    try {
      value = settledAtOnce(work())
    } catch (error) {
      if (storageFault(error)) throw error
      if (db.inTransaction) rollback.run()
      listener.drop()
      return { error }
    }
    listener.keep()
    commit.run()
    return { value }
  }

  function runAll(jobs: Pick<Job, 'work'>[]) {
    try {
      begin.run()
      if (jobs.length === 1) return [runAlone(jobs[0]!)]
      const results = jobs.map(runOne)
      commit.run()
      return results
    } catch (error) {
      try {
        if (db.inTransaction) rollback.run()
      } finally {
        listener.aborted(error)
      }
      throw error
    }
  }

  function flush() {
    scheduled = false
    const jobs = queue.splice(0, batchLimit)
    if (queue.length) schedule()
    try {
      const results = runAll(jobs)
      listener.committed()
      for (const [index, job] of jobs.entries()) {
        const result = results[index]!
        if ('error' in result) job.reject(result.error)
        else job.resolve(result.value as never)
      }
    } catch (error) {
      for (const job of jobs) job.reject(error)
    }
  }

  function schedule() {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  const write = <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job['resolve'], reject })
      schedule()
    })

  return {
    write,
    writeNow<T>(work: () => T): T {
      const [result] = runAll([{ work }])
      listener.committed()
      if ('error' in result!) throw result.error
      return (result as { value: T }).value
    },
    async idle() {
      while (queue.length) await write(() => undefined).catch(() => undefined)
    },
  }
}

/** The value of a change, which is no promise. */
export function settledAtOnce<T>(value: T): T {
  if (value instanceof Promise)
    throw new TypeError('A change must be synchronous: its work and its journal entry share one transaction')
  return value
}
