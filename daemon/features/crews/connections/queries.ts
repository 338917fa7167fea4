import type { ConnectionDirection, ConnectionStatus } from '#contract/crew-connections'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  from_crew_id: string
  to_crew_id: string
  direction: ConnectionDirection
  status: ConnectionStatus
  created_at: string
  from_crew_name: string
  from_crew_slug: string
  to_crew_name: string
  to_crew_slug: string
}

type Pair = { one: string; other: string }
type Stored = Pick<Row, 'id' | 'from_crew_id' | 'to_crew_id' | 'direction' | 'status'>

const select = `SELECT k.id, k.from_crew_id, k.to_crew_id, k.direction, k.status, k.created_at,
    f.name AS from_crew_name, f.slug AS from_crew_slug, t.name AS to_crew_name, t.slug AS to_crew_slug
  FROM crew_connections k JOIN crews f ON f.id = k.from_crew_id JOIN crews t ON t.id = k.to_crew_id`
const ofPair = `min(k.from_crew_id, k.to_crew_id) = min(@one, @other)
  AND max(k.from_crew_id, k.to_crew_id) = max(@one, @other)`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], Row>(
    `${select} WHERE k.workspace_id = ? ORDER BY k.rowid DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`${select} WHERE k.workspace_id = ? AND k.id = ?`),
  between: db.prepare<[Pair], Row>(`${select} WHERE ${ofPair}`),
  ofCrew: db.prepare<[crew: string, crew: string], Row>(
    `${select} WHERE k.from_crew_id = ? OR k.to_crew_id = ? ORDER BY k.rowid`,
  ),
  insert: db.prepare<[Stored & { workspace_id: string; now: string }]>(
    `INSERT INTO crew_connections (id, workspace_id, from_crew_id, to_crew_id, direction, status, created_at)
     VALUES (@id, @workspace_id, @from_crew_id, @to_crew_id, @direction, @status, @now)`,
  ),
  update: db.prepare<[Stored]>(
    `UPDATE crew_connections SET from_crew_id = @from_crew_id, to_crew_id = @to_crew_id, direction = @direction,
      status = @status WHERE id = @id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM crew_connections WHERE id = ?'),
}))
