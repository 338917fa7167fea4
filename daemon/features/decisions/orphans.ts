import type { App } from '#kernel/app'
import { kindOf } from './kinds.ts'
import { queries, type Row } from './queries.ts'
import { settle } from './service.ts'

function withdraw(app: App, rows: readonly Row[], comment: string): void {
  for (const row of rows)
    if (kindOf(row).orphaned)
      settle(app, row.id, {
        state: 'withdrawn',
        actor: null,
        now: app.now(),
        comment,
        orphaned: true,
      })
}

/** Withdraws the open decisions about a deleted subject. */
export const withdrawOfAgent = (app: App, agent: string): void =>
  withdraw(app, queries(app.db).openOfAgent.all(agent), 'The agent is gone')
/** Withdraws the open decisions of an agent that works no more. */
export const withdrawOfGhost = (app: App, agent: string): void =>
  withdraw(app, queries(app.db).openOfAgent.all(agent), 'The time for which the agent was hired is over')
export const withdrawOfCrew = (app: App, crew: string): void =>
  withdraw(app, queries(app.db).openOfCrew.all(crew), 'The crew is gone')
export const withdrawOfWorkspace = (app: App, workspace: string): void =>
  withdraw(app, queries(app.db).openOfWorkspace.all(workspace), 'The workspace is gone')

/** Withdraws decisions that an older version left open about deleted agents, crews and workspaces. */
export function withdrawOrphans(app: App): void {
  const { orphans, byId } = queries(app.db)
  withdraw(
    app,
    orphans.all().map(({ id }) => byId.get(id)!),
    'The agent is gone',
  )
}
