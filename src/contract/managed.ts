// Longer than other files: the provider has 20 operations, whose shapes belong together.
import { Type } from 'typebox'
import { del, get, post, put } from './define.ts'
import { Id, line, nullable } from './fields.ts'

/** What an agent is given of a toolkit: all of its tools, those that only read, or those that are named. */
export const grantModes = ['full', 'read', 'custom'] as const
export type GrantMode = (typeof grantModes)[number]

const text = Type.String()
const enabled = Type.Boolean({ description: 'false: there is no key, and nobody was asked' })
const Toolkit = Type.Object({ slug: text })

/** Whose authorization it is stands in a member that the provider names after itself. */
const AuthConfig = Type.Unsafe<{ id: string; auth_scheme: string; is_disabled: boolean } & Record<string, unknown>>({
  type: 'object',
  required: ['id', 'auth_scheme', 'is_disabled'],
  properties: { id: { type: 'string' }, auth_scheme: { type: 'string' }, is_disabled: { type: 'boolean' } },
  patternProperties: { '^is_[a-z0-9]+_managed$': { type: 'boolean' } },
})

const Inventory = Type.Object({
  enabled,
  auth_configs: Type.Array(
    Type.Object({
      id: text,
      name: text,
      status: text,
      toolkit: Type.Object({ slug: text, logo: text }),
    }),
  ),
  users: Type.Array(
    Type.Object({
      user_id: text,
      connected_accounts: Type.Array(
        Type.Object({ id: text, user_id: text, status: text, toolkit: Toolkit, auth_config: AuthConfig }),
      ),
    }),
  ),
})

const total = Type.Integer({ description: 'How many the provider has, whatever the limit' })

const Toolkits = Type.Object({
  enabled,
  total,
  toolkits: Type.Array(
    Type.Object({
      slug: text,
      name: text,
      no_auth: Type.Boolean(),
      meta: Type.Object({
        description: text,
        logo: text,
        tools_count: Type.Integer(),
        categories: Type.Array(Type.Object({ id: text, name: text })),
      }),
    }),
  ),
})

const Tools = Type.Object({
  enabled,
  total,
  tools: Type.Array(Type.Object({ slug: text, name: text, description: text, toolkit: Toolkit })),
})

const Triggers = Type.Object({
  enabled,
  total,
  triggers: Type.Array(Type.Object({ slug: text, name: text, description: text, type: text, toolkit: Toolkit })),
})

const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const ActiveTriggers = Type.Object({
  enabled,
  triggers: Type.Array(
    Type.Object({
      id: text,
      trigger_name: text,
      user_id: text,
      connected_account_id: text,
      trigger_config: anyObject,
      disabled_at: Type.Optional(text),
    }),
  ),
})

const Settings = Type.Object({
  configured: Type.Boolean(),
  source: Type.Enum(['workspace', 'env', 'none'], { description: 'Whose key is used' }),
  label: Type.Optional(text),
})

const Default = Type.Object({
  enabled_flag: Type.Boolean({ description: 'There is a key' }),
  default_user_id: nullable(text),
  default_mcp_server_id: nullable(Type.String({ description: 'The server of the workspace' })),
  connected_user_count: Type.Integer(),
})

const Granted = Type.Object({ toolkit: text, mode: Type.Enum(grantModes), endpoint: text })

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))
const limit = Type.Optional(
  Type.Unsafe<number | string>({ type: ['integer', 'string'], description: '40 unless stated, at most 100' }),
)

const slug = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 64, description })
/** Who it is at the provider; nobody here. */
const UserId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'A user of the provider',
})
const ToolSlug = Type.String({ maxLength: 200 })

const read = { access: 'VIEWER', throws: ['managed_failed', 'managed_key_rejected', 'encryption_unavailable'] } as const
const asks = 'it asks the provider, which knows no dry run'
const manage = {
  access: 'ADMIN',
  scope: 'workspace:admin',
  throws: ['managed_unconfigured', 'managed_failed', 'managed_key_rejected', 'encryption_unavailable'],
} as const
const ofAgent = {
  ...manage,
  throws: [...manage.throws, 'not_found', 'integrations_full', 'name_taken'],
} as const
const ofAccount = { ...manage, noDryRun: asks, status: 204, throws: [...manage.throws, 'not_found'] } as const

