import type { App } from '#kernel/app'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import {
  firstStart,
  type LeftFiles,
  noteImage,
  noteRemains,
  unknownFiles,
} from '../../features/runs/receipts/service.ts'
import { besides, findRun, type Run } from '../../features/runs/service.ts'
import { changedFiles, type Place } from '../agent-files.ts'
import { RuntimeError } from '../errors.ts'
import { Semaphore } from '../semaphore.ts'
import type { Runtime } from '../types.ts'
import { foundFiles } from './found-files.ts'
import type { LaunchFacts } from './parts.ts'

/** How much of a run's files is hashed at its end. */
const most = { entries: 50_000, files: 1000, bytes: 256 * 1024 * 1024, pathBytes: 256 * 1024, depth: 64, ms: 10_000 }
/** Searches that go on at once, over all crews. */
const atOnce = 2

export interface Remains {
  /** Notes the image in which a run's program works. */
  started(runId: string): void
  /** Finds out what an ended run left, and records it. */
  ended(runId: string): void
  /** Resolves once that is recorded. */
  settled(runId: string): Promise<void>
  /** Records of what is not found yet that it is not known. */
  close(): Promise<void>
}

/** Finds out what runs leave behind, for their receipts: after their end is stored, so that nothing waits for it. */
export function createRemains(app: App, runtime: Runtime): Remains {
  const pending = new Map<string, Promise<void>>()
  const places = new Semaphore(atOnce)
  const stopping = new AbortController()

  async function record(run: Run): Promise<void> {
    const stopped = new Promise<LeftFiles>((resolve) =>
      stopping.signal.addEventListener('abort', () => resolve(unknownFiles('interrupted')), { once: true }),
    )
    const files = await Promise.race([places.run(() => lookFor(run)), stopped])
    await untilWritten(app, () => noteRemains(app, run, files), stopping.signal)
  }

  async function lookFor(run: Run): Promise<LeftFiles> {
    const since = firstStart(app, run.id)
    if (since === null || run.launch_json === null) return unknownFiles('no_program')
    if (stopping.signal.aborted) return unknownFiles('interrupted')
    const { agent } = JSON.parse(run.launch_json) as LaunchFacts
    return search(run, { crewId: run.crew_id, agent }, since)
  }

  async function search(run: Run, place: Place, since: number): Promise<LeftFiles> {
    const { output, crewShared, workspaceShared } = runtime.places(place.crewId, place.agent)
    const { uid } = place.agent
    const shared = runtime.kind === 'docker' ? [crewShared, workspaceShared].map((path) => ({ path, uid })) : []
    const asked = { roots: [{ path: output }, ...shared], since, most }
    try {
      // Another run of the agent that ends meanwhile may end the search with what it left.
      const answer = await changedFiles(runtime, place, asked).catch((error) => {
        if (error instanceof RuntimeError && error.kind === 'not_running') throw error
        return changedFiles(runtime, place, asked)
      })
      const scrub = app.scrub(run, [])
      const others = besides(app, run, since).map(({ id }) => id)
      const left = foundFiles(answer, asked, others, scrub)
      // Agents that are processes of one user write where they like.
      return runtime.kind === 'docker' ? left : { ...left, complete: false, gaps: [...left.gaps, 'not_confined'] }
    } catch (error) {
      app.log.info({ err: error, run: run.id }, 'The files that a run left are not known')
      const gone = error instanceof RuntimeError && error.kind === 'not_running'
      return unknownFiles(gone ? 'crew_not_running' : 'failed')
    }
  }

  return {
    started(runId) {
      const run = findRun(app, runId)
      if (!run) return
      runtime.imageOf(run.crew_id).then(
        (image) => image && recordSoon(app, 'the image of a run', () => noteImage(app, run, image)),
        (error: Error) => app.log.info({ err: error, run: runId }, 'The image of a run is not known'),
      )
    },
    ended(runId) {
      const run = findRun(app, runId)
      if (!run || pending.has(runId)) return
      const work = record(run)
        .catch((error: Error) => app.log.error({ err: error, run: runId }, 'What a run left is not on record'))
        .finally(() => pending.delete(runId))
      pending.set(runId, work)
    },
    settled: async (runId) => pending.get(runId),
    async close() {
      stopping.abort()
      await Promise.all(pending.values())
    },
  }
}
