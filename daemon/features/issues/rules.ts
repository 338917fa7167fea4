import { type IssueStatus, issueTransitions } from '#contract/issues'
import { slugOf } from '#kernel/slugs'

/** Where an issue may go from each status. */
export const transitions: ReadonlyMap<IssueStatus, readonly IssueStatus[]> = new Map(issueTransitions)

/** Where an issue is and may go from there, for whoever wants something else. */
export function standing({ identifier, status }: { identifier: string; status: IssueStatus }): string {
  const allowed = transitions.get(status)!
  return allowed.length
    ? `${identifier} is ${status}; from there it may go to ${allowed.join(', ')}`
    : `${identifier} is ${status}, where an issue stays`
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
