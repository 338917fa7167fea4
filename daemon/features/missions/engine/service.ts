import { type Acting, fact } from '#contract/entries'
import type { MissionStatus } from '#contract/missions'
import { type App, wholeSeconds } from '#kernel/app'
import { newId } from '#kernel/ids'
import { agentById } from '../../agents/service.ts'
import { assignTask, cancelAssignment, isParked } from '../../assignments/tasks/service.ts'
import { raise } from '../../inbox/service.ts'
import { policyOf } from '../../policies/service.ts'
import { type Changed, queries, type Row, type StoredTask } from '../queries.ts'
import { nextStep } from '../rules.ts'
import { about, changed, orchestrator, subject, tell, tellTask } from '../telling.ts'
import { withdraw } from './approvals.ts'
import { briefOf } from './brief.ts'

/** How long a mission may take from its start. */
export const limitMs = 2 * 3_600_000

export const deadlineFrom = (app: App): string => wholeSeconds(app.clock() + limitMs)

/** Stores another state of a task and tells clients. */
export function setTask(app: App, mission: Row, task: StoredTask, members: Partial<StoredTask>): StoredTask {
  const next = { ...task, ...members, updated_at: app.now() }
  queries(app.db).updateTask.run(next)
  tellTask(app, mission, next)
  return next
}

/** Stores other members of a mission, which stays where it is. */
export function setMission(app: App, mission: Row, members: Partial<Changed>): Row {
  const next = { ...mission, ...members, updated_at: app.now() }
  if (!queries(app.db).update.get({ ...next, from: mission.status })) throw new Error(`Mission ${mission.id} has moved`)
  tell(app, next, next.status)
  return next
}

/** Moves a mission to another status. */
export function move(
  app: App,
  mission: Row,
  to: MissionStatus,
  by: Acting,
  { reason, ...members }: Partial<Changed> & { reason?: string } = {},
): Row {
  const next = setMission(app, mission, { ...members, status: to })
  const payload = { ...subject(mission), action: 'status_changed' as const, from: mission.status, to }
  app.journal(fact('orchestration.moved', { ...payload, ...(reason && { reason }) }, about(next, by)))
  return next
}

/**
 * Does what a mission at work needs next: begins tasks whose turn has come, or ends the mission. It looks at what is
 * stored alone, so that it may be called at any time and does nothing twice.
 */
export function advance(app: App, id: string): void {
  const found = queries(app.db).byId.get(id)
  if (found?.status !== 'IN_PROGRESS') return
  const mission = inTime(app, found)
  if (!mission) return
  const lead = mission.lead_agent_id ? agentById(app, mission.lead_agent_id) : undefined
  if (lead?.crew_id !== mission.crew_id) return void fail(app, mission, 'Its LEAD has left the crew')
  const { states, task } = queries(app.db)
  const step = nextStep(states.all(id).map((it) => ({ ...it, depends_on: JSON.parse(it.depends_on) as string[] })))
  for (const one of step.block) setTask(app, mission, task.get(id, one)!, { status: 'BLOCKED' })
  for (const one of step.unblock) setTask(app, mission, task.get(id, one)!, { status: 'PENDING' })
  for (const one of step.begin) begin(app, mission, task.get(id, one)!)
  if (step.over === 'done') finish(app, mission)
  else if (step.over === 'stuck') fail(app, mission, 'A task was not done, and nothing else can go on')
}

/** A mission whose time is not over; it has as much once more where a person is waited for. Null when it failed. */
function inTime(app: App, mission: Row): Row | null {
  if (mission.deadline_at === null || mission.deadline_at > app.now()) return mission
  if (waitsForPerson(app, mission.id)) return setMission(app, mission, { deadline_at: deadlineFrom(app) })
  fail(app, mission, `It was not over after ${limitMs / 3_600_000} hours`)
  return null
}

