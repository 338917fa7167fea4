import type { AgentFrame } from '#contract/frames'
import type { CollisionWatch } from '../service-types.ts'
import type { SeenWrite, WriteGap, WriteSink, WriteWatch } from '../types.ts'
import { type Working, writesOf } from './attribution.ts'
import { createCalls } from './calls.ts'
import { gapSays } from './gaps.ts'
import type { Collision } from './tracker.ts'
import { createTracker } from './tracker.ts'

/** How long a write waits to be judged: until the daemon has read of the tool call that made it. */
const judgedAfterMs = 1000
/** How long after its end a run's last writes may be told. */
const lingerMs = 2000
const firstRetryMs = 5_000
const longestRetryMs = 300_000
/** What is told of one watch. */
const mostGaps = 20

export interface CrewWatchParts {
  clock(): number
  open(since: number, sink: WriteSink): WriteWatch
  /** Collisions to be told; `count` is 1 but for what stands for several. */
  found(collisions: (Collision & { count: number })[]): void
  gap(gap: Gap): void
}

interface Gap {
  what: string
  says: string
  path?: string
}

/** Notices collisions in the shared folders of one crew, from its first run to its last. */
export class CrewWatch {
  private readonly parts: CrewWatchParts
  private readonly calls = createCalls()
  private readonly tracker = createTracker()
  /** With those that have ended a moment ago. */
  private working: Working[] = []
  private watch: WriteWatch | null = null
  private waiting: SeenWrite[] = []
  private judging: NodeJS.Timeout | null = null
  private retry: NodeJS.Timeout | null = null
  private stopping: NodeJS.Timeout | null = null
  private retryMs = firstRetryMs
  private readonly told = new Set<string>()
  private status: CollisionWatch = { state: 'idle', reason: null, since: null, folders: 0, gaps: [] }

  constructor(parts: CrewWatchParts) {
    this.parts = parts
  }

  get state(): CollisionWatch {
    return this.status
  }

  /** A run of the crew that goes on, or did last. */
  get anyRun(): string | undefined {
    return this.working.at(-1)?.runId
  }

  private get open(): Working[] {
    return this.working.filter(({ until }) => until === null)
  }

  /** Takes the runs that have a program now. */
  work(runs: readonly Working[]): void {
    const now = this.parts.clock()
    const ids = new Set(runs.map(({ runId }) => runId))
    for (const run of this.open.filter(({ runId }) => !ids.has(runId))) {
      run.until = now
      this.calls.ended(run.runId, now)
    }
    const known = new Set(this.open.map(({ runId }) => runId))
    this.working.push(...runs.filter(({ runId }) => !known.has(runId)).map((run) => ({ ...run })))
    if (new Set(runs.map(({ agentId }) => agentId)).size > 1) this.begin()
    else this.settle()
  }

  saw(runId: string, folder: string, frame: AgentFrame): void {
    this.calls.saw(runId, folder, frame, this.parts.clock())
  }

  close(): void {
    for (const timer of [this.judging, this.retry, this.stopping]) if (timer) clearTimeout(timer)
    this.judging = this.retry = this.stopping = null
    this.watch?.close()
    this.watch = null
  }

  private begin(): void {
    if (this.stopping) clearTimeout(this.stopping)
    this.stopping = null
    if (this.watch || this.retry) return
    const since = Math.min(...this.open.map(({ from }) => from))
    this.status = { state: 'starting', reason: null, since: null, folders: 0, gaps: [] }
    this.watch = this.parts.open(since, {
      ready: (folders) => {
        this.retryMs = firstRetryMs
        this.status = { ...this.status, state: 'watching', since: this.parts.clock(), folders }
      },
      write: (seen) => this.take(seen),
      gap: (gap) => this.note(gap),
      ended: (reason) => this.lost(reason),
    })
  }

  /** Ends the watch a moment later, when the last writes are told. */
  private settle(): void {
    this.stopping ??= setTimeout(() => {
      this.stopping = null
      if (this.retry) clearTimeout(this.retry)
      this.retry = null
      this.watch?.close()
      this.watch = null
      this.status = { ...this.status, state: 'idle', reason: null, since: null, folders: 0 }
      this.judge(true)
    }, lingerMs).unref()
  }

  private lost(reason: string): void {
    this.watch = null
    // What has not begun seldom begins later. What ended with its container does.
    if (this.status.state === 'starting') this.record({ what: 'off', says: reason })
    this.status = { ...this.status, state: 'off', reason, since: null, folders: 0 }
    this.retry = setTimeout(() => {
      this.retry = null
      if (new Set(this.open.map(({ agentId }) => agentId)).size > 1) this.begin()
    }, this.retryMs).unref()
    this.retryMs = Math.min(2 * this.retryMs, longestRetryMs)
  }

  private note(gap: WriteGap): void {
    const says = gapSays(gap)
    const known = this.status.gaps.find(({ what }) => what === gap.what)
    const path = gap.path === undefined ? {} : { path: gap.path }
    const gaps = [...this.status.gaps.filter((it) => it !== known), { what: gap.what, says }].slice(-mostGaps)
    this.status = { ...this.status, gaps }
    this.record({ what: gap.what, says, ...path })
  }

  /** Puts on record what is not noticed, each kind once. */
  private record(gap: Gap): void {
    if (this.told.has(gap.what)) return
    this.told.add(gap.what)
    this.parts.gap(gap)
  }

  private take(seen: SeenWrite): void {
    this.waiting.push(seen)
    this.judging ??= setTimeout(() => this.judge(false), judgedAfterMs).unref()
  }

  private judge(atEnd: boolean): void {
    if (this.judging) clearTimeout(this.judging)
    this.judging = null
    const seen = this.waiting
    this.waiting = []
    const found = seen.flatMap((it) =>
      writesOf(it, this.working, this.calls).flatMap((write) => this.tracker.wrote(it.path, write)),
    )
    if (found.length) this.parts.found(found.map((it) => ({ ...it, count: 1 })))
    if (atEnd || this.working.length > this.open.length) this.letGo(atEnd)
  }

  /** Tells what was counted of runs that are over, and forgets them. */
  private letGo(atEnd: boolean): void {
    const now = this.parts.clock()
    const gone = this.working.filter(({ until }) => until !== null && (atEnd || until < now - lingerMs / 2))
    const ids = new Set(gone.map(({ runId }) => runId))
    const beyond = this.tracker.beyond().filter(({ first, second }) => ids.has(first) || ids.has(second))
    if (beyond.length)
      this.parts.found(beyond.map(({ latest, count }) => ({ ...latest, thing: { kind: 'more', path: '' }, count })))
    for (const id of ids) this.tracker.forget(id)
    this.working = this.working.filter(({ runId }) => !ids.has(runId))
  }
}
