import { Type } from 'typebox'
import { assignmentStates } from './assignments.ts'
import { get } from './define.ts'
import { Id, nullable } from './fields.ts'
import { runStatuses } from './runs.ts'

const maybe = nullable(Type.String())

/** Delegated work, below the run that delegated it. `parent_assignment_id` names the branch that it hangs on. */
const Branch = Type.Object({
  assignment_id: Id,
  parent_assignment_id: maybe,
  parent_run_id: Id,
  run_id: maybe,
  depth: Type.Integer(),
  agent_name: Type.String(),
  agent_slug: Type.String(),
  crew_slug: Type.String(),
  task: Type.String(),
  state: Type.Enum([...assignmentStates]),
  created_at: Type.String(),
  started_at: maybe,
  finished_at: maybe,
  error_message: maybe,
})

export const runTree = {
  tree: get('/runs/:runId/tree', {
    summary: 'Show a run with all that it delegated, and what that delegated in turn',
    access: 'VIEWER',
    workspace: 'session',
    reply: Type.Object({
      run_id: Id,
      agent_name: Type.String(),
      agent_slug: Type.String(),
      status: Type.Enum(runStatuses),
      started_at: Type.String(),
      finished_at: maybe,
      assignments: Type.Array(Branch, { description: 'In the order in which they were made; 1,000 at most' }),
    }),
    throws: ['not_found'],
  }),
}
