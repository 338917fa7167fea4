import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { type Counted, queries, type ServerRow } from './queries.ts'

/** A server of this workspace, or with `crew` of that crew; otherwise `not_found`. */
export function findServer({ db }: App, workspace: string, crew: string | null, id: string): Counted {
  const row = queries(db).find.get(workspace, id)
  if (!row || row.crew_id !== crew) throw problem('not_found', { detail: 'There is no such integration' })
  return row
}

/** The servers of a workspace and of a crew, whether they are switched on or not. */
export const serversFor = ({ db }: App, workspace: string, crew: string | null) => ({
  workspace: queries(db).ofWorkspace.all(workspace),
  crew: crew === null ? [] : queries(db).ofCrew.all(crew),
})

/** As `serversFor`, of the one name. */
export function serversCalled({ db }: App, workspace: string, crew: string | null, name: string) {
  const found = queries(db).called.all({ workspace, crew, name })
  return { workspace: found.filter((it) => it.crew_id === null), crew: found.filter((it) => it.crew_id !== null) }
}

/** A server by its id, for what Muster does itself; undefined when it is gone. */
export const serverById = ({ db }: App, workspace: string, id: string): Counted | undefined =>
  queries(db).find.get(workspace, id)

/** What a server is reached with. */
const reached = ['transport', 'endpoint', 'command', 'args_json', 'env_sealed', 'config_json'] as const

/**
 * The server as it is now, if it is still reached as it was then; undefined when it is gone, or another one by now:
 * what that one said says nothing of it.
 */
export function stillThat(app: App, then: ServerRow): Counted | undefined {
  const now = serverById(app, then.workspace_id, then.id)
  return now && reached.every((member) => now[member] === then[member]) ? now : undefined
}
