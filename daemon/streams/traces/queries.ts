import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  /** Entries of a run, oldest first. */
  ofTrace: db.prepare<{ ws: number; trace: number; most: number }, { doc: string }>(
    'SELECT doc FROM journal INDEXED BY journal_trace WHERE trace = @trace AND ws = @ws ORDER BY seq LIMIT @most',
  ),
}))
