import { Worker } from 'node:worker_threads'
import type { Log } from '../log.ts'
import { problem } from '../problem.ts'
import { type Db, openSearchIndex } from './db.ts'

/** One thread each, so that a search waits only for other searches; `scan` does all other long work. */
export const lanes = ['search', 'scan'] as const
export type Lane = (typeof lanes)[number]

/** Long work. Arguments must be cloneable between threads; the result is the text of the answer. */
export interface ReadJobs {
  // biome-ignore lint/suspicious/noExplicitAny: what a job takes is known to the feature that offers and calls it
  run: Record<string, (args: any) => string | Promise<string>>
  /** Tells that `head` is the newest entry, and does a part of the background work. True while more of it is left. */
  grown(lane: Lane, head: number): boolean
}

export type OpenJobs = (place: { journal: Db; index: Db }) => ReadJobs

/** Runs reads that would block the event loop, on other threads. */
export interface Reads {
  /** Rejects with `unavailable` when too many requests are waiting. */
  run(lane: Lane, job: string, args: unknown): Promise<string>
  /** Entries were stored; `head` is the newest one. */
  grown(head: number): void
  /** Sets the jobs for a database in memory, which no other thread can open. */
  provide(open: OpenJobs): void
  close(): Promise<void>
}

export type Request = { id: number; job: string; args: unknown } | { head: number } | { close: true }
export type Answer = { id: number; text: string } | { id: number; fault: string; code: string } | { idle: true }

export interface ThreadData {
  lane: Lane
  file: string
  idleAfter: number
}

/** Most requests that one thread holds, including the one that it is working on. */
const queueLimit = 64
/** Commits within this time are announced together. */
const announceAfterMs = 100
/** A thread is started for this many new entries. */
const entriesForThread = 50
/** A thread that had no work for this many milliseconds reports it and is ended. */
const idleAfter = 30_000

const busy = () =>
  problem('unavailable', { detail: 'Too many searches at once; try again', headers: { 'retry-after': '1' } })

/** Runs the jobs of a database in memory on this thread, with the same results. */
export function createInlineReads(db: Db): Reads {
  const run: ReadJobs['run'] = {}
  return {
    run: async (_lane, job, args) => run[job]!(args),
    grown: () => undefined,
    provide: (open) => void Object.assign(run, open({ journal: db, index: openSearchIndex(':memory:') }).run),
    close: async () => undefined,
  }
}

/**
 * Runs the jobs of a database file, one thread for each lane. A thread costs memory, so it is started when there is
 * work and ended when idle. `program` is daemon/reader.ts, compiled.
 */
export function createThreadReads(db: Db, log: Log, program: URL = new URL('./reader.js', import.meta.url)): Reads {
  const threads = new Map<Lane, Thread>()
  let closing = false
  let timer: NodeJS.Timeout | undefined
  let head = 0
  let told: number | undefined

  function thread(lane: Lane): Thread {
    const known = threads.get(lane)
    if (known) return known
    const made = startThread(lane, db.name, program, {
      idle() {
        // The next request starts a new thread.
        forget(made)
        void made.close()
      },
      ended(error) {
        forget(made)
        if (error) log.error({ err: error, lane }, 'A reading thread failed')
      },
    })
    threads.set(lane, made)
    if (lane === 'scan') setCheckpoints(db, true)
    return made
  }

  function forget(thread: Thread): void {
    for (const [lane, it] of threads) if (it === thread) threads.delete(lane)
    if (!threads.has('scan')) setCheckpoints(db, false)
  }

  function tell(): void {
    timer = undefined
    told = head
    for (const lane of lanes) thread(lane).tell(head)
  }

  return {
    async run(lane, job, args) {
      if (closing) throw problem('unavailable')
      return thread(lane).ask(job, args)
    },
    grown(newest) {
      head = newest
      told ??= newest
      if (closing || (threads.size === 0 && newest - told < entriesForThread)) return
      timer ??= setTimeout(tell, announceAfterMs).unref()
    },
    provide: () => undefined,
    async close() {
      closing = true
      clearTimeout(timer)
      await Promise.all([...threads.values()].map((it) => it.close()))
    },
  }
}

/** Leaves checkpoints to the scan thread, with commits as its fallback, or to commits alone. */
const setCheckpoints = (db: Db, toThread: boolean) =>
  void (db.open && db.pragma(`wal_autocheckpoint = ${toThread ? 20_000 : 1_000}`))

interface Thread {
  ask(job: string, args: unknown): Promise<string>
  tell(head: number): void
  close(): Promise<void>
}

interface Waiting {
  resolve: (text: string) => void
  reject: (error: Error) => void
}

function startThread(
  lane: Lane,
  file: string,
  program: URL,
  on: { idle(): void; ended(error: Error | undefined): void },
): Thread {
  const worker = new Worker(program, {
    workerData: { lane, file, idleAfter } satisfies ThreadData,
    name: `muster-${lane}`,
    // Memory for a stack is taken as it is used; the parser of long expressions uses more than the usual 4 MB.
    resourceLimits: { maxYoungGenerationSizeMb: 4, stackSizeMb: 16 },
  })
  worker.unref()
  const waiting = new Map<number, Waiting>()
  let last = 0
  let fault: Error | undefined
  worker.on('error', (error) => {
    fault = error
  })
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      if (code !== 0) fault ??= new Error(`exit code ${code}`)
      for (const { reject } of waiting.values()) reject(fault ?? problem('unavailable'))
      waiting.clear()
      on.ended(fault)
      resolve()
    })
  })
  worker.on('message', (answer: Answer) => {
    if ('idle' in answer) {
      if (waiting.size === 0) on.idle()
      return
    }
    const one = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) worker.unref()
    if ('text' in answer) one?.resolve(answer.text)
    else one?.reject(Object.assign(new Error(answer.fault), { code: answer.code }))
  })
  const post = (request: Request) => worker.postMessage(request)

  return {
    ask: (job, args) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= queueLimit) return reject(busy())
        waiting.set(++last, { resolve, reject })
        worker.ref()
        post({ id: last, job, args })
      }),
    tell: (head) => post({ head }),
    // The thread closes its databases and exits: terminating it within SQLite would crash the process.
    close: () => {
      worker.ref()
      post({ close: true })
      return exited
    },
  }
}
