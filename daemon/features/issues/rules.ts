import type { IssueStatus } from '#contract/issues'
import { slugOf } from '#kernel/slugs'

/** Where an issue may go from each status. docs/rules/work.md, "Issues". */
export const transitions: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  BACKLOG: ['TODO', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE'],
  TODO: ['BACKLOG', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE'],
  IN_PROGRESS: ['TODO', 'REVIEW', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE'],
  REVIEW: ['TODO', 'IN_PROGRESS', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE'],
  DONE: ['BACKLOG'],
  FAILED: ['BACKLOG', 'TODO', 'IN_PROGRESS'],
  CANCELLED: ['BACKLOG', 'TODO'],
  DUPLICATE: [],
}

/** In these an issue may be deleted. */
export const deletable: ReadonlySet<string> = new Set(['BACKLOG', 'CANCELLED'])

/** What the identifiers of a crew's issues begin with: its own prefix, or the first three letters of its slug. */
export const prefixOf = ({ issue_prefix, slug }: { issue_prefix: string | null; slug: string }): string =>
  issue_prefix ??
  (slug
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 3)
    .toUpperCase() ||
    slugOf(slug, 'ISS'))
