import type { Static } from 'typebox'
import { type Acting, fact } from '#contract/entries'
import type { Issue, IssueStatus, issues } from '#contract/issues'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findCrew } from '../../crews/service.ts'
import { runsOfMission, wishCancel } from '../../runs/service.ts'
import { leaveWork } from '../endings/service.ts'
import { clearNotice } from '../notices/service.ts'
import { queries, type Row } from '../queries.ts'
import { deletable, prefixOf, standing, transitions } from '../rules.ts'
import { say } from '../saying/service.ts'
import { findIssue, toIssue } from '../service.ts'
import { about, changed, note, subject, tell, tellAssigned, tellMoved } from '../telling.ts'
import { type Body, draftOf, memberNames, merged } from './members.ts'

type Shown = Static<typeof Issue>

export function create(app: App, { actor, crewId, body, now }: Call<typeof issues.create>): Shown {
  const { workspace } = actor
  const by = actorOf(actor)
  const prefix = prefixOf(findCrew(app, workspace, crewId))
  const { labels, ...members } = merged(app, workspace, body, draftOf())
  const { insert, nextNumber } = queries(app.db)
  const number = nextNumber.get(workspace, prefix)!
  const id = newId(app.clock())
  insert.run({
    ...members,
    id,
    workspace_id: workspace,
    crew_id: crewId,
    number,
    identifier: `${prefix}-${number}`,
    authored_via: actor.type === 'user' ? 'user_api' : 'routine',
    created_by_type: by.actor_type,
    created_by_id: actor.id,
    created_at: now,
    updated_at: now,
    completed_at: members.status === 'DONE' ? now : null,
  })
  setLabels(app, id, labels ?? [])
  const row = findIssue(app, workspace, id)
  note(app, row, by, 'created')
  app.journal(fact('mission.created', subject(row), about(row, by)))
  if (row.assignee_id) tellAssigned(app, row, by, null)
  tell(app, row, 'issue.created')
  return toIssue(row)
}

export function update(app: App, { actor, crewId, identifier, body, now }: Call<typeof issues.update>): Shown {
  const before = findIssue(app, actor.workspace, identifier, crewId)
  requireSome(body, memberNames)
  return toIssue(change(app, before, body, actorOf(actor), now))
}

/** Changes all of the issues that are named, or none. */
export function bulk(app: App, { actor, body, now }: Call<typeof issues.bulk>): { updated: number } {
  requireSome(body.updates, ['status', 'priority', 'assignee_type', 'assignee_id', 'labels', 'project_id'])
  const rows = [...new Set(body.ids)].map((id) => findIssue(app, actor.workspace, id))
  for (const row of rows) change(app, row, body.updates, actorOf(actor), now)
  const channel = `workspace:${actor.workspace}`
  app.broadcast({ channel, type: 'issues.bulk_updated', payload: { ids: rows.map(({ id }) => id) } })
  return { updated: rows.length }
}

/** Approves what was done, or sends it back, perhaps to somebody else. */
export function review(app: App, { actor, crewId, identifier, body, now }: Call<typeof issues.review>) {
  const before = findIssue(app, actor.workspace, identifier, crewId)
  const by = actorOf(actor)
  const approves = body.action === 'approve'
  if (before.status !== 'REVIEW')
    throw problem('transition_refused', { detail: `${standing(before)}. Only an issue in REVIEW is reviewed` })
  const given = reassigned(app, actor.workspace, body.reassign_to)
  if (body.comment?.trim()) say(app, actor, before, body.comment)
  change(app, before, { status: approves ? 'DONE' : 'TODO', ...given }, by, now)
  note(app, before, by, approves ? 'review_approved' : 'review_changes_requested')
  return { status: 'ok' as const, action: body.action }
}

/** Who goes on with an issue: an agent or a member of the workspace by id. */
function reassigned({ db }: App, workspace: string, id: string | null | undefined): Body {
  if (!id) return {}
  const isAgent = queries(db).isAgent.get(workspace, id) !== undefined
  return { assignee_type: isAgent ? 'agent' : 'user', assignee_id: id }
}

