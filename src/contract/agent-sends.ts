import { Type } from 'typebox'
import { channelTypes } from './channels.ts'
import { get, post } from './define.ts'
import { Id, prose, Ref } from './fields.ts'

/** Most bytes of the text of a message. */
export const sentBytes = 8192

const Caller = { workspace_id: Ref, crew_id: Ref, agent_id: Ref }
const Open = Type.Object({
  channels: Type.Array(
    Type.Object({
      channel_id: Id,
      type: Type.Enum([...channelTypes]),
      provider: Type.Optional(Type.String()),
      enabled: Type.Boolean(),
    }),
  ),
})

/** What agents may send, and through which channels. Contract, part 1, section 9.7. */
export const agentSends = {
  openTo: get('/internal/notifications/channels', {
    summary: 'List the channels that people let an agent send through',
    access: 'internal',
    query: Type.Object({ workspace_id: Ref, agent_id: Ref, crew_id: Type.Optional(Ref) }),
    reply: Open,
    throws: ['not_found'],
  }),
  mine: post('/internal/notifications/channels/list', {
    summary: 'List the channels that people let the calling agent send through',
    access: 'internal',
    agent: {
      route: '/notifications/channels',
      tool: 'notification_channels',
      says:
        'List the channels that people let you send messages through (mail, chats, push). None is there unless ' +
        'somebody allowed you one.',
    },
    status: 200,
    body: Type.Object(Caller),
    reply: Open,
    journal: false,
    throws: ['not_found'],
  }),
  send: post('/internal/notifications/send', {
    summary: 'Send a message of an agent through a channel that people let it use',
    access: 'internal',
    agent: {
      route: '/notifications/send',
      tool: 'notify',
      says:
        'Send people a message through one of the channels that notification_channels lists: three at once, then ' +
        'one a minute through each. For what they should hear of soon; do not use it for every step. It does not ' +
        'wait for an answer: use escalate or ask_human where you need one.',
      members: {
        channel_id: 'Which channel',
        title: 'What it is about, in one line',
        body: 'The message, at most 8 KiB',
      },
      rate: { agent: 12, crew: 60 },
    },
    status: 200,
    body: Type.Object({
      ...Caller,
      channel_id: Ref,
      title: Type.String({ minLength: 1, maxLength: 200, pattern: '[^\\s\\u0000]' }),
      body: Type.Optional(prose(sentBytes)),
    }),
    reply: Type.Object({ ok: Type.Literal(true), channel_id: Id }),
    journal: ['notification.delivered', 'notification.failed', 'audit.entity_updated'],
    noDryRun: 'it sends a message',
    throws: ['not_found', 'channel_not_allowed', 'rate_limited', 'delivery_failed', 'encryption_unavailable'],
  }),
}
