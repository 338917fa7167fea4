import type { RunStatus } from '#contract/runs'
import { statements } from '#kernel/store/db'

interface Since {
  workspace: string
  agent: string
  /** Milliseconds since 1970. */
  since: number
}

export interface Ended {
  id: string
  trigger_type: string
  status: RunStatus
  finished: number | null
  error_message: string | null
}

interface Waiting {
  kind: string
  id: string
  asked: string
  since: string
}

export const queries = statements((db) => ({
  ended: db.prepare<[Since], { status: RunStatus; n: number }>(
    `SELECT status, count(*) AS n FROM run_records
     WHERE workspace_id = @workspace AND agent_id = @agent AND finished >= @since GROUP BY status`,
  ),
  latest: db.prepare<[Since & { most: number }], Ended>(
    `SELECT id, trigger_type, status, finished, error_message FROM run_records
     WHERE workspace_id = @workspace AND agent_id = @agent AND finished >= @since
     ORDER BY finished DESC, seq DESC LIMIT @most`,
  ),
  waiting: db.prepare<[agent: string, most: number], Waiting>(
    `SELECT kind, id, asked, created_at AS since FROM decisions WHERE agent_id = ? AND state = 'open'
     ORDER BY created_at, id LIMIT ?`,
  ),
  asked: db.prepare<{ agent: string; since: string }, { asked: number; answered: number }>(
    `SELECT
      (SELECT count(*) FROM peer_conversations WHERE from_agent_id = @agent AND created_at >= @since) AS asked,
      (SELECT count(*) FROM peer_conversations
        WHERE to_agent_id = @agent AND status = 'COMPLETED' AND finished_at >= @since) AS answered`,
  ),
}))
