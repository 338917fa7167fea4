import { Type } from 'typebox'
import { Reaction } from './chat-people.ts'
import { del, get, patch, post, put } from './define.ts'

const optional = Type.Optional
const maybe = Type.Union([Type.String(), Type.Null()])
const time = Type.String({ format: 'date-time' })
/** Numbers of a list's window: what is no number counts as absent. */
const loose = Type.Unsafe<number | string>({ type: ['integer', 'string'] })

export const origins = ['UI', 'CLI', 'WEBHOOK', 'CRON', 'AGENT'] as const

export const Chat = Type.Object({
  id: Type.String(),
  agent_id: Type.String(),
  workspace_id: Type.String(),
  title: maybe,
  mode: Type.String(),
  status: Type.String(),
  visibility: Type.String({ description: 'private or group' }),
  origin: maybe,
  message_count: Type.Integer(),
  unread_count: Type.Integer(),
  started_at: time,
  ended_at: maybe,
  mission_id: optional(Type.String({ description: 'the issue that it is about' })),
  last_activity_at: time,
  created_at: time,
})

export const MessagePart = Type.Object({
  type: Type.String({ description: 'text, thinking, tool_call, tool_result, image or error' }),
  content: optional(Type.String()),
  tool_name: optional(Type.String()),
  tool_id: optional(Type.String({ description: 'Pairs a call with its result' })),
  metadata: optional(Type.Record(Type.String(), Type.Unknown())),
})

/** A part as clients see it. */
const ShownPart = Type.Object({
  ...MessagePart.properties,
  content: Type.String({ description: 'Empty where there is none' }),
})

export const Message = Type.Object({
  id: Type.String(),
  session_id: Type.String(),
  agent_id: optional(Type.String()),
  role: Type.String({ description: 'user, assistant, system or tool' }),
  content: Type.String(),
  parts: optional(Type.Array(ShownPart)),
  tool_name: optional(Type.String()),
  tool_summary: optional(Type.String()),
  metadata: optional(Type.Record(Type.String(), Type.Unknown())),
  ts: time,
  author_user_id: optional(Type.String()),
  reactions: optional(Type.Array(Reaction)),
})

/** What a filled-in ask form says of itself; anything else that a client attaches to a message is dropped. */
export const AskSubmission = Type.Object({
  submission_id: Type.String({ minLength: 1, maxLength: 128 }),
  form_id: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,47}$' }),
  form_label: optional(Type.String({ maxLength: 48 })),
  form_version: Type.Integer({ minimum: 1 }),
  values: Type.Record(Type.String(), Type.Unknown()),
  field_attachment_ids: optional(Type.Record(Type.String(), Type.Array(Type.String({ maxLength: 128 })))),
  rendered_text: Type.String({ maxLength: 32_000 }),
})

export const messageLimit = 200_000

/** A key of the client's own: what is sent again under it is sent once. */
export const ClientId = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    '1 to 128 characters, chosen by the client; sent again, the same message is there once. Also Idempotency-Key',
})

export const MessageDraft = Type.Object({
  content: Type.String({ minLength: 1, maxLength: messageLimit }),
  max_turns: optional(Type.Integer({ minimum: 0, maximum: 200, description: '0 takes the default' })),
  metadata: optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Only a valid ask_submission is kept' }),
  ),
  client_id: optional(ClientId),
})

export const Sent = Type.Object({
  message_id: Type.String(),
  run_id: Type.Union([Type.String(), Type.Null()], {
    description: 'Null in a group chat whose agent was not mentioned: it does not answer',
  }),
})

