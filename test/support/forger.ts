import { hashEntry, hashPayload } from '#kernel/journal/chain'
import type { Db } from '#kernel/store/db'

/** Makes the chain of the only workspace anew from an entry on, as somebody does who knows how but has no key. */
export function relink(db: Db, from: number): void {
  const rows = db
    .prepare<[], { seq: number; doc: string; hash: Buffer }>(
      'SELECT seq, doc, entry_hash AS hash FROM journal ORDER BY seq',
    )
    .all()
  const write = db.prepare<[Buffer, Buffer, number]>('UPDATE journal SET prev_hash = ?, entry_hash = ? WHERE seq = ?')
  let prev: Buffer = Buffer.alloc(32)
  for (const { seq, doc, hash } of rows) {
    if (seq < from) {
      prev = hash
      continue
    }
    const { payload, priority: _, ...fixed } = JSON.parse(doc)
    const own = hashEntry(prev, hashPayload(payload ? JSON.stringify(payload) : ''), JSON.stringify(fixed))
    write.run(prev, own, seq)
    prev = own
  }
}
