import type { App } from '#kernel/app'
import { pause, timerAt } from '#kernel/jobs/due'
import { untilWritten } from '#kernel/store/until-written'
import { timeAt } from '#kernel/time-at'
import { beginDue } from './beginning/service.ts'
import { queries } from './queries.ts'

/** Schedules that one change looks at. */
const batch = 50

/** Begins what schedules ask for, with one timer for the next of them. */
export function beginScheduled(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let armed = Number.POSITIVE_INFINITY
  let sweeping = false
  let closed = false

  function wait(at: string): void {
    const ms = Date.parse(at)
    // A sweep looks for the next one by itself when it ends.
    if (closed || sweeping || ms >= armed) return
    clearTimeout(timer)
    armed = ms
    timer = timerAt(app, ms, sweep)
  }

  async function sweep(): Promise<void> {
    armed = Number.POSITIVE_INFINITY
    sweeping = true
    let failed = false
    try {
      for (let due = dueNow(); due.length && !closed; due = dueNow())
        await untilWritten(app, () => {
          for (const { id } of due) beginDue(app, id)
        })
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'Schedules that were due could not begin')
      failed = true
    }
    sweeping = false
    if (closed) return
    const next = failed ? timeAt(app.clock() + pause) : queries(app.db).next.get()?.next_run_at
    if (next) wait(next)
  }

  const dueNow = () => queries(app.db).due.all(timeAt(app.clock()), batch)

  app.bus.on('scheduled', wait)
  void sweep()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      app.bus.off('scheduled', wait)
    },
  }
}
