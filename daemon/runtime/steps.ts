import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { openRewindOf } from '../features/checkpoints/rewinds/service.ts'
import { type DesiredCrew, forget, markSeen, type Seen, want } from '../features/crews/containers/service.ts'
import { isWorkspace } from '../features/workspaces/service.ts'
import { RuntimeError } from './errors.ts'
import type { Step } from './plan.ts'
import type { ObservedCrew, Runtime, SidecarConfig } from './types.ts'

export interface StepParts {
  app: App
  runtime: Runtime
  /** The current configuration for the crew's sidecar. */
  sidecarConfig(crew: DesiredCrew): SidecarConfig
  /** Cleans up after agents in the background. */
  tidy(crewId: string): void
  /** Whether the crew has an active or queued run, or an open port. */
  isLive(crewId: string): boolean
  /** Ends the runs of a crew that is about to be stopped; resolves when they have their terminal entries. */
  endRuns(crewId: string): Promise<void>
}

export interface Doing {
  crewId: string
  desired: DesiredCrew | null
  observed: ObservedCrew | null
}

type Executors = { [K in Step['do']]: (parts: StepParts, doing: Doing) => Promise<void> }

/** One executor for each kind of step. It changes the crew so that the next plan is another step, or throws. */
export const steps: Executors = {
  async wait() {},

  async bring_up(parts, { desired }) {
    const { app, runtime } = parts
    const { crewId, seen } = desired!
    await app.write(() => markSeen(app, crewId, { ...seen, state: 'creating', error: null }))
    const progress = journalProgress(parts, desired!)
    await runtime.ensure(desired!.spec, progress).then(progress.complete, progress.failed)
    await runtime.configureSidecar(crewId, parts.sidecarConfig(desired!))
    parts.tidy(crewId)
  },

  async connect(parts, { desired }) {
    await parts.runtime.ensure(desired!.spec, { step() {} })
    await parts.runtime.configureSidecar(desired!.crewId, parts.sidecarConfig(desired!))
    parts.tidy(desired!.crewId)
  },

  async sleep({ app, isLive }, { crewId }) {
    await app.write(() => !isLive(crewId) && want(app, crewId, 'stopped', null))
  },

  async stop({ app, runtime, endRuns }, { crewId }) {
    // Runs that were begun since wait until the files are put back.
    if (!openRewindOf(app, crewId)) await endRuns(crewId)
    await runtime.stop(crewId)
  },

  async clear({ runtime, endRuns }, { crewId }) {
    await endRuns(crewId)
    await runtime.remove(crewId, { data: false })
  },

  async remove({ app, runtime }, { crewId }) {
    await runtime.remove(crewId, { data: true })
    await app.write(() => forget(app, crewId))
  },

  /** Its volumes stay: a database that was restored from a backup may not know the crew. */
  async reap({ app, runtime }, { crewId, observed }) {
    const { containerId, workspaceId } = observed!
    app.log.warn({ crew: crewId, container: containerId }, 'Removing a container that no crew owns; its volumes stay')
    await runtime.remove(crewId, { data: false })
    if (!workspaceId || !isWorkspace(app, workspaceId)) return
    const payload = { container_id: containerId || null, crew_id: crewId }
    await untilWritten(app, () =>
      app.journal(fact('container.reaped', payload, { workspace_id: workspaceId, actor_type: 'orchestrator' })),
    )
  },
}

/** Journals the progress of starting a container, once for each part of the work; details of a build are logged. */
function journalProgress({ app }: StepParts, { crewId, workspaceId }: DesiredCrew) {
  let last = ''
  let built = false
  const about = { workspace_id: workspaceId, crew_id: crewId, actor_type: 'orchestrator' } as const
  const record = (progress: Fact) => recordSoon(app, 'progress of starting a crew', () => app.journal(progress))
  return {
    step(name: string, detail?: string) {
      app.log.debug({ crew: crewId, detail }, name)
      if (name === last) return
      last = name
      const images = /image/.test(name)
      built ||= images
      record(fact(images ? 'provisioning.building' : 'provisioning.step', { step: name, status: 'running' }, about))
    },
    complete() {
      if (built) record(fact('provisioning.complete', {}, about))
    },
    failed(error: Error) {
      if (error instanceof RuntimeError && error.kind === 'image')
        record(fact('provisioning.failed', { error: error.message, step: last }, about))
      throw error
    },
  }
}

/** The observed state of the crew's container. */
export function seenOf(observed: ObservedCrew | null, error: string | null): Seen {
  if (!observed || observed.containerId === '')
    return { state: error ? 'error' : 'none', containerId: null, contract: null, startedAt: null, error }
  const { state, containerId, contract, startedAt } = observed
  return { state: error ? 'error' : state, containerId, contract, startedAt, error }
}
