import type { DesiredCrew } from '../features/crews/containers/service.ts'
import type { ObservedCrew } from './types.ts'

/** The next step that brings one crew closer to its desired state. */
export type Step =
  /** Nothing, until something changes or `until` (milliseconds since 1970) has passed. */
  | { do: 'wait'; until?: number }
  | { do: 'bring_up' }
  /** The container is right, but the daemon is not connected to it or its sidecar has an older configuration. */
  | { do: 'connect' }
  /** The crew was idle for its time to live, so its desired state becomes stopped. */
  | { do: 'sleep' }
  | { do: 'stop' }
  /** Removes containers and network of a crew that should not run; its data stays. */
  | { do: 'clear' }
  /** The crew is deleted: removes everything, including its data. */
  | { do: 'remove' }
  /** Removes a container that no row owns. */
  | { do: 'reap' }

export interface Facts {
  /** Milliseconds since 1970. */
  now: number
  /** A run of the crew is active or about to start, or one of its ports is open to people. */
  live: boolean
  /** The crew's files are being put back: nothing of it may run. */
  held: boolean
  /** The daemon is connected to this very container, and its sidecar has the newest configuration. */
  connected: boolean
}

const hour = 3_600_000
/** Milliseconds that the runs of a deleted crew have to end. */
const endingMs = 30_000

/** Decides the next step for a crew. `desired` is null without a row, `observed` when the engine has nothing of it. */
export function plan(desired: DesiredCrew | null, observed: ObservedCrew | null, facts: Facts): Step {
  if (!desired) return observed ? { do: 'reap' } : { do: 'wait' }
  if (desired.want === 'removed') return planRemoval(desired, observed, facts)
  if (desired.want === 'stopped' || facts.held) return planStop(observed)
  if (observed?.state !== 'running' || !observed.healthy) return { do: 'bring_up' }
  if (!facts.connected) return { do: 'connect' }
  return planSleep(desired, observed, facts)
}

function planRemoval({ wantedAt }: DesiredCrew, observed: ObservedCrew | null, { live, now }: Facts): Step {
  const until = Date.parse(wantedAt) + endingMs
  return observed && live && now < until ? { do: 'wait', until } : { do: 'remove' }
}

function planStop(observed: ObservedCrew | null): Step {
  if (!observed || observed.state === 'stopped') return { do: 'wait' }
  // Stopping a container that never started, or cannot start, would not help.
  return observed.state === 'running' ? { do: 'stop' } : { do: 'clear' }
}

function planSleep({ ttlHours, usedAt }: DesiredCrew, { startedAt }: ObservedCrew, { now, live }: Facts): Step {
  if (live || ttlHours === 0) return { do: 'wait' }
  const idleSince = Math.max(Date.parse(usedAt ?? '') || 0, Date.parse(startedAt ?? '') || 0)
  const until = idleSince + ttlHours * hour
  return now < until ? { do: 'wait', until } : { do: 'sleep' }
}
