import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { triggers } from '#contract/triggers'
import { type App, wholeSeconds } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import type { Buckets } from '#kernel/limits/buckets'
import { problem } from '#kernel/problem'
import { type AgentRow, agentById } from '../../agents/service.ts'
import { webhookOf } from '../../agents/webhooks/service.ts'
import { openOwnChat } from '../../chats/service.ts'
import { raise } from '../../inbox/service.ts'
import { checkMayBegin, runOfChat, runsOfAgent } from '../../runs/service.ts'
import { begin, concerning, refusalOf } from '../begin/service.ts'
import { queries } from './queries.ts'
import { type Delivered, deprecation, fenced, keyOf, verify } from './rules.ts'

const perMinute = 60
/** Calls of an agent that wait or are worked on. */
const atOnce = 8
const keptMs = 86_400_000

const many = (seconds: number, detail: string) =>
  problem('rate_limited', { headers: { 'retry-after': String(seconds) }, detail })

/** Takes the call of another program: it becomes a run once the runs of the calls before it are over. */
export function accept(
  app: App,
  { crewId, agentId, body = {}, web, now }: Call<typeof triggers.trigger>,
  buckets: Buckets,
): Reply<typeof triggers.trigger> {
  const agent = agentById(app, agentId)
  const webhook = agent?.crew_id === crewId ? webhookOf(app, agentId) : null
  if (!agent || !webhook || !web) throw problem('not_found', { detail: 'There is no such webhook' })
  const { request, reply } = web
  const { proof } = verify({ headers: request.headers, body: request.rawBody }, webhook, app.clock())
  if (proof === null) reply.headers(deprecation)
  const wait = buckets.take(agentId, perMinute, 60_000)
  if (wait) throw many(wait, `This agent takes ${perMinute} calls a minute`)
  const run = newId(app.clock())
  const key = keyOf(agentId, proof, request.headers['idempotency-key'], body)
  const until = wholeSeconds(app.clock() + keptMs)
  if (!queries(app.db).remember.get({ key, run, until, now })) return { status: 'accepted' }
  checkMayBegin(app, agent)
  if (atWork(app, agentId) >= atOnce) throw many(30, `${atOnce} calls of this agent wait already, or are worked on`)
  const scrub = app.scrub({ workspace_id: agent.workspace_id, agent_id: agentId }, [webhook.secret])
  enqueue(app, agent, run, scrub(body))
  return { status: 'accepted' }
}

const atWork = (app: App, agentId: string): number =>
  queries(app.db).count.get(agentId)!.n +
  runsOfAgent(app, agentId).filter(({ trigger_type }) => trigger_type === 'WEBHOOK').length

function enqueue(app: App, agent: AgentRow, run_id: string, body: Delivered): void {
  const created_at = app.now()
  queries(app.db).insert.run({ id: run_id, agent_id: agent.id, content: fenced(body), created_at })
  const { event, source } = body
  const payload = { ...(event && { event }), ...(source && { source }), run_id }
  app.journal(fact('agent.webhook_accepted', payload, concerning(agent)))
}

/** Agents for which calls wait. */
export const agentsCalled = ({ db }: App): string[] =>
  queries(db)
    .agents.all()
    .map(({ agent_id }) => agent_id)

/** Begins the oldest call that waits for an agent, unless the agent works on another one. */
export function beginDelivery(app: App, agentId: string): void {
  const agent = agentById(app, agentId)
  const delivery = queries(app.db).oldest.get(agentId)
  if (!agent || !delivery) return void queries(app.db).removeOfAgent.run(agentId)
  const chat_id = openOwnChat(app, agent, 'webhook', 'Webhook')
  if (runOfChat(app, chat_id)) return
  queries(app.db).remove.run(delivery.id)
  const refusal = refusalOf(app, agent)
  if (refusal) drop(app, agent, delivery.id, refusal)
  else
    begin(app, { id: delivery.id, agent, chat_id, trigger_type: 'WEBHOOK', text: delivery.content, tags: ['webhook'] })
}

function drop(app: App, agent: AgentRow, run_id: string, reason: string): void {
  app.journal(fact('agent.webhook_dropped', { run_id, reason }, concerning(agent)))
  const item = {
    kind: 'webhook_fire_failed',
    source: agent.id,
    target: { role: 'MANAGER' },
    title: `${agent.name} could not begin what a webhook asked for`,
    body: reason,
    priority: 'high',
    payload: { webhook_id: agent.id, agent_id: agent.id },
  } as const
  raise(app, { ...item, workspace: agent.workspace_id, now: app.now() }, 'upsert')
}

/** Calls of a deleted agent become nothing. */
export const forgetDeliveries = (app: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(app.db).removeOfAgent.run(payload.entity_id)

export const forgetKeys = (app: App, most: number): number => queries(app.db).forget.all(app.now(), most).length
