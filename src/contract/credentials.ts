// One table of all that can be done with credentials, as long as that is.
import { Type } from 'typebox'
import { CredentialAudit } from './credential-audit.ts'
import { OauthMembers } from './credential-oauth.ts'
import { del, get, patch, post, put } from './define.ts'
import { Id, line, nullable, page, prose, Time } from './fields.ts'

export const credentialTypes = [
  'API_KEY',
  'AI_CLI_TOKEN',
  'SECRET',
  'GENERIC_SECRET',
  'CLI_TOKEN',
  'OAUTH2',
  'ENDPOINT_URL',
  'USERPASS',
  'SSH_KEY',
  'CERTIFICATE',
] as const
export type CredentialType = (typeof credentialTypes)[number]

/**
 * How this version delivers each type: `model` by the crew's sidecar, so that no agent holds it; `file` below
 * SVC_SECRETS_DIR; `server` to the MCP server that it was issued for, by the daemon.
 */
export const deliveries: Partial<Record<CredentialType, 'model' | 'file' | 'server'>> = {
  API_KEY: 'model',
  AI_CLI_TOKEN: 'model',
  SECRET: 'file',
  GENERIC_SECRET: 'file',
  CLI_TOKEN: 'file',
  OAUTH2: 'server',
}

/** Providers that the sidecar can speak for, by type of credential. */
export const modelProviders: Partial<Record<CredentialType, readonly string[]>> = {
  API_KEY: ['ANTHROPIC', 'OPENAI', 'GOOGLE'],
  AI_CLI_TOKEN: ['ANTHROPIC'],
}

/** The variable that programs of each provider read. */
export const defaultVariables = {
  ANTHROPIC: 'ANTHROPIC_API_KEY',
  OPENAI: 'OPENAI_API_KEY',
  GOOGLE: 'GEMINI_API_KEY',
  CURSOR: 'CURSOR_API_KEY',
  FACTORY: 'FACTORY_API_KEY',
  OPENROUTER: 'OPENROUTER_API_KEY',
  XAI: 'XAI_API_KEY',
  GROQ: 'GROQ_API_KEY',
  DEEPSEEK: 'DEEPSEEK_API_KEY',
  MOONSHOT: 'MOONSHOT_API_KEY',
  ZAI: 'ZAI_API_KEY',
  MINIMAX: 'MINIMAX_API_KEY',
  GITHUB: 'GH_TOKEN',
  GITLAB: 'GITLAB_TOKEN',
  VERCEL: 'VERCEL_TOKEN',
  NPM: 'NPM_TOKEN',
  HF: 'HF_TOKEN',
  AWS: 'AWS_ACCESS_KEY_ID',
  KUBERNETES: 'KUBECONFIG',
} as const

export const credentialProviders = [
  'NONE',
  ...(Object.keys(defaultVariables) as (keyof typeof defaultVariables)[]),
] as const
export type CredentialProvider = (typeof credentialProviders)[number]

export const credentialStatuses = [
  'ACTIVE',
  'PENDING',
  'PENDING_APPROVAL',
  'REJECTED',
  'RATE_LIMITED',
  'EXPIRED',
  'REVOKED',
  'ERROR',
] as const
export const maxValueBytes = 65_536
export const maxGraceSeconds = 604_800
export const maxLeaseSeconds = 2_592_000

/** How much harm its loss does: 1 low, 2 medium, 3 high, 4 critical. docs/keeper.md, "Levels". */
export const securityLevels = [1, 2, 3, 4] as const
export type SecurityLevel = (typeof securityLevels)[number]

/** Members of the full contract that have no effect in this version: a value for one of them is refused, not stored. */
export const laterCredentialMembers = ['username', 'pending', 'sensitivity'] as const

export const Credential = Type.Object({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  type: Type.Enum(credentialTypes),
  provider: Type.Enum(credentialProviders),
  description: nullable(Type.String()),
  scope: Type.Enum(['WORKSPACE', 'CREW']),
  crew_ids: Type.Array(Id),
  crew_id: nullable(Type.String({ description: 'The first of crew_ids; null for the whole workspace' })),
  tags: Type.Array(Type.String()),
  account_label: nullable(Type.String()),
  account_email: nullable(Type.String()),
  username: Type.Null({ description: 'No type of this version has one' }),
  security_level: Type.Integer({ description: '1 low, 2 medium; 3 high and 4 critical: agents have to ask for it' }),
  security_level_label: Type.String(),
  sensitivity: Type.Enum(['STANDARD']),
  testable: Type.Boolean({ description: 'Muster knows how to ask the provider whether the value is good' }),
  token_expires_at: nullable(Type.String()),
  status: Type.Enum(credentialStatuses),
  last_error: nullable(Type.String()),
  last_used_at: nullable(Type.String()),
  last_checked_at: nullable(
    Type.String({ description: 'When the provider was last asked, as far as records go back' }),
  ),
  created_by: nullable(Id),
  created_at: Time,
  updated_at: Time,
  last_used_ips: Type.Array(Type.String(), { description: 'Empty: programs use it within their crew' }),
  mcp_used: Type.Boolean({ description: 'An MCP server is given it' }),
  agent_ids: Type.Array(Id, { description: 'The agents that were given it by themselves' }),
  agent_names: Type.Array(Type.String(), { description: 'Their names, in the order of agent_ids' }),
  _count: Type.Object({ agents: Type.Integer() }),
  _count_agent_credentials: Type.Integer({ description: 'The same as _count.agents' }),
})

