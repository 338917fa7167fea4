import { Type } from 'typebox'
import { post } from './define.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })

export const searchLimit = 1_000

const Hit = Type.Object({
  id: Type.String(),
  session_id: Type.String({ description: 'The chat' }),
  agent_id: Type.String(),
  agent_slug: Type.String(),
  agent_name: Type.String(),
  role: Type.String({ description: 'user, assistant, system or tool' }),
  content: Type.String(),
  tool_summary: optional(Type.String()),
  ts: time,
})

export const chatSearch = {
  search: post('/conversations/search', {
    summary: 'Find messages with a phrase in the conversations with agents, best first',
    access: 'VIEWER',
    scope: 'agents:write',
    unnamed: 'no_workspace',
    body: Type.Object({
      query: Type.String({
        minLength: 1,
        maxLength: searchLimit,
        description: 'Words that follow one another, without regard to case and accents',
      }),
      agent_id: optional(Type.String({ description: 'Only conversations with this agent' })),
      crew_id: optional(Type.String({ description: 'Only conversations with agents of this crew' })),
      limit: optional(Type.Integer({ description: '1 to 100; anything else is 20' })),
    }),
    reply: Type.Object({
      hits: Type.Array(Hit),
      query: Type.String(),
      count: Type.Integer({ description: 'Number of hits' }),
      scope: Type.Enum(['agent', 'crew', 'workspace']),
      missed: optional(
        Type.Enum(['indexing', 'time'], {
          description: 'Why older messages may be missing: they are still being indexed, or the search took too long',
        }),
      ),
    }),
    status: 200,
    journal: false,
    throws: ['not_found', 'unavailable'],
  }),
}
