import { statements } from '#kernel/store/db'

export interface RuleRow {
  number: number
  id: string
  workspace_id: string
  crew_id: string
  crew_slug: string
  proposal_id: string
  file: string
  rule_json: string
  learned_at: string
  reviewed_at: string | null
}

type NewRule = Omit<RuleRow, 'number' | 'crew_slug' | 'reviewed_at'>

/** A run in whose prompt a rule was. `status` is null where nothing is on record of the run. */
export interface Use {
  run_id: string
  used_at: string
  steered: 0 | 1
  status: string | null
  redirected: 0 | 1
  refused: 0 | 1
}

const columns = `l.number, l.id, l.workspace_id, l.crew_id, c.slug AS crew_slug, l.proposal_id, l.file, l.rule_json,
  l.learned_at, l.reviewed_at`
const tables = 'learned_rules l JOIN crews c ON c.id = l.crew_id'

interface Window {
  workspace: string
  crew: string | null
  limit: number
  offset: number
}

export const queries = statements((db) => ({
  insert: db.prepare<NewRule>(
    `INSERT INTO learned_rules (id, workspace_id, crew_id, proposal_id, file, rule_json, learned_at)
     VALUES (@id, @workspace_id, @crew_id, @proposal_id, @file, @rule_json, @learned_at)`,
  ),
  list: db.prepare<Window, RuleRow>(
    `SELECT ${columns} FROM ${tables} WHERE l.workspace_id = @workspace AND l.removed_at IS NULL
      AND (@crew IS NULL OR l.crew_id = @crew) ORDER BY l.number DESC LIMIT @limit OFFSET @offset`,
  ),
  ofCrew: db.prepare<[crew: string], Pick<RuleRow, 'number' | 'file' | 'rule_json'>>(
    `SELECT number, file, rule_json FROM learned_rules WHERE crew_id = ? AND removed_at IS NULL
      ORDER BY number DESC LIMIT 500`,
  ),
  /** Of those of whom people were not asked since, the oldest first. */
  old: db.prepare<[before: string, limit: number], RuleRow>(
    `SELECT ${columns} FROM ${tables} WHERE l.removed_at IS NULL AND coalesce(l.reviewed_at, l.learned_at) <= ?
      AND c.deleted_at IS NULL ORDER BY coalesce(l.reviewed_at, l.learned_at), l.number LIMIT ?`,
  ),
  review: db.prepare<[now: string, number: number]>('UPDATE learned_rules SET reviewed_at = ? WHERE number = ?'),
  remove: db.prepare<[now: string, id: string, crew: string]>(
    'UPDATE learned_rules SET removed_at = ? WHERE id = ? AND crew_id = ? AND removed_at IS NULL',
  ),
  forget: db.prepare<[crew: string]>('DELETE FROM learned_rules WHERE crew_id = ?'),
  /** Nothing where the rule is gone by now. */
  use: db.prepare<{ rule: number; run: string; now: string }>(
    `INSERT INTO rule_uses (rule, run_id, used_at) SELECT number, @run, @now FROM learned_rules WHERE number = @rule
      ON CONFLICT DO NOTHING`,
  ),
  steer: db.prepare<[run: string]>('UPDATE rule_uses SET steered = 1 WHERE run_id = ?'),
  uses: db.prepare<[workspace: string, rule: number], Use>(
    `SELECT u.run_id, u.used_at, u.steered, r.status,
      EXISTS (SELECT 1 FROM decisions d WHERE d.run_id = u.run_id AND d.outcome = 'redirect') AS redirected,
      EXISTS (SELECT 1 FROM decisions d WHERE d.run_id = u.run_id AND d.outcome IN ('reject', 'rejected', 'denied'))
        AS refused
     FROM rule_uses u LEFT JOIN run_records r ON r.workspace_id = ? AND r.id = u.run_id
     WHERE u.rule = ? ORDER BY u.used_at DESC, u.run_id DESC LIMIT 5000`,
  ),
}))
