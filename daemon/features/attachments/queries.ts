import { statements } from '#kernel/store/db'

export interface AttachmentRow {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  chat_id: string
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
  storage_key: string
  agent_path: string | null
  uploaded_by_user_id: string | null
  state: 'pending' | 'ready' | 'gone'
  created_at: string
}

export type NewAttachment = Omit<AttachmentRow, 'agent_path' | 'state'>

/** With the name of who uploaded it. */
export type ShownRow = AttachmentRow & { uploaded_by_name: string | null }

const columns = `id, workspace_id, crew_id, agent_id, chat_id, filename, content_type, size_bytes, sha256, storage_key,
  agent_path, uploaded_by_user_id, state, created_at`

/** Most rows whose bytes are removed at once. */
const batch = 100

export const queries = statements((db) => ({
  list: db.prepare<[chat: string], ShownRow>(
    `SELECT ${columns}, (SELECT full_name FROM users u WHERE u.id = uploaded_by_user_id) AS uploaded_by_name
     FROM attachments WHERE chat_id = ? AND state = 'ready' ORDER BY created_at DESC, id DESC`,
  ),
  find: db.prepare<[id: string, chat: string], AttachmentRow>(
    `SELECT ${columns} FROM attachments WHERE id = ? AND chat_id = ? AND state = 'ready'`,
  ),
  same: db.prepare<[Pick<AttachmentRow, 'chat_id' | 'sha256' | 'filename'>], AttachmentRow>(
    `SELECT ${columns} FROM attachments
     WHERE chat_id = @chat_id AND sha256 = @sha256 AND filename = @filename AND state <> 'gone'`,
  ),
  insert: db.prepare<[NewAttachment], AttachmentRow>(
    `INSERT INTO attachments (id, workspace_id, crew_id, agent_id, chat_id, filename, content_type, size_bytes, sha256,
       storage_key, uploaded_by_user_id, state, created_at)
     VALUES (@id, @workspace_id, @crew_id, @agent_id, @chat_id, @filename, @content_type, @size_bytes, @sha256,
       @storage_key, @uploaded_by_user_id, 'pending', @created_at)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  publish: db.prepare<[path: string, id: string], { id: string }>(
    `UPDATE attachments SET state = 'ready', agent_path = ? WHERE id = ? AND state <> 'gone' RETURNING id`,
  ),
  leave: db.prepare<[id: string]>(`UPDATE attachments SET state = 'gone' WHERE id = ?`),
  leaveUnpublished: db.prepare<[id: string]>(
    `UPDATE attachments SET state = 'gone' WHERE id = ? AND state = 'pending'`,
  ),
  leaveChat: db.prepare<[chat: string]>(`UPDATE attachments SET state = 'gone' WHERE chat_id = ? AND state <> 'gone'`),
  leaveAgent: db.prepare<[agent: string]>(
    `UPDATE attachments SET state = 'gone' WHERE agent_id = ? AND state <> 'gone'`,
  ),
  leaveWorkspace: db.prepare<[workspace: string]>(
    `UPDATE attachments SET state = 'gone' WHERE workspace_id = ? AND state <> 'gone'`,
  ),
  leaveOld: db.prepare<[before: string]>(
    `UPDATE attachments SET state = 'gone' WHERE state = 'pending' AND created_at < ?`,
  ),
  gone: db.prepare<[after: string], AttachmentRow>(
    `SELECT ${columns} FROM attachments WHERE state = 'gone' AND id > ? ORDER BY id LIMIT ${batch}`,
  ),
  remove: db.prepare<[id: string]>(`DELETE FROM attachments WHERE id = ? AND state = 'gone'`),
}))
