import type { Failure, FailureKind } from '../adapter.ts'
import { object, parseObject, string } from '../json.ts'
import { kindOfStatus } from '../status.ts'

/** Sorts what the client tells of a failed call by the status in it, or by its words. */
export function complaintOf(message: string): Failure {
  const told = parseObject(message)
  const error = object(told?.['error'])
  const text = string(error['message']) || message
  const status = Number(/\bstatus:? (\d{3})\b/.exec(message)?.[1] ?? told?.['status'] ?? 0)
  // A refused request is told as the service's own words, without its status.
  const kind = kindOfStatus(status) ?? byWords(text) ?? (told ? 'rejected' : 'internal')
  return { kind, reason: text }
}

function byWords(text: string): FailureKind | null {
  if (/high demand|overloaded|at capacity/i.test(text)) return 'overloaded'
  if (/usage limit|quota|billing|credits?\b/i.test(text)) return 'quota'
  if (/api key|unauthori[sz]ed|not logged in/i.test(text)) return 'bad_key'
  if (/model .*(?:not exist|not found|not supported)/i.test(text)) return 'unknown_model'
  return /network|connection|timed? ?out|stream disconnected/i.test(text) ? 'unreachable' : null
}

/** What the client writes to standard error instead of an event. */
export function stderrFailure(stderr: string): Failure | null {
  const lines = stderr.trim().split('\n')
  const reason = lines.findLast((line) => line.startsWith('Error')) ?? ''
  if (/no rollout found|thread\/resume failed/.test(reason)) return { kind: 'resume_missing', reason }
  if (/config(?:\.toml|uration)/.test(reason)) return { kind: 'bad_config', reason }
  return null
}
