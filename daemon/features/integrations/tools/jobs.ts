import { type App, wholeSeconds } from '#kernel/app'
import { oneAtATime } from '#kernel/jobs/one-at-a-time'
import { untilWritten } from '#kernel/store/until-written'
import { serverById } from '../find.ts'
import { queries } from './queries.ts'
import { hear, take } from './refreshing.ts'

const everyMs = 3_600_000
const dayMs = 86_400_000
/** Servers that are asked at a time. */
const atOnce = 4
const batch = 100

type Due = { id: string; workspace_id: string }

/**
 * Reads the tools of servers over HTTP: of a new or changed one at once, of all once a day, and of one that gave none
 * every hour.
 */
export function readToolLists(app: App): { close(): void } {
  let closed = false
  const over = () => closed || app.stopping.signal.aborted

  const sweep = oneAtATime(async () => {
    try {
      for (;;) {
        const due = dueNow(app)
        if (over() || !due.length) return
        await each(due, async (server) => {
          if (!over()) await readOne(app, server)
        })
      }
    } catch (error) {
      if (!over()) app.log.error({ err: error }, 'Tools of integrations could not be read')
    }
  })

  const changed = ({ entry }: { entry: { payload?: Record<string, unknown> | null } }) => {
    if (entry.payload?.['entity_type'] === 'integration') void sweep()
  }
  const timer = setInterval(sweep, everyMs).unref()
  app.bus.on('entry', changed)
  void sweep()
  return {
    close() {
      closed = true
      clearInterval(timer)
      app.bus.off('entry', changed)
    },
  }
}

function dueNow({ db, clock }: App): Due[] {
  const before = (ms: number) => wholeSeconds(clock() - ms)
  return queries(db).due.all({ read: before(dayMs), failed: before(everyMs), most: batch })
}

async function each(due: Due[], read: (server: Due) => Promise<void>): Promise<void> {
  const left = [...due]
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await read(next)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** A failure is kept with the server, so it is not due again at once. */
async function readOne(app: App, { id, workspace_id }: Due): Promise<void> {
  const server = serverById(app, workspace_id, id)
  if (!server) return
  const heard = await hear(app, server)
  await untilWritten(app, () => take(app, heard, { actor: null, now: app.now() }))
}
