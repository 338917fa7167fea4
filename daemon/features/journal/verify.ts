import { setImmediate as turn } from 'node:timers/promises'
import type { Verdict } from '#contract/journal'
import type { Db } from '#kernel/store/db'
import type { Question } from './proof.ts'
import { createWalk, type Walked } from './walk.ts'

/** Verifies a workspace's chain up to the first fault. */
export async function verifyChain(db: Db, question: Question): Promise<Verdict> {
  const part = await verifyPart(db, question, null, Number.POSITIVE_INFINITY)
  return (part as { verdict: Verdict }).verdict
}

/** Verifies for about so many milliseconds, from where an earlier part ended. */
export async function verifyPart(
  db: Db,
  question: Question,
  from: Walked | null,
  ms: number,
): Promise<{ verdict: Verdict } | { walked: Walked }> {
  const walk = createWalk(db, question, from)
  const until = performance.now() + ms
  for (;;) {
    const verdict = walk.on()
    if (verdict) return { verdict }
    await turn()
    if (performance.now() >= until) return { walked: walk.state() }
  }
}
