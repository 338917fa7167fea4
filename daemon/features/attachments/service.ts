import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { type Attachment, attachmentLimit, attachments } from '#contract/attachments'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf, unchanged } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { dryRunAsked } from '#kernel/http/dry-run'
import { receiveFile } from '#kernel/http/multipart'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import type { AgentRow } from '../agents/service.ts'
import { agentOfChat } from '../chats/service.ts'
import { keepBlob, openIncoming, readBlob, removeIncoming } from './blobs.ts'
import { clearGone } from './clearing.ts'
import { type AttachmentRow, queries, type ShownRow } from './queries.ts'
import { folderOf, nameOf, typeOf } from './rules.ts'

const pathOf = (row: AttachmentRow): string => `${folderOf(row)}/${row.filename}`

export function listAttachments(
  app: App,
  { actor, agentId, chatId }: Call<typeof attachments.list>,
): Static<typeof Attachment>[] {
  agentOfChat(app, actor, { agentId, chatId })
  return queries(app.db).list.all(chatId).map(shown)
}

const shown = (row: ShownRow): Static<typeof Attachment> => ({
  id: row.id,
  workspace_id: row.workspace_id,
  owner_type: 'chat',
  owner_id: row.chat_id,
  filename: row.filename,
  content_type: row.content_type,
  size_bytes: row.size_bytes,
  sha256: row.sha256,
  ...(row.uploaded_by_user_id && { uploaded_by_user_id: row.uploaded_by_user_id }),
  ...(row.uploaded_by_name && { uploaded_by_name: row.uploaded_by_name }),
  created_at: row.created_at,
  path: pathOf(row),
  agent_path: row.agent_path ?? '',
})

/** A file that is kept and where the agent finds it, but that nobody sees yet. */
interface Delivered {
  agent: AgentRow
  row: AttachmentRow
  agentPath: string
}

/** A file that came in for a dry run; its bytes are gone already. */
interface Tried {
  agent: AgentRow
  file: File
}

/** Takes a file in: into the data folder first, then to the agent. What fails on the way leaves nothing. */
export async function takeIn(app: App, call: Call<typeof attachments.create>): Promise<Delivered | Tried> {
  const agent = agentOfChat(app, call.actor, call, problem('foreign_chat'))
  const { headers, body } = call.web!.request
  if (!(body instanceof Readable)) throw problem('unsupported_media_type', { detail: 'Send multipart/form-data' })
  if (!agent.crew_id)
    throw problem('crew_not_running', { detail: 'The agent belongs to no crew, so it has no place for files' })
  if (!app.runs.available) throw problem('runtime_unavailable', { detail: 'This server runs no agents' })
  const { path, open } = await openIncoming(app, newId(app.clock()))
  try {
    const type = headers['content-type']
    const file = await receiveFile('file', { type, body, most: attachmentLimit, to: open })
    if (!file)
      throw problem('missing_field', { field: 'file', detail: 'file is required, in a multipart/form-data body' })
    const named = { ...file, filename: nameOf(file.filename) }
    if (dryRunAsked(attachments.create, call.web!.request.query)) return { agent, file: named }
    const { row, made } = await app.write(() => reserve(app, call, agent, named))
    return await handOver(app, agent, row, path).catch(async (error) => {
      if (made) await giveUp(app, row)
      throw error
    })
  } finally {
    await removeIncoming(path)
  }
}

interface File {
  filename: string
  contentType: string
  size: number
  sha256: string
}

/** The row of the file, of which there is one in each chat. */
function reserve(
  app: App,
  { actor, chatId, now }: Call<typeof attachments.create>,
  agent: AgentRow,
  { filename, contentType, size, sha256 }: File,
): { row: AttachmentRow; made: boolean } {
  const id = newId(app.clock())
  const folder = folderOf({ chat_id: chatId, id })
  const made = queries(app.db).insert.get({
    id,
    workspace_id: actor.workspace,
    crew_id: agent.crew_id!,
    agent_id: agent.id,
    chat_id: chatId,
    filename,
    content_type: typeOf(contentType),
    size_bytes: size,
    sha256,
    storage_key: `${agent.crew_id}/${agent.slug}/${folder}/${filename}`,
    uploaded_by_user_id: actor.id,
    created_at: now,
  })
  const row = made ?? queries(app.db).same.get({ chat_id: chatId, sha256, filename })!
  return { row, made: made !== undefined }
}

async function handOver(app: App, agent: AgentRow, row: AttachmentRow, path: string): Promise<Delivered> {
  await keepBlob(app, path, row.storage_key)
  const content = () => readBlob(app, row.storage_key)
  const file = { folder: folderOf(row), name: row.filename, size: row.size_bytes, content }
  const home = await app.runs.deliver(agent.id, file)
  return { agent, row, agentPath: `${home}/${pathOf(row)}` }
}

async function giveUp(app: App, { id }: AttachmentRow): Promise<void> {
  await app.write(() => queries(app.db).leaveUnpublished.run(id))
  await clearGone(app)
}

export function publish(
  app: App,
  call: Call<typeof attachments.create>,
  taken: Delivered | Tried,
): Reply<typeof attachments.create> {
  const { actor } = call
  const { agent, row, agentPath } = 'row' in taken ? taken : supposed(app, call, taken)
  const before = queries(app.db).find.get(row.id, row.chat_id)
  // The chat may be gone by now.
  if (!queries(app.db).publish.get(agentPath, row.id)) throw problem('not_found', { detail: 'There is no such chat' })
  if (!before) app.journal(fact('attachment.created', { entity_id: row.id, name: row.filename }, about(actor, agent)))
  const { id, filename, size_bytes: size } = row
  return { id, filename, size, path: pathOf(row), agent_path: agentPath }
}

/** What would have been delivered. */
function supposed(app: App, call: Call<typeof attachments.create>, { agent, file }: Tried): Delivered {
  const { row } = reserve(app, call, agent, file)
  return { agent, row, agentPath: `/output/${agent.slug}/${pathOf(row)}` }
}

/** Nobody sees it any more; its bytes go, and then the row. */
export function removeAttachment(app: App, call: Call<typeof attachments.remove>): undefined {
  const { actor, agentId, chatId, attachmentId } = call
  const agent = agentOfChat(app, actor, { agentId, chatId })
  const row = queries(app.db).find.get(attachmentId, chatId)
  if (!row) {
    unchanged(call)
    return
  }
  queries(app.db).leave.run(row.id)
  app.journal(fact('attachment.deleted', { entity_id: row.id, name: row.filename }, about(actor, agent)))
}

const about = (actor: Actor, agent: AgentRow) => ({
  workspace_id: actor.workspace,
  ...(agent.crew_id && { crew_id: agent.crew_id }),
  agent_id: agent.id,
  ...actorOf(actor),
})

export const leaveChat = (app: App, chatId: string): void => void queries(app.db).leaveChat.run(chatId)
export const leaveAgent = (app: App, agentId: string): void => void queries(app.db).leaveAgent.run(agentId)
export const leaveWorkspace = (app: App, id: string): void => void queries(app.db).leaveWorkspace.run(id)
