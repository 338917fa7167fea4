import type { Static } from 'typebox'
import { type Acting, fact } from '#contract/entries'
import type { Mission, MissionStatus, missions } from '#contract/missions'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { blankToNull, cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { leaveMission } from '../../assignments/tasks/service.ts'
import { findCrew } from '../../crews/service.ts'
import { wishCancel } from '../../runs/service.ts'
import { copyMission } from '../copies/service.ts'
import { withdraw } from '../engine/approvals.ts'
import { advance, deadlineFrom, endTasks, move, setMission, setTask } from '../engine/service.ts'
import { type NewMission, queries, type Row } from '../queries.ts'
import { standing, transitions } from '../rules.ts'
import { findMission, stateOf, toMission } from '../service.ts'
import { checkGraph, insertPlanned, tasksOfPlan } from '../tasks/drafts.ts'
import { about, changed, subject, tell } from '../telling.ts'

type Shown = Static<typeof Mission>
type State = { id: string; status: MissionStatus }

const size = { min: 1, max: 200, unit: 'characters' } as const

export function create(app: App, { actor, crewId, body, now }: Call<typeof missions.create>): Shown {
  findCrew(app, actor.workspace, crewId)
  if (!queries(app.db).lead.get(crewId, body.lead_agent_id))
    throw problem('not_found', { field: 'lead_agent_id', detail: 'The crew has no such LEAD' })
  const id = insertMission(app, actorOf(actor), {
    workspace_id: actor.workspace,
    crew_id: crewId,
    title: body.title,
    description: body.description ?? null,
    plan: blankToNull(body.plan),
    lead_agent_id: body.lead_agent_id,
    workflow_template: blankToNull(body.workflow_template),
    created_by_id: actor.id,
    created_at: now,
  })
  const tasks = body.tasks ?? tasksOfPlan(app, actor.workspace, crewId, body.workflow_template)
  if (tasks) insertPlanned(app, { id, crew_id: crewId }, tasks, now)
  return toMission(app, queries(app.db).byId.get(id)!)
}

type New = Omit<NewMission, 'id' | 'created_by_type' | 'plan' | 'workflow_template'> &
  Partial<Pick<NewMission, 'plan' | 'workflow_template'>>

/** A mission in PLANNING, without tasks. To be called within a change; answers its id. */
export function insertMission(app: App, by: Acting, members: New): string {
  const id = newId(app.clock())
  queries(app.db).insert.run({
    plan: null,
    workflow_template: null,
    ...members,
    title: cleanName('title', members.title, size),
    description: blankToNull(members.description),
    id,
    created_by_type: by.actor_type,
  })
  created(app, id, by)
  return id
}

/** Tells of a mission that was made. */
function created(app: App, id: string, by: Acting): void {
  const row = queries(app.db).byId.get(id)!
  app.journal(fact('orchestration.created', subject(row), about(row, by)))
  tell(app, row, row.status, 'mission.created')
  tell(app, row, row.status)
}

export function update(app: App, { actor, crewId, missionId, body }: Call<typeof missions.update>): Shown {
  const before = findMission(app, actor.workspace, crewId, missionId)
  requireSome(body, ['title', 'description', 'plan', 'status'])
  const by = actorOf(actor)
  const { title, description, plan, status } = body
  if (title !== undefined || description !== undefined || plan !== undefined) {
    const members = {
      ...(title !== undefined && { title: cleanName('title', title, size) }),
      ...(description !== undefined && { description: blankToNull(description) }),
      ...(plan !== undefined && { plan: blankToNull(plan) }),
    }
    changed(app, setMission(app, before, members), by, 'changed')
  }
  const row = queries(app.db).byId.get(missionId)!
  if (status === 'CANCELLED') cancel(app, row, by, 'The mission was cancelled')
  else if (status === 'COMPLETED' && row.status !== 'COMPLETED')
    move(app, checked(row, 'COMPLETED'), 'COMPLETED', by, { completed_at: app.now() })
  return toMission(app, queries(app.db).byId.get(missionId)!)
}

/** Refuses a move that the status does not allow. */
function checked(row: Row, to: MissionStatus): Row {
  if (transitions[row.status].includes(to)) return row
  throw problem('mission_refused', { field: 'status', detail: standing(row) })
}

/** Cancels a mission with all that is at work on it; one that is cancelled stays so. */
function cancel(app: App, before: Row, by: Acting, why: string): void {
  if (before.status === 'CANCELLED') return
  const run = before.plan_run_id
  const members = { deadline_at: null, plan_state: null, plan_run_id: null, approval_id: null }
  const row = move(app, checked(before, 'CANCELLED'), 'CANCELLED', by, members)
  endTasks(app, row, by, why)
  withdraw(app, before.approval_id, by)
  if (run && before.plan_state === 'asked')
    wishCancel(app, run, by.actor_type === 'user' ? (by.actor_id ?? null) : null)
}

export function remove(app: App, { actor, crewId, missionId }: Call<typeof missions.remove>): undefined {
  const row = findMission(app, actor.workspace, crewId, missionId)
  if (row.plan_state === 'asked')
    throw problem('mission_refused', { detail: 'The mission is being planned; cancel it, then delete it' })
  if (row.status !== 'PLANNING' && row.status !== 'CANCELLED')
    throw problem('mission_refused', { detail: `${standing(row)}. It is deleted from PLANNING or CANCELLED` })
  const by = actorOf(actor)
  changed(app, row, by, 'deleted')
  leaveMission(app, row.id)
  queries(app.db).removeTasks.run(row.id)
  queries(app.db).remove.run(row.id)
  withdraw(app, row.approval_id, by)
  tell(app, row, row.status, 'mission.deleted')
}

/** Open missions of a deleted crew are cancelled. */
export function cancelOfCrew(app: App, { payload, about }: Happened<'crew.deleted'>): void {
  for (const { id } of queries(app.db).openOfCrew.all(payload.entity_id)) {
    const row = queries(app.db).anyById.get(id)
    if (row) cancel(app, row, acting(about), 'The crew was deleted')
  }
}

export function start(app: App, { actor, crewId, missionId }: Call<typeof missions.start>): State {
  const row = findMission(app, actor.workspace, crewId, missionId)
  begin(app, row, actorOf(actor))
  return stateOf(app, missionId)
}

/** Begins a mission that is in PLANNING: only one of two who want that does. */
export function begin(app: App, row: Row, by: Acting): void {
  if (row.status !== 'PLANNING') checkedStart(row)
  if (row.plan_state === 'asked' || row.plan_state === 'again') throw problem('mission_planning')
  if (!queries(app.db).states.all(row.id).length)
    throw problem('mission_empty', { detail: 'Add tasks first, or let the LEAD plan them' })
  checkGraph(app, row.id)
  const members = {
    trace_id: newId(app.clock()),
    started_at: app.now(),
    deadline_at: deadlineFrom(app),
    error_message: null,
    plan_state: null,
    approval_id: null,
  }
  move(app, row, 'IN_PROGRESS', by, members)
  withdraw(app, row.approval_id, by)
  advance(app, row.id)
}

function checkedStart(row: Row): never {
  const instead = row.status === 'FAILED' ? '; resume this one' : ''
  throw problem('mission_refused', { detail: `${standing(row)}. Only one in PLANNING is started${instead}` })
}

/** Takes a mission that is over back to the beginning. */
export function restart(app: App, { actor, crewId, missionId }: Call<typeof missions.restart>): State {
  const row = checked(findMission(app, actor.workspace, crewId, missionId), 'PLANNING')
  const members = { trace_id: null, error_message: null, started_at: null, deadline_at: null, completed_at: null }
  const planned = move(app, row, 'PLANNING', actorOf(actor), members)
  for (const { id } of queries(app.db).states.all(row.id))
    setTask(app, planned, queries(app.db).task.get(row.id, id)!, undone)
  return stateOf(app, missionId)
}

/** What a task is before anybody has worked on it. */
const undone = {
  status: 'PENDING',
  iteration: 0,
  assignment_id: null,
  result_summary: null,
  error_message: null,
  confidence: null,
  approval_status: null,
  approval_id: null,
  approved_by: null,
  approved_at: null,
  started_at: null,
  completed_at: null,
} as const

const left = new Set(['FAILED', 'CANCELLED', 'BLOCKED'])

/** Goes on with a mission that failed: what was not done is tried again, as often as at first. */
export function resume(app: App, { actor, crewId, missionId }: Call<typeof missions.resume>): State {
  const row = findMission(app, actor.workspace, crewId, missionId)
  if (row.status !== 'FAILED')
    throw problem('mission_refused', { detail: `${standing(row)}. Only one that FAILED is resumed` })
  resumeMission(app, row, actorOf(actor), (status) => left.has(status))
  return stateOf(app, missionId)
}

/** Takes a failed mission back to work, with these of its tasks tried again. */
export function resumeMission(app: App, row: Row, by: Acting, again: (status: string, id: string) => boolean): void {
  const next = move(app, row, 'IN_PROGRESS', by, {
    error_message: null,
    trace_id: row.trace_id ?? newId(app.clock()),
    deadline_at: deadlineFrom(app),
  })
  for (const { id, status } of queries(app.db).states.all(row.id))
    if (again(status, id)) {
      const task = queries(app.db).task.get(row.id, id)!
      setTask(app, next, task, { status: 'PENDING', iteration: 0, completed_at: null })
    }
  advance(app, row.id)
}

export function clone(app: App, { actor, crewId, missionId, now }: Call<typeof missions.clone>): State {
  const row = findMission(app, actor.workspace, crewId, missionId)
  const id = newId(app.clock())
  copyMission(app, { id, title: `Copy of ${row.title}`, from: row.id, user: actor.id, now })
  created(app, id, actorOf(actor))
  return stateOf(app, id)
}
