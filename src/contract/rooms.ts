import { Type } from 'typebox'
import { get, post, put } from './define.ts'
import { Id, nullable, oneLine, page, prose, Time } from './fields.ts'

export const roomKinds = ['group', 'channel'] as const
export type RoomKind = (typeof roomKinds)[number]
export const roomRoles = ['owner', 'member'] as const
export type RoomRole = (typeof roomRoles)[number]

/** Beside those who are members anyway. */
export const inviteeLimit = 498
export const roomTitleLimit = 120
export const roomMessageLimit = 32_000
/** In UTF-8 bytes. */
export const clientIdLimit = 128

const maybe = nullable(Type.String())
const Kind = Type.Enum([...roomKinds])
const Title = Type.String({ pattern: oneLine, description: `one line of 1 to ${roomTitleLimit} characters` })
const Invitees = Type.Array(Type.String({ maxLength: 64 }), { maxItems: inviteeLimit })
/** Names a request: sent again with the same id, it is the same request. */
const clientId = (more = '') =>
  Type.String({
    minLength: 1,
    maxLength: clientIdLimit,
    description: `an id of your own for this request, of at most ${clientIdLimit} bytes${more}`,
  })

export const RoomMember = Type.Object({
  user_id: Id,
  full_name: maybe,
  avatar_url: maybe,
  role: Type.Enum([...roomRoles]),
  joined_at: Time,
})

export const Room = Type.Object({
  id: Id,
  workspace_id: Id,
  kind: Kind,
  is_direct: Type.Boolean(),
  title: maybe,
  source_conversation_id: maybe,
  agent_id: maybe,
  agent: nullable(
    Type.Object({ id: Id, name: Type.String(), slug: Type.String() }, { description: 'Null once it is deleted' }),
  ),
  run_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'What its agent works on here' }),
  created_by: Id,
  created_at: Time,
  updated_at: Time,
  last_message_at: nullable(Time),
  last_seq: Type.Integer(),
  unread_count: Type.Integer({ description: 'Messages of others after the last one that you read' }),
  members: Type.Array(RoomMember),
})

export const messageKinds = ['message', 'notice'] as const
export const authorTypes = ['user', 'agent', 'system'] as const

export const RoomMessage = Type.Object({
  id: Id,
  conversation_id: Id,
  seq: Type.Integer({ description: '1 for the first, without gaps' }),
  author_type: Type.Enum([...authorTypes]),
  author_id: maybe,
  author_name: maybe,
  kind: Type.Enum([...messageKinds]),
  content: Type.String(),
  created_at: Time,
})

const created = ['audit.entity_created'] as const

export const rooms = {
  list: get('/conversations', {
    summary: 'List the rooms that you are a member of, latest activity first',
    access: 'VIEWER',
    query: Type.Object({ kind: Type.Optional(Kind), ...page }),
    reply: Type.Array(Room),
  }),
  create: post('/conversations', {
    summary: 'Open a room with members of the workspace, or the direct one with a person',
    access: 'VIEWER',
    scope: 'agents:write',
    repeatable: true,
    body: Type.Object({
      kind: Kind,
      title: Type.Optional(nullable(Title)),
      member_ids: Type.Optional(Invitees),
      agent_id: Type.Optional(nullable(Type.String({ maxLength: 64, description: 'The agent of a channel' }))),
      is_direct: Type.Optional(
        Type.Boolean({ description: 'The one room of two people: a group without a title and with one other member' }),
      ),
      client_id: clientId(),
    }),
    reply: Room,
    journal: created,
    throws: ['not_found', 'client_id_taken'],
  }),
  show: get('/conversations/:conversationId', {
    summary: 'Show a room that you are a member of',
    access: 'VIEWER',
    reply: Room,
    throws: ['not_found'],
  }),
  messages: get('/conversations/:conversationId/messages', {
    summary: 'Messages of a room, oldest first: the newest, or those before one',
    access: 'VIEWER',
    query: Type.Object({
      before_seq: Type.Optional(Type.Integer({ minimum: 1, description: 'Only messages before this one' })),
      limit: page.limit,
    }),
    reply: Type.Object({
      messages: Type.Array(RoomMessage),
      has_more: Type.Boolean({ description: 'There are older ones' }),
    }),
    throws: ['not_found'],
  }),
  send: post('/conversations/:conversationId/messages', {
    summary: 'Say something in a room; the agent of a channel answers when it is mentioned',
    access: 'VIEWER',
    scope: 'agents:write',
    repeatable: true,
    body: Type.Object({
      content: Type.String({ ...prose(roomMessageLimit), minLength: 1 }),
      client_id: Type.Optional(clientId('; or the header Idempotency-Key')),
    }),
    reply: RoomMessage,
    journal: ['run.started'],
    throws: ['not_found', 'client_id_taken'],
  }),
  continue: post('/conversations/:conversationId/continue', {
    summary: 'Open another room with people of this one; its messages stay here',
    access: 'VIEWER',
    scope: 'agents:write',
    repeatable: true,
    body: Type.Object({
      kind: Kind,
      title: Title,
      member_ids: Type.Optional(Invitees),
      agent_id: Type.Optional(nullable(Type.String({ maxLength: 64, description: 'The agent of a channel' }))),
      client_id: clientId(),
    }),
    reply: Room,
    journal: created,
    throws: ['not_found', 'client_id_taken'],
  }),
  read: put('/conversations/:conversationId/read', {
    summary: 'Mark a room as read by the caller, up to a message or to the last one',
    access: 'VIEWER',
    scope: 'agents:write',
    body: Type.Object({ seq: Type.Optional(Type.Integer({ minimum: 0 })) }),
    bodyOptional: true,
    reply: Type.Object({ conversation_id: Id, last_read_seq: Type.Integer() }),
    journal: [],
    throws: ['not_found'],
  }),
}
