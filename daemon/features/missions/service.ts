import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { type Mission, type MissionStatus, type missions, type Task, taskStatuses } from '#contract/missions'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { confidenceIn, findCrew } from '../crews/service.ts'
import { queries, type Row, type TaskRow } from './queries.ts'

type Shown = Static<typeof Mission>

/** A mission of the workspace, and of this crew, or `not_found`. */
export function findMission({ db }: App, workspace: string, crew: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (row?.crew_id !== crew) throw problem('not_found', { detail: 'There is no such mission' })
  return row
}

/** Below this confidence a person must approve the result of a task. */
export const sureIn = (app: App, crew: string): number => confidenceIn(app, crew).require_approval_below

const secondsBetween = (from: string | null, to: string | null): number | null =>
  from && to ? Date.parse(to) - Date.parse(from) : null

/** A task as clients see it; `sure` is the confidence below which its crew wants people to look at it. */
export const toTask = (
  { approval_required, approval_id: _approval, ...row }: TaskRow,
  sure: number,
): Static<typeof Task> => ({
  ...row,
  approval_required: approval_required === 1,
  needs_review: row.status === 'AWAITING_APPROVAL' || (row.confidence !== null && row.confidence < sure),
  duration_ms: secondsBetween(row.started_at, row.completed_at),
  output_path: null,
  handoff_context: null,
  evaluation_status: null,
})

/** The sum of what is known; null when nothing is. */
const sum = (values: readonly (number | null)[]): number | null =>
  values.every((it) => it === null) ? null : values.reduce<number>((total, it) => total + (it ?? 0), 0)

function statsOf(tasks: readonly TaskRow[]): Shown['task_stats'] {
  const counted = taskStatuses.filter((it) => it !== 'CANCELLED')
  const count = (status: string) => tasks.filter((task) => task.status === status).length
  return {
    total: tasks.length,
    ...Object.fromEntries(counted.map((status) => [status.toLowerCase(), count(status)])),
  } as Shown['task_stats']
}

function tasksOf(app: App, crew: string, tasks: readonly TaskRow[]) {
  const sure = sureIn(app, crew)
  return tasks.map((task) => toTask(task, sure))
}

export function toMission(app: App, row: Row, withTasks = true): Shown {
  const { created_by_type: type, created_by_id: id, created_by_name: name, ...members } = row
  const tasks = queries(app.db).tasks.all(row.id)
  const cost = sum(tasks.map((task) => task.estimated_cost))
  return {
    ...members,
    identifier: row.identifier || null,
    planning: row.plan_state === 'asked' || row.plan_state === 'again',
    created_by: { type, id, name },
    cost,
    total_estimated_cost: cost,
    total_token_count: sum(tasks.map((task) => task.token_count)),
    task_stats: statsOf(tasks),
    ...(withTasks && { tasks: tasksOf(app, row.crew_id, tasks) }),
  }
}

export const list = (app: App, { actor, query }: Call<typeof missions.list>): Shown[] =>
  rowsOf(app, { workspace: actor.workspace, crew: null, type: query.mission_type ?? null }, query)

export function ofCrew(app: App, { actor, crewId, query }: Call<typeof missions.ofCrew>): Shown[] {
  findCrew(app, actor.workspace, crewId)
  return rowsOf(app, { workspace: actor.workspace, crew: crewId, type: 'orchestration' }, query)
}

type Wanted = Pick<Call<typeof missions.list>['query'], 'status' | 'include_tasks' | 'limit' | 'offset'>

function rowsOf(
  app: App,
  scope: { workspace: string; crew: string | null; type: string | null },
  { status, include_tasks, ...window }: Wanted,
): Shown[] {
  const withTasks = include_tasks === 'true'
  const statuses = status
    ?.split(',')
    .map((it) => it.trim().toUpperCase())
    .filter(Boolean)
  const page = pageOf(window, { fallback: 20, max: withTasks ? 50 : 200 })
  const filter = { ...scope, statuses: statuses?.length ? JSON.stringify(statuses) : null, ...page }
  const { ofWorkspace, ofCrew } = queries(app.db)
  return (scope.crew === null ? ofWorkspace : ofCrew).all(filter).map((row) => toMission(app, row, withTasks))
}

export const show = (app: App, { actor, crewId, missionId }: Call<typeof missions.show>): Shown =>
  toMission(app, findMission(app, actor.workspace, crewId, missionId))

const dayMs = 86_400_000

/** Counts of the workspace; costs are those of the tasks that were over in the last day. */
export function metrics(app: App, { actor }: Call<typeof missions.metrics>): Reply<typeof missions.metrics> {
  const at = { workspace: actor.workspace, since: new Date(app.clock() - dayMs).toISOString() }
  const { counts, taskCounts, spent } = queries(app.db)
  return { ...counts.get(at)!, ...taskCounts.get(at)!, ...spent.get(at)! }
}

/** The id and status that a move of a mission answers. */
export const stateOf = (app: App, id: string): { id: string; status: MissionStatus } => ({
  id,
  status: queries(app.db).byId.get(id)!.status,
})
