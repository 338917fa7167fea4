import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import type { AgentRow } from '../../agents/service.ts'
import { findRun } from '../../runs/service.ts'
import { cancelOne } from '../endings/service.ts'
import { queries } from '../queries.ts'
import { admit } from '../queue/service.ts'
import { broadcast } from '../telling.ts'

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
