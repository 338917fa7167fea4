import { noContainer } from '#kernel/absent'
import { type Problem, problem } from '#kernel/problem'
import { type DesiredCrew, desiredCrew } from '../features/crews/containers/service.ts'
import { RuntimeError } from './errors.ts'
import type { ContainerStatus } from './service-types.ts'
import type { StepParts } from './steps.ts'
import type { ObservedCrew } from './types.ts'

/** The problem that a request gets for a failure of the runtime. */
export function runtimeProblem(error: unknown): Problem | Error {
  if (!(error instanceof RuntimeError)) return error as Error
  return problem(error.kind === 'unreachable' ? 'runtime_unavailable' : 'runtime_failed', { detail: error.message })
}

/** The status while the engine does not answer. */
export const unknownStatus = (error: Error): ContainerStatus => ({
  ...noContainer,
  state: 'unknown',
  error: error.message,
})

interface Doing {
  /** A step for the crew is in progress. */
  busy: boolean
  /** Why the last attempt failed. */
  error: Error | null
}

/** The status of a crew's container, for people. */
export function statusOf(
  { app, runtime }: StepParts,
  crewId: string,
  observed: ObservedCrew | null,
  { busy, error }: Doing,
): ContainerStatus {
  const desired = desiredCrew(app, crewId)
  if (!desired) return noContainer
  const running = observed?.state === 'running'
  const comes = busy && desired.want === 'running' && !(running && observed?.healthy)
  const why = error?.message ?? desired.seen.error
  const stale = running && observed?.contract !== runtime.contractOf(desired.spec)
  const drift = observed ? driftOf(desired, observed, stale) : []
  return {
    state: comes ? 'creating' : stateOf(observed, why),
    containerId: observed?.containerId || null,
    startedAt: observed?.startedAt ?? null,
    contract: running ? (stale ? 'stale' : 'current') : null,
    effectiveMemoryMb: (running && observed?.made?.memoryMb) || null,
    effectiveCpus: (running && observed?.made?.cpus) || null,
    configDrift: drift,
    notices: stale ? ['The container was made from an older specification; the next start makes it anew'] : [],
    error: comes ? null : why,
  }
}

function stateOf(observed: ObservedCrew | null, error: string | null): ContainerStatus['state'] {
  if (!observed) return error ? 'error' : 'not_configured'
  return observed.state === 'running' && !observed.healthy ? 'error' : observed.state
}

/**
 * Members of the crew that differ from what its container was made with; `image` when it is our own programs that are
 * newer.
 */
function driftOf({ spec }: DesiredCrew, { made }: ObservedCrew, stale: boolean): string[] {
  if (!made || !stale) return []
  const drift = [
    ...(made.memoryMb === spec.memoryMb ? [] : ['container_memory_mb']),
    ...(made.cpus === spec.cpus ? [] : ['container_cpus']),
    ...(made.image === spec.image ? [] : ['runtime_image']),
  ]
  return drift.length ? drift : ['image']
}
