import type { EntryType } from '#contract/entries'
import type { App } from '../app.ts'
import { untilWritten } from '../store/until-written.ts'

/** Milliseconds until failed work is tried again. */
export const pause = 60_000

/** Longest timer, in milliseconds, since the system clock may be changed meanwhile. */
const longest = 60_000

/** Runs `work` at that time, or in a minute if that is earlier: `work` then checks the time again. */
export const timerAt = (app: App, at: number, work: () => void): NodeJS.Timeout =>
  setTimeout(work, Math.min(longest, Math.max(0, at - app.clock()))).unref()

interface Due {
  /** When the next item is due; null when there is none. */
  next(app: App): string | null
  /** Ends all items that are due. */
  end(app: App): unknown
  /** Type of the entry that announces a new item. */
  woken: EntryType
  /** Message to log when `end` fails. */
  failure: string
}

/** Ends items when they are due, with one timer for the next one instead of polling. */
export function endWhenDue(app: App, { next, end, woken, failure }: Due): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function wait(): void {
    clearTimeout(timer)
    const at = closed ? null : next(app)
    if (at) timer = timerAt(app, Date.parse(at), sweep)
  }

  function sweep(): void {
    untilWritten(app, () => end(app)).then(wait, (error) => {
      if (closed) return
      app.log.error({ err: error }, failure)
      timer = setTimeout(sweep, pause).unref()
    })
  }

  const listen = ({ entry }: { entry: { entry_type: string } }) => {
    if (entry.entry_type === woken) wait()
  }
  app.bus.on('entry', listen)
  wait()
  return {
    close() {
      closed = true
      app.bus.off('entry', listen)
      clearTimeout(timer)
    },
  }
}
