import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds of work before others have their turn. */
const ownTurn = 10

/** Called within a long loop, it lets others have their turn whenever the loop has worked for long enough. */
export function turns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ownTurn) return
    await turn()
    since = performance.now()
  }
}
