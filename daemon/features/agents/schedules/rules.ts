import { CronExpressionParser } from 'cron-parser'
import type { Static } from 'typebox'
import type { AgentPatch } from '#contract/agents'
import { blankToNull } from '#kernel/http/fields'
import { problem } from '#kernel/problem'

/** What people set of a schedule. */
export interface Schedule {
  cron: string | null
  prompt: string | null
  enabled: boolean
  timezone: string
}

export const noSchedule: Schedule = { cron: null, prompt: null, enabled: false, timezone: 'UTC' }

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const value = '(?:\\d{1,2}|[A-Za-z]{3})'
const part = `(?:\\*|${value}(?:-${value})?)(?:/\\d{1,2})?`
/** The parser takes seconds and signs of other dialects too. */
const fiveFields = new RegExp(`^${part}(?:,${part})*(?: ${part}(?:,${part})*){4}$`)

const parse = (cron: string, tz: string, from: number) =>
  CronExpressionParser.parse(descriptors[cron] ?? cron, { tz, currentDate: new Date(from) })

/** The first time after `after`, in milliseconds since 1970; null when none comes. docs/triggers.md, "Time zones". */
export function nextTime(cron: string, timezone: string, after: number): number | null {
  try {
    return parse(cron, timezone, after).next().getTime()
  } catch {
    return null
  }
}

/** The last time up to `now`; the parser looks for one before the second that it is given. */
const lastTime = (cron: string, timezone: string, now: number): number =>
  parse(cron, timezone, Math.floor(now / 1000) * 1000 + 1000)
    .prev()
    .getTime()

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The schedule after a create or a change; refuses what can never begin. */
export function mergeSchedule(body: Static<typeof AgentPatch>, before: Schedule, now: number): Schedule {
  const next = { ...before }
  if (body.schedule_timezone !== undefined) next.timezone = timezoneOf(body.schedule_timezone)
  if (body.schedule_cron !== undefined) next.cron = cronOf(body.schedule_cron)
  if (body.schedule_prompt !== undefined) next.prompt = blankToNull(body.schedule_prompt)
  next.enabled = body.schedule_enabled ?? (next.enabled && next.cron !== null && next.prompt !== null)
  if (next.cron !== null && nextTime(next.cron, next.timezone, now) === null)
    throw refuse('schedule_cron', `schedule_cron: no time fits "${next.cron}"`)
  if (next.enabled && next.cron === null) throw refuse('schedule_enabled', 'schedule_enabled needs a schedule_cron')
  if (next.enabled && next.prompt === null) throw refuse('schedule_enabled', 'schedule_enabled needs a schedule_prompt')
  return next
}

function cronOf(given: string | null): string | null {
  const text = blankToNull(given)?.trim().replace(/\s+/g, ' ') ?? null
  if (text === null || Object.hasOwn(descriptors, text)) return text
  if (!fiveFields.test(text))
    throw refuse(
      'schedule_cron',
      'schedule_cron must have five fields (minute, hour, day of month, month, day of week) or be one of ' +
        Object.keys(descriptors).join(', '),
    )
  try {
    parse(text, 'UTC', 0)
  } catch (error) {
    throw refuse('schedule_cron', `schedule_cron: ${(error as Error).message}`)
  }
  return text
}

function timezoneOf(given: string | null): string {
  const name = blankToNull(given)?.trim() ?? noSchedule.timezone
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) || !isTimezone(name))
    throw refuse('schedule_timezone', 'schedule_timezone must be the name of a time zone, such as Europe/Berlin')
  return name
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Occurrences that are counted one by one; there may be more. */
const mostCounted = 1000
/** How late an occurrence still begins: as long as a restart may take. */
const lateMs = 5 * 60_000

/** What became due since `from`, the time of the first: whether the last one is to begin, and how many were missed. */
export function dueSince(
  cron: string,
  timezone: string,
  from: number,
  now: number,
): { begins: boolean; missed: number } {
  const begins = now - lastTime(cron, timezone, now) <= lateMs
  let count = 0
  for (let at: number | null = from; at !== null && at <= now && count < mostCounted; at = nextTime(cron, timezone, at))
    count++
  return { begins, missed: count - (begins ? 1 : 0) }
}
