import { statements } from '#kernel/store/db'

export interface SessionRow {
  id: string
  workspace_id: string
  agent_id: string
  mission_id: string | null
  /** Null for a run that belongs to no chat. */
  chat_id: string | null
  status: 'idle' | 'running' | 'awaiting_input'
  run_id: string
  cli_resume_id: string | null
  journal_cursor: number
  ask_id: string
  call_id: string | null
  question: string
  inbox_item_id: string
  asked_at: string
  created_at: string
}

const columns = `id, workspace_id, agent_id, mission_id, chat_id, status, run_id, cli_resume_id, journal_cursor,
  ask_id, call_id, question, inbox_item_id, asked_at, created_at`

export const queries = statements((db) => ({
  ask: db.prepare<Omit<SessionRow, 'status'>, SessionRow>(
    `INSERT INTO agent_sessions (id, workspace_id, agent_id, mission_id, chat_id, status, run_id, cli_resume_id,
      journal_cursor, ask_id, call_id, question, inbox_item_id,
       asked_at, created_at)
     VALUES (@id, @workspace_id, @agent_id, @mission_id, @chat_id, 'awaiting_input', @run_id, @cli_resume_id,
     @journal_cursor, @ask_id, @call_id, @question,
       @inbox_item_id, @asked_at, @created_at)
     ON CONFLICT (agent_id, coalesce(chat_id, run_id)) DO UPDATE SET status = excluded.status,
     mission_id = excluded.mission_id, run_id = excluded.run_id,
     cli_resume_id = excluded.cli_resume_id,
       journal_cursor = excluded.journal_cursor, ask_id = excluded.ask_id, call_id = excluded.call_id,
       question = excluded.question, inbox_item_id = excluded.inbox_item_id, asked_at = excluded.asked_at
     RETURNING ${columns}`,
  ),
  ofRun: db.prepare<[run: string], SessionRow>(`SELECT ${columns} FROM agent_sessions WHERE run_id = ?`),
  ofItem: db.prepare<[workspace: string, item: string], SessionRow>(
    `SELECT ${columns} FROM agent_sessions WHERE workspace_id = ? AND inbox_item_id = ? AND status = 'awaiting_input'`,
  ),
  waiting: db.prepare<[workspace: string], SessionRow>(
    `SELECT ${columns} FROM agent_sessions WHERE workspace_id = ? AND status = 'awaiting_input'`,
  ),
  setStatus: db.prepare<[status: SessionRow['status'], id: string]>(
    'UPDATE agent_sessions SET status = ? WHERE id = ?',
  ),
  deliver: db.prepare<
    { id: string; workspace: string; item: string; session: string; run: string; comment: string; now: string },
    { id: string }
  >(
    `INSERT INTO answer_deliveries (id, workspace_id, inbox_item_id, session_id, run_id, comment_id, created_at)
     VALUES (@id, @workspace, @item, @session, @run, @comment, @now) ON CONFLICT DO NOTHING RETURNING id`,
  ),
}))
