import { type Fact, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { type DesiredCrew, forget, markSeen, type Seen, want } from '../features/crews/containers/service.ts'
import { isWorkspace } from '../features/workspaces/service.ts'
import { RuntimeError } from './errors.ts'
import type { Step } from './plan.ts'
import type { ObservedCrew, Runtime, SidecarConfig } from './types.ts'

export interface StepParts {
  app: App
  runtime: Runtime
  /** What the crew's sidecar shall know now. */
  sidecarConfig(crew: DesiredCrew): SidecarConfig
  /** Takes away what agents left who are gone, beside the step. */
  tidy(crewId: string): void
  /** Whether a run of the crew goes on, waits to be started or is being started, or a port of it is open. */
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

/** One executor for each kind of step. Each leaves the crew so that the next plan is another one, or throws. */
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

  async stop({ runtime, endRuns }, { crewId }) {
    await endRuns(crewId)
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

  /** Its volumes stay: a database brought back from a backup may know less than there is. */
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

/**
 * What a person waits for while a container comes up, once for each part of the work; details of a build go to the log.
 */
function journalProgress({ app }: StepParts, { crewId, workspaceId }: DesiredCrew) {
  let last = ''
  let built = false
  const about = { workspace_id: workspaceId, crew_id: crewId, actor_type: 'orchestrator' } as const
  const record = (progress: Fact) => recordSoon(app, 'how a crew comes up', () => app.journal(progress))
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

/** What an observation says of the crew's container. */
export function seenOf(observed: ObservedCrew | null, error: string | null): Seen {
  if (!observed || observed.containerId === '')
    return { state: error ? 'error' : 'none', containerId: null, contract: null, startedAt: null, error }
  const { state, containerId, contract, startedAt } = observed
  return { state: error ? 'error' : state, containerId, contract, startedAt, error }
}
