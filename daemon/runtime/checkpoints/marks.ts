import type { App } from '#kernel/app'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { failLeftMarks, keptMarks, markOf, settleMark } from '../../features/checkpoints/marks/service.ts'
import { findRewind, openRewindOf, openRewinds } from '../../features/checkpoints/rewinds/service.ts'
import { type DesiredCrew, desiredCrew } from '../../features/crews/containers/service.ts'
import { RuntimeError } from '../errors.ts'
import type { Answers, Marked, MarksRequest } from '../marks/wire.ts'
import type { MarkService } from '../service-types.ts'
import { runtimeProblem } from '../status.ts'
import { Turns } from '../turns.ts'
import type { Runtime } from '../types.ts'
import { carryOut } from './rewind.ts'

const MB = 1024 ** 2
/** Seconds that each kind of work may take. */
const patience: Record<MarksRequest['op'], number> = { mark: 600, prune: 600, changes: 120, diff: 30, restore: 3600 }

export interface Marks extends MarkService {
  /** Takes up what a daemon before this one left. To be called once, at start, before runs are taken up. */
  recover(): Promise<void>
  close(): void
}

/** What rewinds need. */
export interface MarkParts {
  app: App
  runtime: Runtime
  /** Asks the program that marks files, one thing at a time of a crew. */
  ask<R extends MarksRequest>(crew: DesiredCrew, request: R): Promise<Answers[R['op']]>
  /** Marks the files for a checkpoint; answers why it could not. */
  mark(checkpointId: string): Promise<Marked | string>
  closed: AbortSignal
}

/** Marks the files of crews, and puts them back. */
export function createMarks(app: App, runtime: Runtime): Marks {
  const turns = new Turns()
  const closing = new AbortController()
  const rewinds = new Map<string, Promise<void>>()
  const available = app.config.crewMarksMb > 0

  const ask = <R extends MarksRequest>(crew: DesiredCrew, request: R): Promise<Answers[R['op']]> =>
    turns.take(crew.crewId, () => {
      if (closing.signal.aborted) throw new RuntimeError('unreachable', 'the server stops')
      return runtime.marks(crew.spec, current(crew, request), patience[request.op])
    })

  /** What is kept is asked for when it is its turn. */
  const current = <R extends MarksRequest>(crew: DesiredCrew, request: R): R =>
    'keep' in request ? { ...request, keep: keptMarks(app, crew.crewId) } : request

  function crewOf(crewId: string): DesiredCrew {
    const crew = desiredCrew(app, crewId)
    if (!crew || crew.want === 'removed') throw new RuntimeError('refused', 'the crew was deleted')
    return crew
  }

  async function tryMark(crewId: string, id: string): Promise<Marked | string> {
    const { crewMarksMb, diskReserveMb } = app.config
    const room = { mostBytes: crewMarksMb * MB, reserveBytes: diskReserveMb * MB }
    try {
      return await ask(crewOf(crewId), { op: 'mark', id, keep: [], ...room })
    } catch (error) {
      app.log.warn({ err: error, crew: crewId, checkpoint: id }, 'The files of a crew could not be marked')
      return (error as Error).message
    }
  }

  async function mark(checkpointId: string): Promise<Marked | string> {
    const row = markOf(app, checkpointId)
    if (!row) return 'the checkpoint was deleted'
    const marked = await tryMark(row.crew_id, row.mark_id)
    if (closing.signal.aborted) return 'the server stops'
    const settle = () => {
      if (typeof marked === 'string') return settleMark(app, checkpointId, 'failed', { reason: marked })
      const { leftOut, leftOutPaths, tooDeep: _deep, ...counts } = marked
      const left = leftOut ? { left_out: leftOut, left_out_paths: leftOutPaths } : {}
      settleMark(app, checkpointId, 'marked', { ...counts, ...left })
    }
    await untilWritten(app, settle, closing.signal)
    return marked
  }

  const parts: MarkParts = { app, runtime, ask, mark, closed: closing.signal }

  function rewind(id: string): Promise<void> {
    const known = rewinds.get(id)
    if (known) return known
    const row = findRewind(app, id)
    if (!row || row.ended_at !== null) return Promise.resolve()
    const going = carryOut(parts, row).finally(() => rewinds.delete(id))
    rewinds.set(id, going)
    return going
  }

  async function asked<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error) => {
      throw runtimeProblem(error)
    })
  }

  return {
    available,
    mark: async (checkpointId) => void (await mark(checkpointId)),
    changes: (crewId, id, limit) => asked(async () => ask(crewOf(crewId), { op: 'changes', id, limit })),
    diff: (crewId, id, path) => asked(async () => ask(crewOf(crewId), { op: 'diff', id, path })),
    rewind,
    async released(crewId, waiting, signal) {
      for (let open = openRewindOf(app, crewId); open && !signal.aborted; open = openRewindOf(app, crewId)) {
        waiting("The crew's files are being put back")
        await Promise.race([rewind(open.id), aborted(signal)])
        // The next daemon goes on with both, the rewind and whoever waits for it.
        if (closing.signal.aborted) return aborted(signal)
      }
    },
    prune(crewId) {
      const crew = desiredCrew(app, crewId)
      if (!available || !crew || crew.want === 'removed') return
      ask(crew, { op: 'prune', keep: [] }).catch((error: Error) =>
        app.log.info({ err: error, crew: crewId }, 'Marks that nothing needs are dropped another time'),
      )
    },
    async recover() {
      recordSoon(app, 'marks that were not finished', () => failLeftMarks(app))
      for (const { id } of openRewinds(app)) void rewind(id)
    },
    close: () => closing.abort(),
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
