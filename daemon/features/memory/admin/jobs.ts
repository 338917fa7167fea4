import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { forgetOldVersions } from './service.ts'

const every = 3_600_000
/** Versions per change, so that other writes can run in between. */
const batch = 200

/** Deletes versions that are kept long enough, at the start and every hour. */
export function forgetVersionsRegularly(app: App): { close(): void } {
  let closed = false
  async function sweep(): Promise<void> {
    try {
      while (!closed && (await untilWritten(app, () => forgetOldVersions(app, batch))) === batch);
    } catch (error) {
      app.log.error({ err: error }, 'Old versions of memory could not be deleted')
    }
  }
  void sweep()
  const timer = setInterval(sweep, every).unref()
  return {
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
