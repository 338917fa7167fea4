import type { Static } from 'typebox'
import { type Issue, type IssueEvent, issueStatuses, type issues } from '#contract/issues'
import { workPriorities } from '#contract/projects'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { findCrew } from '../crews/service.ts'
import type { Filter } from './lists/queries.ts'
import { pageOfIssues, searchFilter } from './lists/service.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Issue>

/** Rows of a list of issues: 50 unless stated, 100 at most. */
const window = { fallback: 50, max: 100 }

/** An issue of the workspace by identifier or id, and of this crew where one is named; or `not_found`. */
export function findIssue({ db }: App, workspace: string, name: string, crew?: string): Row {
  const row = queries(db).find.get({ workspace, name })
  if (!row || (crew !== undefined && row.crew_id !== crew))
    throw problem('not_found', { detail: 'There is no such issue' })
  return row
}

/** Each member is named: of a page of rows, copying whatever is left takes a millisecond. */
export const toIssue = (row: Row): Shown => ({
  id: row.id,
  workspace_id: row.workspace_id,
  crew_id: row.crew_id,
  crew_name: row.crew_name,
  crew_slug: row.crew_slug,
  mission_type: 'issue',
  number: row.number,
  identifier: row.identifier,
  title: row.title,
  description: row.description,
  status: row.status,
  priority: row.priority,
  assignee_type: row.assignee_type,
  assignee_id: row.assignee_id,
  assignee_name: row.assignee_name,
  work_mode: row.work_mode,
  session_status: row.session_status,
  due_date: row.due_date,
  sort_order: row.sort_order,
  project_id: row.project_id,
  project_name: row.project_name,
  milestone_id: row.milestone_id,
  milestone_name: row.milestone_name,
  parent_issue_id: row.parent_issue_id,
  estimate: row.estimate,
  routine_id: row.routine_id,
  routine_slug: row.routine_slug,
  routine_name: row.routine_name,
  routine_inputs:
    row.routine_inputs_json === null ? null : (JSON.parse(row.routine_inputs_json) as Shown['routine_inputs']),
  labels: row.labels_json === null ? [] : (JSON.parse(row.labels_json) as Shown['labels']),
  lead_agent_id: row.lead_agent_id,
  authored_via: row.authored_via,
  sub_issues_count: row.sub_issues_count,
  comment_count: row.comment_count,
  created_by: { type: row.created_by_type, id: row.created_by_id, name: row.created_by_name },
  created_at: row.created_at,
  updated_at: row.updated_at,
  completed_at: row.completed_at,
})

export const list = (app: App, { actor, query }: Call<typeof issues.list>): Shown[] =>
  rowsOf(app, actor.workspace, query.crew_id || null, query)

export function ofCrew(app: App, { actor, crewId, query }: Call<typeof issues.ofCrew>): Shown[] {
  findCrew(app, actor.workspace, crewId)
  return rowsOf(app, actor.workspace, crewId, query)
}

export const show = (app: App, { actor, crewId, identifier }: Call<typeof issues.show>): Shown =>
  toIssue(findIssue(app, actor.workspace, identifier, crewId))

export const findAny = (app: App, { actor, identifier }: Call<typeof issues.find>): Shown =>
  toIssue(findIssue(app, actor.workspace, identifier))

export function subtasks(app: App, { actor, crewId, identifier, query }: Call<typeof issues.subtasks>): Shown[] {
  const { id } = findIssue(app, actor.workspace, identifier, crewId)
  const { limit, offset } = pageOf(query, window)
  return queries(app.db).below.all(id, limit, offset).map(toIssue)
}

export function activity(
  app: App,
  { actor, crewId, identifier, query }: Call<typeof issues.activity>,
): Static<typeof IssueEvent>[] {
  const { id } = findIssue(app, actor.workspace, identifier, crewId)
  const { limit, offset } = pageOf(query, window)
  return queries(app.db).events.all(id, limit, offset)
}

function rowsOf(app: App, workspace: string, crew: string | null, query: Call<typeof issues.ofCrew>['query']): Shown[] {
  const statuses = among('status', query.status, issueStatuses)
  const priorities = among('priority', query.priority, workPriorities)
  const { search, project_id, assignee_id, label } = query
  const filter: Filter = {
    workspace,
    ...(crew !== null && { crew }),
    ...(statuses !== null && { statuses }),
    ...(priorities !== null && { priorities }),
    ...(project_id && { project: project_id }),
    ...(assignee_id && { assignee: assignee_id }),
    ...(label && { label }),
    ...(search && searchFilter(app, search)),
  }
  // Missions are of that type, and have lists of their own.
  if (query.mission_type === 'orchestration') return []
  return pageOfIssues(app, filter, query.sort ?? 'created_at', pageOf(query, window)).map(toIssue)
}

/** A comma-separated list of words as JSON; null where none is given. Refuses a word that is none of `words`. */
function among(field: string, given: string | undefined, words: readonly string[]): string | null {
  if (!given) return null
  const named = given.split(',').map((word) => word.trim())
  const wrong = named.find((word) => !words.includes(word))
  if (wrong !== undefined)
    throw problem('invalid_field', { field, detail: `${field} must be some of ${words.join(', ')}` })
  return JSON.stringify(named)
}
