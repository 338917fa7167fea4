import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  entries: db.prepare<[agent: number, limit: number], { doc: string }>(
    'SELECT doc FROM journal WHERE agent = ? ORDER BY seq DESC LIMIT ?',
  ),
}))
