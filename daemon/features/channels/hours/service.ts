import type { Reply } from '#contract/define'
import type { notificationHours } from '#contract/preferences'
import type { App } from '#kernel/app'
import { timezoneOf } from '#kernel/cron'
import type { Call } from '#kernel/feature'
import { requireSome } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { queries, type Row } from './queries.ts'
import { quietEnd, waitEnd } from './rules.ts'

type Hours = Reply<typeof notificationHours.hours>

const members = ['time_zone', 'quiet_from', 'quiet_until', 'digest_at', 'urgent_waits'] as const
const initial = { time_zone: 'UTC', quiet_from: null, quiet_until: null, digest_at: null, urgent_waits: 0 }

const present = ({
  time_zone,
  quiet_from,
  quiet_until,
  digest_at,
  urgent_waits,
}: Omit<Row, 'user_id' | 'updated_at'>) =>
  ({ time_zone, quiet_from, quiet_until, digest_at, urgent_waits: urgent_waits === 1 }) satisfies Hours

export const show = ({ db }: App, { actor }: Call<typeof notificationHours.hours>): Hours =>
  present(queries(db).find.get(actor.id) ?? initial)

export function set(app: App, { actor, body, now }: Call<typeof notificationHours.setHours>): Hours {
  requireSome(body, members)
  const before = queries(app.db).find.get(actor.id) ?? initial
  const { urgent_waits, time_zone, ...times } = body
  const row: Row = {
    ...before,
    ...times,
    ...(time_zone !== undefined && { time_zone: timezoneOf('time_zone', time_zone) }),
    ...(urgent_waits !== undefined && { urgent_waits: urgent_waits ? 1 : 0 }),
    user_id: actor.id,
    updated_at: now,
  }
  if ((row.quiet_from === null) !== (row.quiet_until === null))
    throw problem('invalid_field', {
      field: row.quiet_from === null ? 'quiet_from' : 'quiet_until',
      detail: 'quiet_from and quiet_until belong together: give both, or null for both',
    })
  if (row.quiet_from !== null && row.quiet_from === row.quiet_until)
    throw problem('invalid_field', { field: 'quiet_until', detail: 'quiet_until must differ from quiet_from' })
  queries(app.db).set.run(row)
  return present(row)
}

interface Message {
  user: string
  /** Whether somebody waits for the answer of that person. */
  urgent: boolean
}

const hoursFor = ({ db }: App, { user, urgent }: Message): Row | undefined => {
  const row = queries(db).find.get(user)
  return row && (!urgent || row.urgent_waits) ? row : undefined
}

/** Until when a new message for somebody waits; null when it does not. */
export function waitsUntil(app: App, message: Message): number | null {
  const row = hoursFor(app, message)
  return row ? waitEnd(row, app.clock()) : null
}

/** The first time from then on at which a message may disturb somebody. */
export function outsideQuiet(app: App, message: Message, at: number): number {
  const row = hoursFor(app, message)
  return (row && quietEnd(row, at)) ?? at
}
