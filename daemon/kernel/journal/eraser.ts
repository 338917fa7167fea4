import type { Priority } from '#contract/entries'
import { type Db, withinChange } from '../store/db.ts'
import type { Combos } from './combos.ts'
import { type Hashed, type Parts, parsed, partsOf } from './parts.ts'
import type { Tails } from './tails.ts'

/** A stored entry that may lose its summary and payload. */
export interface Erasable extends Hashed {
  seq: number
  ts: number
  ws: number
  combo: number
}

export const erasableColumns = 'seq, ts, ws, combo, doc, scheme, payload_hash, summary_hash, prev_hash, entry_hash'

/** An entry that was found to be the one that was written, ready to be erased. */
export interface Sound extends Erasable {
  parts: Parts
  priority: string
  /** Bytes of its text, and those that erasing it gives back. */
  bytes: number
  freed: number
}

/**
 * Erases what entries say. The hashes of what is erased are kept, so the chain holds as before; an entry that does not
 * hold is left as it is, since it is evidence.
 */
export interface Eraser {
  /** The entries that hold, and the places of those that do not. */
  examine(
    rows: readonly Erasable[],
    /** The priority of an entry before it was first changed. */
    first?: (seq: number) => Priority | undefined,
  ): { sound: Sound[]; altered: number[] }
  /** Takes entries of one workspace out of the journal. Never its newest one, on which the chain goes on. */
  takeOut(ws: number, entries: readonly Sound[]): void
  /** Blanks entries: they stay in lists, without summary and payload. */
  blank(entries: readonly Sound[]): void
}

/** Batches that the search index may still have to read; further behind, it is built anew. */
export const keptBatches = 4_000

export function createEraser(db: Db, combos: Pick<Combos, 'discount'>, tails: Pick<Tails, 'of'>): Eraser {
  const writing = (sql: string) => withinChange(db, db.prepare(sql))
  const keep = writing(
    `INSERT INTO journal_husks (seq, ws, scheme, fixed, payload_hash, summary_hash, entry_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = writing('DELETE FROM journal WHERE seq = ?')
  const write = writing('UPDATE journal SET doc = ?, payload_hash = ?, summary_hash = ? WHERE seq = ?')
  const note = writing('INSERT INTO journal_erased (seqs) VALUES (?)')
  const prune = writing('DELETE FROM journal_erased WHERE batch <= ?')

  /** Tells the search index what it has to forget. */
  function forget(entries: readonly Sound[]): void {
    const { lastInsertRowid } = note.run(JSON.stringify(entries.map(({ seq }) => seq)))
    prune.run(Number(lastInsertRowid) - keptBatches)
  }

  return {
    examine(rows, first) {
      const sound: Sound[] = []
      const altered: number[] = []
      for (const row of rows) {
        const entry = parsed(row.doc)
        const parts = entry && partsOf(row, entry, () => first?.(row.seq))
        if (!parts) {
          altered.push(row.seq)
          continue
        }
        const bytes = Buffer.byteLength(row.doc)
        const kept = Buffer.byteLength(parts.fixed)
        sound.push({ ...row, parts, priority: entry.priority, bytes, freed: bytes - kept })
      }
      return { sound, altered }
    },
    takeOut(ws, entries) {
      if (entries.length === 0) return
      const newest = tails.of(ws).seq
      for (const { seq, scheme, parts, entry_hash } of entries) {
        if (seq >= newest) throw new Error('The newest entry of a journal cannot leave it')
        const payload = parts.payload || parts.hashes.payload.some((byte) => byte) ? parts.hashes.payload : null
        keep.run(seq, ws, scheme, parts.fixed, payload, parts.hashes.summary, entry_hash)
        remove.run(seq)
      }
      combos.discount(ws, entries)
      forget(entries)
    },
    blank(entries) {
      if (entries.length === 0) return
      // What is overwritten is to be gone from the file as well.
      db.pragma('secure_delete = ON')
      try {
        for (const { seq, scheme, parts, priority, payload_hash } of entries) {
          const summary = scheme === 1 ? '' : ',"summary":""'
          const doc = `${parts.fixed.slice(0, -1)}${summary},"priority":"${priority}"}`
          write.run(doc, parts.payload ? parts.hashes.payload : payload_hash, parts.hashes.summary, seq)
        }
      } finally {
        db.pragma('secure_delete = OFF')
      }
      forget(entries)
    },
  }
}
