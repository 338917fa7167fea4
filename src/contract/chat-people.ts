import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, nullable, Time } from './fields.ts'

export const Reaction = Type.Object({
  emoji: Type.String(),
  count: Type.Integer({ description: 'People who reacted so' }),
  mine: Type.Boolean({ description: 'The caller is one of them' }),
})

export const participantRoles = ['owner', 'member'] as const
export type ParticipantRole = (typeof participantRoles)[number]

export const Participant = Type.Object({
  user_id: Id,
  email: Type.Optional(Type.String()),
  full_name: Type.Optional(nullable(Type.String())),
  role: Type.Enum([...participantRoles], { description: 'A label, which grants nothing' }),
  joined_at: Time,
})

/** Code points of an emoji and characters of its spelling, at most. */
export const emojiLimits = { emoji: 8, characters: 128 } as const
/** Different emoji of one person on one message. */
export const reactionsOfPerson = 50

/** The part of the chats' interface that concerns the people in them. docs/rules/chats.md. */
export const chatPeople = {
  reactions: get('/chats/:chatId/messages/:messageId/reactions', {
    summary: 'List the reactions to a message, the most frequent first',
    access: 'signed-in',
    reply: Type.Object({ reactions: Type.Array(Reaction) }),
    throws: ['not_found'],
  }),
  react: post('/chats/:chatId/messages/:messageId/reactions', {
    summary: 'React to a message with an emoji',
    access: 'signed-in',
    scope: 'agents:write',
    status: 204,
    body: Type.Object({
      emoji: Type.String({ description: `1 to ${emojiLimits.emoji} emoji; signs and flags count as they are spelled` }),
    }),
    journal: [],
    throws: ['not_found'],
  }),
  unreact: del('/chats/:chatId/messages/:messageId/reactions/:emoji', {
    summary: "Take back one's own reaction to a message",
    access: 'signed-in',
    scope: 'agents:write',
    journal: [],
    throws: ['not_found'],
  }),
  participants: get('/chats/:chatId/participants', {
    summary: 'List the people of a group chat, in the order in which they joined; none of a private one',
    access: 'signed-in',
    reply: Type.Object({ participants: Type.Array(Participant) }),
    throws: ['not_found'],
  }),
  invite: post('/chats/:chatId/participants', {
    summary: 'Add a member of the workspace to a chat, whose agent then answers only when it is mentioned',
    access: 'signed-in',
    scope: 'agents:write',
    status: 204,
    body: Type.Object({
      user_id: Id,
      role: Type.Optional(Type.Enum([...participantRoles], { description: 'A label, which grants nothing' })),
    }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'insufficient_role'],
  }),
  uninvite: del('/chats/:chatId/participants/:userId', {
    summary: 'Remove somebody from a group chat',
    access: 'signed-in',
    scope: 'agents:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'insufficient_role'],
  }),
}
