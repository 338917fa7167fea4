import type { Failure, FailureKind } from '../adapter.ts'
import { type Json, list, number, string } from '../json.ts'
import { kindOfStatus } from '../status.ts'

/** What the client calls the refusals of the model service. */
const named: Record<string, FailureKind> = {
  authentication_failed: 'bad_key',
  oauth_org_not_allowed: 'bad_key',
  billing_error: 'quota',
  rate_limit: 'quota',
  overloaded: 'overloaded',
  model_not_found: 'unknown_model',
  invalid_request: 'rejected',
  max_output_tokens: 'rejected',
}

/** Sorts a complaint of the model service by its name, its status, and at last its words. */
export function complaintOf({ error, status = 0, text }: { error: string; status?: number; text: string }): Failure {
  const told = status || Number(/\bAPI Error: (\d{3})\b/.exec(text)?.[1] ?? 0)
  return { kind: named[error] ?? kindOfStatus(told) ?? byWords(text), reason: text || error }
}

function byWords(text: string): FailureKind {
  if (/overloaded/i.test(text)) return 'overloaded'
  if (/credit balance|usage limit/i.test(text)) return 'quota'
  return /connect|timed out|did not answer|fetch failed|socket/i.test(text) ? 'unreachable' : 'internal'
}

/** The failure that a `result` line tells of; null when it tells of none. */
export function resultFailure(line: Json, complaint: Failure | null): Failure | null {
  if (line['is_error'] !== true && !string(line['subtype']).startsWith('error')) return null
  const text = string(line['result']) || list(line['errors']).map(string).join('; ')
  if (line['subtype'] === 'error_max_turns') return { kind: 'turn_cap', reason: text }
  if (string(line['terminal_reason']).startsWith('aborted'))
    return { kind: 'killed', reason: 'The run was interrupted' }
  if (missingSession.test(text)) return { kind: 'resume_missing', reason: text }
  const kind =
    complaint && complaint.kind !== 'internal'
      ? complaint.kind
      : complaintOf({ error: '', status: number(line['api_error_status']), text }).kind
  return { kind, reason: text || complaint?.reason || 'The client reported an error without saying which' }
}

const missingSession = /No conversation found/

/** What the client writes to standard error instead of a result line. */
export function stderrFailure(stderr: string): Failure | null {
  const reason = stderr.trim()
  if (/cannot be used with root\/sudo/.test(reason)) return { kind: 'root_refused', reason }
  if (missingSession.test(reason)) return { kind: 'resume_missing', reason }
  return /Invalid MCP configuration|Session ID .* is already in use|(system prompt|settings) file/i.test(reason)
    ? { kind: 'bad_config', reason }
    : null
}
