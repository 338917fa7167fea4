import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { isVisible } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import type { AgentRow } from '../../agents/service.ts'
import { checkMayHear, findRun } from '../../runs/service.ts'
import { cancelOne } from '../endings/service.ts'
import { queries, type Row } from '../queries.ts'
import { admit } from '../queue/service.ts'
import { broadcast, concerning, naming } from '../telling.ts'

export interface TaskAsked {
  /** Id that the assignment gets. */
  id: string
  mission: string
  task: string
  /** The LEAD in whose name it is given. */
  lead: AgentRow
  agent: AgentRow & { crew_id: string }
  title: string
  /** What the agent is told. */
  brief: string
  /** Groups the entries of the mission. */
  trace: string
  triggered_by: string | null
}

/**
 * Gives a task of a mission to an agent, which may be the LEAD itself: the assignment waits for its place like any
 * other one. Its end is told to nobody but those who react to the fact.
 */
export function assignTask(app: App, it: TaskAsked): void {
  const { id } = it
  queries(app.db).insert.get({
    id,
    workspace_id: it.agent.workspace_id,
    crew_id: it.agent.crew_id,
    chat_id: null,
    mission_id: it.mission,
    task_id: it.task,
    brief: it.brief,
    assigned_by_id: it.lead.id,
    assigned_to_id: it.agent.id,
    task: it.title,
    group_id: it.mission,
    depth: 1,
    parent_assignment_id: null,
    parent_run_id: it.trace,
    chain_origin: it.trace,
    triggered_by: it.triggered_by,
    call_id: null,
    created_at: app.now(),
  })
  const row = queries(app.db).byId.get(id)!
  broadcast(app, row, 'created')
  admit(app, row)
}

export interface WorkAsked {
  agent: AgentRow
  /** In whose name it is given: the agent that hears of it as its own. */
  by: AgentRow
  task: string
  /** The run of a routine that gives it, from which it hangs. */
  run: string
  triggered_by: string | null
}

/**
 * Gives work to an agent that no agent asked for, and waits for nothing: its end is a fact, told to nobody. Refuses
 * what agents may not be given, and more of it than one run may give.
 */
export function assignWork(app: App, { agent, by, task, run, triggered_by }: WorkAsked): Row {
  if (!isVisible(task)) throw problem('invalid_field', { field: 'task', detail: 'Say what is to be done' })
  if (!agent.crew_id) throw problem('agent_crewless', { field: 'agent_slug' })
  checkMayHear(agent)
  const most = app.config.maxAssignmentFanOut
  if (queries(app.db).groupCount.get(run)!.n >= most)
    throw problem('assignment_limit', { detail: `One run may give work ${most} times (assignments.max_fan_out)` })
  const id = newId(app.clock())
  queries(app.db).insert.get({
    id,
    workspace_id: agent.workspace_id,
    crew_id: agent.crew_id,
    chat_id: null,
    mission_id: null,
    task_id: null,
    brief: null,
    assigned_by_id: by.id,
    assigned_to_id: agent.id,
    task: task.trim(),
    group_id: run,
    depth: 1,
    parent_assignment_id: null,
    parent_run_id: run,
    chain_origin: run,
    triggered_by,
    call_id: null,
    created_at: app.now(),
  })
  const row = queries(app.db).byId.get(id)!
  app.journal(
    fact('assignment.created', { ...naming(app, row), depth: 1 }, { ...concerning(row), actor_type: 'orchestrator' }),
  )
  broadcast(app, row, 'created')
  return admit(app, row)
}

/** Ends an assignment whose mission needs it no more; one that is over stays as it is. */
export function cancelAssignment(app: App, id: string, by: Acting, why: string): void {
  const row = queries(app.db).byId.get(id)
  if (row?.finished_at === null) cancelOne(app, row, by, why)
}

/** What came of an assignment that is over. */
export function outcomeOf({ db }: App, id: string): { result: string | null; error: string | null } {
  const { result_summary, error_message } = queries(db).byId.get(id)!
  return { result: result_summary, error: error_message }
}

/** Whether the agent at work on an assignment waits for the answer of a person. */
export function isParked(app: App, id: string): boolean {
  const run = queries(app.db).byId.get(id)?.run_id
  const phase = run ? findRun(app, run)?.phase : undefined
  return phase === 'parking' || phase === 'parked'
}

/** Assignments of a deleted mission stay without it. */
export const leaveMission = ({ db }: App, mission: string): void => void queries(db).leaveMission.run(mission)
