import { statements } from '#kernel/store/db'

export interface HistoryRow {
  seq: number
  id: string
  path: string
  tier: string
  sha256: string
  bytes: number
  written_at: string
  written_by: string
  parent_sha: string | null
}

interface Filter {
  workspace: string
  tier: string | null
  agent: string | null
  prefix: string
  since: string
  until: string
  before: number
  limit: number
}

interface Totals {
  versions: number
  bytes: number
  oldest_at: string | null
  newest_at: string | null
}

const columns = 'seq, id, path, tier, sha256, bytes, written_at, written_by, parent_sha'

export const queries = statements((db) => ({
  totals: db.prepare<[workspace: string], Totals>(
    `SELECT count(*) AS versions, coalesce(sum(bytes), 0) AS bytes, min(written_at) AS oldest_at,
       max(written_at) AS newest_at FROM memory_versions WHERE workspace_id = ?`,
  ),
  blobs: db.prepare<[workspace: string], { blobs: number }>(
    'SELECT count(*) AS blobs FROM memory_blobs WHERE workspace_id = ?',
  ),
  byTier: db.prepare<[workspace: string], { tier: string; versions: number; bytes: number }>(
    `SELECT tier, count(*) AS versions, sum(bytes) AS bytes FROM memory_versions WHERE workspace_id = ?
      GROUP BY tier ORDER BY tier`,
  ),
  /** What belongs to no agent has no slug. */
  byAgent: db.prepare<[workspace: string], { agent_slug: string; versions: number; bytes: number; newest_at: string }>(
    `SELECT coalesce(a.slug, '') AS agent_slug, count(*) AS versions, sum(v.bytes) AS bytes,
       max(v.written_at) AS newest_at
     FROM memory_versions v LEFT JOIN agents a ON a.id = v.owner_id WHERE v.workspace_id = ?
     GROUP BY 1 ORDER BY 1`,
  ),
  history: db.prepare<Filter, HistoryRow>(
    `SELECT ${columns} FROM memory_versions
     WHERE workspace_id = @workspace AND seq < @before AND (@tier IS NULL OR tier = @tier)
       AND (@agent IS NULL OR EXISTS (SELECT 1 FROM agents a WHERE a.id = owner_id AND a.slug = @agent))
       AND substr(path, 1, length(@prefix)) = @prefix AND written_at >= @since AND written_at <= @until
     ORDER BY seq DESC LIMIT @limit`,
  ),
  version: db.prepare<[workspace: string, id: string], HistoryRow>(
    `SELECT ${columns} FROM memory_versions WHERE workspace_id = ? AND id = ?`,
  ),
  config: db.prepare<[workspace: string], { config_json: string }>(
    'SELECT config_json FROM memory_configs WHERE workspace_id = ?',
  ),
  setConfig: db.prepare<[workspace: string, config: string]>(
    `INSERT INTO memory_configs (workspace_id, config_json) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET config_json = excluded.config_json`,
  ),
  workspaces: db.prepare<[], { id: string }>('SELECT id FROM workspaces ORDER BY id'),
  /** But for personas, whose history is kept, and for what stands somewhere now. */
  forget: db.prepare<{ workspace: string; before: string; most: number }, { sha256: string; bytes: number }>(
    `DELETE FROM memory_versions WHERE seq IN (
       SELECT v.seq FROM memory_versions v
       WHERE v.workspace_id = @workspace AND v.written_at < @before AND v.name <> 'PERSONA.md'
         AND NOT EXISTS (SELECT 1 FROM memory_files f
           WHERE f.owner_id = v.owner_id AND f.name = v.name AND f.sha256 = v.sha256)
       ORDER BY v.seq LIMIT @most)
     RETURNING sha256, bytes`,
  ),
  forgetBlob: db.prepare<{ workspace: string; sha256: string }>(
    `DELETE FROM memory_blobs WHERE workspace_id = @workspace AND sha256 = @sha256
       AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.workspace_id = @workspace AND v.sha256 = @sha256)
       AND NOT EXISTS (SELECT 1 FROM memory_files f WHERE f.workspace_id = @workspace AND f.sha256 = @sha256)`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { workspaces: 'asks for all of them, and there are few' }
