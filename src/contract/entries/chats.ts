import { Type } from 'typebox'
import { type AuditPayload, audit, Changed, entry, type Names } from './define.ts'
import { quoted } from './quote.ts'

const Words = Type.Object({
  chat_id: Type.Optional(Type.String()),
  agent_slug: Type.String(),
  content: Type.String({ description: 'At most the first 8 KiB of the message' }),
  length_chars: Type.Integer(),
  truncated: Type.Optional(Type.Literal(true)),
})

/** A chat is named by its title; a new one has none. */
const chat = ({ name, entity_id }: AuditPayload, { agent }: Names) =>
  name && name !== entity_id ? `Chat ${quoted(name)} with ${agent}` : `A chat with ${agent}`

export const chatFacts = {
  'chat.created': audit(
    'audit.entity_created',
    'chat',
    Changed,
    (it, names) => `${chat(it, names)} was opened by ${names.actor}`,
  ),
  'chat.updated': audit(
    'audit.entity_updated',
    'chat',
    Changed,
    (it, names) => `${chat(it, names)} was renamed by ${names.actor}`,
  ),
  'chat.deleted': audit(
    'audit.entity_deleted',
    'chat',
    Changed,
    (it, names) => `${chat(it, names)} was deleted by ${names.actor}`,
  ),
  'chat.user_message': entry(
    'chat.user_message',
    'info',
    Words,
    ({ content }, { person, agent }) => `${person} asked ${agent}: ${quoted(content)}`,
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
