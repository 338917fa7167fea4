import { subjectRows } from '#contract/data-subjects'
import { type Db, statements, withinChange } from '#kernel/store/db'
import { rules } from './tables.ts'

interface Started {
  id: string
  workspace: string
  subject: string
  actor: string
  reason: string | null
  now: string
}

interface Ended {
  id: string
  status: 'done' | 'partial'
  scope: string
  error: string | null
  now: string
}

export const queries = statements((db) => ({
  before: db.prepare<[workspace: string, user: string], { there: number }>(
    'SELECT 1 AS there FROM gdpr_actions WHERE workspace_id = ? AND data_subject_id = ? LIMIT 1',
  ),
  exported: db.prepare<Omit<Started, 'reason'>>(
    `INSERT INTO gdpr_actions (id, workspace_id, data_subject_id, actor_user_id, action, status, initiated_at,
       completed_at) VALUES (@id, @workspace, @subject, @actor, 'export', 'done', @now, @now)`,
  ),
  /** No row while another erasure of the person is under way. */
  begin: db.prepare<Started, { id: string }>(
    `INSERT INTO gdpr_actions (id, workspace_id, data_subject_id, actor_user_id, action, status, reason, initiated_at)
     VALUES (@id, @workspace, @subject, @actor, 'delete', 'running', @reason, @now)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  end: db.prepare<Ended>(
    'UPDATE gdpr_actions SET status = @status, scope_json = @scope, error = @error, completed_at = @now WHERE id = @id',
  ),
  endLeft: db.prepare<[now: string]>(
    "UPDATE gdpr_actions SET status = 'interrupted', completed_at = ? WHERE completed_at IS NULL",
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { endLeft: 'once, at the start' }

/** Whom rows are looked for, where, and who they become. */
export interface Subject {
  user: string
  email: string
  /** Empty where it is one word, which may be a word of anything. */
  full_name: string
  workspace: string
  nobody: string
}

/** The columns that make out a row of a table. */
function keyOf(db: Db, table: string): string[] {
  const rowless = db.prepare("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'").pluck().get(table)
  const primary = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck()
  return rowless ? (primary.all(table) as string[]) : ['rowid']
}

/** The keys of rows that a rule is about, at most so many. */
export function rowsOf(db: Db, { rule, subject, most }: { rule: number; subject: Subject; most: number }): unknown[][] {
  const { table, where } = rules[rule]!
  return db
    .prepare(`SELECT ${keyOf(db, table).join(', ')} FROM ${table} WHERE ${where} LIMIT @most`)
    .raw()
    .all({ ...subject, most }) as unknown[][]
}

const lists = {
  peer_cards: {
    columns: `t.id, t.agent_id, a.slug AS agent_slug, length(CAST(t.content AS BLOB)) AS bytes, t.created_at,
      t.updated_at`,
    from: 'peer_cards t JOIN agents a ON a.id = t.agent_id WHERE t.user_id = @user AND t.workspace_id = @workspace',
    order: 't.created_at DESC, t.id DESC',
  },
  memory_versions: {
    columns: `t.id, t.path, t.tier, t.sha256, t.bytes, t.written_at, t.written_by,
      (SELECT 'sha256:' || b.sha256 FROM memory_blobs b WHERE b.workspace_id = t.workspace_id AND b.sha256 = t.sha256)
        AS payload_ref`,
    from: 'memory_versions t WHERE t.written_by = @user AND t.workspace_id = @workspace',
    order: 't.seq DESC',
  },
  inbox_items: {
    columns: `t.id, t.kind, t.source_id, t.title, t.body_md,
      CASE WHEN t.resolved_at IS NOT NULL THEN 'resolved'
        WHEN EXISTS (SELECT 1 FROM inbox_item_reads r WHERE r.item = t.seq AND r.user_id = @user) THEN 'read'
        ELSE 'unread' END AS state,
      t.payload_json, t.created_at`,
    from: `inbox_items t WHERE t.workspace_id = @workspace AND (t.audience = 'user:' || @user OR t.sender_id = @user
      OR t.read_by_user_id = @user OR t.resolved_by_user_id = @user)`,
    order: 't.seq DESC',
  },
}

/** The rows of each list of an export, and how many there are. */
export type Told = Record<keyof typeof lists, Record<string, unknown>[]> & { totals: Record<string, number> }

/** The newest rows of each list. */
export function dataOf(db: Db, subject: Pick<Subject, 'user' | 'workspace'>): Told {
  const parts = Object.entries(lists).map(([name, { columns, from, order }]) => {
    const rows = db.prepare(`SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ${subjectRows}`).all(subject)
    const total = db.prepare(`SELECT count(*) FROM ${from}`).pluck().get(subject) as number
    return { name, rows, total }
  })
  return {
    ...Object.fromEntries(parts.map(({ name, rows }) => [name, rows])),
    totals: Object.fromEntries(parts.map(({ name, total }) => [name, total])),
  } as Told
}

/** Contents of memory that the person wrote and that are there. */
export const blobsOf = (db: Db, subject: Pick<Subject, 'user' | 'workspace'>): number =>
  db
    .prepare(
      `SELECT count(DISTINCT v.sha256) FROM memory_versions v
       JOIN memory_blobs b ON b.workspace_id = v.workspace_id AND b.sha256 = v.sha256
       WHERE v.workspace_id = @workspace AND v.written_by = @user`,
    )
    .pluck()
    .get(subject) as number

/** The change of one rule to the row with a key, where the rule is still about it; within a change. */
export function changeOf(db: Db, index: number, subject: Subject): (key: readonly unknown[]) => number {
  const { table, where, set } = rules[index]!
  const isRow = keyOf(db, table).map((column, at) => `${column} = @key${at}`)
  const verb = set ? `UPDATE ${table} SET ${set}` : `DELETE FROM ${table}`
  const statement = withinChange(db, db.prepare<[object]>(`${verb} WHERE ${isRow.join(' AND ')} AND (${where})`))
  return (key) => {
    const named = Object.fromEntries(key.map((value, at) => [`key${at}`, value]))
    return statement.run({ ...subject, ...named }).changes
  }
}
