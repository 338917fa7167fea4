import type { App } from '#kernel/app'
import { Problem } from '#kernel/problem'
import { raise } from '../../inbox/service.ts'
import { policyOf } from '../../policies/service.ts'
import { contactOf } from '../governance/service.ts'
import { watchPolicy } from '../governance/watch.ts'
import { askJudge, type Judge, NoVerdict } from '../judge/service.ts'
import type { Outcome } from '../requests/deciding.ts'
import { queries, type Row } from '../requests/queries.ts'
import { settle } from '../requests/settling.ts'
import { decisionFact } from '../requests/telling.ts'
import { type Evaluation, matters } from './matters.ts'

const mostKept = 32_768

/** What belongs to requests for credentials alone. */
export const nothing = {
  credential_id: null,
  security_level: null,
  task_id: null,
  run_id: null,
  chat_id: null,
  call_id: null,
  command: null,
  env_var: null,
}

export interface Begun {
  row: Row
  judge: Judge
}

/** What a matter is called, on cards and in lists. */
export function titleOf(type: Evaluation, body: object): string {
  const { skill_name, tool_name, agent_name, crew_name, trigger } = body as Record<string, string | undefined>
  return [matters[type].about, skill_name ?? tool_name ?? trigger, agent_name ?? crew_name].filter(Boolean).join(': ')
}

/** What the judge says of a stored evaluation; without a verdict, what Muster says instead. */
export async function judged(
  app: App,
  type: Evaluation,
  body: object,
  { row, judge }: Begun,
  timeoutMs = judge.timeoutMs,
): Promise<Outcome> {
  const clean = app.scrub({ workspace_id: row.workspace_id, agent_id: row.agent_id ?? '' }, [])
  const watch = type === 'behavior' ? watchPolicy(app, row.workspace_id) : ''
  const { workspace_id: _, ...told } = body as Record<string, unknown>
  const lines = Object.entries(told).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const prompt = clean([...(watch ? ['What people want watched:', watch, ''] : []), ...lines].join('\n'))
  const kept = { prompt: prompt.slice(0, mostKept) }
  try {
    if (timeoutMs <= 0) throw new NoVerdict('The time for it was over before a judge was free')
    const matter = matters[type].matter
    const { decision, reason, risk, text } = await askJudge(app, judge, prompt, { matter, timeoutMs })
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

export const cardOf = (type: Evaluation, body: object): Card => {
  const { skill_id, agent_id, tool_name, crew_id } = body as Record<string, string | undefined>
  return { title: titleOf(type, body), payload: { skill_id, agent_id, tool_name, crew_id } }
}

/** Stores what an evaluation came to, with its entry and the card that it takes. */
export function conclude(app: App, id: string, outcome: Outcome, card: Card): Row {
  const { decision, reason, risk, rule, prompt, raw } = outcome
  const now = app.now()
  settle(app, id, { before: 'PENDING', decision, reason, risk, rule, prompt, raw, by: null, now })
  const row = queries(app.db).byId.get(id)!
  app.journal(decisionFact(row, null))
  const attention = decision === 'ALLOW' ? null : attentionTo(app, row)
  if (attention === null) return row
  const user = contactOf(app, row.workspace_id)
  const run = row.run_id
  raise(
    app,
    {
      workspace: row.workspace_id,
      kind: 'escalation',
      source: id,
      target: user ? { user } : { role: 'MANAGER' },
      title: card.title,
      body: `${decision}, risk ${risk}: ${reason}`,
      attention: 'review',
      blocking: attention === 'blocking',
      payload: { request_id: id, request_type: row.request_type, decision, ...card.payload },
      run,
      // However many calls of a run are warned about, people find one open card.
      ...(run && { thread: `calls:${run}:${attention}` }),
      now,
    },
    run ? 'thread' : 'insert',
  )
  return row
}

/** Whether people have to look at it; null where the journal is enough. docs/keeper.md, "Calls of tools". */
function attentionTo(app: App, { request_type, decision, workspace_id, crew_id }: Row): 'blocking' | 'notice' | null {
  if (request_type !== 'behavior' || decision !== 'DENY') return 'notice'
  const { level, mode } = policyOrStrict(app, workspace_id, crew_id ?? '')
  if (mode === 'block') return level === 'trusted' ? null : 'blocking'
  return level === 'full' ? null : 'notice'
}

/** The policy of a crew; one that is stored wrongly permits nothing. */
export function policyOrStrict(app: App, workspace: string, crew: string): ReturnType<typeof policyOf> {
  try {
    return policyOf(app, workspace, crew)
  } catch (error) {
    if (error instanceof Problem) return { level: 'strict', mode: 'block' }
    throw error
  }
}
