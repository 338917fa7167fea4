import type { ProposalStatus } from '#contract/consolidate'
import { statements } from '#kernel/store/db'

export interface ProposalRow {
  id: string
  workspace_id: string
  crew_id: string
  crew_slug: string
  status: ProposalStatus
  kind: 'learned' | 'removal'
  /** The file that rules are taken out of; null where they are appended to that of the day. */
  file: string | null
  proposal_path: string
  evidence_json: string
  rules_count: number
  entries_scanned: number
  model: string
  created_at: string
  decided_at: string | null
  decided_by_user_id: string | null
  reason: string | null
}

type Later = 'crew_slug' | 'status' | 'decided_at' | 'decided_by_user_id' | 'reason'
type NewProposal = Omit<ProposalRow, Later>

const columns = `p.id, p.workspace_id, p.crew_id, c.slug AS crew_slug, p.status, p.kind, p.file, p.proposal_path,
  p.evidence_json, p.rules_count, p.entries_scanned, p.model, p.created_at, p.decided_at,
  p.decided_by_user_id, p.reason`
const tables = 'memory_proposals p JOIN crews c ON c.id = p.crew_id'

interface Window {
  workspace: string
  crew: string | null
  limit: number
  offset: number
}

/** A live crew. */
export interface CrewRow {
  id: string
  workspace_id: string
  slug: string
  name: string
}

/** Statements that read a whole table, and why they may. */
export const scans: Record<string, string> = {
  due: 'workspaces are few, and all of them are asked',
}

