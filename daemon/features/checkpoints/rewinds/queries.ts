import { statements } from '#kernel/store/db'

export interface RewindRow {
  id: string
  workspace_id: string
  crew_id: string
  checkpoint_id: string
  mark_id: string
  before_id: string
  phase: 'marking' | 'restoring' | 'done' | 'failed'
  outcome_json: string | null
  asked_by: string | null
  created_at: string
  ended_at: string | null
}

export const scans = { open: 'reads only open rewinds, when the daemon starts' }

const columns = `id, workspace_id, crew_id, checkpoint_id, mark_id, before_id, phase, outcome_json, asked_by,
  created_at, ended_at`

export const queries = statements((db) => ({
  find: db.prepare<[id: string], RewindRow>(`SELECT ${columns} FROM rewinds WHERE id = ?`),
  ofCrew: db.prepare<[crew: string], RewindRow>(
    `SELECT ${columns} FROM rewinds WHERE crew_id = ? AND ended_at IS NULL`,
  ),
  open: db.prepare<[], RewindRow>(`SELECT ${columns} FROM rewinds INDEXED BY rewinds_open WHERE ended_at IS NULL`),
  insert: db.prepare<[Omit<RewindRow, 'phase' | 'outcome_json' | 'ended_at'>]>(
    `INSERT INTO rewinds (id, workspace_id, crew_id, checkpoint_id, mark_id, before_id, phase, asked_by, created_at)
     VALUES (@id, @workspace_id, @crew_id, @checkpoint_id, @mark_id, @before_id, 'marking', @asked_by, @created_at)`,
  ),
  restoring: db.prepare<[id: string]>("UPDATE rewinds SET phase = 'restoring' WHERE id = ? AND ended_at IS NULL"),
  end: db.prepare<[phase: string, outcome: string, at: string, id: string]>(
    'UPDATE rewinds SET phase = ?, outcome_json = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL',
  ),
}))
