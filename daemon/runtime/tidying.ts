import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { desiredCrew, desiredCrews } from '../features/crews/containers/service.ts'
import { departedOf, placesOf } from '../features/crews/places/service.ts'
import { programsFor } from '../features/integrations/programs/service.ts'
import { isShowing } from '../features/ports/service.ts'
import { workingOfAgent } from '../features/runs/service.ts'
import type { Runtime } from './types.ts'

const firstRetryMs = 2_000
const longestRetryMs = 60_000
const endings = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout', 'network.port_closed'])

export interface Tidying {
  /** Cleans up after a crew's agents soon, and retries until it succeeds. */
  look(crewId: string): void
  close(): void
}

/**
 * Ends agents' processes that belong to no run or open port, and removes what agents and tool servers leave behind that
 * left the crew.
 * Runs whenever a crew is brought up or connected, so that it completes after the daemon was killed.
 */
export function createTidying(app: App, runtime: Runtime): Tidying {
  const busy = new Map<string, { again: boolean }>()
  const waiting = new Map<string, NodeJS.Timeout>()
  let closed = false

  async function tidy(crewId: string): Promise<void> {
    for (const { agent, deleted } of departedOf(app, crewId)) {
      // The output of a run whose end is not recorded yet is still being read from its folder.
      await runtime.clear(crewId, agent, { data: deleted && workingOfAgent(app, agent.agentId).length === 0 })
    }
    const crew = desiredCrew(app, crewId)
    if (crew) await runtime.clearServers(crewId, programsFor(app, crew.workspaceId, crewId))
    for (const agent of placesOf(app, crewId)) {
      if (workingOfAgent(app, agent.agentId).length === 0 && !isShowing(app, agent.agentId))
        await runtime.endLeft(crewId, agent)
    }
  }

  async function turn(crewId: string, retryMs: number): Promise<void> {
    const state = { again: false }
    busy.set(crewId, state)
    try {
      await tidy(crewId)
    } catch (error) {
      app.log.warn({ err: error, crew: crewId }, 'Cleaning up after agents failed and will be retried')
      if (!closed)
        waiting.set(crewId, setTimeout(() => begin(crewId, Math.min(2 * retryMs, longestRetryMs)), retryMs).unref())
    }
    busy.delete(crewId)
    if (state.again) look(crewId)
  }

  function begin(crewId: string, retryMs: number): void {
    clearTimeout(waiting.get(crewId))
    waiting.delete(crewId)
    const going = busy.get(crewId)
    if (going) going.again = true
    else if (!closed) void turn(crewId, retryMs)
  }

  const look = (crewId: string) => begin(crewId, firstRetryMs)

  const runningIn = (workspaceId: string) =>
    desiredCrews(app).flatMap((it) =>
      it.workspaceId === workspaceId && it.seen.state === 'running' ? [it.crewId] : [],
    )

  const onEntry = ({ entry: { entry_type, workspace_id, crew_id, payload } }: Recorded): void => {
    const left = entry_type.startsWith('audit.entity_') && payload?.['entity_type'] === 'agent'
    if (crew_id && (left || endings.has(entry_type))) look(crew_id)
    if (entry_type === 'audit.entity_deleted' && payload?.['entity_type'] === 'integration')
      for (const it of crew_id ? [crew_id] : runningIn(workspace_id)) look(it)
  }
  app.bus.on('entry', onEntry)
  return {
    look,
    close() {
      closed = true
      app.bus.off('entry', onEntry)
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}
