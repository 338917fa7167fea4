import { Type } from 'typebox'
import { audits, entry, quoted } from './define.ts'

const Words = Type.Object({
  chat_id: Type.Optional(Type.String()),
  agent_slug: Type.String(),
  content: Type.String({ description: 'At most 8 KiB of it' }),
  length_chars: Type.Integer(),
  truncated: Type.Optional(Type.Literal(true)),
})

export const chatFacts = {
  ...audits('chat', 'Chat'),
  'chat.user_message': entry(
    'chat.user_message',
    'info',
    Words,
    ({ content }, { agent, person }) => `${person} asked ${agent}: ${quoted(content)}`,
  ),
  'chat.agent_response': entry(
    'chat.agent_response',
    'info',
    Words,
    ({ content }, { agent }) => `${agent} answered: ${quoted(content)}`,
  ),
  'conversation.compacted': entry(
    'conversation.compacted',
    'info',
    Type.Object({
      session_id: Type.Optional(Type.String({ description: 'Id of the chat' })),
      overflow_messages: Type.Integer(),
      summarized: Type.Boolean(),
      summary_bytes: Type.Integer(),
    }),
    ({ overflow_messages: count }, { agent }) =>
      count === 1
        ? `1 earlier message did not fit into ${agent}'s prompt`
        : `${count} earlier messages did not fit into ${agent}'s prompt`,
  ),
}
