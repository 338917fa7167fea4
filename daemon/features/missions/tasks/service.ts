import type { Static } from 'typebox'
import { type missions, mostTasks, type Task, type TaskStatus } from '#contract/missions'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { blankToNull, cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { resumeMission } from '../changes/service.ts'
import { withdraw } from '../engine/approvals.ts'
import { advance, setTask } from '../engine/service.ts'
import { queries, type Row, type StoredTask } from '../queries.ts'
import { editable, standing, taskStanding, taskTransitions } from '../rules.ts'
import { findMission, sureIn, toTask } from '../service.ts'
import { changed } from '../telling.ts'
import { agentIn, checkGraph, newTask, size } from './drafts.ts'

type Shown = Static<typeof Task>
type Patch = Call<typeof missions.updateTask>['body']

const shown = (app: App, { id: mission, crew_id }: Row, id: string): Shown =>
  toTask(
    queries(app.db)
      .tasks.all(mission)
      .find((task) => task.id === id)!,
    sureIn(app, crew_id),
  )

/** Missions that are over take no tasks. */
function openMission(app: App, workspace: string, crew: string, id: string): Row {
  const row = findMission(app, workspace, crew, id)
  if (row.plan_state === 'asked' || row.plan_state === 'again') throw problem('mission_planning')
  if (row.status !== 'PLANNING' && row.status !== 'IN_PROGRESS' && row.status !== 'FAILED')
    throw problem('mission_refused', { detail: `${standing(row)}. Its tasks stay as they are` })
  return row
}

function findTask({ db }: App, mission: string, id: string): StoredTask {
  const task = queries(db).task.get(mission, id)
  if (!task) throw problem('not_found', { field: 'taskId', detail: 'The mission has no such task' })
  return task
}

/** The ids that a client sends: a list, or JSON text of one. All must be tasks of the mission. */
function dependencies({ db }: App, mission: string, given: string | readonly unknown[]): string {
  const list = idsIn(typeof given === 'string' ? parsed(given) : given)
  for (const id of list)
    if (!queries(db).task.get(mission, id))
      throw problem('not_found', { field: 'depends_on', detail: `The mission has no task ${id.slice(0, 64)}` })
  return JSON.stringify([...new Set(list)])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text || '[]')
  } catch {
    return null
  }
}

function idsIn(value: unknown): string[] {
  if (Array.isArray(value) && value.length <= mostTasks && value.every((it) => typeof it === 'string')) return value
  throw problem('invalid_field', { field: 'depends_on', detail: 'depends_on must be a list of ids' })
}

export function addTask(app: App, { actor, crewId, missionId, body, now }: Call<typeof missions.addTask>): Shown {
  const mission = openMission(app, actor.workspace, crewId, missionId)
  if (queries(app.db).states.all(missionId).length >= mostTasks)
    throw problem('mission_full', { detail: `A mission has at most ${mostTasks} tasks` })
  const draft = newTask(missionId, cleanName('title', body.title, size), now)
  const task = {
    ...draft,
    id: newId(app.clock()),
    description: blankToNull(body.description),
    assigned_agent_id: agentIn(app, crewId, body.assigned_agent_id),
    task_order: queries(app.db).nextOrder.get(missionId)!,
    max_iterations: body.max_iterations ?? draft.max_iterations,
    approval_required: body.approval_required ? (1 as const) : (0 as const),
    depends_on: dependencies(app, missionId, body.depends_on ?? []),
  }
  queries(app.db).insertTask.run(task)
  changed(app, mission, actorOf(actor), 'task_added', { task })
  advance(app, missionId)
  return shown(app, mission, task.id)
}

export function updateTask(
  app: App,
  { actor, crewId, missionId, taskId, body }: Call<typeof missions.updateTask>,
): Shown {
  const mission = openMission(app, actor.workspace, crewId, missionId)
  const before = findTask(app, missionId, taskId)
  requireSome(body, [
    'title',
    'description',
    'assigned_agent_id',
    'max_iterations',
    'approval_required',
    'depends_on',
    'status',
  ])
  const by = actorOf(actor)
  const { status, ...members } = body
  if (Object.keys(members).length) {
    const task = setTask(app, mission, before, edited(app, mission, before, members))
    if (members.depends_on !== undefined) checkGraph(app, missionId)
    changed(app, mission, by, 'task_changed', { task })
  }
  const task = findTask(app, missionId, taskId)
  if (status === 'SKIPPED' && task.status !== 'SKIPPED') {
    checkTransition(task, status)
    const skipped = setTask(app, mission, task, { status, completed_at: app.now() })
    withdraw(app, task.approval_id, by)
    changed(app, mission, by, 'task_skipped', { task: skipped })
  } else if (status === 'PENDING' && task.status !== 'PENDING') {
    checkTransition(task, status)
    const next = setTask(app, mission, task, { status, iteration: 0, completed_at: null })
    changed(app, mission, by, 'task_retried', { task: next })
  }
  if (status && mission.status === 'FAILED') resumeMission(app, mission, by, (it) => it === 'BLOCKED')
  else advance(app, missionId)
  return shown(app, mission, taskId)
}

function checkTransition(task: StoredTask, next: TaskStatus): void {
  if (!taskTransitions[task.status].includes(next))
    throw problem('task_refused', { field: 'status', detail: taskStanding(task) })
}

function edited(app: App, mission: Row, before: StoredTask, body: Omit<Patch, 'status'>): Partial<StoredTask> {
  if (!editable.has(before.status))
    throw problem('task_refused', { detail: `${taskStanding(before)}. It cannot be changed now` })
  return {
    ...(body.title !== undefined && { title: cleanName('title', body.title, size) }),
    ...(body.description !== undefined && { description: blankToNull(body.description) }),
    ...(body.assigned_agent_id !== undefined && {
      assigned_agent_id: agentIn(app, mission.crew_id, body.assigned_agent_id),
    }),
    ...(body.max_iterations !== undefined && { max_iterations: body.max_iterations }),
    ...(body.approval_required !== undefined && {
      approval_required: body.approval_required ? (1 as const) : (0 as const),
    }),
    ...(body.depends_on !== undefined && { depends_on: dependencies(app, mission.id, body.depends_on) }),
  }
}

/** Deletes a task; what depended on it does so no more. */
export function removeTask(
  app: App,
  { actor, crewId, missionId, taskId }: Call<typeof missions.removeTask>,
): undefined {
  const mission = openMission(app, actor.workspace, crewId, missionId)
  const task = findTask(app, missionId, taskId)
  if (mission.status !== 'PLANNING')
    throw problem('mission_refused', {
      detail: `${standing(mission)}. A task is deleted in PLANNING, and left out later`,
    })
  for (const other of queries(app.db).states.all(missionId)) {
    const needed = JSON.parse(other.depends_on) as string[]
    if (!needed.includes(taskId)) continue
    const depends_on = JSON.stringify(needed.filter((id) => id !== taskId))
    setTask(app, mission, findTask(app, missionId, other.id), { depends_on })
  }
  queries(app.db).removeTask.run(taskId)
  changed(app, mission, actorOf(actor), 'task_deleted', { task })
}
