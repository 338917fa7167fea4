import type { Static } from 'typebox'
import type { ProjectStats, projects } from '#contract/projects'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { findProject } from '../service.ts'
import { type CountRow, queries } from './queries.ts'

type Shown = Static<typeof ProjectStats>

/** The issues of a project, counted. Those of deleted crews are gone. */
export function stats(app: App, { actor, projectId }: Call<typeof projects.stats>): Shown {
  const { id } = findProject(app, actor.workspace, projectId)
  const { counts, labels } = queries(app.db)
  const rows = counts.all(id)
  const by_status = byStatus(rows)
  return {
    total_issues: rows.reduce((sum, { n }) => sum + n, 0),
    completed_issues: by_status['DONE'] ?? 0,
    by_status,
    by_assignee: byAssignee(rows),
    by_label: labels.all(id),
    crews: [...new Map(rows.map(({ crew_id, crew_name }) => [crew_id, crew_name])).values()],
  }
}

function byStatus(rows: readonly CountRow[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status, n } of rows) found[status] = (found[status] ?? 0) + n
  return found
}

function byAssignee(rows: readonly CountRow[]): Shown['by_assignee'] {
  const found = new Map<string, Shown['by_assignee'][number]>()
  for (const { assignee_type, assignee_id, assignee_name, status, n } of rows) {
    if (assignee_type === null || assignee_id === null) continue
    const known = found.get(assignee_id)
    const before = known ?? { agent_id: assignee_id, agent_name: assignee_name, assignee_type, total: 0, completed: 0 }
    const completed = before.completed + (status === 'DONE' ? n : 0)
    found.set(assignee_id, { ...before, total: before.total + n, completed })
  }
  return [...found.values()].sort((a, b) => b.total - a.total)
}
