import type { Failure, FailureKind } from '../adapter.ts'

/** Sorts what the client tells of a failure by its words; no list of them is published. */
export const failureOf = (reason: string): Failure => ({ kind: byWords(reason), reason })

function byWords(text: string): FailureKind {
  if (/api key|unauthori[sz]ed|authenticat|not logged in/i.test(text)) return 'bad_key'
  if (/usage limit|quota|rate limit|billing|upgrade your plan/i.test(text)) return 'quota'
  if (/overloaded|at capacity|high demand/i.test(text)) return 'overloaded'
  if (/cannot use this model|invalid model|model.*not (?:found|available)/i.test(text)) return 'unknown_model'
  return /connect|network|socket|fetch failed|timed? ?out/i.test(text) ? 'unreachable' : 'internal'
}

/** What the client writes to standard error in place of a result. */
export function stderrFailure(stderr: string): Failure | null {
  const lines = stderr.split('\n').map((line) => line.replace(/\x1b\[[\d;]*m/g, '').trim())
  const last = lines.findLast((line) => line !== '')
  if (last === undefined) return null
  const failure = failureOf(last)
  return failure.kind === 'internal' ? null : failure
}
