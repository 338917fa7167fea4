import { statements } from '#kernel/store/db'

export interface RunMessageRow {
  run_id: string
  agent_id: string
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  parts_json: string | null
  tool_summary: string | null
  metadata_json: string | null
  ts: string
}

const columns = 'run_id, agent_id, role, content, parts_json, tool_summary, metadata_json, ts'

export const queries = statements((db) => ({
  insert: db.prepare<[RunMessageRow]>(
    `INSERT INTO run_messages (seq, ${columns})
     VALUES (coalesce((SELECT max(seq) FROM run_messages WHERE run_id = @run_id), 0) + 1, @run_id, @agent_id, @role,
      @content, @parts_json, @tool_summary, @metadata_json, @ts)`,
  ),
  ofRun: db.prepare<[run: string], RunMessageRow>(`SELECT ${columns} FROM run_messages WHERE run_id = ? ORDER BY seq`),
  /** The parts of an agent's messages in runs without a chat, newest first. */
  partsOfAgent: db.prepare<[agent: string, limit: number], { run_id: string; ts: string; role: string; part: string }>(
    `SELECT m.run_id, m.ts, m.role, p.value AS part FROM run_messages m, json_each(m.parts_json) p
     WHERE m.agent_id = ? AND m.parts_json IS NOT NULL ORDER BY m.ts DESC, m.seq DESC, p.key DESC LIMIT ?`,
  ),
}))
