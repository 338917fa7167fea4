import { type App, wholeSeconds } from '#kernel/app'
import { pause, timerAt } from '#kernel/jobs/due'
import { untilWritten } from '#kernel/store/until-written'
import { withdrawOrphans } from './orphans.ts'
import { expireDue, nextDeadline } from './service.ts'

/** Rows per change, so that other writes can run in between. */
const batch = 500

/** Expires decisions at their deadline, with one timer that is set to the next deadline. */
export function watchDeadlines(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let armed = Number.POSITIVE_INFINITY
  let closed = false

  function wait(at: string | null): void {
    const ms = at === null ? Number.POSITIVE_INFINITY : Date.parse(at)
    if (closed || ms >= armed) return
    clearTimeout(timer)
    armed = ms
    timer = timerAt(app, ms, sweep)
  }

  async function sweep(): Promise<void> {
    armed = Number.POSITIVE_INFINITY
    const done = await attempt('Overdue decisions could not be expired', async () => {
      while (!closed && (await untilWritten(app, () => expireDue(app, batch))) === batch);
    })
    // A failed attempt is repeated after a pause, since it would most likely fail again at once.
    if (!closed) wait(done ? nextDeadline(app) : wholeSeconds(app.clock() + pause))
  }

  async function attempt(failure: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      app.log.error({ err: error }, failure)
      return false
    }
  }

  app.bus.on('due', wait)
  void attempt('Orphaned decisions could not be withdrawn', () => untilWritten(app, () => withdrawOrphans(app)))
  void sweep()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      app.bus.off('due', wait)
    },
  }
}
