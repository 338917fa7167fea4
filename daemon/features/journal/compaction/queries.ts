import { type Erasable, erasableColumns } from '#kernel/journal/eraser'
import { statements } from '#kernel/store/db'

/** A compaction of one workspace's journal. */
export interface RunRow {
  compaction: number
  ws: number
  workspace_id: string
  /** Milliseconds: entries before it. */
  cutoff: number
  asked_by: string | null
  entries: number
  rollups: number
  freed: number
  begun_at: string
  ended_at: string | null
}

/** The entries of one day and type that are rolled up into one. */
export interface RollupRow {
  rollup: number
  compaction: number
  ws: number
  type: number
  day: string
  entries: number
  bytes: number
  first_ts: number
  last_ts: number
  /** The seq of the entry that sums them up. */
  summary: number | null
}

/** Entries of a type that may be rolled up: nobody ever marked them. */
export const ofType = `FROM journal INDEXED BY journal_type WHERE type = @type AND seq > @after AND seq <= @upTo
  AND priority = 0 AND NOT EXISTS (SELECT 1 FROM journal_priorities p WHERE p.seq = journal.seq)`

interface Within {
  type: number
  after: number
  upTo: number
  limit: number
}

export const queries = statements((db) => ({
  retention: db.prepare<[workspace: string], { days: number | null }>(
    'SELECT journal_retention_days AS days FROM workspaces WHERE id = ? AND deleted_at IS NULL',
  ),
  retentions: db.prepare<[], { id: string; days: number | null }>(
    'SELECT id, journal_retention_days AS days FROM workspaces WHERE deleted_at IS NULL',
  ),
  firstOf: db.prepare<{ type: number; after: number }, { seq: number; ts: number }>(
    'SELECT seq, ts FROM journal INDEXED BY journal_type WHERE type = @type AND seq > @after ORDER BY seq LIMIT 1',
  ),
  places: db.prepare<Within, { seq: number }>(`SELECT seq ${ofType} ORDER BY seq LIMIT @limit`),
  rows: db.prepare<Within, Erasable>(`SELECT ${erasableColumns} ${ofType} ORDER BY seq LIMIT @limit`),

  begin: db.prepare<Pick<RunRow, 'ws' | 'workspace_id' | 'cutoff' | 'asked_by' | 'begun_at'>, RunRow>(
    `INSERT INTO journal_compactions (ws, workspace_id, cutoff, asked_by, begun_at)
     VALUES (@ws, @workspace_id, @cutoff, @asked_by, @begun_at) ON CONFLICT DO NOTHING RETURNING *`,
  ),
  count: db.prepare<{ compaction: number; entries: number; rollups: number; freed: number }, RunRow>(
    `UPDATE journal_compactions SET entries = entries + @entries, rollups = rollups + @rollups, freed = freed + @freed
     WHERE compaction = @compaction RETURNING *`,
  ),
  end: db.prepare<{ compaction: number; at: string }>(
    'UPDATE journal_compactions SET ended_at = @at WHERE compaction = @compaction',
  ),
  unfinished: db.prepare<[], RunRow>('SELECT * FROM journal_compactions WHERE ended_at IS NULL ORDER BY compaction'),
  running: db.prepare<[ws: number], RunRow>('SELECT * FROM journal_compactions WHERE ws = ? AND ended_at IS NULL'),
  last: db.prepare<[ws: number], RunRow>(
    'SELECT * FROM journal_compactions WHERE ws = ? AND ended_at IS NOT NULL ORDER BY compaction DESC LIMIT 1',
  ),

  open: db.prepare<[ws: number], RollupRow>('SELECT * FROM journal_rollups WHERE ws = ? AND summary IS NULL'),
  openOf: db.prepare<{ ws: number; type: number; day: string }, RollupRow>(
    'SELECT * FROM journal_rollups WHERE ws = @ws AND type = @type AND day = @day AND summary IS NULL',
  ),
  add: db.prepare<Omit<RollupRow, 'rollup' | 'summary'>, RollupRow>(
    `INSERT INTO journal_rollups (compaction, ws, type, day, entries, bytes, first_ts, last_ts)
     VALUES (@compaction, @ws, @type, @day, @entries, @bytes, @first_ts, @last_ts)
     ON CONFLICT (ws, type, day) WHERE summary IS NULL DO UPDATE SET entries = entries + excluded.entries,
       bytes = bytes + excluded.bytes, first_ts = min(first_ts, excluded.first_ts),
       last_ts = max(last_ts, excluded.last_ts)
     RETURNING *`,
  ),
  sum: db.prepare<{ rollup: number; summary: number }>(
    'UPDATE journal_rollups SET summary = @summary WHERE rollup = @rollup',
  ),
  newest: db.prepare<[ws: number, limit: number], RollupRow & { entry_type: string; entry_id: string | null }>(
    `SELECT r.*, n.text AS entry_type, j.id AS entry_id
     FROM journal_rollups r INDEXED BY journal_rollups_newest JOIN journal_names n ON n.name = r.type
       LEFT JOIN journal j ON j.seq = r.summary
     WHERE r.ws = ? ORDER BY r.rollup DESC LIMIT ?`,
  ),
  summaryOf: db.prepare<{ ws: number; type: number; day: string }, { id: string }>(
    `SELECT j.id FROM journal_rollups r INDEXED BY journal_rollups_newest JOIN journal j ON j.seq = r.summary
     WHERE r.ws = @ws AND r.type = @type AND r.day = @day ORDER BY r.rollup LIMIT 1`,
  ),
  huskFrom: db.prepare<[seq: number], { seq: number; ws: number; fixed: string }>(
    'SELECT seq, ws, fixed FROM journal_husks WHERE seq >= ? ORDER BY seq LIMIT 1',
  ),
}))

const daily = 'of every workspace, once a day and when a compaction is asked for'

/** Statements that read a whole table, and why they may. */
export const scans = { retentions: daily, unfinished: daily }
