import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { advance } from './engine/service.ts'
import { carryOn } from './planning/service.ts'
import { queries } from './queries.ts'

const every = 60_000
/** Agents are carried out a moment after the daemon's other work begins. */
const retryMs = 1000

/** Looks at every mission that is at work or about to begin, each in a change of its own. */
export async function sweepMissions(app: App): Promise<void> {
  const { atWork, planned } = queries(app.db)
  for (const { id } of atWork.all()) await untilWritten(app, () => advance(app, id))
  for (const { id } of planned.all()) await untilWritten(app, () => carryOn(app, id))
}

/** Looks after missions at the start and every minute: what a daemon that ended left undone, and what took too long. */
export function sweepRegularly(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  async function look(): Promise<void> {
    if (closed) return
    const ready = app.runs.available
    if (ready)
      await sweepMissions(app).catch((error) => app.log.error({ err: error }, 'Missions could not be looked after'))
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
