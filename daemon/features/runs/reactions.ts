import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Run } from './queries.ts'
import { runsOfAgent, runsOfCrew, wishCancel } from './service.ts'

const userOf = ({ actor_type, actor_id }: Happened['about']): string | null =>
  actor_type === 'user' ? (actor_id ?? null) : null

function cancelAll(app: App, runs: readonly Run[], { about }: Pick<Happened, 'about'>): void {
  for (const { id } of runs) wishCancel(app, id, userOf(about))
}

/** Cancels the runs of a deleted agent, as the person who deleted it. */
export const cancelRunsOfAgent = (app: App, it: Happened<'agent.deleted'>): void =>
  cancelAll(app, runsOfAgent(app, it.payload.entity_id), it)

/** Cancels the runs of a deleted crew, including those of agents that have left it. */
export const cancelRunsOfCrew = (app: App, it: Happened<'crew.deleted'>): void =>
  cancelAll(app, runsOfCrew(app, it.payload.entity_id), it)

/**
 * Cancels the runs that wait for people in a crew that a person stops, since they have no program that would end with
 * the container. They survive an idle stop.
 */
export function cancelWaitingOfCrew(app: App, it: Happened<'crew.stop_requested'>): void {
  if (it.about.actor_type === 'system') return
  const waiting = runsOfCrew(app, it.payload.entity_id).filter(({ phase }) => phase === 'parked')
  cancelAll(app, waiting, it)
}
