import { randomBytes } from 'node:crypto'
import { type agentSends, sentBytes } from '#contract/agent-sends'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { createBuckets } from '#kernel/limits/buckets'
import { oneLine } from '#kernel/mail/letter'
import { type Problem, problem } from '#kernel/problem'
import { timeAt } from '#kernel/time-at'
import { callerOf, findAgent } from '../../agents/service.ts'
import { channelsOpenTo, openTo } from '../../channels/agents/service.ts'
import { noteFails, noteWorks } from '../../channels/health/service.ts'
import { DeliveryError, type Message, sendMessage } from '../../channels/sending/service.ts'
import { type ChannelRow, nameOf, targetOf } from '../../channels/service.ts'
import { queries } from '../queries.ts'

type Sending = Call<typeof agentSends.send>

const shown = (app: App, agent: string) => ({
  channels: channelsOpenTo(app, agent).map(({ id, ...channel }) => ({ channel_id: id, ...channel })),
})

export function list(app: App, { query: { workspace_id, crew_id, agent_id } }: Call<typeof agentSends.openTo>) {
  const agent = findAgent(app, workspace_id, agent_id)
  if (crew_id !== undefined && agent.crew_id !== crew_id) throw problem('not_found', { field: 'agent_id' })
  return shown(app, agent.id)
}

export const mine = (app: App, { body }: Call<typeof agentSends.mine>) => shown(app, callerOf(app, body).id)

/** How urgent what an agent sends is. */
export const messagePriority = 'medium'

/** Messages of an agent through one channel: so many at once, and one more after each minute. */
const [atOnce, minute] = [3, 60_000]
const buckets = new WeakMap<App, ReturnType<typeof createBuckets>>()

function take(app: App, agent: string, channel: string): void {
  if (app.config.rateLimitDisabled) return
  if (!buckets.has(app)) buckets.set(app, createBuckets(app.steady))
  const wait = buckets.get(app)!.take(`${agent} ${channel}`, atOnce, atOnce * minute)
  if (!wait) return
  const detail = `An agent sends ${atOnce} messages through a channel, then one a minute. Try again in ${wait} s`
  throw problem('rate_limited', { detail, headers: { 'retry-after': String(wait) }, extra: { retry_after: wait } })
}

interface Sent {
  channel: ChannelRow
  message: Message
  failure: DeliveryError | null
}

/** Sends the message; what became of it is stored by `commit`. The title says that it is the agent who speaks. */
export async function prepare(app: App, { body }: Sending): Promise<Sent> {
  const agent = callerOf(app, body)
  const channel = openTo(app, { workspace: body.workspace_id, agent: agent.id, channel: body.channel_id })
  const text = body.body ?? ''
  if (Buffer.byteLength(text) > sentBytes)
    throw problem('invalid_field', { field: 'body', detail: `body takes at most ${sentBytes} bytes` })
  const target = targetOf(app, channel)
  if (!target) throw problem('encryption_unavailable', { detail: 'The secret of this channel cannot be opened' })
  take(app, agent.id, channel.id)
  const title = oneLine(`${agent.name}: ${body.title}`)
  const category = 'agents.message'
  const said = { category, title, ...(text && { body: text }), priority: messagePriority }
  const source = { source_kind: 'message', source_id: agent.id }
  const message: Message = {
    id: `del_${randomBytes(8).toString('hex')}`,
    title,
    body: text,
    links: [],
    priority: messagePriority,
    webhook: { header: 'X-Svc-Category', name: category, body: { ...said, ...source } },
  }
  try {
    await sendMessage(app, target, message, { signal: app.stopping.signal })
    return { channel, message, failure: null }
  } catch (failure) {
    if (!(failure instanceof DeliveryError)) throw failure
    return { channel, message, failure }
  }
}

/** Writes down what became of a message. */
export function commit(
  app: App,
  { body }: Sending,
  { channel, message, failure }: Sent,
): { ok: true; channel_id: string } | Problem {
  const { workspace_id, crew_id, agent_id } = body
  const { id, title } = message
  const error = failure?.message ?? null
  const now = timeAt(app.clock())
  const category = 'agents.message'
  queries(app.db).insert.get({
    id,
    workspace_id,
    channel_id: channel.id,
    user_id: channel.owner_user_id,
    event_id: id,
    category,
    dedup_key: `${category}:${id}`,
    source_kind: 'message',
    source_id: agent_id,
    title,
    message_json: null,
    status: failure ? 'failed' : 'sent',
    error,
    attempts: 1,
    next_at: null,
    created_at: now,
    updated_at: now,
    sent_at: failure ? null : now,
    digest_id: null,
  })
  const user = channel.owner_user_id ? { user_id: channel.owner_user_id } : {}
  const about = { delivery_id: id, channel_id: channel.id, channel: nameOf(channel), ...user, category, title }
  const by = { workspace_id, crew_id, agent_id, actor_type: 'agent', actor_id: agent_id } as const
  app.journal(
    fact(failure ? 'notification.failed' : 'notification.delivered', { ...about, ...(error && { reason: error }) }, by),
  )
  if (!failure) {
    noteWorks(app, channel)
    return { ok: true, channel_id: channel.id }
  }
  noteFails(app, channel, failure.message)
  return problem('delivery_failed', { detail: failure.message })
}
