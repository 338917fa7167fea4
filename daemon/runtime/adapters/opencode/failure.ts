import type { Failure, FailureKind } from '../adapter.ts'
import { type Json, number, object, string } from '../json.ts'
import { kindOfStatus } from '../status.ts'

/** What the client calls its errors, where that says more than the words. */
const named: Record<string, FailureKind> = {
  ProviderAuthError: 'bad_key',
  ContextOverflowError: 'rejected',
  MessageOutputLengthError: 'rejected',
}

/** Sorts what the client tells of a failure by the service's status in it, by its name, or by its words. */
export function failureOf(error: unknown): Failure {
  const told = object(error)
  const data: Json = object(told['data'])
  const name = string(told['name'])
  const reason = string(data['message']) || string(error) || name || 'The client reported an error without saying which'
  return { kind: kindOfStatus(number(data['statusCode'])) ?? named[name] ?? byWords(reason), reason }
}

function byWords(text: string): FailureKind {
  if (/overloaded|at capacity/i.test(text)) return 'overloaded'
  if (/quota|rate limit|credit balance|billing/i.test(text)) return 'quota'
  if (/api key|unauthori[sz]ed/i.test(text)) return 'bad_key'
  if (/model not found/i.test(text)) return 'unknown_model'
  return /connect|network|socket|fetch failed|timed? ?out/i.test(text) ? 'unreachable' : 'internal'
}

/** What the client writes to standard error instead of an event. */
export function stderrFailure(stderr: string): Failure | null {
  const lines = stderr.split('\n').map((line) => line.replace(/\x1b\[[\d;]*m/g, '').trim())
  const damaged = lines.find((line) => /^file is not a database$|^database disk image is malformed$/.test(line))
  if (damaged) return { kind: 'resume_missing', reason: damaged }
  const reason = lines.findLast((line) => line.startsWith('Error:')) ?? ''
  if (/Session not found/.test(reason)) return { kind: 'resume_missing', reason }
  return /config/i.test(reason) ? { kind: 'bad_config', reason } : null
}
