import type { App } from '../app.ts'
import { untilWritten } from '../store/until-written.ts'

interface Sweep {
  /** Milliseconds between two sweeps. */
  everyMs: number
  /** Items per change, so that other writes can run in between. */
  batch: number
  /** Settles at most so many items within a change, and returns their number. */
  sweep(most: number): number
  /** Message to log when a sweep fails. */
  failure: string
}

/** Settles what is over, batch by batch, at the start and regularly after that. */
export function sweepRegularly(app: App, { everyMs, batch, sweep, failure }: Sweep): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function go(): Promise<void> {
    try {
      while (!closed && (await untilWritten(app, () => sweep(batch))) === batch);
    } catch (error) {
      app.log.error({ err: error }, failure)
    }
    if (!closed) timer = setTimeout(go, everyMs).unref()
  }

  void go()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