export function remove(app: App, { actor, crewId, identifier }: Call<typeof issues.remove>): undefined {
  const row = findIssue(app, actor.workspace, identifier, crewId)
  if (!deletable.has(row.status))
    throw problem('transition_refused', {
      detail: `${standing(row)}. An issue is deleted from BACKLOG or CANCELLED`,
    })
  const by = actorOf(actor)
  app.journal(fact('mission.status_change', { ...subject(row), action: 'deleted' }, about(row, by)))
  for (const { id } of runsOfMission(app, row.id)) wishCancel(app, id, actor.id)
  clearNotice(app, row, by)
  drop(app, row.id)
  tell(app, row, 'issue.deleted')
}

function drop({ db }: App, id: string): void {
  const { dropComments, dropEvents, dropLabels, dropRelations, orphan, remove } = queries(db)
  dropComments.run(id)
  dropEvents.run(id)
  dropLabels.run(id)
  dropRelations.run({ id })
  orphan.run(id)
  remove.run(id)
}

function setLabels({ db }: App, issue: string, labels: readonly string[]): void {
  const { dropLabels, label } = queries(db)
  dropLabels.run(issue)
  for (const id of labels) label.run(issue, id)
}

function change(app: App, before: Row, body: Body, by: Acting, now: string): Row {
  const { labels, ...given } = merged(app, before.workspace_id, body, before)
  const members = { ...given, ...workAfter(before, given, body) }
  checkTransition(before, members.status)
  const finished = members.status === 'DONE'
  const completed_at = finished ? (before.completed_at ?? now) : null
  queries(app.db).update.run({ ...before, ...members, completed_at, updated_at: now })
  if (labels) setLabels(app, before.id, labels)
  const after = findIssue(app, before.workspace_id, before.id)
  tellChanges(app, before, after, by)
  endWork(app, before, after, by)
  if (after.status !== before.status) clearNotice(app, after, by)
  tell(app, after, 'issue.updated')
  return after
}

/**
 * Work goes on while the issue stays in progress and with its agent. Who takes it from its agent without saying where
 * it goes sends it back to TODO.
 */
function workAfter(before: Row, given: Pick<Row, 'status' | 'assignee_id'>, { status }: Body) {
  const { work_chat_id, work_run_id } = before
  // A routine goes on whoever the issue is given to.
  if (work_run_id !== null) return given.status === 'IN_PROGRESS' ? {} : { work_run_id: null }
  if (work_chat_id === null) return {}
  const taken = given.assignee_id !== before.assignee_id
  if (!taken && given.status === 'IN_PROGRESS') return {}
  return { work_chat_id: null, status: status ?? 'TODO' }
}

/** Ends what was at work before a change and is not any more. */
const endWork = (app: App, before: Row, after: Row, by: Acting) =>
  leaveWork(
    app,
    {
      work_chat_id: after.work_chat_id === null ? before.work_chat_id : null,
      work_run_id: after.work_run_id === null ? before.work_run_id : null,
    },
    by,
  )

function checkTransition(row: Row, next: IssueStatus): void {
  if (next === row.status || transitions.get(row.status)!.includes(next)) return
  throw problem('transition_refused', { field: 'status', detail: standing(row) })
}

const quiet = [
  'crew_id',
  'title',
  'due_date',
  'sort_order',
  'project_id',
  'milestone_id',
  'estimate',
  'routine_id',
  'routine_inputs_json',
  'labels_json',
] as const

/** Tells journal and activity what differs between two states of an issue. */
export function tellChanges(app: App, before: Row, after: Row, by: Acting): void {
  const differs = (...names: readonly (keyof Row)[]) => names.some((name) => before[name] !== after[name])
  if (differs('status')) tellMoved(app, before.status, after, by)
  if (differs('assignee_type', 'assignee_id')) tellAssigned(app, after, by, before.assignee_name)
  if (differs('priority')) changed(app, after, by, 'priority_changed', `${before.priority} → ${after.priority}`)
  if (differs('description')) changed(app, after, by, 'description_changed')
  if (differs('parent_issue_id')) changed(app, after, by, 'parent_changed')
  if (differs(...quiet)) changed(app, after, by, 'changed')
}
