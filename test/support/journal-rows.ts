import type { Db } from '#kernel/store/db'

export interface JournalRow {
  seq: number
  ts: number
  ws: number
  combo: number
  crew: number | null
  agent: number | null
  type: number
  severity: number
  mission: number | null
  trace: number | null
  actor: number | null
  run: number | null
  priority: number
  doc: string
}

const blank = { crew: null, agent: null, mission: null, trace: null, actor: null, run: null }
const plain = { ws: 1, combo: 1, type: 1, severity: 0, priority: 0, ...blank }

export const textAt = (seq: number): string => `{"id":"j_${seq}","ts":"${seq}","summary":"","actor_type":"system"}`

/** Stores rows, numbered from 1 on unless they have a `seq`, that are neither hashed nor counted. */
export function storeRows(db: Db, rows: Partial<JournalRow>[]): void {
  const insert = db.prepare(
    `INSERT INTO journal (seq, id, ts, ws, combo, crew, agent, type, severity, mission, trace, actor, run, priority,
     doc, prev_hash, entry_hash) VALUES (@seq, 'j_' || CAST(@seq AS INTEGER), @ts, @ws, @combo, @crew, @agent, @type,
     @severity, @mission, @trace, @actor, @run, @priority, @doc, x'', x'')`,
  )
  db.transaction(() => {
    for (const [at, row] of rows.entries())
      insert.run({ ...plain, seq: at + 1, ts: at + 1, doc: textAt(at + 1), ...row })
  })()
}
