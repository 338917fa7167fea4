import { Worker } from 'node:worker_threads'
import type { Log } from '../log.ts'
import { problem } from '../problem.ts'
import { type Db, openSearchIndex } from './db.ts'

/** Searches wait for nothing but each other; everything else that takes long shares the other thread. */
export const lanes = ['search', 'scan'] as const
export type Lane = (typeof lanes)[number]

/** Work that may take long: takes what can be copied between threads, answers finished text. */
export interface ReadJobs {
  // biome-ignore lint/suspicious/noExplicitAny: what a job takes is known to the feature that offers and calls it
  run: Record<string, (args: any) => string | Promise<string>>
  /** The journal has grown to `head`. True while there is more to do that can wait. */
  grown(lane: Lane, head: number): boolean
}

export type OpenJobs = (place: { journal: Db; index: Db }) => ReadJobs

/** Reads that would hold up the event loop, done elsewhere (speed: no request waits for another one's search). */
export interface Reads {
  /** Rejects with `unavailable` when too many wait already. */
  run(lane: Lane, job: string, args: unknown): Promise<string>
  /** Something was stored; `head` is the newest entry. */
  grown(head: number): void
  /** Offers jobs to a database in memory, which no other thread can open. */
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

/** Requests that one thread holds, the one it works at included. */
const queueLimit = 64
/** Milliseconds within which several commits are told as one. */
const calm = 100
/** New entries that are worth a thread. */
const worthwhile = 50
/** Milliseconds without work after which a thread says so, and is ended. */
const idleAfter = 30_000

const busy = () =>
  problem('unavailable', { detail: 'Too many searches at once; try again', headers: { 'retry-after': '1' } })

/** Jobs of a database in memory: done at once, with the same results. */
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
 * Jobs of a database file, done by a thread for each lane: started when there is work for it, ended when there was none
 * for a
 * while, since a thread costs memory. `program` is daemon/reader.ts, compiled.
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
        // Whoever asks next gets a new thread.
        forget(made)
        void made.close()
      },
      ended(error) {
        forget(made)
        if (error) log.error({ err: error, lane }, 'A reading thread failed')
      },
    })
    threads.set(lane, made)
    if (lane === 'scan') leaveLog(db, true)
    return made
  }

  function forget(thread: Thread): void {
    for (const [lane, it] of threads) if (it === thread) threads.delete(lane)
    if (!threads.has('scan')) leaveLog(db, false)
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
      if (closing || (threads.size === 0 && newest - told < worthwhile)) return
      timer ??= setTimeout(tell, calm).unref()
    },
    provide: () => undefined,
    async close() {
      closing = true
      clearTimeout(timer)
      await Promise.all([...threads.values()].map((it) => it.close()))
    },
  }
}

/**
 * Who empties the write-ahead log: the scan thread, with commits stepping in only if it fails to, or every thousandth
 * page's commit.
 */
const leaveLog = (db: Db, toThread: boolean) =>
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
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
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
    // It closes its databases and ends by itself: cutting a thread off inside SQLite would take the process with it.
    close: () => {
      worker.ref()
      post({ close: true })
      return exited
    },
  }
}