/** The value of a credential. */
export const CredentialValue = Type.String({
  minLength: 1,
  maxLength: maxValueBytes,
  description: 'Written once, never answered; at most 65536 bytes',
})
const value = CredentialValue
const otherValue = Type.Optional(
  nullable(
    Type.String({ maxLength: maxValueBytes, description: 'In place of the stored one, not kept; empty: that one' }),
  ),
)
const email = {
  type: ['string', 'null'],
  maxLength: 254,
  pattern: '^$|^[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+$',
}

const members = {
  type: Type.Optional(Type.Enum(credentialTypes)),
  provider: Type.Optional(Type.Enum(credentialProviders)),
  description: Type.Optional(nullable(prose(4000))),
  scope: Type.Optional(Type.Enum(['WORKSPACE', 'CREW'])),
  crew_ids: Type.Optional(Type.Array(Id, { maxItems: 500, description: 'The crews of a credential of scope CREW' })),
  tags: Type.Optional(Type.Array(line(50), { maxItems: 20 })),
  security_level: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 4,
        description: '1 unless stated. From 3 on agents have to ask for it; lowering it needs the role ADMIN',
      }),
    ),
  ),
  account_label: Type.Optional(nullable(line(200))),
  account_email: Type.Optional(Type.Unsafe<string | null>(email)),
  token_expires_at: Type.Optional(
    nullable(Type.String({ maxLength: 40, description: 'RFC 3339; not delivered after that' })),
  ),
}

const anyValue = Type.Optional(
  Type.String({
    maxLength: maxValueBytes,
    description: 'Written once, never answered; at most 65536 bytes. Empty or absent for OAUTH2: a sign-in brings it',
  }),
)

export const CredentialDraft = Type.Object({ name: line(255), value: anyValue, ...members, ...OauthMembers })
export const CredentialPatch = Type.Object({ name: Type.Optional(line(255)), value: Type.Optional(value), ...members })

export const TestReply = Type.Object({
  valid: Type.Boolean(),
  status: Type.Enum(['valid', 'invalid', 'limited', 'unreachable', 'unsupported']),
  error: nullable(Type.String()),
  supported: Type.Boolean({ description: 'False when Muster knows no way to ask the provider' }),
})

export const Rotation = Type.Object({
  id: Id,
  credential_id: Id,
  grace_seconds: Type.Integer(),
  rotated_at: Time,
  expires_at: Time,
  rotated_by: nullable(Id),
  status: Type.Enum(['ACTIVE', 'EXPIRED', 'CANCELLED']),
  old_value_gone: Type.Boolean(),
  cancelled_at: nullable(Type.String()),
})

export const Assignment = Type.Object({
  id: Type.String({ description: 'Empty unless the assignment is explicit' }),
  agent_id: Id,
  credential_id: Id,
  credential_name: Type.String(),
  credential_type: Type.Enum(credentialTypes),
  credential_provider: Type.Enum(credentialProviders),
  credential_status: Type.Enum(credentialStatuses),
  env_var_name: Type.String(),
  priority: Type.Integer({ description: 'Lower numbers are used first' }),
  created_at: Time,
  expires_at: Type.Optional(Type.String()),
  expired: Type.Boolean(),
  lease_source: Type.Optional(Type.Enum(['manual', 'keeper_allow', 'escalation_approve'])),
  lease_issued_at: Type.Optional(Type.String()),
  grant_source: Type.Enum(['explicit', 'crew', 'binding']),
})

const success = Type.Object({ success: Type.Boolean() })
const writing = { scope: 'credentials:write' } as const
/** What changes the vault, or who is given what is in it. */
const vault = { ...writing, stepUp: true } as const
const rotating = { ...vault, access: 'ADMIN', capability: 'credential.rotate' } as const

const changing = {
  summary: 'Change a credential; a new value replaces the old one at once and needs the role ADMIN',
  access: 'MANAGER',
  ...vault,
  body: CredentialPatch,
  reply: Credential,
  journal: ['audit.entity_updated', 'credential.rotated'],
  entity: 'credential',
  throws: ['not_found', 'name_taken', 'no_fields', 'encryption_unavailable', 'source_managed'],
} as const

