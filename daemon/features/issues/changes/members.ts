import type { Static } from 'typebox'
import { IssuePatch } from '#contract/issues'
import type { App } from '#kernel/app'
import { dayOf } from '#kernel/http/days'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { findLabel } from '../../labels/service.ts'
import { findMilestone } from '../../milestones/service.ts'
import { findProject } from '../../projects/service.ts'
import { type Chosen, chosenWorker } from '../../projects/workers/service.ts'
import { queries, type Stored } from '../queries.ts'

export type Body = Static<typeof IssuePatch>

type Members = Omit<
  Stored,
  | 'id'
  | 'workspace_id'
  | 'crew_id'
  | 'number'
  | 'identifier'
  | 'authored_via'
  | 'created_by_type'
  | 'created_by_id'
  | 'created_at'
  | 'updated_at'
  | 'work_chat_id'
  | 'work_run_id'
>
type Before = Members & { id?: string }

/** An issue before anything is known of it. */
export const draftOf = (): Before => ({
  title: '',
  description: null,
  status: 'BACKLOG',
  priority: 'none',
  assignee_type: null,
  assignee_id: null,
  work_mode: 'agent',
  due_date: null,
  sort_order: 0,
  project_id: null,
  milestone_id: null,
  parent_issue_id: null,
  estimate: null,
  routine_id: null,
  routine_inputs_json: null,
  completed_at: null,
})

const inputsLimit = 65_536

export const memberNames = Object.keys(IssuePatch.properties)

/** The issue as the body makes it, and the ids of its labels where the body names them. */
export function merged(
  app: App,
  workspace: string,
  body: Body,
  before: Before,
): Members & { labels: readonly string[] | null } {
  const worker = { type: before.assignee_type, id: before.assignee_id } as Chosen
  const assignee = chosenWorker(app, workspace, 'assignee', body, worker)
  const { title = before.title, status = before.status, priority = before.priority } = body
  return {
    title: cleanName('title', title, { min: 1, max: 200, unit: 'characters' }),
    description: body.description === undefined ? before.description : blankToNull(body.description),
    status,
    priority,
    assignee_type: assignee.type,
    assignee_id: assignee.id,
    work_mode: assignee.type === 'agent' ? 'agent' : before.work_mode,
    due_date: dayOf('due_date', body.due_date, before.due_date),
    sort_order: body.sort_order ?? before.sort_order,
    ...placeOf(app, workspace, body, before),
    parent_issue_id: parentOf(app, workspace, body.parent_issue_id, before),
    estimate: body.estimate === undefined ? before.estimate : body.estimate,
    ...routineOf(app, workspace, body, before),
    completed_at: before.completed_at,
    labels: labelsOf(app, workspace, body.labels),
  }
}

/** Project and milestone: a milestone brings its project along, and another project leaves the milestone behind. */
function placeOf(app: App, workspace: string, body: Body, before: Before) {
  const project = body.project_id === undefined ? before.project_id : blankToNull(body.project_id)
  if (project && project !== before.project_id)
    known('project_id', 'project', () => findProject(app, workspace, project))
  const kept = project === before.project_id ? before.milestone_id : null
  const milestone = body.milestone_id === undefined ? kept : blankToNull(body.milestone_id)
  if (!milestone) return { project_id: project, milestone_id: null }
  const { project_id } = known('milestone_id', 'milestone', () => findMilestone(app, workspace, milestone))
  if (project && project !== project_id)
    throw problem('invalid_field', { field: 'milestone_id', detail: 'The milestone belongs to another project' })
  return { project_id, milestone_id: milestone }
}

function parentOf({ db }: App, workspace: string, given: string | null | undefined, before: Before): string | null {
  if (given === undefined) return before.parent_issue_id
  const name = blankToNull(given)
  if (name === null) return null
  const { find, isAbove } = queries(db)
  const parent = find.get({ workspace, name })
  const field = 'parent_issue_id'
  if (!parent) throw problem('invalid_field', { field, detail: 'There is no such issue' })
  if (before.id && isAbove.get({ upper: before.id, lower: parent.id }))
    throw problem('invalid_field', { field, detail: `${parent.identifier} is this issue or stands below it` })
  return parent.id
}

/** The routine that does it, and what that is given; another routine is given nothing unless the body says so. */
function routineOf(app: App, workspace: string, body: Body, before: Before) {
  const routine_id = body.routine_id === undefined ? before.routine_id : blankToNull(body.routine_id)
  if (routine_id && routine_id !== before.routine_id && !app.routines.find(app, workspace, routine_id))
    throw problem('invalid_field', { field: 'routine_id', detail: 'There is no such routine' })
  const kept = routine_id === before.routine_id ? before.routine_inputs_json : null
  if (body.routine_inputs === undefined) return { routine_id, routine_inputs_json: kept }
  const field = 'routine_inputs'
  if (body.routine_inputs && !routine_id)
    throw problem('invalid_field', { field, detail: 'No routine is to do the issue, so there is nothing to give it' })
  const json = body.routine_inputs && JSON.stringify(body.routine_inputs)
  if (json && json.length > inputsLimit)
    throw problem('invalid_field', { field, detail: `${field} may have ${inputsLimit / 1024} KiB as JSON` })
  return { routine_id, routine_inputs_json: json }
}

function labelsOf(app: App, workspace: string, ids: readonly string[] | undefined): readonly string[] | null {
  if (!ids) return null
  const all = [...new Set(ids)]
  for (const id of all) known('labels', 'label', () => findLabel(app, workspace, id))
  return all
}

/** What `find` finds; a member that names nothing is refused as such. */
function known<T>(field: string, noun: string, find: () => T): T {
  try {
    return find()
  } catch {
    throw problem('invalid_field', { field, detail: `There is no such ${noun}` })
  }
}
