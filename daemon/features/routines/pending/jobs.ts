import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { pause, timerAt } from '#kernel/jobs/due'
import { Problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import { timeAt } from '#kernel/time-at'
import { raise } from '../../inbox/service.ts'
import { type RunRequest, startRun } from '../starting/service.ts'
import { type PendingRow, queries } from './queries.ts'
import { requestOf } from './service.ts'

/** Runs that one change begins. */
const atOnce = 12
/** Until a run is tried again that has to wait for others. */
const busyMs = 5000
/** Days that what has begun or was cancelled is kept. */
const keptMs = 7 * 86_400_000

/** Begins parked runs when their time has come: each with its row, in one change. */
export function firePending(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let armed = Number.POSITIVE_INFINITY
  let closed = false

  function wait(at: string): void {
    const ms = Date.parse(at)
    if (closed || ms >= armed) return
    clearTimeout(timer)
    armed = ms
    timer = timerAt(app, ms, sweep)
  }

  async function sweep(): Promise<void> {
    armed = Number.POSITIVE_INFINITY
    try {
      for (let rows = due(); rows.length && !closed; rows = due()) {
        await untilWritten(app, () => fireAll(app, rows))
        if (rows.length < atOnce) break
      }
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'Runs of routines that were due could not begin')
      return wait(timeAt(app.clock() + pause))
    }
    const next = closed ? undefined : queries(app.db).next.get()
    if (next) wait(next.fire_at)
  }

  const due = () => queries(app.db).due.all(timeAt(app.clock()), atOnce)

  app.bus.on('parked', wait)
  void sweep()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      app.bus.off('parked', wait)
    },
  }
}

function fireAll(app: App, rows: readonly PendingRow[]): void {
  for (const row of rows) fire(app, row)
}

/** Begins a parked run; it waits on where the routine is busy, and ends where it can never begin. */
function fire(app: App, row: PendingRow): void {
  const now = timeAt(app.clock())
  const end = (status: 'fired' | 'expired' | 'cancelled', run: string | null, reason: string | null) =>
    queries(app.db).end.get({ id: row.id, status, run, reason, now })
  if (row.expires_at !== null && row.expires_at <= now) return void end('expired', null, row.reason)
  const request = requestOf(app, row)
  if (!request) return void end('cancelled', null, 'The routine is gone')
  const counted = row.match_count > 1 || request.via === 'automation'
  const metadata = counted ? { coalesced_events: row.match_count, ...request.metadata } : request.metadata
  try {
    const { run_id } = startRun(app, { ...request, ...(metadata && { metadata }) })
    end('fired', run_id, null)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'routine_busy') queries(app.db).postpone.run(timeAt(app.clock() + busyMs), error.message, row.id)
    else {
      end('cancelled', null, error.message)
      app.log.warn({ pending_id: row.id, code: error.code }, 'A run of a routine could not begin')
      if (request.via === 'automation') tellRefused(app, row, request, error.message)
    }
  }
}

/** What an automation asks for in vain is told to people: nobody waits for its answer. */
function tellRefused(app: App, row: PendingRow, { routine, by, metadata }: RunRequest, why: string): void {
  const name = String(metadata?.['automation_name'] ?? by)
  const item = {
    kind: 'automation_enqueue_failed',
    source: by ?? row.id,
    target: { role: 'MANAGER' },
    title: `The automation "${name}" begins nothing`,
    body: `The routine "${routine.slug}" refused the run: ${why}`,
    priority: 'high',
    payload: { automation_id: by, routine_slug: routine.slug },
  } as const
  raise(app, { ...item, workspace: row.workspace_id, now: app.now() }, 'upsert')
}

export const forgetPending = (app: App) =>
  forgetDaily(app, 'Old parked runs', (most) => queries(app.db).forget.run(timeAt(app.clock() - keptMs), most).changes)
