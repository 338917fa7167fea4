import type { Db } from '../store/db.ts'
import { genesis } from './chain.ts'

/** The newest entry of a workspace; seq 0 before the first one. */
export interface Tail {
  seq: number
  hash: Buffer
}

const none: Tail = { seq: 0, hash: genesis }

/** Tracks the end of each workspace's chain and which ends changed since `take`. */
export function createTails(db: Db) {
  const last = db.prepare<[number], Tail>(
    'SELECT seq, entry_hash AS hash FROM journal INDEXED BY journal_ws WHERE ws = ? ORDER BY seq DESC LIMIT 1',
  )
  const tails = new Map<number, Tail>()
  let moved = new Set<number>()
  return {
    of(ws: number): Tail {
      return tails.get(ws) ?? last.get(ws) ?? none
    },
    move(ws: number, tail: Tail): void {
      tails.set(ws, tail)
      moved.add(ws)
    },
    /** Marks the ends of these workspaces as changed. */
    touch(spaces: Iterable<number>): void {
      for (const ws of spaces) moved.add(ws)
    },
    /** Returns the workspaces whose ends changed, and clears the set. */
    take(): Set<number> {
      const taken = moved
      moved = new Set()
      return taken
    },
  }
}

export type Tails = ReturnType<typeof createTails>
