import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { Db } from '#kernel/store/db'
import { changeOf, type Subject } from './queries.ts'

/** Rows that one change takes, and the pause after it in milliseconds, in which others write. */
const atOnce = 100
const pauseMs = 2
/** Rows that are looked for at a time. */
const most = 5000

/** Carries out one rule for all rows that it is about, a few at a time. Returns how many that were. */
export async function carryOut(app: App, rule: number, subject: Subject): Promise<number> {
  const change = changeOf(app.db, rule, subject)
  let done = 0
  for (;;) {
    const keys = JSON.parse(await app.reads.run('scan', 'subjectRows', { rule, subject, most })) as unknown[][]
    const before = done
    for (let from = 0; from < keys.length; from += atOnce) {
      if (app.stopping.signal.aborted) throw problem('unavailable')
      done += await app.write(() => changeAll(app.db, keys.slice(from, from + atOnce), change))
      await wait(pauseMs, undefined, { ref: false })
    }
    // Rows that others changed meanwhile are found once more, and no more often.
    if (keys.length < most || done === before) return done
  }
}

/** Changes rows; what is overwritten is to be gone from the file as well. */
function changeAll(db: Db, keys: readonly unknown[][], change: (key: readonly unknown[]) => number): number {
  db.pragma('secure_delete = ON')
  try {
    return keys.reduce((done, key) => done + change(key), 0)
  } finally {
    db.pragma('secure_delete = OFF')
  }
}
