import { Type } from 'typebox'
import { get, patch } from './define.ts'
import { Id, prose, Time } from './fields.ts'

const Learning = Type.Object({
  agent_id: Id,
  enabled: Type.Boolean({ description: 'Off until somebody switches it on' }),
  set_by_user_id: Type.Optional(Id),
  set_at: Type.Optional(Time),
  reason: Type.Optional(Type.String()),
})

/** Whether an agent may change itself, where its crew may do everything without asking. */
export const agentLearning = {
  learning: get('/agents/:agentId/learning', {
    summary: 'Show whether an agent may change itself, and who said so',
    access: 'VIEWER',
    reply: Learning,
    throws: ['not_found'],
  }),
  setLearning: patch('/agents/:agentId/learning', {
    summary: 'Say whether an agent may change itself',
    access: 'ADMIN',
    crew: 'agentId',
    scope: 'agents:write',
    body: Type.Object({ enabled: Type.Boolean(), reason: prose(2000) }),
    reply: Learning,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
}
