import type { MetricName } from '#contract/metrics'
import type { Db } from '#kernel/store/db'
import type { OpenJobs } from '#kernel/store/reads'
import { type Count, type MissionRow, queries } from './queries.ts'
import { type Span, stamp } from './rules.ts'

/** What is measured, in which steps. */
export interface Question {
  metric: MetricName
  workspace: string
  spans: Span[]
  now: number
}

/** What a step holds, by key; `null` stands for what belongs to nothing. */
type Measure = (span: Span) => readonly Count[]

const measures: Readonly<Record<MetricName, (db: Db, workspace: string, first: Span, now: number) => Measure>> = {
  issues_closed:
    (db, workspace) =>
    ({ from, to }) =>
      queries(db).closed.all({ workspace, from: stamp(from), to: stamp(to) }),
  runs_count: (db, workspace) => (span) => queries(db).begun.all({ workspace, ...span }),
  cost_usd: (db, workspace) => (span) => queries(db).spent.all({ workspace, ...span }),
  active_missions(db, workspace, first, now) {
    const rows = queries(db).missions.all({ workspace, from: stamp(first.from) })
    return ({ to }) => active(rows, stamp(to), to > now)
  },
}

/** Missions that were active just before this time, by status. `present`: it is now, of which all is known. */
function active(rows: readonly MissionRow[], at: string, present: boolean): Count[] {
  // All times have the same form, so that texts can be compared.
  const isBefore = (time: string | null) => time !== null && time < at
  return rows
    .filter(({ created_at, ended_at }) => isBefore(created_at) && !isBefore(ended_at))
    .map(({ status, started_at }) => ({
      key: present ? status : isBefore(started_at) ? 'IN_PROGRESS' : 'PLANNING',
      n: 1,
    }))
}

const measured = (db: Db, { metric, workspace, spans, now }: Question): (readonly Count[])[] =>
  spans.map(measures[metric](db, workspace, spans[0]!, now))

/** What reading threads do for metrics. */
export const openMetricJobs: OpenJobs = ({ journal: db }) => ({
  run: { metric: (question: Question) => JSON.stringify(db.transaction(() => measured(db, question))()) },
  grown: () => false,
})
