import type { App } from '#kernel/app'
import { eraseExpired, nextExpiry } from '../features/credentials/rotations/service.ts'

/** Timers cannot wait longer than 24 days. */
const longest = 86_400_000

/** Erases a rotated credential's old value at the moment its grace is over. One timer, set to the next one; nothing is polled. */
export function eraseOldValues(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined

  function wait(): void {
    clearTimeout(timer)
    const next = nextExpiry(app)
    if (next) timer = setTimeout(sweep, Math.min(longest, Math.max(0, Date.parse(next) - app.clock()))).unref()
  }

  function sweep(): void {
    app
      .write(() => eraseExpired(app))
      .catch((error) => app.log.error({ err: error }, 'Old values could not be erased'))
      .finally(wait)
  }

  const listen = ({ entry }: { entry: { entry_type: string } }) => {
    if (entry.entry_type === 'credential.rotated') wait()
  }
  app.bus.on('entry', listen)
  wait()
  return {
    close() {
      app.bus.off('entry', listen)
      clearTimeout(timer)
    },
  }
}
