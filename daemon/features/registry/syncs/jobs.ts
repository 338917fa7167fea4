import type { App } from '#kernel/app'
import type { Job } from '#kernel/feature'
import { timerAt } from '#kernel/jobs/due'
import { oneAtATime } from '#kernel/jobs/one-at-a-time'
import { plainLine } from '#kernel/plain-line'
import { untilWritten } from '#kernel/store/until-written'
import { fetchRegistry } from './fetching.ts'
import { beginSync, endSync, nextSync } from './service.ts'

/** Fetches the registry when it is asked for, and from then on daily. */
export const keepSynced: Job = (app) => {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const work = oneAtATime(() => syncWhenDue(app))
  const go = async () => {
    clearTimeout(timer)
    try {
      await work()
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'The registry of MCP servers could not be kept')
    }
    const next = closed || !app.config.registryUrl ? null : nextSync(app)
    if (next !== null) timer = timerAt(app, Math.max(next, app.clock() + 1000), go)
  }
  app.bus.on('registry', go)
  void go()
  return {
    close() {
      closed = true
      app.bus.off('registry', go)
      clearTimeout(timer)
    },
  }
}

/** What was fetched before it failed is kept; the next attempt is a day later, or when somebody asks. */
async function syncWhenDue(app: App): Promise<void> {
  const next = nextSync(app)
  if (next === null || next > app.clock() || !app.config.registryUrl) return
  await untilWritten(app, () => beginSync(app))
  let failure: string | null = null
  try {
    const servers = await fetchRegistry(app)
    app.log.info({ servers }, 'The registry of MCP servers was fetched')
  } catch (error) {
    if (app.stopping.signal.aborted) return
    app.log.warn({ err: error }, 'The registry of MCP servers could not be fetched')
    failure = plainLine((error as Error).message)
  }
  await untilWritten(app, () => endSync(app, failure))
}
