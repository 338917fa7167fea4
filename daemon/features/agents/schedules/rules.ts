import type { Static } from 'typebox'
import type { AgentPatch } from '#contract/agents'
import { cronOf, lastTime, nextTime, timezoneOf } from '#kernel/cron'
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

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The schedule after a create or a change; refuses what can never begin. */
export function mergeSchedule(body: Static<typeof AgentPatch>, before: Schedule, now: number): Schedule {
  const next = { ...before }
  if (body.schedule_timezone !== undefined) next.timezone = timezoneOf('schedule_timezone', body.schedule_timezone)
  if (body.schedule_cron !== undefined) next.cron = cronOf('schedule_cron', body.schedule_cron)
  if (body.schedule_prompt !== undefined) next.prompt = blankToNull(body.schedule_prompt)
  next.enabled = body.schedule_enabled ?? (next.enabled && next.cron !== null && next.prompt !== null)
  if (next.cron !== null && nextTime(next.cron, next.timezone, now) === null)
    throw refuse('schedule_cron', `schedule_cron: no time fits "${next.cron}"`)
  if (next.enabled && next.cron === null) throw refuse('schedule_enabled', 'schedule_enabled needs a schedule_cron')
  if (next.enabled && next.prompt === null) throw refuse('schedule_enabled', 'schedule_enabled needs a schedule_prompt')
  return next
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
