import type { ReadSeals } from '#kernel/journal/seal'
import { headsOf } from '#kernel/journal/seal'
import type { Db } from '#kernel/store/db'
import { entryAt, installationOf, newestEntry } from './facts.ts'
import type { Loss } from './loss.ts'

const time = (ms: number): string => new Date(ms).toISOString()

/** How the database contradicts its seals; null when it holds everything that was sealed. */
export function compareSeals(db: Db, file: string, { seals, fault }: ReadSeals): Loss | null {
  if (fault?.kind === 'seal_missing')
    return {
      code: 'seals_missing',
      what: `The seals of the journal (${file}) are empty, but the journal was sealed before`,
    }
  if (fault) return { code: 'seals_forged', what: `The seals of the journal (${file}) do not hold: ${fault.reason}` }
  const last = seals.at(-1)!
  if (last.installation !== installationOf(db)) {
    const what =
      `The database is of the installation ${installationOf(db)}, ` +
      `but its folder was sealed for the installation ${last.installation} (${file})`
    return { code: 'database_replaced', what }
  }
  const newest = newestEntry(db)
  const seq = newest?.seq ?? 0
  if (seq < last.seq) {
    const end = newest ? `ends with entry ${seq} of ${time(newest.ts)}` : 'is empty'
    const what =
      `The journal in the database ${end}, but ${last.seq} entries were sealed on ${last.at} (${file}): ` +
      `${last.seq - seq} are missing, and what was stored with them`
    return { code: 'database_older', what }
  }
  const odd = [...headsOf(seals).values()].find((head) => {
    const stored = entryAt(db, head[2])
    return stored?.workspace !== head[0] || stored.hash.toString('hex') !== head[3]
  })
  return odd
    ? {
        code: 'database_replaced',
        what:
          `Entry ${odd[2]} of the journal is not the one that was sealed (${file}): ` +
          'the database was changed or replaced',
      }
    : null
}
