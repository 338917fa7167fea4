import type { Write } from './attribution.ts'
import { wentOnAt } from './attribution.ts'
import { type Thing, thingAt } from './things.ts'

/** Two runs of different agents have written the same thing while both were open. */
export interface Collision {
  thing: Thing
  first: Write
  second: Write
}

/** So many things of one pair of runs are told, further ones are counted. */
export const mostToldOfPair = 20
/** Things whose writers are remembered, and things that are counted for a pair. */
const mostThings = 20_000
const mostCounted = 5_000

export interface Tracker {
  /** Takes a write; answers the collisions that it makes and were not told yet. */
  wrote(path: string, write: Write): Collision[]
  /** How many things two runs have both written beyond those that were told. */
  beyond(): { first: string; second: string; count: number; latest: Collision }[]
  /** Forgets what a run wrote. */
  forget(runId: string): void
}

interface Pair {
  things: Set<string>
  latest: Collision
}

/** Makes collisions of writes: one for each thing and pair of runs. */
export function createTracker(): Tracker {
  const writers = new Map<string, Write[]>()
  const pairs = new Map<string, Pair>()

  function remember(path: string, write: Write): Write[] {
    const before = writers.get(path) ?? []
    writers.delete(path)
    if (writers.size >= mostThings) writers.delete(writers.keys().next().value!)
    writers.set(path, [...before.filter(({ run }) => run.runId !== write.run.runId), write])
    return before
  }

  /** Whether it is told: it is new, and one of the first of its pair. */
  function isTold(collision: Collision): boolean {
    const ids = [collision.first.run.runId, collision.second.run.runId].sort().join(' ')
    const pair = pairs.get(ids) ?? { things: new Set(), latest: collision }
    pairs.set(ids, pair)
    if (pair.things.has(collision.thing.path) || pair.things.size >= mostCounted) return false
    pair.things.add(collision.thing.path)
    pair.latest = collision
    return pair.things.size <= mostToldOfPair
  }

  return {
    wrote(path, write) {
      const thing = thingAt(path)
      return remember(path, write)
        .filter(({ run }) => run.agentId !== write.run.agentId && wentOnAt(run, write.at))
        .map((first) => ({ thing, first, second: write }))
        .filter(isTold)
    },
    beyond: () =>
      [...pairs].flatMap(([ids, { things, latest }]) => {
        const [first = '', second = ''] = ids.split(' ')
        const count = things.size - mostToldOfPair
        return count > 0 ? [{ first, second, count, latest }] : []
      }),
    forget(runId) {
      for (const [path, all] of writers) {
        const left = all.filter(({ run }) => run.runId !== runId)
        if (!left.length) writers.delete(path)
        else if (left.length < all.length) writers.set(path, left)
      }
      for (const ids of pairs.keys()) if (ids.split(' ').includes(runId)) pairs.delete(ids)
    },
  }
}
