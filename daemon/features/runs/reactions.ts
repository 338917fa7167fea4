import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Run } from './queries.ts'
import { runsOfAgent, runsOfCrew, wishCancel } from './service.ts'

const userOf = ({ actor_type, actor_id }: Happened['about']): string | null =>
  actor_type === 'user' ? (actor_id ?? null) : null

function cancelAll(app: App, runs: readonly Run[], { about }: Pick<Happened, 'about'>): void {
  for (const { id } of runs) wishCancel(app, id, userOf(about))
}

/** Who deletes an agent ends what it does. */
export const cancelRunsOfAgent = (app: App, it: Happened<'agent.deleted'>): void =>
  cancelAll(app, runsOfAgent(app, it.payload.entity_id), it)

/** Who deletes a crew ends what goes on in it, runs of agents that have left it included. */
export const cancelRunsOfCrew = (app: App, it: Happened<'crew.deleted'>): void =>
  cancelAll(app, runsOfCrew(app, it.payload.entity_id), it)

/**
 * A person who stops a crew ends what waits for people in it, which has no program that would end with the container.
 * It outlives a stop for idleness.
 */
export function cancelWaitingOfCrew(app: App, it: Happened<'crew.stop_requested'>): void {
  if (it.about.actor_type === 'system') return
  const waiting = runsOfCrew(app, it.payload.entity_id).filter(({ phase }) => phase === 'parked')
  cancelAll(app, waiting, it)
}
