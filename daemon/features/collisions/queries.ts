import type { CollisionKind } from '#contract/collisions'
import { statements } from '#kernel/store/db'

export interface NewRow {
  id: string
  workspace_id: string
  crew_id: string
  kind: CollisionKind
  path: string
  repository: string | null
  branch: string | null
  certain: number
  count: number
  first_run_id: string
  first_agent_id: string
  first_chat_id: string | null
  first_at: string
  second_run_id: string
  second_agent_id: string
  second_chat_id: string | null
  second_at: string
  created_at: string
}

export interface Row extends NewRow {
  crew_slug: string
  first_agent_name: string
  first_agent_slug: string
  second_agent_name: string
  second_agent_slug: string
}

interface Wanted {
  workspace: string
  since: string
  crew: string | null
  agent: string | null
  run: string | null
  chat: string | null
  limit: number
  offset: number
}

const select = `SELECT c.id, c.workspace_id, c.crew_id, w.slug AS crew_slug, c.kind, c.path, c.repository, c.branch,
    c.certain, c.count, c.first_run_id, c.first_agent_id, a.name AS first_agent_name, a.slug AS first_agent_slug,
    c.first_chat_id, c.first_at, c.second_run_id, c.second_agent_id, b.name AS second_agent_name,
    b.slug AS second_agent_slug, c.second_chat_id, c.second_at, c.created_at
  FROM collisions c JOIN crews w ON w.id = c.crew_id
    JOIN agents a ON a.id = c.first_agent_id JOIN agents b ON b.id = c.second_agent_id`

export const queries = statements((db) => ({
  /** Two runs have few of them, so that a workspace's are looked through. */
  list: db.prepare<Wanted, Row>(
    `${select} WHERE c.workspace_id = @workspace AND c.created_at >= @since
      AND (@crew IS NULL OR c.crew_id = @crew)
      AND (@agent IS NULL OR @agent IN (c.first_agent_id, c.second_agent_id))
      AND (@run IS NULL OR @run IN (c.first_run_id, c.second_run_id))
      AND (@chat IS NULL OR @chat IN (c.first_chat_id, c.second_chat_id))
     ORDER BY c.rowid DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[id: string], Row>(`${select} WHERE c.id = ?`),
  ofPair: db
    .prepare<{ low: string; high: string }, number>(
      `SELECT count(*) FROM collisions
       WHERE min(first_run_id, second_run_id) = @low AND max(first_run_id, second_run_id) = @high`,
    )
    .pluck(),
  /** No row when it is told already. */
  insert: db.prepare<[NewRow], { id: string }>(
    `INSERT INTO collisions (id, workspace_id, crew_id, kind, path, repository, branch, certain, count, first_run_id,
      first_agent_id, first_chat_id, first_at, second_run_id, second_agent_id, second_chat_id, second_at, created_at)
     VALUES (@id, @workspace_id, @crew_id, @kind, @path, @repository, @branch, @certain, @count, @first_run_id,
      @first_agent_id, @first_chat_id, @first_at, @second_run_id, @second_agent_id, @second_chat_id, @second_at,
      @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
}))
