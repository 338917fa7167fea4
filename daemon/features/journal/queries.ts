import type { Priority } from '#contract/entries'
import type { Scheme } from '#kernel/journal/chain'
import { statements } from '#kernel/store/db'

export interface CrewName {
  id: string
  name: string
  slug: string
  icon: string | null
  color: string | null
}

export interface AgentName {
  id: string
  name: string
  slug: string
  crew_id: string | null
  avatar_seed: string | null
  avatar_style: string | null
}

export const queries = statements((db) => ({
  doc: db.prepare<[id: string, ws: number], string>('SELECT doc FROM journal WHERE id = ? AND ws = ?').pluck(),
  find: db.prepare<[id: string, ws: number], { seq: number; doc: string; scheme: Scheme }>(
    'SELECT seq, doc, scheme FROM journal WHERE id = ? AND ws = ?',
  ),
  newest: db.prepare<[ws: number], { id: string; entry_hash: Buffer }>(
    'SELECT id, entry_hash FROM journal INDEXED BY journal_ws WHERE ws = ? ORDER BY seq DESC LIMIT 1',
  ),
  before: db.prepare<[id: string], number>('SELECT seq FROM journal WHERE id < ? ORDER BY id DESC LIMIT 1').pluck(),
  upTo: db.prepare<[id: string], number>('SELECT seq FROM journal WHERE id <= ? ORDER BY id DESC LIMIT 1').pluck(),
  mark: db.prepare<[priority: number, doc: string, seq: number]>(
    'UPDATE journal SET priority = ?, doc = ? WHERE seq = ?',
  ),
  record: db.prepare<[seq: number, previous: Priority, priority: Priority, reason: string, by: string, at: string]>(
    `INSERT INTO journal_priorities (seq, previous_priority, priority, reason, set_by, set_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ),
}))

export const lookups = statements((db) => ({
  crews: db.prepare<[workspace: string], CrewName>(
    `SELECT id, name, slug, icon, color FROM crews WHERE workspace_id = ? AND deleted_at IS NULL
     ORDER BY name, id LIMIT 1000`,
  ),
  agents: db.prepare<[workspace: string], AgentName>(
    `SELECT id, name, slug, crew_id, avatar_seed, avatar_style FROM agents WHERE workspace_id = ? AND deleted_at IS NULL
     ORDER BY name, id LIMIT 1000`,
  ),
}))
