import type { Failure, FailureKind } from '../adapter.ts'
import { number, object, parseObject, string } from '../json.ts'
import { kindOfStatus } from '../status.ts'

/** What the service calls its refusals. */
const named: Record<string, FailureKind> = {
  UNAUTHENTICATED: 'bad_key',
  PERMISSION_DENIED: 'bad_key',
  RESOURCE_EXHAUSTED: 'quota',
  NOT_FOUND: 'unknown_model',
  INVALID_ARGUMENT: 'rejected',
  FAILED_PRECONDITION: 'rejected',
  UNAVAILABLE: 'overloaded',
  INTERNAL: 'overloaded',
  DEADLINE_EXCEEDED: 'overloaded',
}

/** Sorts what the client tells of a failed call by the service's answer in it, or by its words. */
export function complaintOf(message: string): Failure {
  const said = /^\[API Error: (.*)\](.*)$/s.exec(message)?.[1] ?? message
  const error = object(parseObject(said.slice(Math.max(0, said.indexOf('{'))))?.['error'])
  const text = string(error['message']) || said
  const name = string(error['status']) || (/\(Status: ([A-Z_]+)\)/.exec(said)?.[1] ?? '')
  const kind = byKey(text) ?? named[name] ?? kindOfStatus(number(error['code'])) ?? byWords(text) ?? 'internal'
  return { kind, reason: text }
}

/** A key that is not valid is a bad request to the service, as any other. */
const byKey = (text: string): FailureKind | null =>
  /api key (?:not valid|expired|not found)/i.test(text) ? 'bad_key' : null

function byWords(text: string): FailureKind | null {
  if (/max session turns/i.test(text)) return 'turn_cap'
  if (/quota|rate limit|billing|resource.*exhausted/i.test(text)) return 'quota'
  if (/overloaded|high demand|capacity|unavailable/i.test(text)) return 'overloaded'
  if (/api key|unauthori[sz]ed|unauthenticated/i.test(text)) return 'bad_key'
  if (/model.*not found/i.test(text)) return 'unknown_model'
  return /fetch failed|network|connect|socket|timed? ?out|terminated/i.test(text) ? 'unreachable' : null
}

/** What the client writes to standard error instead of an event. */
export function stderrFailure(stderr: string): Failure | null {
  const lines = stderr.trim().split('\n')
  const line = (pattern: RegExp) => lines.find((it) => pattern.test(it))
  const missing = line(/^Error resuming session:/)
  if (missing) return { kind: 'resume_missing', reason: missing }
  const odd = line(
    /^Error starting session:|^Error in .*settings\.json|^missing system prompt file|^Error: missing system/,
  )
  if (odd) return { kind: 'bad_config', reason: odd }
  const key = line(/must specify the GEMINI_API_KEY/)
  return key ? { kind: 'bad_key', reason: key } : null
}
