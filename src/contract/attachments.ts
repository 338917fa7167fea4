import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, Time } from './fields.ts'

/** Most bytes of one attachment. */
export const attachmentLimit = 25 * 1024 * 1024

const maybe = Type.Optional(Type.String())
const path = Type.String({ description: "Below the agent's own folder" })
const agent_path = Type.String({ description: 'Where the agent finds it' })

export const Attachment = Type.Object({
  id: Id,
  workspace_id: Id,
  owner_type: Type.Literal('chat'),
  owner_id: Type.String({ description: 'Id of the chat' }),
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  uploaded_by_user_id: maybe,
  uploaded_by_agent_id: maybe,
  uploaded_by_name: maybe,
  created_at: Time,
  path,
  agent_path,
})

export const attachments = {
  list: get('/agents/:agentId/chats/:chatId/attachments', {
    summary: 'List the files that people gave to a chat, newest first',
    access: 'VIEWER',
    reply: Type.Array(Attachment),
    throws: ['not_found'],
  }),
  create: post('/agents/:agentId/chats/:chatId/attachments', {
    summary: 'Give a file to a chat; the same file again is the same attachment',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    upload: 'file',
    streamed: true,
    // What is larger than an attachment is refused while it comes in.
    bodyLimit: 64 * 1024 * 1024,
    overLimit: { code: 'invalid_field', field: 'file' },
    reply: Type.Object({ id: Id, filename: Type.String(), size: Type.Integer(), path, agent_path }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'foreign_chat', 'crew_not_running', 'runtime_unavailable', 'runtime_failed'],
  }),
  remove: del('/agents/:agentId/chats/:chatId/attachments/:attachmentId', {
    summary: 'Delete a file of a chat',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
