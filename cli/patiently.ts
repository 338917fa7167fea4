import { setTimeout as pause } from 'node:timers/promises'
import { UnreachableError } from '#client'

const tryAgainMs = 500

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
