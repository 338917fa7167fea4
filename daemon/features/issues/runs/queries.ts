import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  status: string
  agent_name: string | null
  task: string
  started: number
  finished: number | null
  said: string | null
  error_message: string | null
}

/** The beginning of what an agent said last in a run `r`. */
const said = `(SELECT substr(m.content, 1, 2001) FROM chat_messages m WHERE m.run_id = r.id AND m.role = 'assistant'
  ORDER BY m.chat_id DESC, m.seq DESC LIMIT 1)`

export const queries = statements((db) => ({
  ofIssue: db.prepare<[issue: string, limit: number, offset: number], Row>(
    `SELECT r.id, r.status, (SELECT a.name FROM agents a WHERE a.id = r.agent_id) AS agent_name, i.title AS task,
       r.started, r.finished, ${said} AS said, r.error_message
     FROM run_records r JOIN missions i ON i.id = r.mission_id WHERE r.mission_id = ?
     ORDER BY r.started DESC, r.seq DESC LIMIT ? OFFSET ?`,
  ),
}))
