import type { Destination } from '#kernel/outbound/destinations'
import { statements } from '#kernel/store/db'

export type Place = Destination & { credential: string }

export interface UseRow extends Destination {
  uses: number
  last_used_at: string
}

export interface Question extends Destination {
  id: string
  workspace_id: string
  credential_id: string
  actor: string
  agent_id: string | null
  created_at: string
  outcome: string | null
  decided_at: string | null
  used_at: string | null
}

export type Wanted = Place & { actor: string }

const here = 'credential_id = @credential AND host = @host AND method = @method AND path = @path'
const asked = `${here} AND actor = @actor`
const columns = `id, workspace_id, credential_id, actor, agent_id, host, method, path, created_at, outcome, decided_at,
  used_at`

export const queries = statements((db) => ({
  count: db.prepare<Place & { day: string; uses: number; now: string }>(
    `INSERT INTO credential_uses (credential_id, host, method, path, day, uses, last_used_at)
     VALUES (@credential, @host, @method, @path, @day, @uses, @now)
     ON CONFLICT (credential_id, host, method, path, day) DO UPDATE SET uses = uses + excluded.uses,
      last_used_at = excluded.last_used_at`,
  ),
  known: db.prepare<Place, { found: 1 }>(`SELECT 1 AS found FROM credential_uses WHERE ${here} LIMIT 1`),
  /** Paths that are told apart, of one method of a host and of all. */
  shapes: db.prepare<Omit<Place, 'path'>, { here: number; all: number }>(
    `SELECT (SELECT count(DISTINCT path) FROM credential_uses
        WHERE credential_id = @credential AND host = @host AND method = @method) AS here,
      (SELECT count(DISTINCT host || ' ' || method || ' ' || path) FROM credential_uses
        WHERE credential_id = @credential) AS "all"`,
  ),
  uses: db.prepare<{ credential: string; since: string }, UseRow>(
    `SELECT host, method, path, sum(uses) AS uses, max(last_used_at) AS last_used_at FROM credential_uses
     WHERE credential_id = @credential AND day >= @since GROUP BY host, method, path
     ORDER BY uses DESC, host, method, path`,
  ),
  forgetUses: db.prepare<{ workspace: string; before: string; most: number }>(
    `DELETE FROM credential_uses WHERE (credential_id, host, method, path, day) IN
      (SELECT u.credential_id, u.host, u.method, u.path, u.day FROM credentials c
        JOIN credential_uses u ON u.credential_id = c.id
       WHERE c.workspace_id = @workspace AND u.day < @before LIMIT @most)`,
  ),
  forgetQuestions: db.prepare<{ workspace: string; before: string; most: number }>(
    `DELETE FROM scope_questions WHERE id IN
      (SELECT id FROM scope_questions WHERE workspace_id = @workspace AND created_at < @before
        AND outcome IS NOT NULL LIMIT @most)`,
  ),
  enforced: db.prepare<[credential: string], { enforced_at: string }>(
    'SELECT enforced_at FROM scoped_credentials WHERE credential_id = ?',
  ),
  enforce: db.prepare<[credential: string, now: string]>(
    `INSERT INTO scoped_credentials (credential_id, enforced_at) VALUES (?, ?)
     ON CONFLICT (credential_id) DO UPDATE SET enforced_at = excluded.enforced_at`,
  ),
  /** No row when it was not enforced. */
  end: db.prepare<[credential: string], { credential_id: string }>(
    'DELETE FROM scoped_credentials WHERE credential_id = ? RETURNING credential_id',
  ),
  rules: db.prepare<[credential: string], Destination & { created_at: string }>(
    'SELECT host, method, path, created_at FROM credential_scopes WHERE credential_id = ? ORDER BY host, method, path',
  ),
  allow: db.prepare<Place & { now: string }>(
    `INSERT INTO credential_scopes (credential_id, host, method, path, created_at)
     VALUES (@credential, @host, @method, @path, @now) ON CONFLICT DO NOTHING`,
  ),
  dropRules: db.prepare<[credential: string]>('DELETE FROM credential_scopes WHERE credential_id = ?'),
  dropUses: db.prepare<[credential: string]>('DELETE FROM credential_uses WHERE credential_id = ?'),
  /** The first call uses what was allowed once; later ones get no row. */
  useOnce: db.prepare<Wanted & { since: string; now: string }, { id: string }>(
    `UPDATE scope_questions SET used_at = @now WHERE id =
      (SELECT id FROM scope_questions WHERE ${asked} AND outcome = 'once' AND used_at IS NULL
        AND decided_at >= @since ORDER BY decided_at LIMIT 1) RETURNING id`,
  ),
  denied: db.prepare<Wanted & { since: string }, { decided_at: string | null }>(
    `SELECT decided_at FROM scope_questions WHERE ${asked} AND outcome = 'denied' AND decided_at >= @since
     ORDER BY decided_at DESC LIMIT 1`,
  ),
  /** No row when the same question is open. */
  ask: db.prepare<Wanted & { id: string; workspace: string; agent: string | null; now: string }, { id: string }>(
    `INSERT INTO scope_questions (id, workspace_id, credential_id, actor, agent_id, host, method, path, created_at)
     VALUES (@id, @workspace, @credential, @actor, @agent, @host, @method, @path, @now)
     ON CONFLICT (credential_id, actor, host, method, path) WHERE outcome IS NULL DO NOTHING RETURNING id`,
  ),
  open: db.prepare<Wanted, { id: string }>(`SELECT id FROM scope_questions WHERE ${asked} AND outcome IS NULL`),
  openOf: db.prepare<[credential: string], Question>(
    `SELECT ${columns} FROM scope_questions WHERE credential_id = ? AND outcome IS NULL ORDER BY created_at, id`,
  ),
  openBy: db.prepare<[credential: string, actor: string], { n: number }>(
    'SELECT count(*) AS n FROM scope_questions WHERE credential_id = ? AND actor = ? AND outcome IS NULL',
  ),
  question: db.prepare<[id: string], Question>(`SELECT ${columns} FROM scope_questions WHERE id = ?`),
  decide: db.prepare<{ id: string; outcome: string; now: string }, { id: string }>(
    `UPDATE scope_questions SET outcome = @outcome, decided_at = @now WHERE id = @id AND outcome IS NULL RETURNING id`,
  ),
  initiator: db.prepare<[agent: string], { user: string | null; name: string }>(
    'SELECT created_by_user_id AS user, name FROM agents WHERE id = ?',
  ),
}))
