import type { App } from '#kernel/app'
import { forgetDaily } from '#kernel/jobs/daily'
import { timerAt } from '#kernel/jobs/due'
import { oneAtATime } from '#kernel/jobs/one-at-a-time'
import { storageFault } from '#kernel/store/storage-fault'
import { dueNow, firstDue } from '../agents/schedules/service.ts'
import { isPassing } from './begin/service.ts'
import { agentsCalled, beginDelivery, forgetKeys } from './deliveries/service.ts'
import { beginScheduled } from './schedules/service.ts'

/** Milliseconds until what cannot begin now is tried again. */
const retryMs = 1000
/** Entries after which there may be something to begin. */
const waking = new Set([
  'agent.webhook_accepted',
  'audit.entity_created',
  'audit.entity_updated',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.timeout',
])

/** Begins all that is due now, each in a change of its own. False when some of it cannot begin yet. */
export async function beginDue(app: App): Promise<boolean> {
  let settled = true
  for (const agentId of agentsCalled(app)) settled = (await attempt(app, () => beginDelivery(app, agentId))) && settled
  for (const agentId of dueNow(app)) settled = (await attempt(app, () => beginScheduled(app, agentId))) && settled
  return settled
}

async function attempt(app: App, work: () => void): Promise<boolean> {
  try {
    await app.write(work)
    return true
  } catch (error) {
    if (!isPassing(error) && !storageFault(error)) app.log.error({ err: error }, 'An agent could not begin by itself')
    return false
  }
}

/** Begins, while the daemon runs, what schedules and webhooks ask for: what is due stands in the database. */
export function beginByThemselves(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const look = oneAtATime(async () => {
    if (closed) return
    clearTimeout(timer)
    const settled = await beginDue(app).catch(() => false)
    if (closed) return
    const next = settled ? firstDue(app) : null
    if (!settled) timer = setTimeout(look, retryMs).unref()
    else if (next) timer = timerAt(app, Date.parse(next), look)
  })

  const listen = ({ entry }: { entry: { entry_type: string } }) => {
    if (waking.has(entry.entry_type)) void look()
  }
  app.bus.on('entry', listen)
  void look()
  return {
    close() {
      closed = true
      app.bus.off('entry', listen)
      clearTimeout(timer)
    },
  }
}

export const forgetCalls = (app: App) => forgetDaily(app, 'Old webhook calls', (most) => forgetKeys(app, most))
