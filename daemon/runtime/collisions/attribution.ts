import type { SeenWrite } from '../types.ts'
import type { Calls } from './calls.ts'

/** A run with a program, in the time in which it has one. */
export interface Working {
  runId: string
  agentId: string
  uid: number
  /** Milliseconds since 1970. */
  from: number
  /** Null while it goes on. */
  until: number | null
}

export interface Write {
  run: Working
  at: number
  /** False where another run may have written it instead. */
  certain: boolean
}

/** Writes are told by whole seconds, and a while after they happened. */
const slackMs = 1500

export const wentOnAt = ({ from, until }: Working, at: number): boolean =>
  from <= at + slackMs && (until === null || until >= at - slackMs)

/**
 * Which runs wrote a file. One that was created or replaced was written by its owner. What was written in place was
 * written by the runs whose tools name it; else by the only agent with a tool at work, which is not certain unless the
 * file is its own; else nobody can tell.
 */
export function writesOf(seen: SeenWrite, working: readonly Working[], calls: Calls): Write[] {
  const { at, path, how } = seen
  const open = working.filter((run) => wentOnAt(run, at))
  const named = new Set(calls.naming(path, at))
  const naming = open.filter(({ runId }) => named.has(runId))
  if (how === 'in') {
    if (naming.length) return naming.map((run) => ({ run, at, certain: true }))
    const going = new Set(calls.going(at))
    const busy = open.filter(({ runId }) => going.has(runId))
    if (new Set(busy.map(({ agentId }) => agentId)).size !== 1) return []
    return [{ run: newest(busy), at, certain: busy[0]!.uid === seen.uid }]
  }
  const own = open.filter(({ uid }) => uid === seen.uid)
  if (!own.length) return []
  const run = newest(own.filter(({ runId }) => named.has(runId))) ?? newest(own)
  // What was found afterwards may have been written in place by whoever worked at that time.
  const alone = open.every(({ agentId, from }) => agentId === run.agentId || from > at)
  return [{ run, at, certain: how === 'new' || alone }]
}

const newest = <R extends Working | undefined>(runs: readonly R[]): R => runs.at(-1) as R
