import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '#kernel/app'
import { oneAtATime } from '#kernel/jobs/one-at-a-time'
import { untilWritten } from '#kernel/store/until-written'
import { queries } from './queries.ts'
import { dayMs } from './rules.ts'
import { beginning, cutoffFor, finish, type Position, runIn, search, take } from './steps.ts'

/** How long one step may hold other writes back, in milliseconds, and how many entries it takes. */
const stepMs = 5
const firstStep = 10
const [leastAtOnce, mostAtOnce] = [10, 1_000]
/** The least pause between two steps, in milliseconds. */
const pauseMs = 2

/** A workspace whose journal may hold entries to be rolled up. */
interface Task {
  ws: number
  workspace: string
  cutoff: number
}

/**
 * Rolls up old entries at the start and once a day, and whenever it is asked for. It works in steps of a few
 * milliseconds with pauses between them, so that no write waits for long, and stops between any two: the next start
 * goes on where it was.
 */
export function compactJournals(app: App): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const sweep = oneAtATime(async () => {
    if (closed) return
    clearTimeout(timer)
    try {
      for (const task of tasks(app)) if (!closed) await carryOut(app, task, () => closed)
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'The journal could not be compacted')
    }
    if (!closed) timer = setTimeout(sweep, dayMs).unref()
  })

  const asked = () => void sweep()
  app.bus.on('compact', asked)
  void sweep()
  return {
    close() {
      closed = true
      app.bus.off('compact', asked)
      clearTimeout(timer)
    },
  }
}

/** First what was begun, then what each workspace's retention asks for. */
function tasks(app: App): Task[] {
  const begun = queries(app.db)
    .unfinished.all()
    .map(({ ws, workspace_id, cutoff }) => ({ ws, workspace: workspace_id, cutoff }))
  const due = queries(app.db)
    .retentions.all()
    .flatMap(({ id }) => {
      const [ws, cutoff] = [app.index.names.find(0, id), cutoffFor(app, id)]
      return ws === undefined || cutoff === null ? [] : [{ ws, workspace: id, cutoff }]
    })
  return [...begun, ...due]
}

async function carryOut(app: App, { ws, workspace, cutoff }: Task, closed: () => boolean): Promise<void> {
  let position: Position | null = beginning(app, ws)
  let most = firstStep
  let awake = false
  while (position && !closed()) {
    const { group }: Position = position
    if (!group) {
      position = search(app, ws, cutoff, position)
      await wait(pauseMs, undefined, { ref: false })
      continue
    }
    // A reading thread that is awake copies what is written into the database file, so that no commit has to.
    if (!awake) await app.reads.run('scan', 'wake', null)
    awake = true
    const { rest, seen, took } = await untilWritten(app, () => {
      const started = performance.now()
      return { ...take(app, runIn(app, ws, workspace, cutoff), group, most), took: performance.now() - started }
    })
    position = { ...position, group: rest }
    most = nextStep(most, seen, took)
    await wait(Math.max(pauseMs, took), undefined, { ref: false })
  }
  if (!closed()) await untilWritten(app, () => finish(app, ws))
}

/** How many entries the next step takes. The end of a day, of which there are few, says nothing of how many fit. */
function nextStep(most: number, seen: number, took: number): number {
  if (seen < most && took <= stepMs) return most
  const fit = Math.round((seen * stepMs) / took)
  return Math.min(mostAtOnce, 2 * most, Math.max(leastAtOnce, fit))
}
