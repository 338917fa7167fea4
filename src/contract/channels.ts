import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, nullable, Slug, Time } from './fields.ts'

export const channelTypes = ['email', 'webhook', 'shoutrrr'] as const
export const notificationPriorities = ['low', 'medium', 'high', 'urgent'] as const
export type NotificationPriority = (typeof notificationPriorities)[number]

/** What is told of, by category. docs/notifications.md. */
export const notificationCategories = [
  'routines.completed',
  'routines.failed',
  'routines.skipped',
  'routines.missed',
  'issues.created',
  'issues.state',
  'issues.assigned',
  'issues.comment',
  'agents.approval',
  'agents.escalation',
  'agents.error',
  'agents.budget',
  'system.health',
  'system.migration',
  'security',
  'pages.stale',
  'chat.replies',
  'memory',
] as const
export type NotificationCategory = (typeof notificationCategories)[number]

/** The most channels that a workspace has, and that a person has in it. */
export const [mostChannels, mostPersonalChannels] = [200, 20]

export const Channel = Type.Object({
  id: Id,
  workspace_id: Id,
  slug: Type.Optional(Type.String({ description: 'Of a channel of the workspace: what it is called by in files' })),
  type: Type.Enum([...channelTypes]),
  url: Type.Optional(Type.String({ description: 'Of a webhook; "" for those who may not see it' })),
  to: Type.Optional(Type.String({ description: 'Of mail; "" for those who may not see it' })),
  events: Type.Array(Type.Enum(['run.completed', 'run.failed'])),
  enabled: Type.Boolean(),
  created_by: Type.Optional(Id),
  created_at: Time,
  provider: Type.Optional(Type.String()),
  scope: Type.Enum(['workspace', 'user']),
  owner_user_id: Type.Optional(Id),
  categories: Type.Optional(Type.Array(Type.Enum([...notificationCategories]))),
  min_priority: Type.Enum([...notificationPriorities]),
})

const Events = Type.Array(Type.String({ maxLength: 40 }), {
  maxItems: 20,
  description: 'completed, failed or all; run.failed unless stated',
})
const Categories = Type.Array(Type.String({ maxLength: 40 }), { maxItems: 50, description: 'all of them when empty' })
const Priority = Type.Enum([...notificationPriorities], { description: 'what is below is not sent; low unless stated' })

const target = {
  type: Type.Enum([...channelTypes]),
  url: Type.Optional(Type.String({ maxLength: 2000, description: 'of a webhook: where it is posted to' })),
  to: Type.Optional(Type.String({ maxLength: 254, description: 'of mail: the address' })),
  secret: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'signs a webhook; a new one unless given' }),
  ),
  provider: Type.Optional(Type.String({ maxLength: 40, description: 'of the type shoutrrr: which service' })),
  fields: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 2000 }), { description: 'what the service needs' }),
  ),
  shoutrrr_url: Type.Optional(Type.String({ maxLength: 4000, description: 'instead of fields: the service URL' })),
}

const Grant = Type.Object({
  id: Type.String(),
  workspace_id: Id,
  channel_id: Id,
  agent_id: Id,
  granted_by: Type.Optional(Id),
  created_at: Time,
  agent_name: Type.Optional(Type.String()),
  agent_slug: Type.Optional(Type.String()),
})

const Provider = Type.Object({
  provider: Type.String(),
  scheme: Type.String(),
  label: Type.String(),
  blurb: Type.String(),
  category: Type.Enum(['chat', 'push', 'incident']),
  fields: Type.Array(
    Type.Object({
      key: Type.String(),
      label: Type.String(),
      type: Type.Enum(['text', 'url', 'password']),
      required: Type.Boolean(),
      secret: Type.Optional(Type.Boolean()),
      placeholder: Type.Optional(Type.String()),
      help: Type.Optional(Type.String()),
      help_url: Type.Optional(Type.String()),
    }),
  ),
  enabled: Type.Boolean(),
})

const changing = { access: 'VIEWER', scope: 'workspace:admin' } as const
const invalid = ['insufficient_role', 'encryption_unavailable'] as const

