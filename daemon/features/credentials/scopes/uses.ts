import { type App, wholeSeconds } from '#kernel/app'
import { type Destination, widened } from '#kernel/outbound/destinations'
import { keptSince } from '../audit/service.ts'
import { queries } from './queries.ts'

/** Paths of one method of a host that are told apart; what comes beyond is counted as all below its first part. */
const mostPaths = 40
/** First parts that are told apart then. */
const mostParts = 20
/** Places of one credential. */
const mostPlaces = 400

/** Places beyond those that are told apart. */
export const elsewhere: Destination = { host: '*', method: '*', path: '/**' }
/** The value was handed to a program, whose use of it nobody sees. */
export const unseen: Destination = { host: '', method: '', path: '' }

export const isPlace = ({ host }: Destination): boolean => host !== unseen.host && host !== elsewhere.host

/** Counts what a credential was used for, within a change. Rows are bounded, whatever agents ask for. */
export function addUse(app: App, credential: string, it: Destination, uses = 1): void {
  const now = app.now()
  queries(app.db).count.run({ credential, ...placeFor(app, credential, it), day: dayOf(now), uses, now })
}

function placeFor({ db }: App, credential: string, it: Destination): Destination {
  const { known, shapes } = queries(db)
  const isKnown = (place: Destination) => known.get({ credential, ...place }) !== undefined
  if (it === unseen || isKnown(it)) return it
  const { here, all } = shapes.get({ credential, host: it.host, method: it.method })!
  const [below, whole] = widened(it)
  if (all < mostPlaces && here < mostPaths) return it
  if (isKnown(below) || (all < mostPlaces && here < mostPaths + mostParts)) return below
  return isKnown(whole) || all < mostPlaces ? whole : elsewhere
}

export const dayOf = (time: string): string => time.slice(0, 10)

/** The first of so many days that end today. */
export const firstDay = ({ clock }: App, days: number): string => dayOf(wholeSeconds(clock() - (days - 1) * 86_400_000))

/** Forgets uses and settled questions as each workspace asks of the records of its credentials; returns how many. */
export function forgetOldUses(app: App, most: number): number {
  const { forgetUses, forgetQuestions } = queries(app.db)
  let forgotten = 0
  for (const { workspace, before } of keptSince(app)) {
    for (const forget of [forgetUses, forgetQuestions]) {
      if (forgotten === most) return forgotten
      const until = forget === forgetUses ? dayOf(before) : before
      forgotten += forget.run({ workspace, before: until, most: most - forgotten }).changes
    }
  }
  return forgotten
}
