import type { App } from '#kernel/app'
import { sweepSends } from './sends/service.ts'
import { sweepSessions } from './sessions/service.ts'

const every = 86_400_000

/** Gives up, daily, what agents' clients keep for chats in which nobody asks any more, and old keys of messages. */
export function sweepOldSessions(app: App): { close(): void } {
  const sweep = () =>
    void app
      .write(() => {
        sweepSessions(app)
        sweepSends(app)
      })
      .catch((error) =>
        app.log.error({ err: error }, 'Old sessions of clients and keys of messages could not be given up'),
      )
  sweep()
  const timer = setInterval(sweep, every).unref()
  return { close: () => clearInterval(timer) }
}
