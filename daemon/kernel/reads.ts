import { Worker } from 'node:worker_threads'
import type { Code } from '#contract/problems'
import { type Db, openSearchIndex } from './db.ts'
import type { Log } from './log.ts'
import { type Problem, problem } from './problem.ts'

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
export type Answer = { id: number; text: string } | { id: number; code: Code; detail: string; headers: Record<string, string> } | { id: number; fault: string }

/** Requests that one thread holds, the one it works at included. */
const queueLimit = 64
/** Milliseconds within which several commits are told as one. */
const calm = 100

const busy = () => problem('unavailable', { detail: 'Too many searches at once; try again', headers: { 'retry-after': '1' } })

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

/** Jobs of a database file, done by a thread for each lane, started when needed. `program` is daemon/reader.ts, compiled. */
export function createThreadReads(db: Db, log: Log, program: URL = new URL('./reader.js', import.meta.url)): Reads {
  // The scan thread empties the write-ahead log; a commit does so only if that thread has not for long.
  db.pragma('wal_autocheckpoint = 20000')
  const threads = new Map<Lane, Thread>()
  let closing = false
  let timer: NodeJS.Timeout | undefined
  let head = 0

  function thread(lane: Lane): Thread {
    const known = threads.get(lane)
    if (known) return known
    const made = startThread(lane, db.name, program, (error) => {
      threads.delete(lane)
      if (!closing) log.error({ err: error, lane }, 'A reading thread ended')
    })
    threads.set(lane, made)
    return made
  }

  return {
    async run(lane, job, args) {
      if (closing) throw problem('unavailable')
      return thread(lane).ask(job, args)
    },
    grown(newest) {
      head = newest
      timer ??= setTimeout(() => {
        timer = undefined
        for (const lane of lanes) thread(lane).tell(head)
      }, calm).unref()
    },
    provide: () => undefined,
    async close() {
      closing = true
      clearTimeout(timer)
      await Promise.all([...threads.values()].map((it) => it.close()))
    },
  }
}

interface Thread {
  ask(job: string, args: unknown): Promise<string>
  tell(head: number): void
  close(): Promise<void>
}

interface Waiting {
  resolve: (text: string) => void
  reject: (error: Error) => void
}

function startThread(lane: Lane, file: string, program: URL, ended: (error: Error) => void): Thread {
  const worker = new Worker(program, { workerData: { lane, file }, name: `muster-${lane}` })
  worker.unref()
  const waiting = new Map<number, Waiting>()
  let last = 0
  const settle = (id: number) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
    return one
  }
  const fail = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    ended(error)
  }
  worker.on('message', (answer: Answer) => {
    const one = settle(answer.id)
    if ('text' in answer) one?.resolve(answer.text)
    else one?.reject('code' in answer ? refusal(answer) : new Error(answer.fault))
  })
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`exit code ${code}`)))
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
    close: () =>
      new Promise((resolve) => {
        worker.ref()
        worker.once('exit', () => resolve())
        post({ close: true })
      }),
  }
}

const refusal = ({ code, detail, headers }: Extract<Answer, { code: Code }>): Problem => problem(code, { detail, headers })
