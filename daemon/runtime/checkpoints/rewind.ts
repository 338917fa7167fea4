import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import { beginRestoring, endRewind, type Outcome, type RewindRow } from '../../features/checkpoints/rewinds/service.ts'
import { desiredCrew } from '../../features/crews/containers/service.ts'
import { RuntimeError } from '../errors.ts'
import type { MarkParts } from './marks.ts'

const retryMs = 5_000
/** How often an engine that does not answer is asked again. */
const tries = 60

/**
 * Puts the files of a crew back: stops its container, marks the files as they are, writes those of the checkpoint, and
 * lets the crew go on. Each step may be done again, so that a later daemon finishes what this one began.
 */
export async function carryOut(parts: MarkParts, row: RewindRow): Promise<void> {
  const { app, closed } = parts
  const state = { touched: row.phase === 'restoring' }
  let outcome: Outcome
  try {
    outcome = await patiently(parts, () => putBack(parts, row, state))
  } catch (error) {
    if (closed.aborted) return
    app.log.error({ err: error, crew: row.crew_id, rewind: row.id }, 'The files of a crew could not be put back')
    outcome = { reason: (error as Error).message, touched: state.touched }
  }
  await untilWritten(app, () => endRewind(app, row.id, outcome), closed)
  if (closed.aborted) return
  // The crew may run again.
  app.runtime.start(row.crew_id).catch((error: Error) => {
    app.log.info({ err: error, crew: row.crew_id }, 'The crew comes up later')
  })
}

async function putBack(parts: MarkParts, row: RewindRow, state: { touched: boolean }): Promise<Outcome> {
  const { app, ask, mark, closed } = parts
  await stopped(parts, row.crew_id)
  if (!state.touched) {
    const before = await mark(row.before_id)
    if (typeof before === 'string') throw new RuntimeError('refused', `how they are could not be marked: ${before}`)
    if (before.tooDeep)
      throw new RuntimeError('refused', `folders are nested too deep to be marked, as ${before.leftOutPaths[0]}`)
    await untilWritten(app, () => beginRestoring(app, row.id), closed)
    if (closed.aborted) throw new RuntimeError('unreachable', 'the server stops')
    state.touched = true
  }
  const { left, ...done } = await ask(crewOf(parts, row.crew_id), { op: 'restore', id: row.mark_id })
  if (left) throw new RuntimeError('refused', `${left} of them differ afterwards`)
  return done
}

function crewOf({ app }: MarkParts, crewId: string) {
  const crew = desiredCrew(app, crewId)
  if (!crew || crew.want === 'removed') throw new RuntimeError('refused', 'the crew was deleted')
  return crew
}

/** The reconciler stops a crew with an open rewind, whatever is wished of it. */
async function stopped(parts: MarkParts, crewId: string): Promise<void> {
  const { app, runtime } = parts
  crewOf(parts, crewId)
  await app.runtime.stop(crewId)
  const [observed] = await runtime.observe(crewId)
  if (observed && observed.state !== 'stopped')
    throw new RuntimeError('refused', `the crew's container could not be stopped; it is ${observed.state}`)
}

/** Waits for an engine that does not answer. */
async function patiently<T>({ closed }: MarkParts, work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (closed.aborted || left === 1 || !isAway(error)) throw error
      await delay(retryMs, undefined, { signal: closed, ref: false })
    }
  }
}

const isAway = (error: unknown): boolean =>
  (error instanceof RuntimeError && error.kind === 'unreachable') ||
  (error instanceof Problem && error.code === 'runtime_unavailable')
