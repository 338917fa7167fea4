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
const rotation = { rotation_id: Type.String() }

const outcomes = {
  valid: 'its provider accepts it',
  invalid: 'its provider does not accept it',
  limited: 'its provider accepts it, but it has reached its limit',
  unreachable: 'its provider gave no answer about it',
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
  'credential.tested': entry(
    'credential.tested',
    'info',
    Type.Object({ ...named, status: Type.Enum(['valid', 'invalid', 'limited', 'unreachable']) }),
    ({ credential_name, status }, { actor }) =>
      `Credential ${quoted(credential_name)} was tested by ${actor}: ${outcomes[status]}`,
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
