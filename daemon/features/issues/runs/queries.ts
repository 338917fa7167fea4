import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  status: string
  agent_name: string | null
  task: string
  routine_slug: string | null
  started: number
  finished: number | null
  said: string | null
  error_message: string | null
  nth: number
}

const milliseconds = (time: string) => `CAST(round(unixepoch(${time}, 'subsec') * 1000) AS INTEGER)`

/** The beginning of what an agent said last in a run `r`. */
const said = `(SELECT substr(m.content, 1, 2001) FROM chat_messages m WHERE m.run_id = r.id AND m.role = 'assistant'
  ORDER BY m.chat_id DESC, m.seq DESC LIMIT 1)`

export const queries = statements((db) => ({
  ofIssue: db.prepare<{ issue: string; identifier: string; workspace: string; limit: number; offset: number }, Row>(
    `SELECT r.id, r.status, (SELECT a.name FROM agents a WHERE a.id = r.agent_id) AS agent_name, i.title AS task,
       NULL AS routine_slug, r.started, r.finished, ${said} AS said, r.error_message,
       r.seq AS nth
     FROM run_records r JOIN missions i ON i.id = r.mission_id WHERE r.mission_id = @issue
     UNION ALL
     SELECT q.id, q.status, NULL, q.routine_name, q.routine_slug,
       ${milliseconds('coalesce(q.started_at, q.created_at)')},
       ${milliseconds('q.ended_at')}, q.output_json, q.error_message, q.rowid
     FROM routine_runs q WHERE q.workspace_id = @workspace AND q.triggered_via = 'issue'
       AND q.triggered_by_id IN (@issue, @identifier)
     ORDER BY started DESC, nth DESC LIMIT @limit OFFSET @offset`,
  ),
}))
