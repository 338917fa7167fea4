import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { sweepUntold } from './deliveries/service.ts'
import { sweepOrphans } from './endings/service.ts'
import { sweepLost, sweepQueues } from './queue/service.ts'

const every = 300_000
/** Agents are carried out a moment after the daemon's other work begins. */
const retryMs = 1000

const parts = [sweepLost, sweepOrphans, sweepQueues, sweepUntold]

/** Ends what is lost, begins what waits and tells what was not told: each in a change of its own. */
export async function sweep(app: App): Promise<void> {
  for (const part of parts) await untilWritten(app, () => part(app)).catch((error) => log(app, error))
}

/** Looks after assignments at the start and every five minutes. */
export function sweepRegularly(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  async function look(): Promise<void> {
    if (closed) return
    const ready = app.runs.available
    if (ready) await sweep(app)
    if (!closed) timer = setTimeout(look, ready ? every : retryMs).unref()
  }
  void look()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

const log = (app: App, error: unknown): void => app.log.error({ err: error }, 'Assignments could not be looked after')
