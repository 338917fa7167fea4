import type { App } from '#kernel/app'
import { sweepMailTokens } from './recovery/service.ts'

const every = 3_600_000

/** Removes reset tokens whose time is over, hourly: they open nothing any more, and need not be kept. */
export function sweepOldMailTokens(app: App): { close(): void } {
  const sweep = () =>
    void app
      .write(() => sweepMailTokens(app))
      .catch((error) => app.log.error({ err: error }, 'Old reset tokens could not be removed'))
  sweep()
  const timer = setInterval(sweep, every).unref()
  return { close: () => clearInterval(timer) }
}
