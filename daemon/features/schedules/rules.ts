import { type CatchupPolicy, mostCaughtUp } from '#contract/schedules'
import { nextTime } from '#kernel/cron'

/** How late an occurrence is still on time: as long as a restart may take. */
const lateMs = 5 * 60_000
/** Occurrences that are counted one by one; there may be more. */
const mostCounted = 1000

/** Occurrences that are carried out now, oldest first, and how many were missed. Times in milliseconds since 1970. */
export interface Due {
  begin: number[]
  missed: number
  /** The first one after them; null when none comes. */
  next: number | null
}

/** What is done about the occurrences since `from`, the first that is due. docs/schedules.md, "What was missed". */
export function dueOf(cron: string, timezone: string, policy: CatchupPolicy, from: number, now: number): Due {
  const all: number[] = []
  let next: number | null = from
  for (; next !== null && next <= now && all.length < mostCounted; next = nextTime(cron, timezone, next)) all.push(next)
  if (next !== null && next <= now) next = nextTime(cron, timezone, now)
  const last = all.at(-1)
  const onTime = last !== undefined && now - last <= lateMs
  const most = policy === 'all' ? mostCaughtUp : policy === 'once' || onTime ? 1 : 0
  const begin = most ? all.slice(-most) : []
  return { begin, missed: all.length - begin.length, next }
}

/** Whether what a routine gave says that work is to begin. */
export const saysGo = (output: unknown): boolean =>
  typeof output === 'string'
    ? !['', 'false', '0', 'null', 'nil', 'no', 'off'].includes(output.trim().toLowerCase())
    : typeof output === 'object' && output !== null
      ? Object.keys(output).length > 0
      : Boolean(output)
