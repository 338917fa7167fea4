import type { App } from '#kernel/app'
import { expireDue, nextExpiry } from '../features/ports/service.ts'

/** Timers cannot wait longer than 24 days. */
const longest = 86_400_000

/** Marks exposed ports as expired at the moment their time is over. One timer, set to the next one; nothing is polled. */
export function expirePorts(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let over = false

  function wait(): void {
    clearTimeout(timer)
    const next = over ? undefined : nextExpiry(app)
    if (next) timer = setTimeout(sweep, Math.min(longest, Math.max(0, Date.parse(next) - app.clock()))).unref()
  }

  function sweep(): void {
    app
      .write(() => expireDue(app))
      .catch((error) => app.log.error({ err: error }, 'Exposed ports could not be marked as expired'))
      .finally(wait)
  }

  const listen = ({ entry }: { entry: { entry_type: string } }) => {
    if (entry.entry_type === 'network.port_opened') wait()
  }
  app.bus.on('entry', listen)
  wait()
  return {
    close() {
      over = true
      app.bus.off('entry', listen)
      clearTimeout(timer)
    },
  }
}
