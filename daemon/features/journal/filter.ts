import { actorTypes, type Entry, entryTypes, priorities, severities } from '#contract/entries'
import { problem } from '#kernel/problem'
import { parseTime } from './time.ts'

/** The filters of a request. An absent member does not filter; a list matches any of its values. */
export interface Filter {
  crews?: string[]
  agents?: string[]
  missions?: string[]
  traces?: string[]
  runs?: string[]
  types?: string[]
  withoutTypes?: string[]
  severities?: string[]
  actorTypes?: string[]
  priorities?: string[]
  /** Milliseconds, inclusive. */
  since?: number
  until?: number
  /** One phrase. */
  phrase?: string
}

export type Query = Partial<
  Record<
    | 'crew_id'
    | 'agent_id'
    | 'mission_id'
    | 'trace_id'
    | 'run_id'
    | 'crew_ids'
    | 'agent_ids'
    | 'entry_type'
    | 'exclude_entry_type'
    | 'severity'
    | 'actor_type'
    | 'priority'
    | 'since'
    | 'until'
    | 'q',
    string
  >
>

const longestPhrase = 200

/** The items of a comma-separated list, trimmed, empties dropped; undefined when none are left. */
function listOf(text: string | undefined): string[] | undefined {
  const items = (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.length ? [...new Set(items)] : undefined
}

/** As `listOf`, but refuses values that are not in `known`. */
function listAmong(known: readonly string[], field: string, text: string | undefined): string[] | undefined {
  const asked = listOf(text)
  const unknown = asked?.find((value) => !known.includes(value))
  if (unknown)
    throw problem('invalid_field', {
      field,
      detail: `${field} "${unknown.slice(0, 50)}" is none of ${known.join(', ')}`,
    })
  return asked
}

/** Reads the filters of a request. Throws `invalid_field` for an invalid time, phrase or word of a fixed list. */
export function readFilter(query: Query): Filter {
  const phrase = query.q?.trim() || undefined
  if (phrase && [...phrase].length > longestPhrase)
    throw problem('invalid_field', { field: 'q', detail: `q has more than ${longestPhrase} characters` })
  return {
    crews: listOf(query.crew_ids) ?? listOf(query.crew_id),
    agents: listOf(query.agent_ids) ?? listOf(query.agent_id),
    missions: listOf(query.mission_id),
    traces: listOf(query.trace_id),
    runs: listOf(query.run_id),
    types: listAmong(entryTypes, 'entry_type', query.entry_type),
    withoutTypes: listAmong(entryTypes, 'exclude_entry_type', query.exclude_entry_type),
    severities: listAmong(severities, 'severity', query.severity),
    actorTypes: listAmong(actorTypes, 'actor_type', query.actor_type),
    priorities: listAmong(priorities, 'priority', query.priority),
    since: boundOf(query, 'since', Math.ceil),
    until: boundOf(query, 'until', Math.floor),
    phrase,
  }
}

/** Stored times have milliseconds, so a finer bound is rounded into its range. */
function boundOf(query: Query, field: 'since' | 'until', round: (ms: number) => number): number | undefined {
  const text = query[field]?.trim()
  if (!text) return undefined
  const time = parseTime(text)
  if (time === null)
    throw problem('invalid_field', { field, detail: `${field} must be an RFC 3339 time such as 2026-01-31T12:00:00Z` })
  return time.ms + round(time.fraction)
}

export function readLimit(given: string | number = ''): number {
  const text = String(given).trim()
  if (text === '') return 100
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 500)
    throw problem('invalid_field', { field: 'limit', detail: 'limit must be a whole number from 1 to 500' })
  return limit
}

/** Whether an entry matches a filter, apart from the phrase. Agrees with the planned reads. */
export function accepts(filter: Filter, entry: Entry): boolean {
  const among = (values: string[] | undefined, value: string | undefined) =>
    !values || (value !== undefined && values.includes(value))
  const ts = filter.since !== undefined || filter.until !== undefined ? Date.parse(entry.ts) : 0
  const run = entry.payload?.['run_id']
  return (
    among(filter.crews, entry.crew_id) &&
    among(filter.agents, entry.agent_id) &&
    among(filter.missions, entry.mission_id) &&
    among(filter.traces, entry.trace_id) &&
    (!filter.runs ||
      [entry.trace_id, entry.actor_id, run].some((id) => typeof id === 'string' && filter.runs!.includes(id))) &&
    among(filter.types, entry.entry_type) &&
    !filter.withoutTypes?.includes(entry.entry_type) &&
    among(filter.severities, entry.severity) &&
    among(filter.actorTypes, entry.actor_type) &&
    among(filter.priorities, entry.priority) &&
    (filter.since === undefined || ts >= filter.since) &&
    (filter.until === undefined || ts <= filter.until)
  )
}
