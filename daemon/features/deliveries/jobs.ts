import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { pause, timerAt } from '#kernel/jobs/due'
import { attempt } from './outbox/service.ts'
import { queries } from './queries.ts'

/** Channels that are sent to at once. */
const atOnce = 8
/** Days that the log is kept. */
const keptMs = 90 * 86_400_000

/** Sends what is due: through one channel one after the other, through several at once. */
export function deliverDue(app: App): { close(): void } {
  const working = new Set<string>()
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let armed = Number.POSITIVE_INFINITY

  function wait(at: number): void {
    if (ending.signal.aborted || at >= armed) return
    clearTimeout(timer)
    armed = at
    timer = timerAt(app, at, sweep)
  }

  function sweep(): void {
    armed = Number.POSITIVE_INFINITY
    if (ending.signal.aborted) return
    for (const { channel_id } of queries(app.db).dueChannels.all(app.clock())) {
      if (working.size >= atOnce) return
      if (!working.has(channel_id)) void work(channel_id)
    }
    const next = queries(app.db).next.get()?.next_at
    if (next != null && !working.size) wait(next)
  }

  async function work(channel: string): Promise<void> {
    working.add(channel)
    let again = app.clock()
    try {
      const first = () => queries(app.db).firstDue.get({ channel, now: app.clock() })
      for (let row = first(); row && !ending.signal.aborted; row = first()) await attempt(app, row, ending.signal)
    } catch (error) {
      if (!ending.signal.aborted) app.log.error({ err: error }, 'Messages could not be sent')
      again += pause
    }
    working.delete(channel)
    if (again > app.clock()) wait(again)
    else setImmediate(sweep)
  }

  app.bus.on('deliver', wait)
  sweep()
  return {
    close() {
      ending.abort()
      clearTimeout(timer)
      app.bus.off('deliver', wait)
    },
  }
}

const before = (app: App) => new Date(app.clock() - keptMs).toISOString()

export const forgetDeliveries = (app: App) =>
  forgetDaily(app, 'Old deliveries', (most) => queries(app.db).forget.run(before(app), most).changes)

export const forgetEvents = (app: App) =>
  forgetDaily(app, 'Old events', (most) => queries(app.db).forgetEvents.run(before(app), most).changes)
