import type { Static } from 'typebox'
import type { Mission as Schema, Task as TaskSchema } from '#contract/missions'
import { treeOf } from '../missions/tree.ts'
import { age, type Cell, dollars, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Mission = Static<typeof Schema>
export type Task = Static<typeof TaskSchema>

const done = ({ task_stats: { completed, skipped, total } }: Mission) => `${completed + skipped}/${total}`
const state = (it: Mission): Cell => (it.planning ? { text: 'being planned', value: it.status } : status(it.status))
const failure = ({ error_message }: { error_message: string | null }): Cell =>
  error_message ? { text: error_message, tone: 'red' } : null

export const missionView: View<Mission> = {
  name: ({ id }) => id,
  empty: 'There are no such missions. Next: muster missions create TITLE --crew CREW',
  columns: {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    STATUS: state,
    TASKS: done,
    CREW: ({ crew_slug }) => crew_slug,
    LEAD: ({ lead_agent_slug }) => lead_agent_slug,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { COST: ({ cost }) => dollars(cost), TOKENS: ({ total_token_count }) => total_token_count, ERROR: failure },
  detail: {
    Mission: ({ title }) => title,
    Status: state,
    Error: failure,
    Crew: ({ crew_slug }) => crew_slug,
    Lead: ({ lead_agent_slug }) => lead_agent_slug,
    Tasks: done,
    Cost: ({ cost }) => dollars(cost),
    Approval: ({ approval_id }) => approval_id,
    'Opened by': ({ created_by }) => created_by.name ?? created_by.type,
    Opened: ({ created_at }) => when(created_at),
    Started: ({ started_at }) => when(started_at),
    'At the latest': ({ deadline_at }) => when(deadline_at),
    Completed: ({ completed_at }) => when(completed_at),
    Id: ({ id }) => id,
  },
  below: ({ tasks = [], lead_agent_slug }) => treeOf(tasks, lead_agent_slug, Date.now()).join('\n'),
}

/** What a move of a mission answers. */
export const movedView: View<{ id: string; status: string }> = {
  name: ({ id }) => id,
  columns: { ID: ({ id }) => id, STATUS: (it) => status(it.status) },
}

export const taskView: View<Task> = {
  name: ({ id }) => id,
  columns: {
    '#': ({ task_order }) => task_order,
    TITLE: ({ title }) => title,
    STATUS: (it) => status(it.status),
    AGENT: ({ agent_slug }) => agent_slug ?? 'LEAD',
    TRIES: ({ iteration, max_iterations }) => `${iteration}/${max_iterations}`,
    ERROR: failure,
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Task: ({ title }) => title,
    Status: (it) => status(it.status),
    Agent: ({ agent_slug }) => agent_slug ?? 'LEAD',
    Tries: ({ iteration, max_iterations }) => `${iteration} of ${max_iterations}`,
    Confidence: ({ confidence }) => confidence,
    Error: failure,
    Result: ({ result_summary }) => result_summary,
    Assignment: ({ assignment_id }) => assignment_id,
    Cost: ({ estimated_cost }) => dollars(estimated_cost),
    Started: ({ started_at }) => when(started_at),
    Finished: ({ completed_at }) => when(completed_at),
    Id: ({ id }) => id,
  },
}
