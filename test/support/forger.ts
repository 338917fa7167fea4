import { hashEntry, hashPart, render, type Scheme } from '#kernel/journal/chain'
import type { Db } from '#kernel/store/db'

interface Row {
  seq: number
  doc: string
  scheme: Scheme
  hash: Buffer
}

/** Makes the chain of the only workspace anew from an entry on, as somebody does who knows how but has no key. */
export function relink(db: Db, from: number): void {
  const rows = db.prepare<[], Row>('SELECT seq, doc, scheme, entry_hash AS hash FROM journal ORDER BY seq').all()
  const write = db.prepare<[Buffer, Buffer, number]>('UPDATE journal SET prev_hash = ?, entry_hash = ? WHERE seq = ?')
  let prev: Buffer = Buffer.alloc(32)
  for (const { seq, doc, scheme, hash } of rows) {
    if (seq < from) {
      prev = hash
      continue
    }
    const { fixed, summary, payload } = render(JSON.parse(doc), scheme)
    const hashes = { prev, payload: hashPart(payload), summary: scheme === 1 ? null : hashPart(summary) }
    const own = hashEntry(hashes, fixed)
    write.run(prev, own, seq)
    prev = own
  }
}

/** Turns the entries up to `seq` into what an earlier version wrote: under scheme 1, the summary before references. */
export function asWrittenBefore(db: Db, seq: number): void {
  const rows = db.prepare<[number], Row>('SELECT seq, doc FROM journal WHERE seq <= ?').all(seq)
  const write = db.prepare<[string, number]>('UPDATE journal SET doc = ?, scheme = 1 WHERE seq = ?')
  for (const row of rows) {
    const { refs, trace_id, ...first } = JSON.parse(row.doc)
    write.run(render({ ...first, refs, trace_id }, 1).doc, row.seq)
  }
  relink(db, 1)
}
