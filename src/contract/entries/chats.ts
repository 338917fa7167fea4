import { Type } from 'typebox'
import { participantRoles } from '../chat-people.ts'
import { type AuditPayload, audit, Changed, entry, type Names } from './define.ts'
import { named, quoted } from './quote.ts'

/** Why a client cannot go on with the session that it kept for a chat. */
const sessionLosses = {
  client_changed: 'the agent has another client now',
  model_changed: 'the agent has another model now',
  instructions_changed: 'what the agent is told about itself has changed',
  crew_changed: 'the agent has moved to another crew',
  history_changed: 'what was said before has changed',
  refused: 'the client could not go on with the old one',
} as const
export type SessionLoss = keyof typeof sessionLosses

const Words = Type.Object({
  chat_id: Type.Optional(Type.String()),
  agent_slug: Type.String(),
  content: Type.String({ description: 'At most the first 8 KiB of the message' }),
  length_chars: Type.Integer(),
  truncated: Type.Optional(Type.Literal(true)),
  no_reply: Type.Optional(Type.Literal(true, { description: 'It started no run' })),
})

/** A chat is named by its title; a new one has none. */
const chat = ({ name, entity_id }: AuditPayload, { agent }: Names) =>
  name && name !== entity_id ? `Chat ${quoted(name)} with ${agent}` : `A chat with ${agent}`

const Participant = Type.Object({
  chat_id: Type.String(),
  user_id: Type.String(),
  role: Type.Enum([...participantRoles]),
})

export const chatFacts = {
  // The `name` of a participant is the person's e-mail address.
  'chat_participant.created': audit(
    'audit.entity_created',
    'chat_participant',
    Participant,
    (it, { actor, agent }) => `${named(it.name)} was added to a chat with ${agent} by ${actor}`,
  ),
  'chat_participant.deleted': audit(
    'audit.entity_deleted',
    'chat_participant',
    Participant,
    (it, { actor, agent }) => `${named(it.name)} was removed from a chat with ${agent} by ${actor}`,
  ),
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
  'chat.user_message': entry('chat.user_message', 'info', Words, ({ content, no_reply }, { person, agent }) =>
    no_reply
      ? `${person} wrote to ${agent}'s chat: ${quoted(content)}`
      : `${person} asked ${agent}: ${quoted(content)}`,
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
  'conversation.session_lost': entry(
    'conversation.session_lost',
    'notice',
    Type.Object({
      session_id: Type.String({ description: 'Id of the chat' }),
      reason: Type.Enum(Object.keys(sessionLosses) as SessionLoss[]),
    }),
    ({ reason }, { agent }) => `${agent}'s client begins a new session for its chat: ${sessionLosses[reason]}`,
  ),
}
