import type { App } from './app.ts'

const waiting = new WeakMap<App, Map<string, Set<() => void>>>()

function waitersOf(app: App): Map<string, Set<() => void>> {
  const known = waiting.get(app) ?? new Map<string, Set<() => void>>()
  waiting.set(app, known)
  return known
}

/** Wakes whoever waits for what has this id, once the current change is committed. */
export const wake = (app: App, id: string): void =>
  app.afterCommit(() => {
    for (const go of waitersOf(app).get(id) ?? []) go()
  })

/** Whether somebody waits for what has this id. */
export const isAwaited = (app: App, id: string): boolean => waitersOf(app).has(id)

/** Resolves when what has this id is woken, at the deadline (milliseconds), or when `signal` is or was aborted. */
export function wokenBy(app: App, id: string, deadline: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  const all = waitersOf(app)
  return new Promise((resolve) => {
    const own = all.get(id) ?? new Set()
    all.set(id, own)
    const timer = setTimeout(done, Math.max(0, deadline - app.clock())).unref()
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
