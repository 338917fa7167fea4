import type { Static } from 'typebox'
import type { AgentPatch } from '#contract/agents'
import { type App, wholeSeconds } from '#kernel/app'
import { nextTime } from '#kernel/cron'
import { queries, type ScheduleRow } from './queries.ts'
import { mergeSchedule, noSchedule, type Schedule } from './rules.ts'

export type { ScheduleRow } from './queries.ts'
export { dueSince } from './rules.ts'

export const scheduleMembers = ['schedule_cron', 'schedule_prompt', 'schedule_enabled', 'schedule_timezone'] as const

export const scheduleOf = ({ db }: App, agentId: string): ScheduleRow | undefined => queries(db).find.get(agentId)

/** Stores what a create or a change says of an agent's schedule, and when that comes next. */
export function setSchedule(app: App, agentId: string, body: Static<typeof AgentPatch>): void {
  if (scheduleMembers.every((name) => body[name] === undefined)) return
  const row = scheduleOf(app, agentId)
  const before: Schedule = row ? { ...row, enabled: row.enabled === 1 } : noSchedule
  const { cron, prompt, enabled, timezone } = mergeSchedule(body, before, app.clock())
  const next_run = enabled ? comesNext(app, { cron, timezone }) : null
  queries(app.db).set.run({ agent_id: agentId, cron, prompt, enabled: enabled ? 1 : 0, timezone, next_run })
}

/** When a schedule comes next. */
export function comesNext(app: App, { cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): string | null {
  const at = cron === null ? null : nextTime(cron, timezone, app.clock())
  return at === null ? null : wholeSeconds(at)
}

export const firstDue = ({ db }: App): string | null => queries(db).next.get()?.next_run ?? null
/** Agents whose schedule is due, the one that waits longest first. */
export const dueNow = (app: App): string[] =>
  queries(app.db)
    .due.all(app.now())
    .map(({ agent_id }) => agent_id)

/** Puts the next occurrence on record: `skipped` says why the one that was due did not begin. */
export function advance(app: App, row: ScheduleRow, skipped: string | null, begun: boolean): void {
  const next_run = comesNext(app, row)
  queries(app.db).advance.run({ agent_id: row.agent_id, next_run, last_run: begun ? app.now() : null, skipped })
}

/** Runs that may fail one after the other before a schedule is switched off. */
const mostFailures = 5

/** Counts the end of a scheduled run; the number of failures when that was one too many. */
export function countEnd({ db }: App, agentId: string, ended: 'well' | 'badly'): number | null {
  if (ended === 'well') {
    queries(db).succeeded.run(agentId)
    return null
  }
  const failures = queries(db).failed.get(agentId)?.failures ?? 0
  if (failures < mostFailures) return null
  queries(db).disable.run(agentId)
  return failures
}

export const forgetSchedule = ({ db }: App, agentId: string): void => void queries(db).remove.run(agentId)
