import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { propose } from '../../consolidate/service.ts'
import { findCrew } from '../../crews/service.ts'
import { raise } from '../../inbox/service.ts'
import { policyOf } from '../../policies/service.ts'
import { judgeOf } from '../evaluators/service.ts'
import { contactOf } from '../governance/service.ts'
import { watchPolicy } from '../governance/watch.ts'
import { askJudge, type Judge, NoVerdict } from '../judge/service.ts'
import { store } from '../requests/asking.ts'
import type { Outcome } from '../requests/deciding.ts'
import { queries, type Row } from '../requests/queries.ts'
import { settle } from '../requests/settling.ts'
import { decisionFact } from '../requests/telling.ts'
import { type Evaluation, matters } from './matters.ts'

type Bodies = {
  skill_review: Call<typeof keeper.reviewSkill>
  behavior: Call<typeof keeper.behavior>
  memory_health: Call<typeof keeper.memoryHealth>
  negative_learning: Call<typeof keeper.negativeLearning>
}
type Verdict = Pick<Reply<typeof keeper.behavior>, 'request_id' | 'decision' | 'reason' | 'risk_score'>

interface Begun {
  row: Row
  judge: Judge
}

const mostKept = 32_768

/** What belongs to requests for credentials alone. */
const nothing = {
  credential_id: null,
  security_level: null,
  task_id: null,
  run_id: null,
  chat_id: null,
  command: null,
  env_var: null,
}

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

function titleOf(type: Evaluation, body: object): string {
  const { skill_name, tool_name, agent_name, crew_name, trigger } = body as Record<string, string | undefined>
  return [matters[type].about, skill_name ?? tool_name ?? trigger, agent_name ?? crew_name].filter(Boolean).join(': ')
}

async function judged(app: App, type: Evaluation, body: object, { row, judge }: Begun): Promise<Outcome> {
  const clean = app.scrub({ workspace_id: row.workspace_id, agent_id: row.agent_id ?? '' }, [])
  const watch = type === 'behavior' ? watchPolicy(app, row.workspace_id) : ''
  const { workspace_id: _, ...told } = body as Record<string, unknown>
  const lines = Object.entries(told).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const prompt = clean([...(watch ? ['What people want watched:', watch, ''] : []), ...lines].join('\n'))
  const kept = { prompt: prompt.slice(0, mostKept) }
  try {
    const { decision, reason, risk, text } = await askJudge(app, judge, prompt, { matter: matters[type].matter })
    return { decision, reason: clean(reason), risk, rule: 'judge', raw: clean(text).slice(0, mostKept), ...kept }
  } catch (error) {
    if (!(error instanceof NoVerdict)) throw error
    // Nothing is stopped by a judge that cannot be reached: people look.
    const decision = type === 'behavior' ? 'WARN' : 'ESCALATE'
    return { decision, reason: `There is no verdict: ${error.message}`, risk: 5, rule: 'judge_failure', ...kept }
  }
}

interface Card {
  title: string
  payload: Record<string, unknown>
}

const cardOf = (type: Evaluation, body: object): Card => {
  const { skill_id, agent_id, tool_name, crew_id } = body as Record<string, string | undefined>
  return { title: titleOf(type, body), payload: { skill_id, agent_id, tool_name, crew_id } }
}

function conclude(app: App, id: string, { decision, reason, risk, rule, prompt, raw }: Outcome, card: Card): Row {
  const now = app.now()
  settle(app, id, { before: 'PENDING', decision, reason, risk, rule, prompt, raw, by: null, now })
  const row = queries(app.db).byId.get(id)!
  app.journal(decisionFact(row, null))
  if (decision === 'ALLOW') return row
  const user = contactOf(app, row.workspace_id)
  raise(app, {
    workspace: row.workspace_id,
    kind: 'escalation',
    source: id,
    target: user ? { user } : { role: 'MANAGER' },
    title: card.title,
    body: `${decision}, risk ${risk}: ${reason}`,
    attention: 'review',
    payload: { request_id: id, request_type: row.request_type, decision, ...card.payload },
    now,
  })
  return row
}