export const chats = {
  list: get('/agents/:agentId/chats', {
    summary: "List an agent's chats, latest activity first, 100 at most",
    access: 'VIEWER',
    query: Type.Object({ limit: optional(loose), offset: optional(loose) }),
    reply: Type.Array(Chat),
    throws: ['not_found'],
  }),
  create: post('/agents/:agentId/chats', {
    summary: 'Open a chat with an agent; with an id of your own, again and again',
    access: 'VIEWER',
    scope: 'agents:write',
    body: Type.Object({
      session_id: optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{1,128}$',
          description: '1 to 128 of A-Z, a-z, 0-9, _ and -: the id of the chat, chosen by the caller',
        }),
      ),
      origin: optional(Type.Union([Type.String({ description: origins.join(', ') }), Type.Null()])),
    }),
    bodyOptional: true,
    reply: Type.Object({ id: Type.String() }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'chat_taken'],
  }),
  rename: patch('/agents/:agentId/chats/:chatId', {
    summary: 'Give a chat another title',
    access: 'VIEWER',
    crew: 'agentId',
    scope: 'agents:write',
    body: Type.Object({ title: Type.String() }),
    reply: Chat,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'insufficient_role'],
  }),
  read: put('/agents/:agentId/chats/:chatId/read', {
    summary: 'Mark a chat as read by the caller',
    access: 'VIEWER',
    scope: 'agents:write',
    reply: Type.Object({ chat_id: Type.String(), last_read_at: time }),
    journal: [],
    throws: ['not_found'],
  }),
  remove: del('/agents/:agentId/chats/:chatId', {
    summary: 'Delete a chat with its messages',
    access: 'VIEWER',
    crew: 'agentId',
    scope: 'agents:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'insufficient_role', 'chat_busy', 'assignments_open'],
  }),
  messages: get('/chats/:chatId/messages', {
    summary: 'Messages of a chat, oldest first; the newest when no offset is given',
    access: 'signed-in',
    query: Type.Object({ offset: optional(loose), limit: optional(loose) }),
    reply: Type.Object({ chat_id: Type.String(), messages: Type.Array(Message) }),
  }),
  send: post('/chats/:chatId/messages', {
    summary: 'Say something to the agent, which starts a run',
    access: 'signed-in',
    scope: 'agents:write',
    body: MessageDraft,
    reply: Sent,
    status: 202,
    journal: ['chat.user_message', 'run.started'],
    throws: [
      'not_found',
      'client_id_taken',
      'chat_busy',
      'agent_pending_review',
      'agent_expired',
      'crew_not_running',
      'runtime_unavailable',
      'unavailable',
    ],
  }),
  steer: post('/chats/:chatId/steer', {
    summary: 'Say something to an agent at work: it reads it after its current step, or with its next turn',
    access: 'signed-in',
    scope: 'agents:write',
    body: Type.Object({
      message: Type.String({ minLength: 1, maxLength: messageLimit }),
      begin: optional(
        Type.Boolean({ description: 'Begin a turn for it, at once or when the one that goes on has ended' }),
      ),
      client_id: optional(ClientId),
    }),
    reply: Type.Object({
      message_id: Type.String(),
      queued: Type.Literal(true, { description: 'It is stored' }),
      in_flight: Type.Boolean({ description: 'A run was going on' }),
      delivery: Type.Enum(['pending', 'queued'], {
        description:
          'pending: the agent reads it in the run that goes on, if that takes another step; queued: with its next turn',
      }),
      run_id: Type.Union([Type.String(), Type.Null()], { description: 'The run that was begun for it at once' }),
    }),
    status: 202,
    journal: ['chat.user_message', 'run.started'],
    throws: [
      'not_found',
      'client_id_taken',
      'agent_pending_review',
      'agent_expired',
      'crew_not_running',
      'runtime_unavailable',
      'unavailable',
    ],
  }),
  cancel: post('/chats/:chatId/cancel', {
    summary: 'End what the agent is doing in this chat',
    access: 'signed-in',
    scope: 'agents:write',
    reply: Type.Object({
      chat_id: Type.String(),
      run_id: Type.Union([Type.String(), Type.Null()], { description: 'Null when nothing was going on' }),
    }),
    status: 202,
    journal: ['run.cancelled'],
    throws: ['not_found', 'insufficient_role'],
  }),
  stream: get('/chats/:chatId/stream', {
    summary: 'What happens in a chat, as it happens, one JSON object a line',
    access: 'signed-in',
    kind: 'stream',
    query: Type.Object({
      last_seq: optional(Type.Integer({ minimum: 0, description: 'Go on after this number' })),
      follow: optional(Type.Boolean({ description: 'Stay for the next runs' })),
      idle: optional(
        Type.Integer({
          minimum: 0,
          maximum: 3600,
          description: 'Seconds without a run after which the stream ends; 0 means 300',
        }),
      ),
    }),
    throws: ['not_found', 'unavailable'],
  }),
}
