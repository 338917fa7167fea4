import type { EntryType } from '#contract/entries'
import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { pause, timerAt } from '#kernel/timer'

interface Due {
  /** When the next one is due; null when there is none. */
  next(app: App): string | null
  /** Ends what is due, within a change. */
  end(app: App): unknown
  /** The entry that tells of a new one. */
  woken: EntryType
  /** What failed, for the log. */
  failure: string
}

/** Ends things at the moment when their time is over. One timer, set to the next one; nothing is polled. */
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