export const channels = {
  list: get('/notification-channels', {
    summary: 'List the channels of the workspace and your own, newest first',
    access: 'VIEWER',
    query: Type.Object({
      scope: Type.Optional(
        Type.String({ maxLength: 40, description: 'all: those of other members too, without their addresses' }),
      ),
    }),
    reply: Type.Object({ channels: Type.Array(Channel) }),
  }),
  create: post('/notification-channels', {
    summary: 'Create a channel for notifications',
    ...changing,
    body: Type.Object({
      ...target,
      events: Type.Optional(Events),
      slug: Type.Optional(
        Type.String({
          ...Slug,
          description: 'of the workspace: what it is called by in files; its type unless stated',
        }),
      ),
      personal: Type.Optional(Type.Boolean({ description: 'for you alone' })),
      categories: Type.Optional(nullable(Categories)),
      min_priority: Type.Optional(Priority),
    }),
    reply: Type.Object({
      ...Channel.properties,
      secret: Type.Optional(Type.String({ description: 'What signs a webhook, or the service URL; shown this once' })),
    }),
    secrets: ['secret'],
    journal: ['audit.entity_created'],
    throws: [...invalid, 'channels_full', 'slug_taken'],
  }),
  update: patch('/notification-channels/:channelId', {
    summary: 'Change a channel, or pause it',
    ...changing,
    body: Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      categories: Type.Optional(nullable(Categories)),
      min_priority: Type.Optional(Priority),
      events: Type.Optional(Events),
    }),
    reply: Type.Object({ updated: Id }),
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields', 'insufficient_role'],
  }),
  remove: del('/notification-channels/:channelId', {
    summary: 'Delete a channel',
    ...changing,
    status: 200,
    reply: Type.Object({ deleted: Id }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'insufficient_role'],
  }),
  test: post('/notification-channels/:channelId/test', {
    summary: 'Send a test message through a channel',
    ...changing,
    status: 200,
    reply: Type.Object({ ok: Type.Literal(true), channel_id: Id }),
    journal: false,
    noDryRun: 'it sends a message and stores nothing',
    throws: ['not_found', 'insufficient_role', 'delivery_failed', 'encryption_unavailable', 'rate_limited'],
  }),
  testDraft: post('/notification-channels/test', {
    summary: 'Send a test message through a channel that is not stored yet',
    ...changing,
    status: 200,
    body: Type.Object(target),
    reply: Type.Object({ ok: Type.Literal(true) }),
    journal: false,
    noDryRun: 'it sends a message and stores nothing',
    throws: ['delivery_failed', 'rate_limited'],
  }),
  agents: get('/notification-channels/:channelId/agents', {
    summary: 'List the agents that may send through a channel',
    access: 'VIEWER',
    reply: Type.Object({ agents: Type.Array(Grant) }),
    throws: ['not_found', 'insufficient_role'],
  }),
  allow: post('/notification-channels/:channelId/agents', {
    summary: 'Let an agent send through a channel',
    ...changing,
    status: 200,
    body: Type.Object({ agent_id: Type.String({ maxLength: 64 }) }),
    reply: Type.Object({ channel_id: Id, agent_id: Id, allowed: Type.Literal(true) }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'insufficient_role'],
  }),
  deny: del('/notification-channels/:channelId/agents/:agentId', {
    summary: 'No longer let an agent send through a channel',
    ...changing,
    status: 200,
    reply: Type.Object({ channel_id: Id, agent_id: Id, allowed: Type.Literal(false) }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'insufficient_role'],
  }),
  ofAgent: get('/agents/:agentId/notification-channels', {
    summary: 'List the channels that an agent may send through',
    access: 'VIEWER',
    reply: Type.Object({
      channels: Type.Array(
        Type.Object({
          id: Id,
          type: Type.Enum([...channelTypes]),
          provider: Type.Optional(Type.String()),
          enabled: Type.Boolean(),
        }),
      ),
    }),
    throws: ['not_found'],
  }),
  providers: get('/notification-providers', {
    summary: 'List the services that channels can send to, with what each of them needs',
    access: 'VIEWER',
    reply: Type.Object({
      providers: Type.Array(Provider),
      categories: Type.Array(Type.Object({ key: Type.String(), label: Type.String(), hint: Type.String() })),
    }),
  }),
  setProvider: patch('/notification-providers/:provider', {
    summary: 'Let new channels to a service be created on this server, or not',
    access: 'ADMIN',
    scope: 'workspace:admin',
    body: Type.Object({ enabled: Type.Boolean() }),
    reply: Type.Object({ provider: Type.String(), enabled: Type.Boolean() }),
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
}
