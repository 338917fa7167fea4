import type { Static } from 'typebox'
import type { IssueRun, issues } from '#contract/issues'
import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { findIssue } from '../service.ts'
import { queries, type Row } from './queries.ts'

const summaryLimit = 2000

/** The runs of an issue, newest first. */
export function runs(
  app: App,
  { actor, crewId, identifier, query }: Call<typeof issues.runs>,
): Static<typeof IssueRun>[] {
  const { id: issue, identifier: name } = findIssue(app, actor.workspace, identifier, crewId)
  const { limit, offset } = pageOf(query, { fallback: 100, max: 100 })
  const now = app.clock()
  return queries(app.db)
    .ofIssue.all({ issue, identifier: name, workspace: actor.workspace, limit, offset })
    .map((row) => toRun(row, now))
}

/** Statuses of runs of routines, as those of agents' runs are called. */
const statuses: Partial<Record<string, string>> = {
  queued: 'RUNNING',
  running: 'RUNNING',
  waiting: 'RUNNING',
  completed: 'COMPLETED',
  failed: 'FAILED',
  interrupted: 'FAILED',
  cancelled: 'CANCELLED',
}

const toRun = ({ started, finished, said, nth: _, ...row }: Row, now: number): Static<typeof IssueRun> => ({
  ...row,
  status: statuses[row.status] ?? row.status,
  started_at: new Date(started).toISOString(),
  ...(finished !== null && { ended_at: new Date(finished).toISOString() }),
  duration_ms: Math.max(0, (finished ?? now) - started),
  result_summary: said === null ? null : cut(said, summaryLimit),
})
