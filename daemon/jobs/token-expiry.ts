import type { App } from '#kernel/app'
import { timerAt } from '#kernel/timer'
import { endExpired, nextExpiry } from '../features/tokens/service.ts'

/** Closes what a token holds open at the moment it runs out. One timer, set to the next one; nothing is polled. */
export function watchTokenExpiry(app: App): { close(): void } {
  let done = app.now()
  let timer: NodeJS.Timeout | undefined

  function wait(): void {
    clearTimeout(timer)
    // After the clock was set back, what ran out once may run out again.
    if (app.now() < done) done = app.now()
    const next = nextExpiry(app, done)
    if (next) timer = timerAt(app, Date.parse(next), sweep)
  }

  function sweep(): void {
    const since = done
    done = app.now()
    endExpired(app, since)
    wait()
  }

  app.bus.on('token_expires', wait)
  wait()
  return {
    close() {
      app.bus.off('token_expires', wait)
      clearTimeout(timer)
    },
  }
}
