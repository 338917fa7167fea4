import type { Db } from '#kernel/store/db'

/** Takes what was erased from the journal out of the search index, batch by batch. */
export interface Forgetting {
  /** Forgets one batch; false when none is left. */
  work(): boolean
  /** Whether batches are gone that the index never read: it has to be built anew. */
  lost(): boolean
  /** The index begins anew: what is erased already never comes in. */
  begin(): void
}

export function createForgetting(journal: Db, index: Db): Forgetting {
  const bounds = journal.prepare<[], { oldest: number | null; newest: number | null }>(
    'SELECT (SELECT min(batch) FROM journal_erased) AS oldest, (SELECT max(batch) FROM journal_erased) AS newest',
  )
  const next = journal.prepare<[number], { batch: number; seqs: string }>(
    'SELECT batch, seqs FROM journal_erased WHERE batch > ? ORDER BY batch LIMIT 1',
  )
  const remove = index.prepare('DELETE FROM entries WHERE rowid = ?')
  const save = index.prepare(
    'INSERT INTO forgotten (one, batch) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET batch = excluded.batch',
  )
  let forgotten = index.prepare<[], number>('SELECT batch FROM forgotten').pluck().get() ?? 0

  const forget = index.transaction((batch: number, seqs: readonly number[]) => {
    for (const seq of seqs) remove.run(seq)
    save.run(batch)
  })

  return {
    work() {
      const found = next.get(forgotten)
      if (!found) return false
      forget(found.batch, JSON.parse(found.seqs) as number[])
      forgotten = found.batch
      return true
    },
    lost: () => forgotten + 1 < (bounds.get()!.oldest ?? 0),
    begin() {
      forgotten = bounds.get()!.newest ?? 0
      save.run(forgotten)
    },
  }
}
