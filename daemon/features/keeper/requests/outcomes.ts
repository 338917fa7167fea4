import type { App } from '#kernel/app'
import { plainLine } from '#kernel/plain-line'
import { narrowerThan } from '../../credentials/leases/service.ts'
import { tierOf } from '../../credentials/levels/service.ts'
import { open as openDecision } from '../../decisions/service.ts'
import { raise, type Target } from '../../inbox/service.ts'
import { stampOf } from '../config/rules.ts'
import { judging } from '../config/service.ts'
import { contactOf, governanceOf } from '../governance/service.ts'
import { count } from '../health/service.ts'
import { decide, type Outcome, type Wanted } from './deciding.ts'
import { keeperRequest } from './kind.ts'
import { queries, type Row } from './queries.ts'
import { settle } from './settling.ts'
import { decisionFact } from './telling.ts'

/** Judges a stored request and records the decision; throws when it cannot be recorded, and nothing is decided then. */
export async function judged(app: App, row: Row, wanted: Wanted): Promise<Row> {
  const outcome = await decide(app, row, wanted)
  return app.write(() => conclude(app, row.id, outcome))
}

/** The decision with its event, its entry, its card and its place in the health of the judge, in one change. */
export function conclude(app: App, id: string, outcome: Outcome): Row {
  const { decision, reason, risk, rule, prompt, raw, failed = false, latency = null } = outcome
  const now = app.now()
  const profile = stampOf(judging(app))
  const row = settle(app, id, { before: 'PENDING', decision, reason, risk, rule, prompt, raw, profile, by: null, now })
  if (!row) return queries(app.db).byId.get(id)!
  app.journal(decisionFact(row, null))
  if (decision === 'ESCALATE') askPeople(app, row, now)
  else if (decision === 'DENY') tellOfDenial(app, row, now)
  if (decision !== 'WARN') count(app, row.workspace_id, { decision, failed, latency })
  return row
}

/** At the start: what a daemon before this one left unjudged is denied. */
export function denyLeft(app: App): number {
  const left = queries(app.db).pending.all()
  const reason = 'Muster was restarted before it was judged'
  for (const { id, request_type } of left) {
    if (request_type === 'behavior') warnOf(app, id, reason)
    else conclude(app, id, { decision: 'DENY', reason, risk: 10, rule: 'restart' })
  }
  return left.length
}

/** A call of a tool that nobody judged went on: that is all there is to say. */
function warnOf(app: App, id: string, reason: string): void {
  const now = app.now()
  const row = settle(app, id, { before: 'PENDING', decision: 'WARN', reason, risk: 5, rule: 'restart', by: null, now })
  if (row) app.journal(decisionFact(row, null))
}

function targetOf(app: App, workspace: string): Target {
  const user = contactOf(app, workspace)
  return user ? { user } : { role: 'ADMIN' }
}

const mostPrecedents = 3

/** What people should know before they decide: whether less would do, and what they decided before. */
function evidenceOf(app: App, { agent_id, credential_id, workspace_id, security_level }: Row) {
  if (agent_id === null || credential_id === null) return { lines: [], payload: {} }
  const narrower = narrowerThan(app, agent_id, credential_id)
  const before = queries(app.db)
    .precedents.all(workspace_id, security_level ?? 4, mostPrecedents)
    .map((it) => `- ${it.decision}: ${plainLine(`${it.credential_name ?? ''}, ${it.intent}`)}`)
  const lines = [
    narrower && `The agent also reaches ${narrower.name}, which is ${tierOf(narrower.level).label}.`,
    before.length && `What people decided at this level before:\n\n${before.join('\n')}`,
  ].filter((line) => typeof line === 'string')
  const narrower_credential = narrower
    ? { exists: true, name: narrower.name, security_level: narrower.level }
    : { exists: false }
  return { lines, payload: { evidence: { narrower_credential } } }
}

const payloadOf = (row: Row) => ({
  request_id: row.id,
  request_type: row.request_type,
  agent_id: row.agent_id,
  agent_name: row.agent_name,
  credential_id: row.credential_id,
  credential_name: row.credential_name,
  security_level: row.security_level,
  security_level_label: tierOf(row.security_level ?? 4).label,
  intent: row.intent,
  reason: row.reason,
  risk_score: row.risk_score,
  ...(row.crew_id && { crew_id: row.crew_id }),
})

function bodyOf(row: Row, more: readonly string[] = []): string {
  const { intent, command, reason, risk_score, security_level } = row
  return [
    `Intent: ${intent}`,
    command && `Command: \`${command}\``,
    `${tierOf(security_level ?? 4).label}, risk ${risk_score}: ${reason}`,
    ...more,
  ]
    .filter(Boolean)
    .join('\n\n')
}

const senderOf = ({ agent_id, agent_name }: Row) => ({
  sender: { type: 'agent' as const, id: agent_id ?? '', name: agent_name ?? '' },
})

function askPeople(app: App, row: Row, now: string): void {
  const evidence = evidenceOf(app, row)
  openDecision(app, keeperRequest, {
    id: row.id,
    workspace: row.workspace_id,
    asked: `${row.agent_name} asks for ${row.credential_name}`,
    crew: row.crew_id,
    agent: row.agent_id,
    run: row.run_id,
    card: {
      title: `${row.agent_name} asks for the credential ${row.credential_name}`,
      body: bodyOf(row, evidence.lines),
      ...senderOf(row),
      target: targetOf(app, row.workspace_id),
      payload: () => ({ ...payloadOf(row), ...evidence.payload }),
    },
    now,
  })
}

function tellOfDenial(app: App, row: Row, now: string): void {
  const { enabled, deny_notify_min_risk } = governanceOf(app, row.workspace_id)
  if (!enabled || (row.risk_score ?? 10) < deny_notify_min_risk) return
  raise(app, {
    workspace: row.workspace_id,
    kind: 'escalation',
    source: row.id,
    target: targetOf(app, row.workspace_id),
    title: `${row.agent_name} was denied the credential ${row.credential_name}`,
    body: bodyOf(row),
    ...senderOf(row),
    attention: 'review',
    payload: payloadOf(row),
    now,
  })
}
