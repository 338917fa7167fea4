/** Resolves after a while, or as soon as the signal comes. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })

/** What the work comes to, or undefined as soon as the signal comes; the work itself goes on. */
export function unless<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    signal.addEventListener('abort', leave, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}
