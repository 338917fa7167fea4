import { Type } from 'typebox'
import { get, post } from './define.ts'

const optional = Type.Optional
/** Numbers of a list's window: what is no number counts as absent. */
const loose = Type.Unsafe<number | string>({ type: ['integer', 'string'] })

export const LogLine = Type.Object({
  ts: Type.String({ format: 'date-time' }),
  level: Type.String({ description: 'info, notice, warn or error' }),
  agent: Type.String({ description: 'Slug' }),
  event: Type.String({ description: 'A journal entry type, or a part of a message' }),
  content: optional(Type.String()),
  message: optional(Type.String({ description: 'The same as content' })),
  tool: optional(Type.String()),
  tokens: optional(Type.Integer()),
  metadata: optional(Type.Record(Type.String(), Type.Unknown())),
})

/** The part of the agents' interface that concerns what they are doing. */
export const activity = {
  stop: post('/agents/:agentId/stop', {
    summary: 'End everything that an agent is doing',
    access: 'MANAGER',
    crew: 'agentId',
    workspace: 'agent',
    scope: 'agents:write',
    reply: Type.Object({
      id: Type.String(),
      status: Type.Enum(['stopped', 'stopping'], { description: 'stopping: a run has not ended yet' }),
    }),
    status: 200,
    journal: ['run.cancelled'],
    throws: ['not_found'],
  }),
  logs: get('/agents/:agentId/logs', {
    summary: 'What an agent did, latest first',
    access: 'VIEWER',
    query: Type.Object({ limit: optional(loose), offset: optional(loose) }),
    reply: Type.Array(LogLine),
    throws: ['not_found'],
  }),
}
