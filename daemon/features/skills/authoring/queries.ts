import { statements } from '#kernel/store/db'
import type { Proposed } from '../proposals/queries.ts'

export const queries = statements((db) => ({
  put: db.prepare<[Proposed]>(
    `INSERT INTO proposed_skills (id, workspace_id, crew_id, file_name, slug, pattern, content, scan_status,
       scan_reason, agent_id, reason, created_at)
     VALUES (@id, @workspace_id, @crew_id, @file_name, @slug, @pattern, @content, @scan_status, @scan_reason, @agent_id,
       @reason, @created_at)`,
  ),
  /** Skills that agents of a crew have written since, and those that wait for people. */
  counts: db.prepare<[{ crew: string; since: string }], { lately: number; waiting: number }>(
    `SELECT count(*) FILTER (WHERE created_at > @since) AS lately, count(content) AS waiting FROM proposed_skills
     WHERE crew_id = @crew AND agent_id IS NOT NULL`,
  ),
}))
