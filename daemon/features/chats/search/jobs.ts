import type { App } from '#kernel/app'
import { indexOlder, isBehind } from './words.ts'

/** Messages indexed in one change, and the milliseconds of rest after it: other changes hardly wait. */
const batch = 100
const restMs = 40
/** Milliseconds until failed work is tried again. */
const pause = 60_000

/** Indexes messages that were stored before there was an index, in small parts beside the daemon's work. */
export function indexBacklog(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const next = (ms: number) => {
    if (!closed) timer = setTimeout(work, ms).unref()
  }
  const work = () =>
    void app
      .write(() => indexOlder(app, batch))
      .then((left) => left && next(restMs))
      .catch((error) => {
        app.log.error({ err: error }, 'Older messages could not be indexed for the search')
        next(pause)
      })
  if (isBehind(app)) next(restMs)
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
