import type { Failure, FailureKind, Seen } from '../adapter.ts'
import { kindOfStatus } from '../status.ts'

/** Sorts what the client tells of a failed call by the service's status, with which it begins, or by its words. */
export function failureOf(reason: string): Failure {
  const status = Number(/^(\d{3})\b/.exec(reason)?.[1] ?? 0)
  return { kind: kindOfStatus(status) ?? byWords(reason), reason }
}

function byWords(text: string): FailureKind {
  if (/overloaded|at capacity/i.test(text)) return 'overloaded'
  if (/quota|rate limit|credit balance|billing|payment/i.test(text)) return 'quota'
  if (/api key|unauthori[sz]ed|authentication/i.test(text)) return 'bad_key'
  if (/invalid model|model.*not found/i.test(text)) return 'unknown_model'
  return /connect|network|socket|fetch failed|timed? ?out/i.test(text) ? 'unreachable' : 'internal'
}

/** What the client writes to standard error instead of an event. Of a session that it cannot copy it says nothing. */
export function failureAtEnd(stderr: string, seen?: Seen): Failure | null {
  const [line = ''] = stderr.trim().split('\n')
  if (/^Invalid model/.test(line)) return { kind: 'unknown_model', reason: line }
  if (/^Unknown tool identifier/.test(line))
    return { kind: 'bad_config', reason: 'a tool server did not start or has no tools' }
  const silent = seen?.code === 1 && seen.resumed && !seen.began && line === ''
  return silent ? { kind: 'resume_missing', reason: '' } : null
}