/** Whether a task waits for approval, or for an answer to what its agent asked. */
function waitsForPerson(app: App, mission: string): boolean {
  const tasks = queries(app.db).tasks.all(mission)
  return tasks.some(
    ({ status, assignment_id }) =>
      status === 'AWAITING_APPROVAL' ||
      (status === 'IN_PROGRESS' && assignment_id !== null && isParked(app, assignment_id)),
  )
}

/** Gives a task to its agent, or to the LEAD where it has none that is in the crew. */
function begin(app: App, mission: Row, before: StoredTask): void {
  const lead = agentById(app, mission.lead_agent_id!)!
  const chosen = before.assigned_agent_id ? agentById(app, before.assigned_agent_id) : undefined
  const agent = chosen?.crew_id === mission.crew_id ? chosen : lead
  const id = newId(app.clock())
  const iteration = before.iteration + 1
  const task = setTask(app, mission, before, {
    status: 'IN_PROGRESS',
    iteration,
    assignment_id: id,
    assigned_agent_id: agent.id === lead.id ? null : agent.id,
    started_at: before.started_at ?? app.now(),
    completed_at: null,
    confidence: null,
    approval_status: null,
    approval_id: null,
  })
  const payload = {
    ...subject(mission),
    task_id: task.id,
    task_title: task.title,
    target_slug: agent.slug,
    target_name: agent.name,
    assignment_id: id,
    iteration,
  }
  app.journal(fact('task.delegated', payload, { ...about(mission, orchestrator), agent_id: agent.id }))
  const brief = briefOf(mission, before, queries(app.db).tasks.all(mission.id))
  const triggered_by = mission.created_by_type === 'user' ? mission.created_by_id : null
  assignTask(app, {
    id,
    mission: mission.id,
    task: task.id,
    lead,
    agent: { ...agent, crew_id: mission.crew_id },
    title: task.title,
    brief,
    trace: mission.trace_id!,
    triggered_by,
  })
}

/** All is done: crews that may do much end it themselves, elsewhere a person looks at it. */
function finish(app: App, mission: Row): void {
  const reviewed = move(app, mission, 'REVIEW', orchestrator, { deadline_at: null })
  const { level } = policyOf(app, mission.workspace_id, mission.crew_id)
  if (level === 'trusted' || level === 'full')
    return void move(app, reviewed, 'COMPLETED', orchestrator, { completed_at: app.now() })
  const item = {
    kind: 'message',
    source: mission.id,
    target: { role: 'MANAGER' },
    title: `The mission "${mission.title}" is done and waits for review`,
    body: `Look at it with: muster missions show ${mission.id}`,
    payload: { subkind: 'mission_review', mission_id: mission.id, new_status: 'REVIEW' },
  } as const
  raise(app, { ...item, workspace: mission.workspace_id, now: app.now() }, 'upsert')
}

/** Ends a mission that cannot go on, with what is still at work on it. */
export function fail(app: App, mission: Row, reason: string): void {
  const failed = move(app, mission, 'FAILED', orchestrator, { reason, error_message: reason, deadline_at: null })
  endTasks(app, failed, orchestrator, reason)
}

/** Cancels what agents still do for a mission; nothing new begins, since it is at work no more. */
export function endTasks(app: App, mission: Row, by: Acting, why: string): void {
  for (const { id, status } of queries(app.db).states.all(mission.id)) {
    if (status !== 'IN_PROGRESS' && status !== 'AWAITING_APPROVAL') continue
    const task = queries(app.db).task.get(mission.id, id)!
    setTask(app, mission, task, { status: 'CANCELLED', error_message: why, completed_at: app.now() })
    withdraw(app, task.approval_id, by)
    if (task.assignment_id) cancelAssignment(app, task.assignment_id, by, why)
  }
}

/** A request for an entry that a task's state was changed. */
export const noted = (app: App, mission: Row, task: StoredTask, action: string, reason?: string | null): void =>
  changed(app, mission, orchestrator, action, { task, ...(reason && { reason }) })
