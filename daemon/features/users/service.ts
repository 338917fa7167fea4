import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { queries, type Row } from './queries.ts'

export function find({ db }: App, id: string): Row {
  const user = queries(db).find.get(id)
  if (!user) throw problem('not_found', { field: 'user_id' })
  return user
}

export const exist = ({ db }: App): boolean => queries(db).any.get() !== undefined

/** The first user of the server; null when there is one already. Emails are stored in lower case. */
export const createFirst = ({ db }: App, user: { id: string; email: string; full_name: string; password_hash: string; now: string }): Row | null =>
  queries(db).insertFirst.get(user) ?? null
