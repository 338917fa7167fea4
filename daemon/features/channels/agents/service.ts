import { randomBytes } from 'node:crypto'
import type { channels } from '#contract/channels'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { agentById, findAgent } from '../../agents/service.ts'
import { type ChannelRow, channelById, findChannel, managed, nameOf } from '../service.ts'
import { queries } from './queries.ts'

type Type = Reply<typeof channels.ofAgent>['channels'][number]['type']

export const list = (app: App, { actor, channelId }: Call<typeof channels.agents>) => ({
  agents: queries(app.db)
    .ofChannel.all(findChannel(app, actor, channelId).id)
    .map(({ granted_by, ...row }) => ({ ...row, ...(granted_by && { granted_by }) })),
})

export const ofAgent = (app: App, { actor, agentId }: Call<typeof channels.ofAgent>) => ({
  channels: channelsOpenTo(app, findAgent(app, actor.workspace, agentId).id),
})

const record = (app: App, actor: Actor, what: 'allowed' | 'denied', channel: ChannelRow, agent: string) =>
  app.journal(
    fact(
      `notification_channel.agent_${what}`,
      {
        entity_id: agent,
        name: nameOf(channel),
        metadata: { channel_id: channel.id, agent_slug: agentById(app, agent)?.slug ?? agent },
      },
      { workspace_id: channel.workspace_id, agent_id: agent, ...actorOf(actor) },
    ),
  )

/** A channel that somebody lets an agent send through. */
export function openTo(app: App, { workspace, agent, channel: id }: Record<'workspace' | 'agent' | 'channel', string>) {
  const channel = channelById(app, id)
  if (channel?.workspace_id !== workspace)
    throw problem('not_found', { field: 'channel_id', detail: 'There is no such channel' })
  if (!queries(app.db).find.get(channel.id, agent))
    throw problem('channel_not_allowed', { field: 'channel_id', detail: 'People allow this, agent by agent' })
  if (!channel.enabled) throw problem('invalid_field', { field: 'channel_id', detail: 'This channel is paused' })
  return channel
}

/** The channels that an agent may send through, without what they lead to. */
export const channelsOpenTo = ({ db }: App, agent: string) =>
  queries(db)
    .ofAgent.all(agent)
    .map(({ id, type, provider, enabled }) => ({
      id,
      type: type as Type,
      ...(provider && { provider }),
      enabled: enabled === 1,
    }))

/** Nothing but this lets an agent send. Allowed again, nothing changes. */
export function allow(app: App, { actor, channelId, body, now }: Call<typeof channels.allow>) {
  const channel = managed(app, actor, channelId)
  const agent = agentById(app, body.agent_id)
  if (agent?.workspace_id !== actor.workspace)
    throw problem('invalid_field', { field: 'agent_id', detail: 'agent_id must name an agent of the workspace' })
  const row = {
    id: `nca_${randomBytes(8).toString('hex')}`,
    workspace_id: actor.workspace,
    channel_id: channel.id,
    agent_id: agent.id,
    granted_by: actor.type === 'user' ? actor.id : null,
    created_at: now,
  }
  if (queries(app.db).allow.get(row)) record(app, actor, 'allowed', channel, agent.id)
  return { channel_id: channel.id, agent_id: agent.id, allowed: true as const }
}

export function deny(app: App, { actor, channelId, agentId }: Call<typeof channels.deny>) {
  const channel = managed(app, actor, channelId)
  if (!queries(app.db).deny.get(channel.id, agentId))
    throw problem('not_found', { field: 'agentId', detail: 'That agent may not send through this channel anyway' })
  record(app, actor, 'denied', channel, agentId)
  return { channel_id: channel.id, agent_id: agentId, allowed: false as const }
}

export const forgetAgent = ({ db }: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(db).leave.run(payload.entity_id)
