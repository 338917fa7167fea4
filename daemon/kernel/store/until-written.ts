import type { App } from '../app.ts'
import { storageFault } from './storage-fault.ts'

type Place = Pick<App, 'write' | 'storage' | 'stopping' | 'log'>

/** Facts that wait in memory for the disk; past it each has one attempt. */
const mostWaiting = 10_000

/**
 * Stores a change that must not be lost: while the disk refuses, it is asked again as soon as the disk works. Problems
 * and faults
 * are thrown at once, as is the disk's refusal when `signal` came meanwhile. The change runs anew with each attempt.
 */
export async function untilWritten<T>(
  app: Place,
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

/** The same for a fact that nobody waits for; `what` names it in the log. */
export function recordSoon(app: Place, what: string, change: () => unknown): void {
  const written = app.storage.waiting < mostWaiting ? untilWritten(app, change) : app.write(change)
  written.catch((error: Error) => app.log.error({ err: error }, `Not recorded: ${what}`))
}
