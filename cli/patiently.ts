import { setTimeout as pause } from 'node:timers/promises'
import { UnreachableError } from '#client'

const tryAgainMs = 500

/** How long a server may be away while a run is waited for, in milliseconds. */
export const runPatience = 120_000

/** Retries while the server is unreachable, for up to `patience` milliseconds. */
export async function patiently<T>(ask: () => Promise<T>, patience: number): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() > end) throw error
      await pause(tryAgainMs)
    }
  }
}
