import type { MemoryTier } from '#contract/memory'
import { statements } from '#kernel/store/db'

export interface FoundChunk {
  number: number
  line: number
  text: string
  owner_id: string
  tier: MemoryTier
  name: string
  written_at: string
}

export const queries = statements((db) => ({
  drop: db.prepare<[file: number]>('DELETE FROM memory_chunks WHERE file = CAST(? AS INTEGER)'),
  add: db.prepare<[file: number, line: number, text: string], { number: number }>(
    'INSERT INTO memory_chunks (file, line, text) VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER), ?) RETURNING number',
  ),
  words: db.prepare<[number: number, text: string, scope: string]>(
    'INSERT INTO memory_words (rowid, text, scope) VALUES (CAST(? AS INTEGER), ?, ?)',
  ),
  /** Best first. */
  matches: db.prepare<[expression: string, limit: number], FoundChunk>(
    `SELECT c.number, c.line, c.text, f.owner_id, f.tier, f.name, f.written_at
     FROM (
       SELECT rowid AS number, rank AS place FROM memory_words
       WHERE memory_words MATCH ? AND rank MATCH 'bm25(1.0, 0.0)' ORDER BY rank LIMIT ?
     ) w CROSS JOIN memory_chunks c ON c.number = w.number CROSS JOIN memory_files f ON f.number = c.file
     ORDER BY w.place`,
  ),
  others: db.prepare<[workspace: string], { id: string }>('SELECT id FROM workspaces WHERE id <> ? LIMIT 1'),
  agentsOfCrew: db
    .prepare<[crew: string], string>('SELECT id FROM agents WHERE crew_id = ? AND deleted_at IS NULL')
    .pluck(),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  others: 'reads two rows at most',
  matches: 'reads the index of words, and at most as many rows as asked for',
}
