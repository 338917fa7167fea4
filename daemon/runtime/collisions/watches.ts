import type { AgentFrame } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { recordSoon } from '#kernel/store/until-written'
import { recordCollision, recordGap } from '../../features/collisions/service.ts'
import { findRun, openRuns, type Run, workingOfCrew } from '../../features/runs/service.ts'
import type { LaunchFacts } from '../runs/parts.ts'
import type { CollisionService, CollisionWatch } from '../service-types.ts'
import type { Runtime } from '../types.ts'
import type { Working } from './attribution.ts'
import { CrewWatch } from './crew-watch.ts'

/** What begins and ends the program of a run. */
const changes = new Set(['exec.command', 'run.parked', 'run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])

export interface Collisions extends CollisionService {
  /** Watches for what an earlier daemon left at work. To be called once, at start. */
  recover(): void
  close(): void
}

/** Watches the shared folders of each crew while two or more of its agents are at work. */
export function createCollisions(app: App, runtime: Runtime): Collisions {
  const crews = new Map<string, CrewWatch>()

  function workingIn(crewId: string): Working[] {
    return workingOfCrew(app, crewId).flatMap((run) => (hasProgram(run) ? [workingOf(run)] : []))
  }

  function look(crewId: string): void {
    const working = workingIn(crewId)
    const known = crews.get(crewId)
    if (!known && working.length === 0) return
    const watch = known ?? openWatch(crewId)
    watch.work(working)
  }

  function openWatch(crewId: string): CrewWatch {
    const record = (what: string, change: () => void) => recordSoon(app, `${what} in crew ${crewId}`, change)
    const watch = new CrewWatch({
      clock: () => app.clock(),
      open: (since, sink) => runtime.watchWrites(crewId, since, sink),
      found: (all) =>
        record('a collision', () => {
          for (const { thing, first, second, count } of all)
            recordCollision(app, {
              ...thing,
              certain: first.certain && second.certain,
              count,
              first: { runId: first.run.runId, at: first.at },
              second: { runId: second.run.runId, at: second.at },
            })
        }),
      gap: (gap) =>
        record('what is not noticed', () => {
          const run = watch.anyRun && findRun(app, watch.anyRun)
          if (run) recordGap(app, { workspace_id: run.workspace_id, crew_id: crewId }, gap)
        }),
    })
    crews.set(crewId, watch)
    return watch
  }

  const onEntry = ({ entry: { entry_type, crew_id } }: Recorded): void => {
    if (crew_id && changes.has(entry_type)) look(crew_id)
  }
  app.bus.on('entry', onEntry)

  return {
    recover() {
      for (const crewId of new Set(openRuns(app).map(({ crew_id }) => crew_id))) look(crewId)
    },
    watch: (crewId): CollisionWatch => crews.get(crewId)?.state ?? idle,
    saw(run: { id: string; crew_id: string }, folder: string, frame: AgentFrame) {
      crews.get(run.crew_id)?.saw(run.id, folder, frame)
    },
    close() {
      app.bus.off('entry', onEntry)
      for (const watch of crews.values()) watch.close()
      crews.clear()
    },
  }
}

const idle: CollisionWatch = { state: 'idle', reason: null, since: null, folders: 0, gaps: [] }

const hasProgram = ({ phase, launch_json }: Run): boolean => phase !== 'queued' && launch_json !== null

/** A run that goes on keeps the user id with which it was started. */
function workingOf({ id, agent_id, created_at, launch_json }: Run): Working {
  const { agent } = JSON.parse(launch_json!) as LaunchFacts
  return { runId: id, agentId: agent_id, uid: agent.uid, from: created_at, until: null }
}
