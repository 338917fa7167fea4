import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { expireHires } from './outcomes.ts'

const every = 300_000
/** Agents per change, so that other writes can run in between. */
const batch = 100

/** Makes ghosts of hired agents whose time is over, at the start and every five minutes. */
export function expireHiresRegularly(app: App): { close(): void } {
  let closed = false
  async function sweep(): Promise<void> {
    try {
      while (!closed && (await untilWritten(app, () => expireHires(app, batch))) === batch);
    } catch (error) {
      app.log.error({ err: error }, 'Hired agents could not be let go')
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
