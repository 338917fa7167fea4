import type { IssueSort } from '#contract/issues'
import type { Db } from '#kernel/store/db'
import { statements } from '#kernel/store/db'
import { columns, type Row } from '../queries.ts'

export interface Filter {
  workspace: string
  crew?: string
  /** JSON lists. */
  statuses?: string
  priorities?: string
  project?: string
  assignee?: string
  label?: string
  /** The same for a label that few issues have: its issues are looked up first. */
  rareLabel?: string
  /** A pattern of LIKE. */
  search?: string
  /** A JSON list of places: the same for a text that few titles have, which were looked up first. */
  found?: string
}

const labelled = (name: string) => `SELECT l.id FROM labels l WHERE l.workspace_id = @workspace AND l.name = @${name}`

const conditions: Record<Exclude<keyof Filter, 'workspace'>, string> = {
  crew: 'm.crew_id = @crew',
  statuses: 'm.status IN (SELECT value FROM json_each(@statuses))',
  priorities: 'm.priority IN (SELECT value FROM json_each(@priorities))',
  project: 'm.project_id = @project',
  assignee: 'm.assignee_id = @assignee',
  label: `EXISTS (SELECT 1 FROM mission_labels ml WHERE ml.mission_id = m.id
    AND ml.label_id = (${labelled('label')}))`,
  // With a plus, so that it is read from the index of another filter before the row is.
  rareLabel: `+m.id IN (SELECT ml.mission_id FROM mission_labels ml WHERE ml.label_id = (${labelled('rareLabel')}))`,
  search: "m.title LIKE @search ESCAPE '\\'",
  found: 'm.rowid IN (SELECT value FROM json_each(@found))',
}

const rank = `CASE m.priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END`
const newest = 'm.created_at DESC, m.rowid DESC'
/** Newest first within the same. */
const orders: Record<IssueSort, string> = {
  created_at: newest,
  updated_at: `m.updated_at DESC, ${newest}`,
  priority: `${rank}, ${newest}`,
  due_date: `m.due_date IS NULL, m.due_date, ${newest}`,
  sort_order: `m.sort_order, ${newest}`,
}

/** Chooses the rows first, so that what is shown of them is read for one page alone. */
const prepareList = (db: Db, where: string, order: string) =>
  db.prepare<[Filter & { limit: number; offset: number }], Row>(
    `SELECT ${columns} FROM (
       SELECT m.rowid AS place FROM missions m
       WHERE m.workspace_id = @workspace AND m.mission_type = 'issue'${where}
        AND EXISTS (SELECT 1 FROM crews k WHERE k.id = m.crew_id AND k.deleted_at IS NULL)
       ORDER BY ${order} LIMIT @limit OFFSET @offset
     ) p CROSS JOIN missions m ON m.rowid = p.place JOIN crews c ON c.id = m.crew_id ORDER BY ${order}`,
  )

const prepared = statements(() => new Map<string, ReturnType<typeof prepareList>>())

/** The statement of a list with these filters in this order, prepared on first use. */
export function listing(db: Db, filter: Filter, sort: IssueSort) {
  const used = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filter[name] !== undefined)
  const where = used.map((name) => ` AND ${conditions[name]}`).join('')
  const key = `${sort}${where}`
  const known = prepared(db).get(key)
  if (known) return known
  const made = prepareList(db, where, orders[sort])
  prepared(db).set(key, made)
  return made
}

export const queries = statements((db) => ({
  /** Where titles have a text, no more than to a limit. The index takes no ESCAPE. */
  titles: db
    .prepare<[search: string, most: number], number>('SELECT rowid FROM mission_titles WHERE title LIKE ? LIMIT ?')
    .pluck(),
  /** How many issues have a label, counted no further than to a limit. */
  labelled: db
    .prepare<{ workspace: string; label: string; most: number }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM mission_labels WHERE label_id = (${labelled('label')}) LIMIT @most)`,
    )
    .pluck(),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  titles: 'the index of parts of titles, no further than to the limit',
  labelled: 'counts no further than to the limit',
}
