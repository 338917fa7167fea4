import type { Static } from 'typebox'
import type { Schedule as Schema } from '#contract/schedules'
import { age } from '../output/cell.ts'
import { compactJson } from '../output/json.ts'
import type { View } from '../output/printer.ts'

export type Schedule = Static<typeof Schema>

export const scheduleView: View<Schedule> = {
  name: ({ name }) => name,
  empty: 'There are no schedules. Next: muster schedules create NAME --routine ROUTINE --cron "0 3 * * *"',
  columns: {
    NAME: ({ name }) => name,
    ROUTINE: ({ target_pipeline_slug }) => target_pipeline_slug,
    CRON: ({ cron_expr }) => cron_expr,
    ENABLED: ({ enabled, disabled_reason }) => (disabled_reason ? disabled_reason.replaceAll('_', ' ') : enabled),
    NEXT: ({ next_run_at, timezone }) => (next_run_at ? inWords(next_run_at, timezone) : null),
    LAST: ({ last_status }) => last_status?.toLowerCase() ?? null,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    ZONE: ({ timezone }) => timezone,
    THEN: ({ next_runs, timezone }) =>
      next_runs
        .slice(1)
        .map((at) => inWords(at, timezone))
        .join(', '),
    CATCHUP: ({ catchup_policy }) => catchup_policy,
    MISSED: ({ last_missed_count }) => last_missed_count,
    FAILURES: ({ consecutive_failures }) => consecutive_failures,
    WAKE: ({ wake_pipeline_slug }) => wake_pipeline_slug,
    INPUTS: ({ inputs }) => compactJson(inputs),
    ID: ({ id }) => id,
  },
}

/** A time in the zone of its schedule: `Tue 24 Nov 2026 03:00`; as it stands where the zone is not known. */
export function inWords(at: string, timeZone: string): string {
  const parts = partsOf(at, timeZone)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  if (!parts.length) return at
  return `${of('weekday')} ${of('day')} ${of('month')} ${of('year')} ${of('hour')}:${of('minute')}`
}

const style = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const

function partsOf(at: string, timeZone: string): Intl.DateTimeFormatPart[] {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...style, timeZone }).formatToParts(new Date(at))
  } catch {
    return []
  }
}

/** The next three times, in words. */
export const nextInWords = ({ next_runs, timezone }: Schedule): string =>
  next_runs.length
    ? `Next: ${next_runs.map((at) => inWords(at, timezone)).join(', ')} (${timezone})`
    : 'It is disabled.'
