import type { Static } from 'typebox'
import type { PlannedTask } from '#contract/missions'
import type { App } from '#kernel/app'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { reached } from '#kernel/reached'
import { findPlan } from '../../plans/service.ts'
import { queries, type StoredTask } from '../queries.ts'
import { inCycle } from '../rules.ts'

export const size = { min: 1, max: 200, unit: 'characters' } as const
const attempts = 3

/** A task that nobody has worked on. */
export const newTask = (mission_id: string, title: string, now: string): Omit<StoredTask, 'id'> => ({
  mission_id,
  title,
  description: null,
  status: 'PENDING',
  assigned_agent_id: null,
  task_order: 0,
  depends_on: '[]',
  iteration: 0,
  max_iterations: attempts,
  loop_back_to: null,
  assignment_id: null,
  result_summary: null,
  error_message: null,
  confidence: null,
  approval_required: 0,
  approval_status: null,
  approval_id: null,
  approved_by: null,
  approved_at: null,
  started_at: null,
  completed_at: null,
  created_at: now,
  updated_at: now,
})

/** The agent of a crew that is to do a task; null for the LEAD. */
export function agentIn(
  { db }: App,
  crew: string,
  id: string | null | undefined,
  field = 'assigned_agent_id',
): string | null {
  if (!id) return null
  const found = queries(db)
    .agentsOfCrew.all(crew)
    .some((agent) => agent.id === id)
  if (!found) throw problem('not_found', { field, detail: 'The crew has no such agent' })
  return id
}

/** Refuses tasks of which one depends on itself, over others or not. */
export function checkGraph({ db }: App, mission: string): void {
  const tasks = queries(db).states.all(mission)
  const parsed = tasks.map(({ id, depends_on }) => ({ id, depends_on: JSON.parse(depends_on) as string[] }))
  const at = inCycle(parsed)
  if (at !== undefined)
    throw problem('task_cycle', {
      field: 'depends_on',
      detail: `The task "${queries(db).taskById.get(at)!.title}" would depend on itself`,
    })
}

/**
 * The tasks of a step plan; null without one. A step is done by the agent of the crew whose slug or role title it
 * names, else by the LEAD.
 */
export function tasksOfPlan(app: App, workspace: string, crew: string, plan: string | null | undefined): Drafts | null {
  if (!plan) return null
  const agents = queries(app.db).agentsOfCrew.all(crew)
  return findPlan(app, workspace, plan).template_json.steps.map(
    ({ id, title, agent_role, depends_on, max_iterations, loop_back_to }) => {
      const role = agent_role?.toLowerCase()
      const agent = agents.find(({ slug, role_title }) => role && [slug, role_title?.toLowerCase()].includes(role))
      return {
        key: id,
        title,
        ...(agent && { assigned_agent_id: agent.id }),
        ...(depends_on && { depends_on }),
        ...(max_iterations && { max_iterations: Math.min(max_iterations, 10) }),
        ...(loop_back_to && { loop_back_to }),
      }
    },
  )
}

type Drafts = readonly Static<typeof PlannedTask>[]

/** Adds the tasks of a plan, which name each other by keys of the plan, to a mission without tasks. */
export function insertPlanned(
  app: App,
  { id: mission, crew_id }: { id: string; crew_id: string },
  drafts: Drafts,
  now: string,
): void {
  const ids = new Map(drafts.map(({ key }) => [key, newId(app.clock())]))
  if (ids.size < drafts.length)
    throw problem('invalid_field', { field: 'tasks', detail: 'Two tasks have the same key' })
  drafts.forEach((draft, at) => {
    const needed = [...new Set(draft.depends_on ?? [])]
    const unknown = needed.find((key) => !ids.has(key))
    if (unknown !== undefined)
      throw problem('invalid_field', { field: `tasks.${at}.depends_on`, detail: `No task has the key "${unknown}"` })
    queries(app.db).insertTask.run({
      ...newTask(mission, cleanName(`tasks.${at}.title`, draft.title, size), now),
      id: ids.get(draft.key)!,
      description: blankToNull(draft.description),
      assigned_agent_id: agentIn(app, crew_id, draft.assigned_agent_id, `tasks.${at}.assigned_agent_id`),
      task_order: at + 1,
      max_iterations: draft.max_iterations ?? attempts,
      approval_required: draft.approval_required ? 1 : 0,
      depends_on: JSON.stringify(needed.map((key) => ids.get(key))),
      loop_back_to: loopOf(drafts, draft, at, ids),
    })
  })
  checkGraph(app, mission)
}

/** The id of the task to which another one goes back: one that it depends on, over others or not. */
function loopOf(
  drafts: Drafts,
  { key, loop_back_to }: Drafts[number],
  at: number,
  ids: ReadonlyMap<string, string>,
): string | null {
  if (!loop_back_to) return null
  if (!dependsOn(drafts, key, loop_back_to))
    throw problem('invalid_field', {
      field: `tasks.${at}.loop_back_to`,
      detail: `"${key}" can only go back to a task that it depends on, not to "${loop_back_to}"`,
    })
  return ids.get(loop_back_to)!
}

const dependsOn = (drafts: Drafts, from: string, to: string): boolean =>
  reached(from, (one) => drafts.find(({ key }) => key === one)?.depends_on ?? []).has(to)
