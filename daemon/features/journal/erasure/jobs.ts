import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '#kernel/app'
import { oneAtATime } from '#kernel/jobs/one-at-a-time'
import { untilWritten } from '#kernel/store/until-written'
import { type AboutAnswer, type AboutQuestion, namesOf } from './about.ts'
import { type ErasureRow, queries } from './queries.ts'
import { blank, finish } from './service.ts'

/** Entries that are blanked in one change, and the pause after it in milliseconds. */
const atOnce = 50
const pauseMs = 5
/** How long a reading thread looks for entries before it answers, in milliseconds. */
const partMs = 250

/**
 * Erases what was asked for, entry by entry in small steps. How far it is stands in the same change, so that after any
 * end the next start goes on.
 */
export function eraseAsked(app: App): { close(): void } {
  let closed = false

  const work = oneAtATime(async () => {
    if (closed) return
    try {
      for (const row of queries(app.db).unfinished.all()) await carryOut(app, row, () => closed)
    } catch (error) {
      if (!closed) app.log.error({ err: error }, 'An erasure in the journal was interrupted')
    }
  })

  const asked = () => void work()
  app.bus.on('erase', asked)
  void work()
  return {
    close() {
      closed = true
      app.bus.off('erase', asked)
    },
  }
}

async function carryOut(app: App, row: ErasureRow, closed: () => boolean): Promise<void> {
  const { ws, user_id, upto } = row
  const subject = queries(app.db).subject.get(user_id) ?? { email: user_id, full_name: null }
  const question: AboutQuestion = {
    ws,
    after: row.seq,
    upTo: upto,
    actor: app.index.names.find(ws, user_id) ?? null,
    names: namesOf(user_id, subject),
    ms: partMs,
  }
  for (let after: number | null = row.seq; after !== null && !closed(); ) {
    const text = await app.reads.run('scan', 'about', { ...question, after })
    const { seqs, reached } = JSON.parse(text) as AboutAnswer
    for (let from = 0; from < seqs.length && !closed(); from += atOnce) {
      const some = seqs.slice(from, from + atOnce)
      await untilWritten(app, () => blank(app, row, some, some.at(-1)!))
      await wait(pauseMs, undefined, { ref: false })
    }
    if (closed()) return
    if (reached === null) await untilWritten(app, () => finish(app, row))
    else await untilWritten(app, () => blank(app, row, [], reached))
    after = reached
  }
}
