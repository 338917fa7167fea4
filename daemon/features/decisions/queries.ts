import type { DecisionState } from '#contract/decisions'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  kind: string
  item_id: string
  asked: string
  crew_id: string | null
  agent_id: string | null
  run_id: string | null
  state: DecisionState
  outcome: string | null
  created_at: string
  deadline_at: string | null
  settled_at: string | null
  settled_by_user_id: string | null
}
const names = [
  'id',
  'workspace_id',
  'kind',
  'item_id',
  'asked',
  'crew_id',
  'agent_id',
  'run_id',
  'state',
  'outcome',
  'created_at',
  'deadline_at',
  'settled_at',
  'settled_by_user_id',
] as const
const columns = names.join(', ')

type NewRow = Omit<Row, 'state' | 'outcome' | 'settled_at' | 'settled_by_user_id'>

interface Settled {
  id: string
  state: DecisionState
  outcome: string
  user: string | null
  now: string
}

export const queries = statements((db) => ({
  insert: db.prepare<NewRow, Row>(
    `INSERT INTO decisions (id, workspace_id, kind, item_id, asked, crew_id, agent_id, run_id, state, created_at,
      deadline_at)
     VALUES (@id, @workspace_id, @kind, @item_id, @asked, @crew_id, @agent_id, @run_id, 'open', @created_at,
      @deadline_at) RETURNING ${columns}`,
  ),
  /** The first call settles it; later ones get no row. */
  settle: db.prepare<Settled, Row>(
    `UPDATE decisions SET state = @state, outcome = @outcome, settled_at = @now, settled_by_user_id = @user
      WHERE id = @id AND state = 'open' RETURNING ${columns}`,
  ),
  postpone: db.prepare<{ id: string; deadline: string }>(
    "UPDATE decisions SET deadline_at = @deadline WHERE id = @id AND state = 'open'",
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM decisions WHERE id = ?`),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM decisions WHERE workspace_id = ? AND id = ?`,
  ),
  /** The decision of an inbox item, the latest if its source asked again. */
  ofItem: db.prepare<[workspace: string, item: string], Row>(
    `SELECT ${columns} FROM decisions WHERE workspace_id = ? AND item_id = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
  ),
  due: db.prepare<{ now: string; kind: string | null; workspace: string | null; most: number }, Row>(
    `SELECT ${columns} FROM decisions WHERE state = 'open' AND deadline_at <= @now AND (@kind IS NULL OR kind = @kind)
      AND (@workspace IS NULL OR workspace_id = @workspace) ORDER BY deadline_at LIMIT @most`,
  ),
  next: db.prepare<[], { at: string | null }>(
    "SELECT deadline_at AS at FROM decisions WHERE state = 'open' AND deadline_at > '' ORDER BY deadline_at LIMIT 1",
  ),
  openOfAgent: db.prepare<[agent: string], Row>(
    `SELECT ${columns} FROM decisions WHERE agent_id = ? AND state = 'open'`,
  ),
  openOfCrew: db.prepare<[crew: string], Row>(`SELECT ${columns} FROM decisions WHERE crew_id = ? AND state = 'open'`),
  openOfWorkspace: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} FROM decisions WHERE workspace_id = ? AND state = 'open'`,
  ),
  asked: db.prepare<[agent: string, kind: string], { n: number }>(
    "SELECT count(*) AS n FROM decisions WHERE agent_id = ? AND kind = ? AND state = 'open'",
  ),
  /** Open decisions about deleted agents, crews and workspaces. */
  orphans: db.prepare<[], { id: string }>(
    `SELECT d.id FROM decisions d JOIN workspaces w ON w.id = d.workspace_id LEFT JOIN agents a ON a.id = d.agent_id
      LEFT JOIN crews c ON c.id = d.crew_id
     WHERE d.state = 'open' AND (w.deleted_at IS NOT NULL OR a.deleted_at IS NOT NULL OR c.deleted_at IS NOT NULL)`,
  ),
  purge: db.prepare<[crew: string, kind: string], { workspace_id: string; item_id: string }>(
    'DELETE FROM decisions WHERE crew_id = ? AND kind = ? RETURNING workspace_id, item_id',
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { orphans: 'reads only open decisions, when the daemon starts' }
