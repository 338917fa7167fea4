import type { Server } from 'node:http'
import type { App } from '#kernel/app'
import { startJobs } from '#kernel/jobs/start'
import { renewalsOver } from './features/credentials/oauth-renewal/service.ts'
import { features } from './features/index.ts'
import { isExposed } from './features/ports/service.ts'
import { wishCancel, workingOfCrew } from './features/runs/service.ts'
import { hasShell } from './features/shells/service.ts'
import { createMarks } from './runtime/checkpoints/marks.ts'
import { createCollisions } from './runtime/collisions/watches.ts'
import { DiskGuard } from './runtime/disk/guard.ts'
import { createMonitor } from './runtime/monitor/monitor.ts'
import { openRuntime } from './runtime/open.ts'
import { Reconciler } from './runtime/reconcile.ts'
import { createRuns, type RunService } from './runtime/runs/index.ts'
import { scrubCalls } from './runtime/runs/secrets.ts'
import { createScripts, type ScriptService } from './runtime/scripts/index.ts'
import { createShells } from './runtime/shells.ts'
import { answerCalls } from './runtime/sidecar-calls.ts'
import { sidecarConfig } from './runtime/sidecar-config.ts'
import { keepReports } from './runtime/sidecar-reports.ts'
import { createTidying } from './runtime/tidying.ts'
import { createTripwires } from './runtime/tripwires/tripwires.ts'
import type { Runtime } from './runtime/types.ts'
import { openTraces } from './streams/traces/index.ts'
import { createSockets } from './streams/ws.ts'

/** What runs besides requests: sockets, runtime, jobs. */
export interface Services {
  /** Lets a listening server upgrade connections. */
  attach(server: Server): void
  close(): Promise<void>
}

/** Starts all services in the order of their dependencies. */
export async function startServices(app: App): Promise<Services> {
  const traces = await openTraces(app)
  const jobs = startJobs(app, features)
  const runtime = openRuntime(app)
  const runs = createRuns(app, runtime)
  const shells = createShells(app, runtime)
  const scripts = createScripts(app, runtime)
  const tidying = createTidying(app, runtime)
  const collisions = createCollisions(app, runtime)
  const monitor = createMonitor({ app, stop: (runId, reason) => runs.fail(runId, reason) })
  const tripwires = createTripwires({ app, stop: (runId, reason) => runs.fail(runId, reason) })
  const marks = createMarks(app, runtime)
  const disk = new DiskGuard({ app, runtime })
  const reconciler = new Reconciler({
    app,
    runtime,
    tidy: (crewId) => tidying.look(crewId),
    sidecarConfig: (crew) => sidecarConfig(app, crew, scripts.usersOf(crew.crewId)),
    isLive: (crewId) =>
      workingOfCrew(app, crewId).length > 0 ||
      isExposed(app, crewId) ||
      hasShell(app, crewId) ||
      scripts.isLive(crewId),
    endRuns: (crewId) => {
      const reason = disk.reason(crewId)
      return reason
        ? refuseRuns(app, { runs, scripts }, runtime, crewId, reason)
        : endRuns(app, { runs, scripts }, crewId)
    },
  })
  keepReports(app, runtime)
  scrubCalls(app)
  answerCalls(app, runtime)
  app.runtime = reconciler
  app.runs = runs
  app.shells = shells
  app.scripts = scripts
  app.disk = disk
  app.collisions = collisions
  app.monitor = monitor
  app.tripwires = tripwires
  app.marks = marks
  // Not awaited: an engine that is slow or down must not delay the daemon's start.
  const opened = reconciler.open()
  disk.open()
  collisions.recover()
  await marks.recover()
  await runs.recover()
  await shells.recover()
  const sockets = createSockets(app)
  return {
    attach: (server) => sockets.attach(server),
    async close() {
      sockets.close()
      jobs.close()
      disk.close()
      collisions.close()
      monitor.close()
      marks.close()
      scripts.close()
      await shells.close()
      await runs.close()
      // An answer takes less than that; the time of the stop is for others, too.
      await renewalsOver(app, app.config.shutdownTimeout * 250)
      await opened
      await reconciler.close()
      tidying.close()
      await runtime.close()
      await traces.close()
    },
  }
}

interface AtWork {
  runs: RunService
  scripts: ScriptService
}

/**
 * Ends the runs and scripts of a crew whose container is about to stop; resolves when their ends are stored. Runs that
 * wait for people are left.
 */
async function endRuns(app: App, { runs, scripts }: AtWork, crewId: string): Promise<void> {
  const open = workingOfCrew(app, crewId)
  await app.write(() => {
    for (const { id } of open) wishCancel(app, id, null)
  })
  await Promise.all([...open.map(({ id }) => runs.ended(id)), scripts.endAll(crewId, 'The crew was stopped')])
}

/** Ends the runs of a crew that may write nothing more, stopping its container first. Queued runs stay queued. */
async function refuseRuns(
  app: App,
  { runs, scripts }: AtWork,
  runtime: Runtime,
  crewId: string,
  reason: string,
): Promise<void> {
  const open = workingOfCrew(app, crewId).filter(({ phase }) => phase !== 'queued')
  for (const { id } of open) runs.fail(id, reason)
  const scriptsEnded = scripts.endAll(crewId, reason)
  await runtime.stop(crewId, { now: true })
  await Promise.all([...open.map(({ id }) => runs.ended(id)), scriptsEnded])
}