const testing = { access: 'MANAGER', ...writing, status: 200, reply: TestReply } as const

export const credentials = {
  list: get('/credentials', {
    summary: 'List credentials, newest first; never their values',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Credential),
  }),
  create: post('/credentials', {
    summary: 'Store a credential',
    access: 'MANAGER',
    capability: 'credential.create',
    ...vault,
    body: CredentialDraft,
    reply: Credential,
    journal: ['audit.entity_created'],
    entity: 'credential',
    throws: ['name_taken', 'encryption_unavailable'],
  }),
  show: get('/credentials/:credentialId', {
    summary: 'Show a credential, never its value',
    access: 'VIEWER',
    reply: Credential,
    throws: ['not_found'],
  }),
  /** PUT is PATCH under another verb, for clients that know no other. */
  update: patch('/credentials/:credentialId', changing),
  replace: put('/credentials/:credentialId', changing),
  remove: del('/credentials/:credentialId', {
    summary: 'Delete a credential, its value and its assignments',
    access: 'ADMIN',
    ...vault,
    status: 200,
    reply: success,
    journal: ['audit.entity_deleted'],
    entity: 'credential',
    throws: ['not_found', 'source_managed'],
  }),
  check: post('/credentials/test', {
    noDryRun: 'it asks a provider about the value and stores nothing',
    summary: 'Ask the provider whether it takes a value that is not stored',
    ...testing,
    body: Type.Object({ value, type: members.type, provider: Type.Enum(credentialProviders) }),
    journal: false,
  }),
  test: post('/credentials/:credentialId/test', {
    noDryRun: 'it asks a provider about the value',
    summary: 'Test a stored credential, or another value in its place, with its provider',
    ...testing,
    body: Type.Object({ value: otherValue }),
    bodyOptional: true,
    journal: ['credential.tested'],
    throws: ['not_found', 'encryption_unavailable', 'source_managed'],
  }),
  rotate: post('/credentials/:credentialId/rotate', {
    summary: 'Replace the value; the old one is kept for a while',
    ...rotating,
    status: 200,
    body: Type.Object({
      value,
      grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: maxGraceSeconds, default: 86_400 })),
    }),
    reply: Rotation,
    journal: ['credential.rotated'],
    throws: ['not_found', 'encryption_unavailable', 'source_managed'],
  }),
  rotations: get('/credentials/:credentialId/rotations', {
    summary: 'List the rotations of a credential, newest first',
    access: 'MANAGER',
    capability: 'credential.rotate',
    query: Type.Object(page),
    reply: Type.Array(Rotation),
    throws: ['not_found'],
  }),
  cancel: del('/credential-rotations/:rotationId', {
    summary: "End a rotation's grace: the old value is erased now",
    ...rotating,
    status: 200,
    reply: Rotation,
    journal: ['credential.rotation_cancelled'],
    throws: ['not_found'],
  }),
  audit: get('/credentials/:credentialId/audit', {
    summary: 'Who did what with a credential, newest first',
    access: 'MANAGER',
    query: Type.Object({ limit: page.limit }),
    reply: Type.Array(CredentialAudit),
    throws: ['not_found'],
  }),
  variable: get('/credentials/default-env-var', {
    summary: 'The variable that programs of a provider read',
    access: 'signed-in',
    query: Type.Object({ provider: Type.String(), type: Type.Optional(Type.String()) }),
    reply: Type.Object({
      provider: Type.String(),
      env_var: Type.String(),
      env_var_name: Type.String(),
      testable: Type.Boolean({ description: 'Muster knows how to ask this provider whether a value is good' }),
    }),
  }),
  assigned: get('/agents/:agentId/credentials', {
    summary: 'List what an agent is given, by itself and by its crew',
    access: 'VIEWER',
    reply: Type.Array(Assignment),
    throws: ['not_found'],
  }),
  assign: post('/agents/:agentId/credentials', {
    summary: 'Give a credential to an agent',
    access: 'ADMIN',
    workspace: 'agent',
    ...vault,
    body: Type.Object({
      credential_id: Id,
      env_var_name: Type.String({ maxLength: 255 }),
      priority: Type.Optional(
        Type.Integer({
          minimum: -1_000_000,
          maximum: 1_000_000,
          default: 0,
          description: 'Lower numbers are used first',
        }),
      ),
      ttl_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: maxLeaseSeconds, description: '0: until it is taken back' }),
      ),
    }),
    reply: Type.Object({ id: Id }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'agent_expired', 'already_assigned', 'source_managed'],
  }),
  unassign: del('/agents/:agentId/credentials/:assignmentId', {
    summary: 'Take a credential back from an agent',
    access: 'ADMIN',
    workspace: 'agent',
    ...vault,
    status: 200,
    reply: success,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
