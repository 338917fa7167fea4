import type { App } from '#kernel/app'

const waiting = new WeakMap<App, Map<string, Set<() => void>>>()

function waitersOf(app: App): Map<string, Set<() => void>> {
  const known = waiting.get(app) ?? new Map<string, Set<() => void>>()
  waiting.set(app, known)
  return known
}

/** Wakes whoever waits for the end of an assignment, once the current change is committed. */
export const wake = (app: App, id: string): void =>
  app.afterCommit(() => {
    for (const go of waitersOf(app).get(id) ?? []) go()
  })

/** Resolves when the assignment ends, the time is over or `signal` says so. */
export function endedOr(app: App, id: string, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve()
  const all = waitersOf(app)
  return new Promise((resolve) => {
    const own = all.get(id) ?? new Set()
    all.set(id, own)
    const timer = setTimeout(done, ms).unref()
    own.add(done)
    signal.addEventListener('abort', done)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      own.delete(done)
      if (!own.size) all.delete(id)
      resolve()
    }
  })
}
