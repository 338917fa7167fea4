import type { Db } from '#kernel/store/db'
import type { Rule } from '../../daemon/features/admin/subjects/tables.ts'

/** What columns that name a person are called. */
const ofUsers = /user|_by(_|$)|email|^ip$|remote_addr|audience|^pair$/
const ofWorkers = /(author|actor|owner|sender|assignee|lead|subject|assigned_by|triggered_by)_id$/

interface Column {
  name: string
  type: string
  notnull: 0 | 1
  pk: number
}

const columnsOf = (db: Db, table: string): Column[] =>
  db.prepare<[string], Column>('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(table)

const tablesOf = (db: Db): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .pluck()
    .all() as string[]

/** Columns that name a person by their name, or refer to one. */
export function personalColumns(db: Db): { table: string; column: string }[] {
  const refers = db.prepare(`SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = 'users'`).pluck()
  return tablesOf(db).flatMap((table) =>
    columnsOf(db, table)
      .filter(({ name }) => ofUsers.test(name) || ofWorkers.test(name) || refers.all(table).includes(name))
      .map(({ name: column }) => ({ table, column })),
  )
}

/** Places, `table.column`, where one of these words is stored. */
export function peopleIn(db: Db, words: readonly string[]): string[] {
  return tablesOf(db).flatMap((table) =>
    columnsOf(db, table)
      .filter(({ name }) => {
        const found = words.map(() => `instr(${name}, ?)`).join(' OR ')
        return db.prepare(`SELECT 1 FROM "${table}" WHERE ${found} LIMIT 1`).get(...words) !== undefined
      })
      .map(({ name }) => `${table}.${name}`),
  )
}

let made = 0

/** Stores a row that a rule is about, with whatever else its table needs; constraints are off meanwhile. */
export function rowAbout(
  db: Db,
  { table, columns, where }: Rule,
  { user, email, workspace }: { user: string; email: string; workspace: string },
): void {
  made++
  const parent = /(\w+) IN \(SELECT (\w+) FROM (\w+) WHERE workspace_id/.exec(where)
  const value = ({ name, type, notnull, pk }: Column): unknown => {
    if (columns.includes(name)) {
      if (name === 'audience') return `user:${user}`
      if (name === 'email') return email
      return /^(details|content|title|body_md)$/.test(name)
        ? `${email} came`
        : name.endsWith('_json')
          ? `["${user}"]`
          : user
    }
    if (name === 'workspace_id') return workspace
    if (name === parent?.[1])
      return db.prepare(`SELECT ${parent[2]} FROM ${parent[3]} WHERE workspace_id = ? LIMIT 1`).pluck().get(workspace)
    if (name === 'agent_id') return db.prepare('SELECT id FROM agents ORDER BY rowid LIMIT 1').pluck().get()
    if (name === 'author_type') return 'system'
    if (name === 'blocking' || name === 'active') return 0
    if (!notnull && !pk) return null
    return type === 'INTEGER' || type === 'REAL' ? 1_000_000 + made : type === 'BLOB' ? Buffer.from('x') : `x${made}`
  }
  const all = columnsOf(db, table)
  db.prepare(`INSERT OR REPLACE INTO ${table} (${all.map(({ name }) => name)}) VALUES (${all.map(() => '?')})`).run(
    ...all.map(value),
  )
}
