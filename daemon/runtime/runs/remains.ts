import { setMaxListeners } from 'node:events'
import type { App } from '#kernel/app'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { type FoundVersion, noteVersions } from '../../features/blame/recording/service.ts'
import {
  firstStart,
  type Gap,
  type LeftFiles,
  noteImage,
  noteRemains,
  unknownFiles,
} from '../../features/runs/receipts/service.ts'
import { besides, busyBeside, findRun, type Run } from '../../features/runs/service.ts'
import { changedFiles, type Place } from '../agent-files.ts'
import { RuntimeError } from '../errors.ts'
import { Semaphore } from '../semaphore.ts'
import type { Runtime } from '../types.ts'
import { foundFiles, texts, versionsOf } from './found-files.ts'
import type { LaunchFacts } from './parts.ts'
import { unless } from './waiting.ts'

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

/** What a search found: for the run's receipt, and to trace lines back. */
interface Found {
  left: LeftFiles
  versions: FoundVersion[]
}

const nothing = (gap: Gap): Found => ({ left: unknownFiles(gap), versions: [] })

/**
 * Finds out what runs leave behind, for their receipts and to trace lines back: after their end is stored, so that
 * nothing waits for it.
 */
export function createRemains(app: App, runtime: Runtime): Remains {
  const pending = new Map<string, Promise<void>>()
  const places = new Semaphore(atOnce)
  const stopping = new AbortController()
  // As many runs may end at once as there are.
  setMaxListeners(0, stopping.signal)

  async function record(run: Run): Promise<void> {
    const found = await unless(stopping.signal, () => places.run(() => lookFor(run)))
    const { left, versions } = found ?? nothing('interrupted')
    const { workspace_id, crew_id, id: run_id } = run
    const note = () => {
      noteRemains(app, run, left)
      noteVersions(app, { workspace_id, crew_id, run_id, user_id: null }, versions)
    }
    await untilWritten(app, note, stopping.signal)
  }

  async function lookFor(run: Run): Promise<Found> {
    const since = firstStart(app, run.id)
    if (since === null || run.launch_json === null) return nothing('no_program')
    if (stopping.signal.aborted) return nothing('interrupted')
    const { agent } = JSON.parse(run.launch_json) as LaunchFacts
    return search(run, { crewId: run.crew_id, agent }, since)
  }

  async function search(run: Run, place: Place, since: number): Promise<Found> {
    const { output, crewShared, workspaceShared } = runtime.places(place.crewId, place.agent)
    const { uid } = place.agent
    const others = app.config.crewHistoryMb > 0 && ({ others: true } as const)
    const shared = runtime.kind === 'docker' ? [crewShared, workspaceShared] : []
    const roots = [{ path: output }, ...shared.map((path) => ({ path, uid, ...others }))]
    const asked = { roots, since, most, ...(others && { texts }) }
    try {
      // Another run of the agent that ends meanwhile may end the search with what it left.
      const answer = await changedFiles(runtime, place, asked).catch((error) => {
        if (error instanceof RuntimeError && error.kind === 'not_running') throw error
        return changedFiles(runtime, place, asked)
      })
      const scrub = app.scrub(run, [])
      const beside = besides(app, run, since).map(({ id }) => id)
      const left = foundFiles(answer, asked, beside, scrub)
      const busy = busyBeside(app, run, since)
      const versions = others
        ? await versionsOf(answer, asked, { ofAgent: busy.includes(run.agent_id), ofCrew: busy.length > 0 }, scrub)
        : []
      // Agents that are processes of one user write where they like.
      if (runtime.kind === 'docker') return { left, versions }
      return { left: { ...left, complete: false, gaps: [...left.gaps, 'not_confined'] }, versions }
    } catch (error) {
      app.log.info({ err: error, run: run.id }, 'The files that a run left are not known')
      const gone = error instanceof RuntimeError && error.kind === 'not_running'
      return nothing(gone ? 'crew_not_running' : 'failed')
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
