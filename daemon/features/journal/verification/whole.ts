import type { Verdict } from '#contract/journal'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { Question } from '../proof.ts'
import type { Walked } from '../walk.ts'

/** How long a reading thread verifies before it answers how far it is, in milliseconds. */
const partMs = 250

export type Part = { verdict: Verdict } | { walked: Walked }

/** Goes on with a verification for a while, on a reading thread. */
export const nextPart = async ({ reads }: Pick<App, 'reads'>, question: Question, from: Walked | null): Promise<Part> =>
  JSON.parse(await reads.run('scan', 'verifyPart', { question, from, ms: partMs })) as Part

/** Verifies to the end, part by part: other reads of that thread go on in between, and a daemon that stops ends it. */
export async function verifyWhole(app: Pick<App, 'reads' | 'stopping'>, question: Question): Promise<Verdict> {
  for (let from: Walked | null = null; ; ) {
    if (app.stopping.signal.aborted) throw problem('unavailable', { detail: 'The daemon stops' })
    const part = await nextPart(app, question, from)
    if ('verdict' in part) return part.verdict
    from = part.walked
  }
}