export const queries = statements((db) => ({
  insert: db.prepare<NewProposal>(
    `INSERT INTO memory_proposals (id, workspace_id, crew_id, status, kind, file, proposal_path, evidence_json,
      rules_count, entries_scanned, model, created_at)
     VALUES (@id, @workspace_id, @crew_id, 'pending', @kind, @file, @proposal_path, @evidence_json, @rules_count,
      @entries_scanned, @model, @created_at)`,
  ),
  stage: db.prepare<[id: string, content: string]>('INSERT INTO memory_stagings (proposal_id, content) VALUES (?, ?)'),
  find: db.prepare<[workspace: string, id: string], ProposalRow>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = ? AND p.id = ?`,
  ),
  list: db.prepare<Window, ProposalRow>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = @workspace AND (@crew IS NULL OR p.crew_id = @crew)
      ORDER BY p.seq DESC LIMIT @limit OFFSET @offset`,
  ),
  listOf: db.prepare<Window & { status: ProposalStatus }, ProposalRow>(
    `SELECT ${columns} FROM ${tables}
      WHERE p.workspace_id = @workspace AND p.status = @status AND (@crew IS NULL OR p.crew_id = @crew)
      ORDER BY p.seq DESC LIMIT @limit OFFSET @offset`,
  ),
  pending: db.prepare<[workspace: string], { count: number }>(
    "SELECT count(*) AS count FROM memory_proposals WHERE workspace_id = ? AND status = 'pending'",
  ),
  /** How long the staged text is, told without reading it. */
  stagedBytes: db.prepare<[id: string], { bytes: number }>(
    'SELECT octet_length(content) AS bytes FROM memory_stagings WHERE proposal_id = ?',
  ),
  staged: db.prepare<[id: string], { content: string }>('SELECT content FROM memory_stagings WHERE proposal_id = ?'),
  decide: db.prepare<{ id: string; status: ProposalStatus; now: string; user: string | null; reason: string | null }>(
    `UPDATE memory_proposals SET status = @status, decided_at = @now, decided_by_user_id = @user, reason = @reason
      WHERE id = @id AND status = 'pending'`,
  ),
  unstage: db.prepare<[crew: string]>(
    'DELETE FROM memory_stagings WHERE proposal_id IN (SELECT id FROM memory_proposals WHERE crew_id = ?)',
  ),
  crew: db.prepare<[workspace: string, id: string], CrewRow>(
    'SELECT id, workspace_id, slug, name FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  crews: db.prepare<[workspace: string], CrewRow>(
    'SELECT id, workspace_id, slug, name FROM crews WHERE workspace_id = ? AND deleted_at IS NULL ORDER BY slug',
  ),
  begin: db.prepare<{ worker_id: string; workspace_id: string; reason: string; now: string }, { worker_id: string }>(
    `INSERT INTO consolidation_runs (worker_id, workspace_id, reason, started_at)
     VALUES (@worker_id, @workspace_id, @reason, @now) ON CONFLICT DO NOTHING RETURNING worker_id`,
  ),
  end: db.prepare<[now: string, worker: string]>(
    'UPDATE consolidation_runs SET finished_at = ? WHERE worker_id = ? AND finished_at IS NULL',
  ),
  /** Those that the end of the daemon cut short. */
  unfinished: db.prepare<[], { worker_id: string; workspace_id: string }>(
    `SELECT worker_id, workspace_id FROM consolidation_runs INDEXED BY consolidation_runs_open
      WHERE finished_at IS NULL AND workspace_id > ''`,
  ),
  forget: db.prepare<[workspace: string, before: string]>(
    'DELETE FROM consolidation_runs WHERE workspace_id = ? AND started_at < ? AND finished_at IS NOT NULL',
  ),
  /** Workspaces whose last run, or whose beginning, is that long ago. */
  due: db.prepare<[before: string], { id: string }>(
    `SELECT w.id FROM workspaces w WHERE w.deleted_at IS NULL AND coalesce(
      (SELECT max(r.started_at) FROM consolidation_runs r WHERE r.workspace_id = w.id), w.created_at) <= ?`,
  ),
  isPinned: db.prepare<[entry: string], { pinned: 0 | 1 }>('SELECT pinned FROM memory_pins WHERE entry_id = ?'),
  pin: db.prepare<[entry: string, crew: string, pinned: 0 | 1]>(
    'INSERT INTO memory_pins (entry_id, crew_id, pinned) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ),
  unpin: db.prepare<[crew: string]>('DELETE FROM memory_pins WHERE crew_id = ?'),
  note: db.prepare<[entry: string, crew: string]>('INSERT INTO memory_permanents (entry_id, crew_id) VALUES (?, ?)'),
  unnote: db.prepare<[entry: string]>('DELETE FROM memory_permanents WHERE entry_id = ?'),
  unnoteCrew: db.prepare<[crew: string]>('DELETE FROM memory_permanents WHERE crew_id = ?'),
  waiting: db.prepare<[crew: string, limit: number], { entry_id: string }>(
    'SELECT entry_id FROM memory_permanents WHERE crew_id = ? ORDER BY seq LIMIT ?',
  ),
  /** A crew with an entry that waits and for which no run was begun. */
  unbegun: db.prepare<[workspace: string], { crew_id: string }>(
    `SELECT m.crew_id FROM crews c CROSS JOIN memory_permanents m ON m.crew_id = c.id
      WHERE c.workspace_id = ? AND c.deleted_at IS NULL AND m.begun = 0 LIMIT 1`,
  ),
  beginWaiting: db.prepare<{ workspace: string; crew: string | null }>(
    `UPDATE memory_permanents SET begun = 1 WHERE begun = 0 AND crew_id IN (
      SELECT id FROM crews WHERE workspace_id = @workspace AND deleted_at IS NULL AND (@crew IS NULL OR id = @crew))`,
  ),
  /** What else was proposed for a crew lately, to tell how often its evidence was used. */
  ofCrew: db.prepare<[crew: string, since: string], Pick<ProposalRow, 'kind' | 'evidence_json'>>(
    `SELECT kind, evidence_json FROM memory_proposals WHERE crew_id = ? AND created_at >= ?
      ORDER BY seq DESC LIMIT 200`,
  ),
}))
