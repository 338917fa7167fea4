import { statements } from '#kernel/store/db'
import type { MessageRow } from '../messages/queries.ts'

export interface SessionRow {
  folder: string
  chat_id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  adapter: string
  provider: string
  model: string | null
  /** Digest of what its client keeps to; null where the client takes new instructions. */
  instructions: string | null
  session_id: string | null
  known_run: string | null
  known_message: string | null
  known_count: number | null
  used_json: string | null
  used_at: number
}

export type NewSession = Pick<
  SessionRow,
  | 'folder'
  | 'chat_id'
  | 'workspace_id'
  | 'crew_id'
  | 'agent_id'
  | 'adapter'
  | 'provider'
  | 'model'
  | 'instructions'
  | 'used_at'
>

export type Known = Pick<SessionRow, 'folder' | 'session_id' | 'known_run' | 'known_message' | 'used_json' | 'used_at'>

const columns = `folder, chat_id, workspace_id, crew_id, agent_id, adapter, provider, model, instructions, session_id,
  known_run, known_message, known_count, used_json, used_at`
const upTo = '(SELECT seq FROM chat_messages WHERE id = @known_message AND chat_id = client_sessions.chat_id)'

export const queries = statements((db) => ({
  ofChat: db.prepare<[chat: string], SessionRow>(
    `SELECT ${columns} FROM client_sessions WHERE chat_id = ? AND gone = 0`,
  ),
  insert: db.prepare<[NewSession]>(
    `INSERT INTO client_sessions (folder, chat_id, workspace_id, crew_id, agent_id, adapter, provider, model,
       instructions, used_at)
     VALUES (@folder, @chat_id, @workspace_id, @crew_id, @agent_id, @adapter, @provider, @model, @instructions,
       @used_at)`,
  ),
  know: db.prepare<[Known]>(
    `UPDATE client_sessions SET session_id = @session_id, known_run = @known_run, known_message = @known_message,
       known_count = (SELECT count(*) FROM chat_messages m
         WHERE m.chat_id = client_sessions.chat_id AND m.seq <= ${upTo}),
       used_json = @used_json, used_at = @used_at
     WHERE folder = @folder AND gone = 0`,
  ),
  /** Messages of a chat up to one of them; 0 when that is not there. */
  count: db.prepare<[chat: string, message: string], { count: number }>(
    `SELECT count(*) AS count FROM chat_messages m JOIN chat_messages last ON last.chat_id = m.chat_id
     WHERE m.chat_id = ? AND last.id = ? AND m.seq <= last.seq`,
  ),
  /** The message that a run answered before this one. */
  askedBefore: db.prepare<[run: string, source: string], { id: string }>(
    `SELECT id FROM chat_messages WHERE run_id = ? AND role = 'user' AND id <> ?
       AND (metadata_json ->> '$.delivery') IS NOT 'delivered'
     ORDER BY chat_id DESC, seq DESC LIMIT 1`,
  ),
  /** What was said between two messages, without what a run of them said; newest first. */
  between: db.prepare<{ chat: string; after: string; before: string; run: string; limit: number }, MessageRow>(
    `SELECT m.* FROM chat_messages m
     WHERE m.chat_id = @chat AND m.seq > (SELECT seq FROM chat_messages WHERE id = @after)
       AND m.seq < (SELECT seq FROM chat_messages WHERE id = @before) AND m.run_id IS NOT @run AND m.role <> 'system'
     ORDER BY m.seq DESC LIMIT @limit`,
  ),
  leaveChat: db.prepare<[chat: string]>('UPDATE client_sessions SET gone = 1 WHERE chat_id = ? AND gone = 0'),
  leaveOld: db.prepare<[before: number]>(
    `UPDATE client_sessions SET gone = 1 WHERE gone = 0 AND used_at < ?
       AND chat_id NOT IN (SELECT chat_id FROM runs WHERE phase <> 'ended' AND chat_id IS NOT NULL)`,
  ),
  gone: db.prepare<[crew: string], Pick<SessionRow, 'folder' | 'agent_id'>>(
    'SELECT folder, agent_id FROM client_sessions WHERE crew_id = ? AND gone = 1',
  ),
  crewsOfGone: db.prepare<[chat: string], { crew_id: string }>(
    'SELECT DISTINCT crew_id FROM client_sessions WHERE chat_id = ? AND gone = 1',
  ),
  remove: db.prepare<[folder: string]>('DELETE FROM client_sessions WHERE folder = ?'),
  removeOfAgent: db.prepare<[agent: string]>('DELETE FROM client_sessions WHERE agent_id = ?'),
  removeOfCrew: db.prepare<[crew: string]>('DELETE FROM client_sessions WHERE crew_id = ?'),
}))

const fewOfThem = 'looks at the sessions of all chats, seldom: when a chat, an agent or a crew is deleted'

/** Statements that scan a table, with the reason. */
export const scans = {
  crewsOfGone: fewOfThem,
  removeOfAgent: fewOfThem,
  removeOfCrew: fewOfThem,
  leaveOld: 'looks at the sessions of all chats, once a day',
}
