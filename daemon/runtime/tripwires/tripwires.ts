import type { Buffer } from 'node:buffer'
import type { App } from '#kernel/app'
import { recordSoon } from '#kernel/store/until-written'
import { findRun, workingOfAgent, workingOfCrew } from '../../features/runs/service.ts'
import { decoysOf, lastEvents, recordTrip, type Touch, type TripEvent } from '../../features/tripwires/service.ts'
import type { TripwireService } from '../service-types.ts'
import { createFinder } from './finder.ts'

interface Parts {
  app: App
  /** Ends a run as failed, for this reason. */
  stop(runId: string, reason: string): void
}

const reason = 'A tripwire stopped this run. People who manage the crew decide whether the agent goes on'

/** Notices decoys in what agents print, ask for and send, and ends the runs that touched them. docs/tripwires.md. */
export function createTripwires({ app, stop }: Parts): TripwireService {
  function trip(touch: Omit<Touch, 'events'>): void {
    if (touch.runId !== null) stop(touch.runId, reason)
    const record = (events: TripEvent[]) =>
      recordSoon(app, `that a decoy of crew ${touch.crewId} was touched`, () => recordTrip(app, { ...touch, events }))
    void eventsOf(touch.runId).then(record)
  }

  /** Without them rather than not at all. */
  async function eventsOf(runId: string | null): Promise<TripEvent[]> {
    const run = runId === null ? undefined : findRun(app, runId)
    return run ? lastEvents(app, run.workspace_id, run.id).catch(() => []) : []
  }

  /**
   * The runs that it may have been: of a leftover process nobody knows, so all of its agent end. Where agents cannot be
   * told apart, it was the only run that the crew has, or nobody knows.
   */
  function suspects(crewId: string, agentId: string | null): Pick<Touch, 'agentId' | 'runId'>[] {
    const open = agentId === null ? workingOfCrew(app, crewId) : workingOfAgent(app, agentId)
    if (open.length === 0 || (agentId === null && open.length > 1)) return [{ agentId, runId: null }]
    return open.map(({ id, agent_id }) => ({ agentId: agent_id, runId: id }))
  }

  return {
    reader({ id, crew_id, agent_id }) {
      const find = createFinder(decoysOf(app, crew_id))?.stream()
      if (!find) return null
      return (chunk: Buffer) => {
        const found = find(chunk)
        if (found === null) return
        const detail = 'The value of the decoy stood in what the run printed, which includes what its tools answered'
        trip({ crewId: crew_id, tripwireId: found, agentId: agent_id, runId: id, place: 'output', detail })
      }
    },
    heard(crewId, agentId, runId, route, body) {
      const found = createFinder(decoysOf(app, crewId))?.in(JSON.stringify(body) ?? '') ?? null
      if (found === null) return false
      const detail = `The value of the decoy stood in a call of ${route}, which was not carried out`
      for (const it of runId === null ? suspects(crewId, agentId) : [{ agentId, runId }])
        trip({ crewId, tripwireId: found, ...it, place: 'call', detail })
      return true
    },
    sent(crewId, { tripwireId, agentId, host }) {
      const detail = `The value of the decoy stood in a request to ${host}, which was not sent on`
      for (const it of suspects(crewId, agentId)) trip({ crewId, tripwireId, ...it, place: 'request', detail })
    },
  }
}
