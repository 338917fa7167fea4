import { type App, wholeSeconds } from '#kernel/app'
import { pause, timerAt } from '#kernel/jobs/due'
import type { Recorded } from '#kernel/journal/journal'
import { untilWritten } from '#kernel/store/until-written'
import { cancelOrphans as cancelApprovals, endTimedOut, nextTimeout } from '../features/approvals/service.ts'
import { cancelOrphans as cancelQuestions, expireDue, nextExpiry } from '../features/escalations/service.ts'
import { endTimedOut as endWaitpoints, nextTimeout as nextWaitpoint } from '../features/waitpoints/service.ts'

/** Something that ends by itself when nobody decides. */
interface Deadline {
  /** When the next one is due; null when none is open. */
  next(app: App): string | null
  /** Ends at most so many that are due; how many these were. Within a change. */
  end(app: App, most: number): number
}

const deadlines: readonly Deadline[] = [
  { next: nextExpiry, end: expireDue },
  { next: nextTimeout, end: endTimedOut },
  { next: nextWaitpoint, end: endWaitpoints },
]

/** Rows a change: other writes come between. */
const batch = 500

/**
 * Ends what nobody decided in time, at the moment when that is over: one timer, set to the next. What agents, crews and
 * workspaces leave open when they are deleted ends too.
 */
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
    for (const { next, end } of deadlines) {
      const done = await inBatches('What is due', (most) => end(app, most))
      if (closed) return
      // After a failure not at once: it would most likely fail again.
      wait(done ? next(app) : wholeSeconds(app.clock() + pause))
    }
  }

  async function inBatches(what: string, end: (most: number) => number): Promise<boolean> {
    try {
      while (!closed && (await untilWritten(app, () => end(batch))) === batch);
      return true
    } catch (error) {
      app.log.error({ err: error }, `${what} could not be ended`)
      return false
    }
  }

  const orphaned = async () => {
    for (const cancel of [cancelQuestions, cancelApprovals])
      await inBatches('What was left open', (most) => cancel(app, most))
  }
  const onEntry = ({ entry }: Recorded) => {
    const what = entry.entry_type === 'audit.entity_deleted' && entry.payload?.['entity_type']
    if (what === 'agent' || what === 'crew' || what === 'workspace') void orphaned()
  }

  app.bus.on('due', wait)
  app.bus.on('entry', onEntry)
  void orphaned()
  void sweep()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      app.bus.off('due', wait)
      app.bus.off('entry', onEntry)
    },
  }
}
