import type { Static } from 'typebox'
import type { Assignment, assignments, ListedAssignment } from '#contract/assignments'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { findCrew } from '../crews/service.ts'
import { cancelOne } from './endings/service.ts'
import { queries, type Row } from './queries.ts'
import { mayRead, withoutWords } from './readers.ts'
import { present, presentListed } from './rules.ts'

export function list(
  app: App,
  { actor, crewId, query }: Call<typeof assignments.list>,
): Static<typeof ListedAssignment>[] {
  findCrew(app, actor.workspace, crewId)
  const page = pageOf(query, { fallback: 50, max: 500 })
  const rows = queries(app.db).ofCrew.all({ crew: crewId, ...page })
  return rows.map((row) => presentListed(readBy(app, row, actor.id)))
}

/** An assignment as a person may know it. */
export const readBy = <R extends Row>(app: App, row: R, user: string): R =>
  mayRead(app, row, user) ? row : withoutWords(row)

/** An assignment of the workspace; foreign and absent ones answer alike. */
function find({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such assignment' })
  return row
}

export const show = (app: App, { actor, delegationId }: Call<typeof assignments.show>): Static<typeof Assignment> =>
  present(readBy(app, find(app, actor.workspace, delegationId), actor.id))

export function cancel(
  app: App,
  { actor, delegationId }: Call<typeof assignments.cancel>,
): Reply<typeof assignments.cancel> {
  const row = find(app, actor.workspace, delegationId)
  if (row.finished_at !== null)
    throw problem('assignment_ended', { detail: `It is over: ${row.status}`, extra: { status: row.status } })
  cancelOne(app, row, actorOf(actor))
  return { id: row.id, status: queries(app.db).byId.get(row.id)!.status }
}

/** How many assignments of an agent are not over. */
export const openAssignments = ({ db }: App, agent: string): number => queries(db).openCount.get(agent)!.n
