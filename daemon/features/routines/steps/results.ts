import type { RoutineStep } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { lastWordsOf } from '../../runs/messages/service.ts'
import { recordOf } from '../../runs/records/service.ts'
import { findRun } from '../../runs/service.ts'
import { waitpointOf } from '../../waitpoints/service.ts'
import { queries, type RunRow, type StepRow } from '../engine/queries.ts'
import { afterAgentRun } from './agents.ts'
import { completed, failed, type Outcome } from './types.ts'

interface Result {
  outcome: Outcome
  /** Dollars that it took. */
  cost: number
}

/** What a step has come to that waits for an agent, another routine or a person; null while it goes on. */
export function resultOf(app: App, run: RunRow, step: RoutineStep, row: StepRow): Result | null {
  if (row.agent_run_id && step.type === 'agent_run') return ofAgent(app, run, step, row)
  if (row.child_run_id) return ofCalled(app, row.child_run_id)
  return row.waitpoint_id ? ofWaitpoint(app, row.waitpoint_id) : null
}

const names = {
  COMPLETED: 'run.completed',
  FAILED: 'run.failed',
  CANCELLED: 'run.cancelled',
  TIMEOUT: 'run.timeout',
} as const

function ofAgent(app: App, run: RunRow, step: RoutineStep & { type: 'agent_run' }, row: StepRow): Result | null {
  const ended = findRun(app, row.agent_run_id!)
  if (ended && ended.phase !== 'ended') return null
  if (!ended?.outcome) return { outcome: failed('The run of the agent is gone', true), cost: 0 }
  const { cost_usd, error_message } = recordOf(app, run.workspace_id, ended.id)
  const cost = cost_usd ?? 0
  const end = { name: names[ended.outcome], error: error_message, said: lastWordsOf(app, ended), cost }
  return { outcome: afterAgentRun(app, run, step, row, end), cost }
}

function ofCalled(app: App, id: string): Result | null {
  const child = queries(app.db).run.get(id)
  if (child && child.ended_at === null) return null
  const cost = child?.cost_usd ?? 0
  if (child?.status !== 'completed')
    return {
      outcome: failed(
        `The routine ${child?.routine_slug ?? ''} ${child?.status ?? 'is gone'}: ${child?.error_message ?? ''}`,
      ),
      cost,
    }
  return { outcome: completed(child.output_json === null ? null : JSON.parse(child.output_json)), cost }
}

const refusals = {
  denied: 'A person refused it',
  timed_out: 'Nobody decided in time',
  cancelled: 'What was waited for was withdrawn',
} as const

function ofWaitpoint(app: App, id: string): Result | null {
  const waitpoint = waitpointOf(app, id)
  if (!waitpoint) return { outcome: failed(refusals.cancelled, true), cost: 0 }
  const { status, comment, payload } = waitpoint
  if (status === 'pending') return null
  if (status === 'approved') return { outcome: completed(payload ?? comment ?? ''), cost: 0 }
  return { outcome: failed(`${refusals[status]}${comment ? `: ${comment}` : ''}`, true), cost: 0 }
}
