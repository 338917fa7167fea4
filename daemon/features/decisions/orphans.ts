import type { App } from '#kernel/app'
import { kindOf } from './kinds.ts'
import { queries, type Row } from './queries.ts'
import { settle } from './service.ts'

function withdraw(app: App, rows: readonly Row[], what: 'agent' | 'crew' | 'workspace'): void {
  for (const row of rows)
    if (kindOf(row).orphaned)
      settle(app, row.id, {
        state: 'withdrawn',
        actor: null,
        now: app.now(),
        comment: `The ${what} is gone`,
        orphaned: true,
      })
}

/** Withdraws the open decisions about a deleted subject. */
export const withdrawOfAgent = (app: App, agent: string): void =>
  withdraw(app, queries(app.db).openOfAgent.all(agent), 'agent')
export const withdrawOfCrew = (app: App, crew: string): void =>
  withdraw(app, queries(app.db).openOfCrew.all(crew), 'crew')
export const withdrawOfWorkspace = (app: App, workspace: string): void =>
  withdraw(app, queries(app.db).openOfWorkspace.all(workspace), 'workspace')

/** Withdraws decisions that an older version left open about deleted agents, crews and workspaces. */
export function withdrawOrphans(app: App): void {
  const { orphans, byId } = queries(app.db)
  withdraw(
    app,
    orphans.all().map(({ id }) => byId.get(id)!),
    'agent',
  )
}
