import { Type } from 'typebox'
import { Id, nullable, Time } from './fields.ts'

export const auditEvents = ['CREATED', 'USE', 'TEST', 'ROTATE', 'REVOKE', 'REVEAL', 'DETECTED', 'REJECTED'] as const
export type AuditEvent = (typeof auditEvents)[number]

const detail = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** Who did what with a credential. */
export const CredentialAudit = Type.Object({
  id: Id,
  credential_id: Id,
  event: Type.Enum(auditEvents),
  event_type: Type.Enum(auditEvents),
  actor_type: Type.String(),
  actor_kind: Type.String({ description: 'agent, user or system' }),
  actor_id: nullable(Type.String()),
  actor_name: nullable(Type.String({ description: 'As it is now' })),
  agent_id: nullable(Type.String({ description: 'The agent that did it or was given the value' })),
  ip_address: Type.Null({ description: 'Not recorded' }),
  detail,
  metadata: detail,
  created_at: Time,
  occurred_at: Time,
})
