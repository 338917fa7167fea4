import { randomBytes } from 'node:crypto'
import type { App } from '#kernel/app'
import { tierOf } from '../../credentials/levels/service.ts'
import type { Judging } from '../config/rules.ts'
import { judging } from '../config/service.ts'
import { watchPolicy } from '../governance/watch.ts'
import { judgeFor } from '../judge/choosing.ts'
import { askJudge, NoVerdict } from '../judge/service.ts'
import type { Decision } from '../judge/verdicts.ts'
import { type Case, promptOf } from './prompt.ts'
import { queries, type Row } from './queries.ts'
import { allowsItself, intentLength, majority, needsPerson } from './rules.ts'

/** What became of a request, and by which rule. */
export interface Outcome {
  decision: Decision
  reason: string
  risk: number
  rule: string
  prompt?: string
  raw?: string
  latency?: number
  /** A judge was asked and gave no verdict. */
  failed?: true
}

/** The credential that is asked for. */
export interface Wanted {
  name: string
  description: string | null
  level: number
  /** Somebody assigned it to this agent. */
  bound: boolean
  /** It may be used for its scopes alone: what an agent does with its value goes before people. */
  scoped?: boolean
}

const mostKept = 32_768
const weekMs = 7 * 86_400_000

/** What is not read from the configuration and the database, where a judge is measured. */
interface Otherwise {
  manner?: Judging['manner']
  told?: Case
}

/** Decides a request in the order that docs/keeper.md states. Errors deny; only faults of Muster itself throw. */
export async function decide(
  app: App,
  row: Row,
  wanted: Wanted,
  { manner = judging(app).manner, told }: Otherwise = {},
): Promise<Outcome> {
  const tier = tierOf(wanted.level)
  const watch = told ? told.watch : watchPolicy(app, row.workspace_id)
  const { hard_gate, escalate_from } = manner
  if (
    !wanted.scoped &&
    allowsItself({ level: wanted.level, intent: row.intent, command: row.command, watched: watch !== '' })
  )
    return { decision: 'ALLOW', reason: `${tier.label} needs no judge`, risk: 1, rule: 'auto_allow' }
  if (intentLength(row.intent) < tier.leastIntent) {
    const reason = `The intent has fewer than ${tier.leastIntent} characters, which ${tier.label} takes`
    return { decision: 'DENY', reason, risk: Math.max(5, tier.leastRisk), rule: 'intent' }
  }
  if (hard_gate.value && wanted.level >= 3 && !wanted.bound) {
    const reason = `Nobody assigned this credential to the agent itself, which ${tier.label} takes`
    return { decision: 'DENY', reason, risk: 8, rule: 'hard_gate' }
  }
  const said = await judge(app, row, told ?? caseOf(app, row, wanted, { watch, manner }), manner)
  const risk = Math.max(said.risk, tier.leastRisk)
  if (wanted.scoped && (said.decision === 'ALLOW' || said.rule === 'no_model')) {
    const reason = `It is kept to its scopes, and nobody sees what an agent does with its value (${said.reason})`
    return { ...said, decision: 'ESCALATE', reason, risk, rule: 'scopes' }
  }
  if (said.decision !== 'ALLOW' || !needsPerson(wanted.level, escalate_from.value, tier.human)) return { ...said, risk }
  const reason = `The judge would allow it (${said.reason}); people decide about ${tier.label}`
  return { ...said, decision: 'ESCALATE', reason, risk, rule: 'tier_floor' }
}

async function judge(app: App, row: Row, told: Case, manner: Judging['manner']): Promise<Outcome> {
  const found = judgeFor(app, row.workspace_id)
  if ('missing' in found) return { decision: 'DENY', reason: found.missing, risk: 10, rule: 'no_model' }
  const { consistency_samples, prompt_budget_tokens } = manner
  const clean = app.scrub({ workspace_id: row.workspace_id, agent_id: row.agent_id! }, [])
  const prompt = clean(
    promptOf(told, { tokens: prompt_budget_tokens.value, delimiter: randomBytes(16).toString('hex') }),
  )
  const from = app.steady()
  const kept = () => ({ prompt: prompt.slice(0, mostKept), latency: Math.round(app.steady() - from) })
  try {
    const asked = Array.from({ length: consistency_samples.value }, () => askJudge(app, found, prompt))
    const verdicts = await Promise.all(asked)
    const { decision, reason, risk } = majority(verdicts)
    const raw = clean(verdicts.map(({ text }) => text).join('\n')).slice(0, mostKept)
    return { decision, reason: clean(reason), risk, rule: 'judge', raw, ...kept() }
  } catch (error) {
    if (!(error instanceof NoVerdict)) throw error
    const reason = `The judge gave no verdict: ${error.message}`
    return { decision: 'DENY', reason, risk: 10, rule: 'judge_failure', failed: true, ...kept() }
  }
}

interface Around {
  watch: string
  manner: Judging['manner']
}

function caseOf(app: App, row: Row, wanted: Wanted, { watch, manner }: Around): Case {
  const { evidence, evidence_facts, precedent, precedent_n } = manner
  const { crew, said, precedents } = queries(app.db)
  const facts = evidence.value ? evidence_facts.value : []
  return {
    watch,
    level: wanted.level,
    tier: tierOf(wanted.level),
    evidence: [
      ...(facts.includes('role') ? role(app, row, wanted) : []),
      ...(facts.includes('history') ? history(app, row) : []),
    ],
    precedents: precedent.value ? precedents.all(row.workspace_id, wanted.level, precedent_n.value) : [],
    conversation: row.chat_id && row.agent_id ? said.all(row.chat_id, row.agent_id).reverse() : [],
    agent: row.agent_name ?? '',
    crew: (row.crew_id && crew.get(row.crew_id)?.name) || '',
    credential: wanted,
    intent: row.intent,
    command: row.command,
  }
}

function role(app: App, { agent_id }: Row, { bound }: Wanted): string[] {
  const { work, issues } = queries(app.db)
  const open = [...work.all(agent_id!), ...issues.all(agent_id!)].map(({ what }) => JSON.stringify(what.slice(0, 300)))
  return [
    bound
      ? '- A person assigned the credential to this agent.'
      : '- The agent reaches the credential by its crew alone.',
    open.length ? `- Open work of the agent: ${open.join(', ')}.` : '- The agent has no open work.',
  ]
}

function history(app: App, { agent_id, credential_id }: Row): string[] {
  const { priors, denies } = queries(app.db)
  const { n, allowed, denied } = priors.get(agent_id!, credential_id!)!
  const week = denies.get(agent_id!, new Date(app.clock() - weekMs).toISOString())!.n
  return [
    `- The agent asked for this credential ${n} times before: ${allowed} allowed, ${denied} denied.`,
    `- The agent was denied ${week} times in the last 7 days.`,
  ]
}
