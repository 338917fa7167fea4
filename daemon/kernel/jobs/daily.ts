import type { App } from '../app.ts'
import { untilWritten } from '../store/until-written.ts'

const day = 86_400_000
/** Rows deleted per change, so that other writes can run in between. */
const batch = 5000

/**
 * Deletes expired rows at start and once a day. `forget` deletes at most `most` rows and returns their number; `what`
 * names them in the log.
 */
export function forgetDaily(app: App, what: string, forget: (most: number) => number): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function sweep(): Promise<void> {
    try {
      while (!closed && (await untilWritten(app, () => forget(batch))) === batch);
    } catch (error) {
      app.log.error({ err: error }, `${what} could not be deleted`)
    }
    if (!closed) timer = setTimeout(sweep, day).unref()
  }

  void sweep()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
