import { Type } from 'typebox'
import { type AuditPayload, audit, audits, entry } from './define.ts'
import { quoted } from './quote.ts'

const Grant = Type.Object({
  credential_id: Type.String(),
  agent_slug: Type.String(),
  env_var_name: Type.String(),
})
const Acceptance = Type.Object({
  status: Type.Literal('ACTIVE'),
  assigned_to: Type.String(),
  env_var_name: Type.String(),
})
const Refusal = Type.Object({ status: Type.Literal('REJECTED') })
const called = ({ name, entity_id }: AuditPayload) => `Credential ${quoted(name ?? entity_id)}`
const named = { credential_id: Type.String(), credential_name: Type.String() }
const hired = { workspace_id: Type.String(), agent_id: Type.String() }
const rotation = { rotation_id: Type.String() }

const place = {
  question_id: Type.String(),
  host: Type.String(),
  method: Type.String(),
  path: Type.String(),
}
const used = { once: 'allowed once', always: 'allowed from now on', denied: 'denied' }

const outcomes = {
  valid: 'its provider accepts it',
  invalid: 'its provider does not accept it',
  limited: 'its provider accepts it, but it has reached its limit',
  unreachable: 'its provider gave no answer about it',
}

const unfit = {
  refused: 'the provider refused',
  quota: 'no quota is left on',
  limited: 'the provider limits',
}

export const credentialFacts = {
  ...audits('credential', 'Credential', quoted),
  'credential.accepted': audit(
    'audit.entity_updated',
    'credential',
    Acceptance,
    (it, { actor, agent }) =>
      `${called(it)} was accepted by ${actor} and assigned to ${agent} as ${it.metadata.env_var_name}`,
  ),
  'credential.refused': audit(
    'audit.entity_deleted',
    'credential',
    Refusal,
    (it, { actor }) => `${called(it)} was rejected by ${actor}, and its value was erased`,
  ),
  'agent_credential.created': audit(
    'audit.entity_created',
    'agent_credential',
    Grant,
    (it, { actor, agent }) => `${called(it)} was assigned to ${agent} as ${it.metadata.env_var_name} by ${actor}`,
  ),
  'agent_credential.deleted': audit(
    'audit.entity_deleted',
    'agent_credential',
    Grant,
    (it, { actor, agent }) => `${called(it)} was withdrawn from ${agent} by ${actor}`,
  ),
  'credential.auto_assign_failed': entry(
    'credential.auto_assign_failed',
    'warn',
    Type.Object({
      ...hired,
      reason: Type.Enum(['list_query', 'scan', 'insert', 'row_iteration']),
      credential_id: Type.Optional(Type.String()),
      error: Type.Optional(Type.String()),
    }),
    (_, { agent }) => `A credential could not be assigned to agent ${agent}, which was hired`,
  ),
  'credential.auto_assign_empty': entry(
    'credential.auto_assign_empty',
    'warn',
    Type.Object(hired),
    (_, { agent }) => `Agent ${agent} was hired, and the workspace has no credential for its model`,
  ),
  'credential.tested': entry(
    'credential.tested',
    'info',
    Type.Object({ ...named, status: Type.Enum(['valid', 'invalid', 'limited', 'unreachable']) }),
    ({ credential_name, status }, { actor }) =>
      `Credential ${quoted(credential_name)} was tested by ${actor}: ${outcomes[status]}`,
  ),
  'credential.failover': entry(
    'credential.failover',
    'warn',
    Type.Object({
      ...named,
      next_id: Type.String(),
      next_name: Type.String(),
      reason: Type.Enum(['refused', 'quota', 'limited']),
      status: Type.Integer({ description: 'Of the answer of the provider' }),
    }),
    ({ credential_name, next_name, reason }, { agent }) =>
      `Calls of ${agent} go on with credential ${quoted(next_name)}: ${unfit[reason]} ${quoted(credential_name)}`,
  ),
  'credential.expiring': entry(
    'credential.expiring',
    'warn',
    Type.Object({
      ...named,
      expires_at: Type.String(),
      created_by: Type.Union([Type.String(), Type.Null()]),
    }),
    ({ credential_name, expires_at }) => `Credential ${quoted(credential_name)} ends at ${expires_at}`,
  ),
  'credential.connected': entry(
    'credential.connected',
    'notice',
    Type.Object({ ...named, host: Type.String(), servers: Type.Integer({ description: 'That use it from now on' }) }),
    ({ credential_name, host }, { actor }) =>
      `Credential ${quoted(credential_name)} was connected with ${quoted(host)} by ${actor}`,
  ),
  'credential.expired': entry(
    'credential.expired',
    'warn',
    Type.Object({ ...named, reason: Type.String(), created_by: Type.Union([Type.String(), Type.Null()]) }),
    ({ credential_name, reason }) => `Credential ${quoted(credential_name)} is over: ${quoted(reason)}`,
  ),
  'credential.lease_issued': entry(
    'credential.lease_issued',
    'notice',
    Type.Object({
      ...named,
      lease_source: Type.Enum(['keeper_allow', 'escalation_approve']),
      expires_at: Type.String(),
    }),
    ({ credential_name, expires_at }, { agent }) =>
      `${agent} has credential ${quoted(credential_name)} until ${expires_at}`,
  ),
  'credential.lease_ended': entry(
    'credential.lease_ended',
    'info',
    Type.Object(named),
    ({ credential_name }, { agent }) => `The time is over for which ${agent} had credential ${quoted(credential_name)}`,
  ),
  'credential.scopes_enforced': entry(
    'credential.scopes_enforced',
    'notice',
    Type.Object({ ...named, days: Type.Integer(), rules: Type.Integer() }),
    ({ credential_name, rules }, { actor }) =>
      `Credential ${quoted(credential_name)} was kept to ${rules} ${rules === 1 ? 'rule' : 'rules'} by ${actor}`,
  ),
  'credential.scopes_ended': entry(
    'credential.scopes_ended',
    'notice',
    Type.Object(named),
    ({ credential_name }, { actor }) =>
      `Credential ${quoted(credential_name)} was let to be used for everything by ${actor}`,
  ),
  'credential.use_asked': entry(
    'credential.use_asked',
    'warn',
    Type.Object({ ...named, ...place }),
    ({ credential_name, host, method, path }, { actor }) =>
      `A use of credential ${quoted(credential_name)} by ${actor} was held back: ${quoted(`${method} ${host}${path}`)}`,
  ),
  'credential.use_decided': entry(
    'credential.use_decided',
    'notice',
    Type.Object({
      ...named,
      ...place,
      outcome: Type.Enum(['once', 'always', 'denied']),
      ended: Type.Optional(Type.Enum(['expired', 'withdrawn'])),
      reason: Type.Optional(Type.String()),
    }),
    ({ credential_name, host, method, path, outcome }, { actor }) =>
      `A use of credential ${quoted(credential_name)} was ${used[outcome]} by ${actor}: ` +
      quoted(`${method} ${host}${path}`),
  ),
  'credential.rotated': entry(
    'credential.rotated',
    'notice',
    Type.Object({ ...named, ...rotation, grace_seconds: Type.Integer() }),
    ({ credential_name }, { actor }) => `The value of credential ${quoted(credential_name)} was replaced by ${actor}`,
  ),
  'credential.rotation_cancelled': entry(
    'credential.rotation_cancelled',
    'notice',
    Type.Object({ ...named, ...rotation }),
    ({ credential_name }, { actor }) => `The old value of credential ${quoted(credential_name)} was erased by ${actor}`,
  ),
}
