import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { agentById } from '../../agents/service.ts'
import { outcomeOf } from '../../assignments/tasks/service.ts'
import { confidenceIn } from '../../crews/service.ts'
import { raise } from '../../inbox/service.ts'
import { findRun } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { queries, type Row, type StoredTask } from '../queries.ts'
import { backTo } from '../rules.ts'
import { askApproval } from './approvals.ts'
import { advance, noted, setTask } from './service.ts'

type EndedAssignment = Happened<'assignment.completed' | 'assignment.failed' | 'assignment.cancelled'>
type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

const summaryLimit = 8000

/** Ends the attempt at a task with its assignment, in the change that ends that. */
export function settleTask(app: App, { name, payload }: EndedAssignment): void {
  const task = queries(app.db).taskOfAssignment.get(payload.assignment_id)
  const mission = task && queries(app.db).byId.get(task.mission_id)
  if (!mission || task.status !== 'IN_PROGRESS') return
  const { result, error } = outcomeOf(app, payload.assignment_id)
  if (name === 'assignment.completed') complete(app, mission, task, result)
  else if (name === 'assignment.failed') failAttempt(app, mission, task, error)
  else cancel(app, mission, task, error)
}

function complete(app: App, mission: Row, task: StoredTask, result: string | null): void {
  const result_summary = result === null ? null : [...result].slice(0, summaryLimit).join('')
  const done = { ...task, result_summary, error_message: null }
  const agent = agentById(app, task.assigned_agent_id ?? mission.lead_agent_id!)
  const waits = agent !== undefined && mustBeApproved(app, mission, task)
  const next = setTask(
    app,
    mission,
    done,
    waits
      ? { status: 'AWAITING_APPROVAL', approval_id: askApproval(app, mission, done, agent) }
      : { status: 'COMPLETED', completed_at: app.now() },
  )
  noted(app, mission, next, waits ? 'task_awaits_approval' : 'task_completed')
  if (!waits) tellUnsure(app, mission, next)
}

/** Whether a person must look at a result: the task asks for it, or its agent is not as sure as its crew wants. */
function mustBeApproved(app: App, mission: Row, { confidence, approval_required }: StoredTask): boolean {
  const { require_approval_below, auto_approve_threshold } = confidenceIn(app, mission.crew_id)
  if (confidence !== null && confidence < require_approval_below) return true
  const sure = typeof auto_approve_threshold === 'number' && confidence !== null && confidence >= auto_approve_threshold
  return approval_required === 1 && !sure
}

/** Tells people of a result of which its agent is less sure than its crew wants without a word. */
function tellUnsure(app: App, mission: Row, { id, title, confidence, result_summary }: StoredTask): void {
  const { notify_threshold } = confidenceIn(app, mission.crew_id)
  if (typeof notify_threshold !== 'number' || confidence === null || confidence >= notify_threshold) return
  const item = {
    kind: 'message',
    source: `sure_${id}`,
    target: { role: 'MANAGER' },
    title: `The result of "${title}" is only ${Math.round(confidence * 100)}% sure`,
    body: result_summary ?? 'It said nothing.',
    payload: { subkind: 'mission_unsure', mission_id: mission.id, task_id: id, confidence },
  } as const
  raise(app, { ...item, workspace: mission.workspace_id, now: app.now() }, 'upsert')
}

/** Tries it again, with what it goes back to, unless it was tried as often as it may be. */
function failAttempt(app: App, mission: Row, task: StoredTask, error: string | null): void {
  const again = task.iteration < task.max_iterations
  if (again) redo(app, mission, task)
  const next = setTask(app, mission, task, {
    error_message: error,
    ...(again ? { status: 'PENDING' } : { status: 'FAILED', completed_at: app.now() }),
  })
  noted(app, mission, next, again ? 'task_retried' : 'task_failed', error)
}

/** Takes back what is done of the tasks from which all is done again when this one fails. */
function redo(app: App, mission: Row, task: StoredTask): void {
  const { states, task: find } = queries(app.db)
  const tasks = states.all(mission.id).map((it) => ({ ...it, depends_on: JSON.parse(it.depends_on) as string[] }))
  for (const id of backTo(tasks, task.id, task.loop_back_to)) {
    const fresh = { status: 'PENDING', iteration: 0, completed_at: null, approval_status: null } as const
    noted(app, mission, setTask(app, mission, find.get(mission.id, id)!, fresh), 'task_retried')
  }
}

/** A person who cancels an assignment ends the task. What a deleted agent did goes to the LEAD. */
function cancel(app: App, mission: Row, task: StoredTask, error: string | null): void {
  const gone = task.assigned_agent_id !== null && !agentById(app, task.assigned_agent_id)
  const next = setTask(app, mission, task, {
    error_message: error,
    ...(gone
      ? { status: 'PENDING', assigned_agent_id: null, iteration: task.iteration - 1 }
      : { status: 'CANCELLED', completed_at: app.now() }),
  })
  noted(app, mission, next, gone ? 'task_retried' : 'task_cancelled', error)
}

/** Goes on with the mission of an attempt that has ended. */
export async function afterAssignment(app: App, { payload }: EndedAssignment): Promise<void> {
  const task = queries(app.db).taskOfAssignment.get(payload.assignment_id)
  if (task) await app.write(() => advance(app, task.mission_id))
}

/** Keeps what an agent says of its work with the task. */
export function keepConfidence(app: App, { payload, about }: Happened<'run.confidence'>): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  const task =
    run?.source === 'assignment' && run.source_id ? queries(app.db).taskOfAssignment.get(run.source_id) : undefined
  const mission = task && queries(app.db).byId.get(task.mission_id)
  if (mission && task.status === 'IN_PROGRESS') setTask(app, mission, task, { confidence: payload.confidence })
}

const isTask = ({ payload }: Review): boolean => payload.kind === 'custom' && payload.target === 'mission_task'

/** Applies what people decided about the result of a task. */
export function settleApproval(app: App, it: Review): void {
  const { name, payload, about } = it
  if (!isTask(it) || !payload.target_id) return
  const task = queries(app.db).taskById.get(payload.target_id)
  const mission = task && queries(app.db).byId.get(task.mission_id)
  if (!mission || task.status !== 'AWAITING_APPROVAL' || task.approval_id !== payload.approval_id) return
  const { actor_id } = about
  const person = about.actor_type === 'user' && actor_id ? findUser(app, actor_id) : undefined
  const decided = { approved_by: person?.full_name ?? person?.email ?? null, approved_at: app.now() }
  if (name === 'approval.granted') {
    const done = { ...decided, status: 'COMPLETED', approval_status: 'APPROVED', completed_at: app.now() } as const
    noted(app, mission, setTask(app, mission, task, done), 'task_completed')
  } else {
    const why = payload.comment ?? payload.reason ?? null
    failAttempt(app, mission, { ...task, ...decided, approval_status: 'REJECTED' }, why)
  }
}

/** Goes on with the mission of a task that people decided about. */
export async function afterApproval(app: App, it: Review): Promise<void> {
  const task = isTask(it) && it.payload.target_id ? queries(app.db).taskById.get(it.payload.target_id) : undefined
  if (task) await app.write(() => advance(app, task.mission_id))
}
