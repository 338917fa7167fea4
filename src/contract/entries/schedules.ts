import { Type } from 'typebox'
import { audits, entry } from './define.ts'
import { quoted } from './quote.ts'

const Of = { schedule_id: Type.String(), name: Type.String(), pipeline_slug: Type.String() }

/** Schedules of routines. docs/schedules.md. */
export const scheduleFacts = {
  ...audits('schedule', 'The schedule', quoted),
  'schedule.missed': entry(
    'pipeline.schedule.missed_occurrences',
    'warn',
    Type.Object({ ...Of, missed_count: Type.Integer(), since: Type.String(), catchup_policy: Type.String() }),
    ({ name, missed_count }) =>
      `The schedule ${quoted(name)} was missed ${missed_count === 1 ? 'once' : `${missed_count} times`}`,
  ),
  'schedule.tripped': entry(
    'pipeline.schedule.circuit_breaker_tripped',
    'error',
    Type.Object({ ...Of, consecutive_failures: Type.Integer() }),
    ({ name, consecutive_failures }) =>
      `The schedule ${quoted(name)} was switched off after ${consecutive_failures} failures in a row`,
  ),
}
