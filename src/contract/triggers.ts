import { Type } from 'typebox'
import { post } from './define.ts'
import { line, Time } from './fields.ts'

/** What another program says when it calls an agent. Everything of it is untrusted. */
const Delivery = Type.Object({
  event: Type.Optional(line(200)),
  source: Type.Optional(line(200)),
  data: Type.Optional(Type.Unknown()),
})

/** Calls of other programs that make an agent work. docs/triggers.md, "Webhooks". */
export const triggers = {
  rotateWebhookSecret: post('/agents/:agentId/webhook-secret/rotate', {
    summary: 'Give an agent a new webhook secret; the old one is refused from then on',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    status: 200,
    reply: Type.Object({ webhook_secret: Type.String({ description: 'Shown this once' }), rotated_at: Time }),
    secrets: ['webhook_secret'],
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'encryption_unavailable'],
  }),
  trigger: post('/webhooks/:crewId/:agentId/trigger', {
    summary: 'Make an agent work, as another program that knows its webhook secret',
    access: 'public',
    status: 202,
    raw: true,
    body: Delivery,
    bodyOptional: true,
    reply: Type.Object({ status: Type.Literal('accepted') }),
    journal: ['agent.webhook_accepted'],
    noDryRun: 'whoever calls it is a program, which would be told that its call was accepted',
    throws: [
      'not_found',
      'webhook_unsigned',
      'webhook_late',
      'agent_expired',
      'agent_pending_review',
      'crew_not_running',
      'runtime_unavailable',
      'unavailable',
    ],
  }),
}
