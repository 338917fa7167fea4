import { statements } from '#kernel/store/db'

export interface CrewRow {
  id: string
  name: string
  slug: string
  max_ephemeral_agents: number
}

interface Ended {
  id: string
  workspace_id: string
  crew_id: string | null
  slug: string
  name: string
}
const ended = 'id, workspace_id, crew_id, slug, name'

export const queries = statements((db) => ({
  crew: db.prepare<{ workspace: string; id: string | null; slug: string | null }, CrewRow>(
    `SELECT id, name, slug, max_ephemeral_agents FROM crews
      WHERE workspace_id = @workspace AND deleted_at IS NULL AND (id = @id OR slug = @slug)`,
  ),
  /** How many hired agents of a crew are no ghosts. */
  live: db.prepare<[crew: string], { n: number }>(
    `SELECT count(*) AS n FROM agents
      WHERE crew_id = ? AND ephemeral = 1 AND expired_at IS NULL AND deleted_at IS NULL`,
  ),
  hire: db.prepare<{ id: string; expires_at: string; lead: string | null; line: string }>(
    `UPDATE agents SET ephemeral = 1, expires_at = @expires_at, parent_lead_id = @lead, hire_reason = @line
      WHERE id = @id`,
  ),
  rehire: db.prepare<{ id: string; expires_at: string; line: string; now: string }>(
    `UPDATE agents SET expires_at = @expires_at, expired_at = NULL, updated_at = @now,
      hire_reason = hire_reason || char(10) || @line WHERE id = @id`,
  ),
  /** The first call admits it; later ones get no row. */
  admit: db.prepare<[workspace: string, id: string], Ended>(
    `UPDATE agents SET status = 'IDLE' WHERE workspace_id = ? AND id = ? AND ephemeral = 1
      AND status = 'PENDING_REVIEW' AND expired_at IS NULL AND deleted_at IS NULL RETURNING ${ended}`,
  ),
  expire: db.prepare<{ id: string; now: string }, Ended>(
    `UPDATE agents SET expired_at = @now, updated_at = @now
      WHERE id = @id AND ephemeral = 1 AND expired_at IS NULL AND deleted_at IS NULL RETURNING ${ended}`,
  ),
  /** Whose time is over. One that works, or waits for an answer to a question, stays until it is done. */
  due: db.prepare<{ now: string; most: number }, { id: string }>(
    `SELECT id FROM agents WHERE ephemeral = 1 AND expired_at IS NULL AND deleted_at IS NULL AND expires_at <= @now
      AND status NOT IN ('RUNNING', 'PENDING_REVIEW')
      AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.agent_id = agents.id AND r.phase <> 'ended') LIMIT @most`,
  ),
}))
