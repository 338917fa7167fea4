import { CronExpressionParser } from 'cron-parser'
import { blankToNull } from './http/fields.ts'
import { problem } from './problem.ts'

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

/** The next times after `now`, three unless stated. */
export function nextTimes(cron: string, timezone: string, now: number, count = 3): number[] {
  const found: number[] = []
  for (let at = nextTime(cron, timezone, now); at !== null && found.length < count; at = nextTime(cron, timezone, at))
    found.push(at)
  return found
}

/** The last time up to `now`; the parser looks for one before the second that it is given. */
export const lastTime = (cron: string, timezone: string, now: number): number =>
  parse(cron, timezone, Math.floor(now / 1000) * 1000 + 1000)
    .prev()
    .getTime()

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** A cron expression in one spelling; refuses what is none. `field` is the member that it comes from. */
export function cronOf(field: string, given: string | null): string | null {
  const text = blankToNull(given)?.trim().replace(/\s+/g, ' ') ?? null
  if (text === null || Object.hasOwn(descriptors, text)) return text
  if (!fiveFields.test(text))
    throw refuse(
      field,
      `${field} must have five fields (minute, hour, day of month, month, day of week) or be one of ` +
        Object.keys(descriptors).join(', '),
    )
  try {
    parse(text, 'UTC', 0)
  } catch (error) {
    throw refuse(field, `${field}: ${(error as Error).message}`)
  }
  return text
}

/** The name of a time zone, UTC when none is given; refuses what is none. */
export function timezoneOf(field: string, given: string | null): string {
  const name = blankToNull(given)?.trim() ?? 'UTC'
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) || !isTimezone(name))
    throw refuse(field, `${field} must be the name of a time zone, such as Europe/Berlin`)
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
