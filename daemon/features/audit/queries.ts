import type { Db } from '#kernel/store/db'

/** What is looked for. `types` and `ws` are numbers of the journal's names. */
export interface Wanted {
  ws: number
  types: number[]
  /** Kinds of things as a JSON list; null for all. */
  kinds: string | null
  action: string | null
  user: string | null
  from: number | null
  to: number | null
  limit: number
  offset: number
}

export interface Page {
  rows: { doc: string; email: string | null; full_name: string | null }[]
  total: number
}

const from = (types: number) => `FROM journal j INDEXED BY journal_type
  WHERE j.type IN (${Array(types).fill('?').join(', ')}) AND j.ws = @ws
    AND (@kinds IS NULL OR j.doc ->> '$.payload.entity_type' IN (SELECT value FROM json_each(@kinds)))
    AND (@action IS NULL OR j.doc ->> '$.payload.action' = @action)
    AND (@user IS NULL OR j.doc ->> '$.actor_id' = @user)
    AND (@from IS NULL OR j.ts >= @from) AND (@to IS NULL OR j.ts < @to)`

/** A page of what matches, newest first, and how much that is. */
export function pageOf(db: Db, { types, limit, offset, ...wanted }: Wanted): Page {
  const matching = from(types.length)
  const total = db.prepare(`SELECT count(*) ${matching}`).pluck().get(types, wanted) as number
  const rows = db
    .prepare(
      `SELECT p.doc, u.email, u.full_name FROM
         (SELECT j.seq, j.doc ${matching} ORDER BY j.seq DESC LIMIT @limit OFFSET @offset) p
       LEFT JOIN users u ON p.doc ->> '$.actor_type' = 'user' AND u.id = p.doc ->> '$.actor_id' ORDER BY p.seq DESC`,
    )
    .all(types, { ...wanted, limit, offset }) as Page['rows']
  return { rows, total }
}
