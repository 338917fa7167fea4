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
    NEXT: ({ next_runs, timezone }) => next_runs.map((at) => inWords(at, timezone, within)).join(', ') || null,
    LAST: ({ last_status }) => last_status?.toLowerCase() ?? null,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    ZONE: ({ timezone }) => timezone,
    CATCHUP: ({ catchup_policy }) => catchup_policy,
    MISSED: ({ last_missed_count }) => last_missed_count,
    FAILURES: ({ consecutive_failures }) => consecutive_failures,
    WAKE: ({ wake_pipeline_slug }) => wake_pipeline_slug,
    INPUTS: ({ inputs }) => compactJson(inputs),
    ID: ({ id }) => id,
  },
}

/** A time in the zone of its schedule: `Tue 24 Nov 2026 03:00`; as it stands where the zone is not known. */
export function inWords(at: string, timeZone: string, style: Style = whole): string {
  const parts = partsOf(at, timeZone, style)
  if (!parts.length) return at
  const words = ['weekday', 'day', 'month', 'year'].flatMap((type) => of(parts, type) ?? [])
  return `${words.join(' ')} ${of(parts, 'hour')}:${of(parts, 'minute')}`
}

const of = (parts: readonly Intl.DateTimeFormatPart[], type: string) => parts.find((part) => part.type === type)?.value

type Style = Intl.DateTimeFormatOptions

/** As lists show times. */
const within: Style = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
const whole: Style = { ...within, year: 'numeric' }

function partsOf(at: string, timeZone: string, style: Style): Intl.DateTimeFormatPart[] {
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
