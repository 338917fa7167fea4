import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import type { persona } from '#contract/persona'
import type { App } from '#kernel/app'

import type { Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { type AgentRow, findAgent } from '../agents/service.ts'
import { isOpen, open, openOf, settle } from '../decisions/service.ts'
import { consult, policyOf } from '../policies/service.ts'
import { suggestion } from './kind.ts'
import { write } from './layers.ts'
import { mayLearn } from './learning/service.ts'
import { queries } from './queries.ts'
import { checkContent, fenced } from './rules.ts'

/** A limit against loops: suggestions for one agent that wait at a time. */
const openAtMost = 5

type Suggested = Reply<typeof persona.suggest>

interface Suggesting {
  content: string
  rationale: string
  by: { type: 'agent' | 'user'; id: string; name: string }
  now: string
}

export function suggest(app: App, { actor, agentId, body, now }: Call<typeof persona.suggest>): Suggested {
  const by = { type: 'user' as const, id: actor.id, name: actor.email ?? actor.id }
  return judge(app, findAgent(app, actor.workspace, agentId), { ...textsOf(body), by, now })
}

/** An agent suggests for itself alone. */
export function propose(app: App, { body, now }: Call<typeof persona.propose>): Suggested {
  const agent = findAgent(app, body.workspace_id, body.agent_id)
  if (agent.crew_id !== body.crew_id) throw problem('not_found', { field: 'agent_id' })
  const by = { type: 'agent' as const, id: agent.id, name: agent.name }
  return judge(app, agent, { ...textsOf(body), by, now })
}

const textsOf = ({ content, rationale = '' }: { content: string; rationale?: string }) => ({
  content,
  rationale: rationale.trim(),
})

function judge(app: App, agent: AgentRow, it: Suggesting): Suggested {
  const { content, rationale, by, now } = it
  checkContent(content)
  const crew = agent.crew_id ?? ''
  const workspace = agent.workspace_id
  const verdict = consult(app, { workspace, crew, action: 'persona_suggest' })
  const { level } = policyOf(app, workspace, crew)
  if (verdict === 'refuse') {
    const extra = { reason: 'autonomy_level', crew_id: crew, autonomy_level: level, policy_action: 'persona_suggest' }
    throw problem('policy_refused', { extra })
  }
  const said = { agent_id: agent.id, bytes: Buffer.byteLength(content), rationale, timestamp: now }
  const off = verdict !== 'ask' && !mayLearn(app, agent.id)
  if (verdict !== 'ask' && !off) {
    write(app, agent, { content, actor: actingOf(by), ...(by.type === 'agent' && { unasked: true }), now })
    return { ...said, decision: 'auto_journal', applied: true }
  }
  const audit_id = ask(app, agent, it)
  const reason = off ? 'The agent may not change itself: people decide' : `The crew is ${level}: people decide`
  const gate = off && ({ self_learning_gate: 'off' } as const)
  return { ...said, decision: 'inbox_approve', applied: false, pending: true, audit_id, ...gate, reason }
}

const actingOf = ({ type, id }: Suggesting['by']): Acting => ({ actor_type: type, actor_id: id })

/** Puts the suggestion before people; returns its id. */
function ask(app: App, agent: AgentRow, { content, rationale, by, now }: Suggesting): string {
  if (openOf(app, suggestion, agent.id) >= openAtMost)
    throw problem('rate_limited', { detail: `${openAtMost} personas wait for a decision already: wait for that` })
  const { id: agent_id, workspace_id, crew_id, name } = agent
  const id = newId(app.clock())
  queries(app.db).insert.run({
    id,
    workspace_id,
    agent_id,
    content,
    rationale: rationale || null,
    suggested_by: by.id,
    created_at: now,
  })
  const bytes = Buffer.byteLength(content)
  open(app, suggestion, {
    id,
    workspace: workspace_id,
    asked: `Another persona for ${name}`,
    crew: crew_id,
    agent: agent_id,
    card: {
      title: `${by.name} suggests another persona${by.type === 'agent' ? '' : ` for ${name}`}`,
      body: [quotedLines(rationale || 'No reason was given.'), 'The whole new persona:', fenced(content)].join('\n\n'),
      sender: by,
      payload: () => ({ audit_id: id, agent_id, crew_id, action: 'persona_suggest', bytes, rationale }),
    },
    now,
  })
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id, ...actingOf(by) }
  const metadata = { agent_id, bytes, ...(rationale && { rationale }) }
  app.journal(fact('persona.suggested', { entity_id: id, metadata }, about))
  return id
}

export function decide(app: App, { actor, auditId, body, now }: Call<typeof persona.decide>) {
  const row = queries(app.db).find.get(actor.workspace, auditId)
  if (!row) throw problem('not_found', { field: 'auditId', detail: 'There is no such suggestion' })
  if (!isOpen(app, auditId, now))
    throw problem('approval_settled', { extra: { settled: { status: row.outcome } }, detail: `It was ${row.outcome}` })
  const { approve } = body
  const outcome = approve ? 'approved' : 'denied'
  settle(app, auditId, { state: 'decided', outcome, actor, now, comment: blankToNull(body.comment) })
  return {
    audit_id: auditId,
    agent_id: row.agent_id,
    approved: approve,
    applied: approve,
    bytes: Buffer.byteLength(row.content),
    decided_by: actor.id,
  }
}