/** Tools of many services by one provider that keeps the accounts. docs/managed-integrations.md. */
export const managed = {
  inventory: get('/integrations/managed/inventory', {
    summary: 'List the connected users of the provider, and what is set up there',
    ...read,
    aliases: 'managedAliases',
    reply: Inventory,
  }),
  toolkits: get('/integrations/managed/toolkits', {
    summary: 'List the toolkits of the provider',
    ...read,
    aliases: 'managedAliases',
    query: Type.Object({ search: word('Part of a name'), category: word('Only of this category'), limit }),
    reply: Toolkits,
  }),
  tools: get('/integrations/managed/tools', {
    summary: 'List the tools of a toolkit',
    ...read,
    aliases: 'managedAliases',
    query: Type.Object({ toolkit: slug('The toolkit'), search: word('Part of a name'), limit }),
    reply: Tools,
  }),
  triggers: get('/integrations/managed/triggers', {
    summary: 'List the kinds of triggers of the provider',
    ...read,
    aliases: 'managedAliases',
    query: Type.Object({ toolkit: word('Only of this toolkit'), search: word('Part of a name'), limit }),
    reply: Triggers,
  }),
  activeTriggers: get('/integrations/managed/triggers/active', {
    summary: 'List the triggers that are active',
    ...read,
    aliases: 'managedAliases',
    reply: ActiveTriggers,
  }),
  createTrigger: post('/integrations/managed/triggers', {
    summary: 'Create or enable a trigger for a user of the provider',
    ...manage,
    noDryRun: asks,
    aliases: 'managedAliases',
    body: Type.Object({ slug: slug('The kind of trigger'), user_id: UserId, config: Type.Optional(anyObject) }),
    bodyLimit: 65_536,
    reply: Type.Object({ enabled: Type.Boolean(), trigger: Type.Object({ trigger_id: text }) }),
    journal: ['audit.entity_created'],
  }),
  connect: post('/integrations/managed/connect', {
    summary: 'Start to connect an account of a service, for a user of the provider',
    ...manage,
    noDryRun: asks,
    status: 200,
    aliases: 'managedAliases',
    body: Type.Object({ toolkit: slug('The toolkit'), user_id: UserId }),
    reply: Type.Object({ redirect_url: text, connected_account_id: text, user_id: text }),
    journal: ['audit.entity_created'],
  }),
  settings: get('/integrations/managed/settings', {
    summary: 'Show whose key is used for the provider',
    access: 'VIEWER',
    aliases: 'managedAliases',
    reply: Settings,
  }),
  setSettings: put('/integrations/managed/settings', {
    summary: "Store the workspace's own key for the provider, once it is accepted",
    ...manage,
    noDryRun: asks,
    aliases: 'managedAliases',
    body: Type.Object({
      api_key: Type.String({ minLength: 1, maxLength: 512, pattern: '^[\\u0021-\\u007e]+$', description: 'The key' }),
      label: Type.Optional(nullable(line(100))),
      base_url: Type.Optional(
        nullable(Type.String({ maxLength: 2000, description: 'Empty, or the address that this server uses' })),
      ),
    }),
    reply: Settings,
    journal: ['audit.entity_updated'],
  }),
  removeSettings: del('/integrations/managed/settings', {
    summary: "Delete the workspace's own key; without another one, what agents were given goes too",
    ...manage,
    status: 200,
    aliases: 'managedAliases',
    reply: Settings,
    journal: ['audit.entity_deleted'],
  }),
  default: get('/integrations/managed/default', {
    summary: 'Show the default connector of the workspace',
    ...read,
    aliases: 'managedAliases',
    reply: Default,
  }),
  setDefault: put('/integrations/managed/default', {
    summary: 'Provide the default connector of the workspace, for a user of the provider',
    ...ofAgent,
    noDryRun: asks,
    aliases: 'managedAliases',
    body: Type.Object({ user_id: Type.Optional(nullable(UserId)) }),
    bodyOptional: true,
    reply: Default,
    journal: ['audit.entity_updated'],
  }),
  grants: get('/integrations/managed/agents/:agentId/bind', {
    summary: 'List what an agent was given of the provider',
    access: 'VIEWER',
    aliases: 'managedAliases',
    reply: Type.Object({
      agent_id: Id,
      bindings: Type.Array(
        Type.Object({
          toolkit: text,
          mode: Type.Enum(grantModes),
          user_id: text,
          endpoint: text,
          tools: Type.Optional(Type.Array(text, { description: 'Those that it may use, where not all' })),
        }),
      ),
    }),
    throws: ['not_found'],
  }),
  grant: post('/integrations/managed/agents/:agentId/bind', {
    summary: 'Give an agent toolkits of a user of the provider, in place of what it had',
    ...ofAgent,
    noDryRun: asks,
    status: 200,
    aliases: 'managedAliases',
    body: Type.Object({
      user_id: UserId,
      apps: Type.Optional(
        nullable(
          Type.Array(
            Type.Object({
              toolkit: slug('The toolkit'),
              mode: Type.Optional(Type.Enum(grantModes, { description: 'full unless stated' })),
              tools: Type.Optional(nullable(Type.Array(ToolSlug, { maxItems: 500, description: 'Of mode custom' }))),
            }),
            { maxItems: 50, description: 'Left out: all that are connected; empty: none' },
          ),
        ),
      ),
      toolkits: Type.Optional(
        nullable(Type.Array(slug('A toolkit'), { maxItems: 50, description: 'As apps, in full' })),
      ),
    }),
    reply: Type.Object({ agent_id: Id, user_id: text, apps: Type.Array(Granted) }),
    journal: ['audit.entity_updated'],
  }),
  ungrant: del('/integrations/managed/agents/:agentId/bind', {
    summary: 'Take a toolkit of the provider from an agent, or all of them',
    ...manage,
    status: 200,
    aliases: 'managedAliases',
    query: Type.Object({ toolkit: word('Only this one') }),
    reply: Type.Object({ status: Type.Literal('deleted') }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  revokeAccount: post('/integrations/managed/accounts/:accountId/revoke', {
    summary: 'Withdraw the authorization of a connected account',
    ...ofAccount,
    aliases: 'managedAliases',
    journal: ['audit.entity_updated'],
  }),
  refreshAccount: post('/integrations/managed/accounts/:accountId/refresh', {
    summary: 'Have the credentials of a connected account refreshed',
    ...ofAccount,
    aliases: 'managedAliases',
    journal: ['audit.entity_updated'],
  }),
  removeAccount: del('/integrations/managed/accounts/:accountId', {
    summary: 'Delete a connected account at the provider',
    ...ofAccount,
    aliases: 'managedAliases',
    journal: ['audit.entity_deleted'],
  }),
}
