import type { IssueStatus, RelationType } from '#contract/issues'
import { statements } from '#kernel/store/db'

export interface Stored {
  id: string
  source_id: string
  target_id: string
  relation_type: RelationType
  created_at: string
}

export interface Row extends Stored {
  target_identifier: string
  target_title: string
  target_status: IssueStatus
}

const columns = 'r.id, r.source_id, r.target_id, r.relation_type, r.created_at'
const other = 'o.identifier AS target_identifier, o.title AS target_title, o.status AS target_status'

export const scans = {
  blocks: 'it reads what stands behind an issue, which is found by id',
  duplicates: 'it reads what stands behind an issue, which is found by id',
}

export const queries = statements((db) => ({
  list: db.prepare<{ issue: string; limit: number; offset: number }, Row>(
    `SELECT * FROM (
       SELECT ${columns}, ${other} FROM mission_relations r JOIN missions o ON o.id = r.target_id
         JOIN crews c ON c.id = o.crew_id AND c.deleted_at IS NULL
         WHERE r.source_id = @issue
       UNION ALL
       SELECT ${columns}, ${other} FROM mission_relations r JOIN missions o ON o.id = r.source_id
         JOIN crews c ON c.id = o.crew_id AND c.deleted_at IS NULL
         WHERE r.target_id = @issue)
     ORDER BY created_at, id LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[workspace: string, id: string], Stored>(
    `SELECT ${columns} FROM mission_relations r JOIN missions m ON m.id = r.source_id
     WHERE m.workspace_id = ? AND r.id = ?`,
  ),
  between: db
    .prepare<{ one: string; other: string }, string>(
      `SELECT id FROM mission_relations WHERE source_id = @one AND target_id = @other
       UNION ALL SELECT id FROM mission_relations WHERE source_id = @other AND target_id = @one LIMIT 1`,
    )
    .pluck(),
  /** Whether an issue keeps another one waiting, perhaps by way of others. */
  blocks: db
    .prepare<{ upper: string; lower: string }, 1>(
      `WITH RECURSIVE behind(id) AS (SELECT @upper
         UNION SELECT r.target_id FROM behind b JOIN mission_relations r
           ON r.source_id = b.id AND r.relation_type = 'blocks'
         UNION SELECT r.source_id FROM behind b JOIN mission_relations r
           ON r.target_id = b.id AND r.relation_type = 'blocked_by')
       SELECT 1 FROM behind WHERE id = @lower`,
    )
    .pluck(),
  duplicates: db
    .prepare<{ upper: string; lower: string }, 1>(
      `WITH RECURSIVE behind(id) AS (SELECT @upper
         UNION SELECT r.target_id FROM behind b JOIN mission_relations r
           ON r.source_id = b.id AND r.relation_type = 'duplicate_of')
       SELECT 1 FROM behind WHERE id = @lower`,
    )
    .pluck(),
  insert: db.prepare<[Stored]>(
    `INSERT INTO mission_relations (id, source_id, target_id, relation_type, created_at)
     VALUES (@id, @source_id, @target_id, @relation_type, @created_at)`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM mission_relations WHERE id = ?'),
}))
