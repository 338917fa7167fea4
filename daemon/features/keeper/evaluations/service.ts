import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { propose } from '../../consolidate/service.ts'
import { findCrew } from '../../crews/service.ts'
import { policyOf } from '../../policies/service.ts'
import { judgeOf } from '../evaluators/service.ts'
import type { Judge } from '../judge/service.ts'
import { store } from '../requests/asking.ts'
import type { Row } from '../requests/queries.ts'
import { type Begun, cardOf, conclude, judged, nothing, titleOf } from './judging.ts'
import { type Evaluation, matters } from './matters.ts'

type Bodies = {
  skill_review: Call<typeof keeper.reviewSkill>
  behavior: Call<typeof keeper.behavior>
  memory_health: Call<typeof keeper.memoryHealth>
  negative_learning: Call<typeof keeper.negativeLearning>
}
type Verdict = Pick<Reply<typeof keeper.behavior>, 'request_id' | 'decision' | 'reason' | 'risk_score'>

/** One evaluation: stored first, then judged; what is not allowed is a card. `ends` says what follows from it. */
function evaluation<K extends Evaluation, R>(
  app: App,
  type: K,
  ends: (call: Bodies[K], said: Verdict, row: Row, judge: Judge) => R,
) {
  return {
    wish: (call: Bodies[K]): Begun => begin(app, type, call),
    async settle(call: Bodies[K], begun: Begun): Promise<R> {
      const outcome = await judged(app, type, call.body, begun)
      return app.write(() => {
        const row = conclude(app, begun.row.id, outcome, cardOf(type, call.body))
        const decision = row.decision as Verdict['decision']
        const said = { request_id: row.id, decision, reason: row.reason ?? '', risk_score: row.risk_score ?? 10 }
        return ends(call, said, row, begun.judge)
      })
    },
  }
}

export const reviewSkill = (app: App) =>
  evaluation(
    app,
    'skill_review',
    ({ body }, said): Reply<typeof keeper.reviewSkill> => ({
      ...said,
      verify_after_decide: said.decision === 'ALLOW',
      unverify_after_decide: said.decision === 'DENY',
      proposed_lifecycle:
        said.decision === 'DENY'
          ? 'deprecated'
          : said.decision === 'ESCALATE'
            ? 'stale'
            : (body.lifecycle_state ?? 'active'),
    }),
  )

export const behavior = (app: App) =>
  evaluation(app, 'behavior', ({ body }, said): Reply<typeof keeper.behavior> => {
    const { mode } = policyOf(app, body.workspace_id, body.crew_id)
    const should_block = mode === 'block' && said.decision === 'DENY'
    return {
      ...said,
      should_block,
      policy_decision: should_block ? 'block' : said.decision === 'ALLOW' ? 'allow' : 'warn',
    }
  })

export const memoryHealth = (app: App) =>
  evaluation(
    app,
    'memory_health',
    ({ body }, said): Reply<typeof keeper.memoryHealth> => ({
      ...said,
      auto_consolidate: said.decision === 'DENY',
      overall_score: body.snapshot?.Overall ?? 0,
    }),
  )

export const negativeLearning = (app: App) =>
  evaluation(app, 'negative_learning', ({ body, now }, said, row, judge): Reply<typeof keeper.negativeLearning> => {
    const crew = body.crew_id ? findCrew(app, body.workspace_id, body.crew_id) : null
    if (said.decision !== 'ALLOW' || !crew || !said.reason) return { ...said, write_lesson: false }
    const rule = {
      pattern: body.failure_snippet.slice(0, 300),
      action: said.reason,
      evidence: [row.id],
      confidence: 0.5,
    }
    const lesson_id = propose(app, {
      crew,
      rules: [rule],
      entriesScanned: 1,
      model: judge.model,
      actor: { actor_type: 'system' },
      now,
    })
    return { ...said, write_lesson: true, lesson_id }
  })

function begin<K extends Evaluation>(app: App, type: K, { actor, body, now }: Bodies[K]): Begun {
  const { workspace_id, crew_id = null } = body
  const agent_id = 'agent_id' in body ? (body.agent_id ?? null) : null
  if (crew_id) findCrew(app, workspace_id, crew_id)
  if (agent_id && agentById(app, agent_id)?.workspace_id !== workspace_id)
    throw problem('not_found', { field: 'agent_id' })
  const judge = judgeOf(app, matters[type].slot)
  if ('missing' in judge) throw problem('unavailable', { detail: judge.missing })
  const about = { workspace_id, crew_id, agent_id, request_type: type, intent: titleOf(type, body) }
  return { row: store(app, { ...nothing, ...about }, { by: actor, now }), judge }
}
