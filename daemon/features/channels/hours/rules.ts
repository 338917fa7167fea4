import { lastTime, nextTime } from '#kernel/cron'
import type { Row } from './queries.ts'

type Hours = Pick<Row, 'time_zone' | 'quiet_from' | 'quiet_until' | 'digest_at'>

/** A time of day as an expression of cron, which knows the days on which clocks are changed. */
function daily(time: string): string {
  const [hour, minute] = time.split(':').map(Number)
  return `${minute} ${hour} * * *`
}

/** When the quiet hours end in which a time lies; null outside of them. */
export function quietEnd({ time_zone, quiet_from, quiet_until }: Hours, at: number): number | null {
  if (!quiet_from || !quiet_until) return null
  const isQuiet = lastTime(daily(quiet_from), time_zone, at) > lastTime(daily(quiet_until), time_zone, at)
  return isQuiet ? nextTime(daily(quiet_until), time_zone, at) : null
}

/** Until when what is not urgent waits; null when it does not. */
export const waitEnd = (hours: Hours, at: number): number | null =>
  hours.digest_at ? nextTime(daily(hours.digest_at), hours.time_zone, at) : quietEnd(hours, at)
