import type { App } from '#kernel/app'
import { forgetOldUses } from '../features/tokens/service.ts'

const day = 86_400_000
/** Rows a change: other writes come between. */
const batch = 5000

/** Forgets uses of administrative tokens when their time is over: at start, and once a day. */
export function forgetTokenUses(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function sweep(): Promise<void> {
    try {
      while (!closed && (await app.write(() => forgetOldUses(app, batch))) === batch);
    } catch (error) {
      app.log.error({ err: error }, 'Old uses of administrative tokens could not be forgotten')
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
