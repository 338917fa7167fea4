import type { App } from '../app.ts'
import { storageFault } from './storage-fault.ts'

type Context = Pick<App, 'write' | 'storage' | 'stopping' | 'log'>

/** Most facts that wait in memory for the disk. Beyond that, each gets a single attempt. */
const mostWaiting = 10_000

/**
 * Stores a change that must not be lost: after a disk fault it runs again as soon as the disk works. Other errors are
 * thrown at once, and so is the disk fault when `signal` aborts.
 */
export async function untilWritten<T>(
  app: Context,
  change: () => T,
  signal: AbortSignal = app.stopping.signal,
): Promise<T> {
  for (;;) {
    try {
      return await app.write(change)
    } catch (error) {
      if (!storageFault(error)) throw error
      await app.storage.working(signal)
      if (signal.aborted) throw error
    }
  }
}

/** Stores a fact with `untilWritten`, without a caller that waits; `what` names it in the log. */
export function recordSoon(app: Context, what: string, change: () => unknown): void {
  const written = app.storage.waiting < mostWaiting ? untilWritten(app, change) : app.write(change)
  written.catch((error: Error) => app.log.error({ err: error }, `Not recorded: ${what}`))
}
