import type { BehaviorMode } from '#contract/policies'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { cardOf, conclude, judged, nothing, policyOrStrict, titleOf } from '../evaluations/judging.ts'
import { judgeOf } from '../evaluators/service.ts'
import { governanceOf } from '../governance/service.ts'
import { store } from '../requests/asking.ts'
import type { Outcome } from '../requests/deciding.ts'
import { queries } from '../requests/queries.ts'

/** No call is held for longer, however much time the evaluator has. */
const mostHeldMs = 60_000

/** How the calls of a crew's agents are judged. */
export interface Monitoring {
  mode: BehaviorMode
  /** For all of it: waiting for a free judge, and the judge's answer. */
  budgetMs: number
}

/** Null where nobody judges them, which is so unless the workspace asks for it. */
export function monitoring(app: App, workspace: string, crew: string): Monitoring | null {
  if (!governanceOf(app, workspace).monitor_tool_calls) return null
  const judge = judgeOf(app, 'behavior')
  if ('missing' in judge) return null
  const { mode } = policyOrStrict(app, workspace, crew)
  return { mode, budgetMs: Math.min(judge.timeoutMs, mostHeldMs) }
}

/** A call of a tool that an agent makes. */
export interface SeenCall {
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_name: string
  run_id: string
  chat_id: string | null
  /** As its client names it. */
  call_id: string
  tool_name: string
  tool_args_snippet: string
  recent_tool_calls: string[]
}

export interface CallVerdict {
  request_id: string
  reason: string
  /** The policy of the crew stops such a call. */
  blocks: boolean
}

/**
 * Has a call judged within what `left` says is left of its time, or says why it is not, and stores that; null for one
 * that was judged before, or that nobody judges any more.
 */
export async function judgeCall(
  app: App,
  call: SeenCall,
  left: () => number,
  unjudged?: string,
): Promise<CallVerdict | null> {
  const { workspace_id, crew_id, agent_id, run_id, chat_id, call_id, ...body } = call
  const judge = judgeOf(app, 'behavior')
  if ('missing' in judge) return null
  const by = actorOf(call)
  const intent = titleOf('behavior', body)
  const row = await app.write(() => {
    if (queries(app.db).ofCall.get(run_id, call_id)) return null
    const about = { workspace_id, crew_id, agent_id, run_id, chat_id, call_id, intent }
    return store(app, { ...nothing, ...about, request_type: 'behavior' }, { by, now: app.now() })
  })
  if (!row) return null
  const outcome: Outcome = unjudged
    ? { decision: 'WARN', reason: unjudged, risk: 5, rule: 'limit' }
    : await judged(app, 'behavior', body, { row, judge }, Math.floor(left()))
  // What is fine is kept without the call itself: there are very many of them.
  const { prompt: _, raw: __, ...bare } = outcome
  const card = cardOf('behavior', { ...body, agent_id, crew_id })
  const done = await app.write(() => conclude(app, row.id, outcome.decision === 'ALLOW' ? bare : outcome, card))
  const denied = done.decision === 'DENY'
  return {
    request_id: done.id,
    reason: done.reason ?? '',
    blocks: denied && policyOrStrict(app, workspace_id, crew_id).mode === 'block',
  }
}

const actorOf = ({ workspace_id, crew_id, agent_id }: SeenCall): Actor => ({
  type: 'agent',
  id: agent_id,
  email: null,
  workspace: workspace_id,
  role: null,
  token: null,
  session: null,
  bound: { workspace: workspace_id, crew: crew_id, agent: agent_id },
})
