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
  /** Name of a label. */
  label?: string
  /** A pattern of LIKE. */
  search?: string
  /** A JSON list of places: the same for a text that few titles have, which were looked up first. */
  found?: string
}

/** What is read first: the issues of one filter, or all issues in the order of the list. */
export type Source = 'found' | 'crew' | 'project' | 'assignee' | 'label' | 'both' | 'statuses' | 'priorities' | 'order'

/** How a label is looked for: in each issue, or in a set of all that have it, which is made first. */
export type LabelTest = 'each' | 'set'

const ranked = (word: string) =>
  `CASE ${word} WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END`
const rank = ranked('m.priority')
const newest = 'm.created_at DESC, m.rowid DESC'
/** Newest first within the same. */
const orders: Record<IssueSort, { by: string; index: string }> = {
  created_at: { by: newest, index: 'missions_workspace' },
  updated_at: { by: `m.updated_at DESC, ${newest}`, index: 'missions_updated' },
  priority: { by: `${rank}, ${newest}`, index: 'missions_rank' },
  due_date: { by: `m.due_date IS NULL, m.due_date, ${newest}`, index: 'missions_due' },
  sort_order: { by: `m.sort_order, ${newest}`, index: 'missions_sorted' },
}

/** The index of each source holds all that issues are chosen and sorted by; that of labels is a table of its own. */
const from: Record<Exclude<Source, 'order'>, string> = {
  found: 'json_each(@found) f CROSS JOIN missions m ON m.rowid = f.value',
  crew: 'missions m INDEXED BY missions_crew',
  project: 'missions m INDEXED BY missions_project',
  assignee: 'missions m INDEXED BY missions_assignee',
  label: 'labelled_issues m',
  both: 'missions m INDEXED BY missions_status',
  statuses: 'missions m INDEXED BY missions_status',
  priorities: 'missions m INDEXED BY missions_rank',
}

const ofWorkspace = "m.workspace_id = @workspace AND m.mission_type = 'issue'"
const labelled = 'label_id = (SELECT l.id FROM labels l WHERE l.workspace_id = @workspace AND l.name = @label)'
const among = (word: string, list: string) => `${word} IN (SELECT value FROM json_each(${list}))`

const conditions: Record<Exclude<keyof Filter, 'workspace' | 'label' | 'found'>, string> = {
  crew: 'm.crew_id = @crew',
  statuses: among('m.status', '@statuses'),
  priorities: among('m.priority', '@priorities'),
  project: 'm.project_id = @project',
  assignee: 'm.assignee_id = @assignee',
  search: "m.title LIKE @search ESCAPE '\\'",
}

const labels: Record<LabelTest, string> = {
  each: `EXISTS (SELECT 1 FROM mission_labels ml WHERE ml.mission_id = m.id AND ml.${labelled})`,
  // With a plus, so that it is read from the index of another filter.
  set: `+m.id IN (SELECT ml.mission_id FROM mission_labels ml WHERE ml.${labelled})`,
}

/** The part of missions_rank that holds these priorities, or begins with the first of them. */
const inRank = `${rank} IN (SELECT ${ranked('value')} FROM json_each(@priorities))`
const fromRank = `${rank} >= (SELECT min(${ranked('value')}) FROM json_each(@priorities))`

/** Chooses the rows first, so that what is shown of them is read for one page alone. */
const prepareList = (db: Db, source: string, where: readonly string[], order: string) =>
  db.prepare<[Filter & { limit: number; offset: number }], Row>(
    `SELECT ${columns} FROM (
       SELECT m.rowid AS place FROM ${source}
       WHERE ${[ofWorkspace, ...where].join(' AND ')}
        AND m.crew_id NOT IN (SELECT k.id FROM crews k WHERE k.workspace_id = @workspace AND k.deleted_at IS NOT NULL)
       ORDER BY ${order} LIMIT @limit OFFSET @offset
     ) p CROSS JOIN missions m ON m.rowid = p.place JOIN crews c ON c.id = m.crew_id ORDER BY ${order}`,
  )

const prepared = statements(() => new Map<string, ReturnType<typeof prepareList>>())

/** The statement of a list with these filters in this order, prepared on first use. */
export function listing(db: Db, filter: Filter, sort: IssueSort, source: Source, label: LabelTest) {
  const used = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filter[name] !== undefined)
  const { by, index } = orders[sort]
  const where = used.map((name) => conditions[name])
  if (filter.label !== undefined) where.push(source === 'label' ? `m.${labelled}` : labels[label])
  if (source === 'priorities') where.push(inRank)
  else if (source === 'order' && sort === 'priority' && filter.priorities !== undefined) where.push(fromRank)
  const key = `${sort} ${source} ${where.join()}`
  const known = prepared(db).get(key)
  if (known) return known
  const made = prepareList(db, source === 'order' ? `missions m INDEXED BY ${index}` : from[source], where, by)
  prepared(db).set(key, made)
  return made
}

type Counted = Exclude<Source, 'found' | 'order'>

export const queries = statements((db) => {
  /** How many issues a source has, counted no further than to a limit. */
  const count = (source: Counted, ...where: string[]) =>
    db
      .prepare<[Filter & { most: number }], number>(
        `SELECT count(*) FROM (SELECT 1 FROM ${from[source]} WHERE ${where.join(' AND ')} LIMIT @most)`,
      )
      .pluck()
  return {
    crew: count('crew', conditions.crew),
    project: count('project', conditions.project),
    assignee: count('assignee', conditions.assignee),
    label: count('label', `m.${labelled}`),
    both: count('both', ofWorkspace, conditions.statuses, conditions.priorities),
    statuses: count('statuses', ofWorkspace, conditions.statuses),
    priorities: count('priorities', ofWorkspace, inRank),
    /** Where titles have a text, no more than to a limit. The index takes no ESCAPE. */
    titles: db
      .prepare<[search: string, most: number], number>('SELECT rowid FROM mission_titles WHERE title LIKE ? LIMIT ?')
      .pluck(),
  } satisfies Record<Counted | 'titles', unknown>
})

const counts = 'counts no further than to the limit'
/** Statements that scan a table, with the reason. */
export const scans = {
  titles: 'the index of parts of titles, no further than to the limit',
  crew: counts,
  project: counts,
  assignee: counts,
  label: counts,
  both: counts,
  statuses: counts,
  priorities: counts,
}
