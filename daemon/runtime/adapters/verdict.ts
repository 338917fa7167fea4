import type { AgentFrame, ErrorCode } from '#contract/frames'
import {
  type Adapter,
  capReason,
  type Ending,
  type Facts,
  type Failure,
  type FailureKind,
  type Parser,
  type Verdict,
} from './adapter.ts'
import { ownRefusal } from './own-refusal.ts'

/** What a failure means, for people; the client's own words follow it. */
const leads: Partial<Record<FailureKind, string>> = {
  bad_key: 'The model service refused the key',
  quota: 'The credential has no quota left',
  overloaded: 'The model service is overloaded',
  unreachable: 'The model service cannot be reached',
  unknown_model: 'The model is not available',
  rejected: 'The model service rejected the request',
  turn_cap: 'The agent used up its turns',
  resume_missing: 'The session to go on with is gone',
  root_refused: 'The client does not run as root',
  bad_config: 'The client could not read its configuration',
}

/**
 * Judges a finished run: from its end, from what the client said, and from its standard error. docs/rules/adapters.md,
 * "Output".
 */
export function judge(
  { facts, abort, clean }: Pick<Parser, 'facts' | 'abort' | 'clean'>,
  ending: Ending,
  fromStderr: Adapter['stderrFailure'],
): Verdict {
  const { end, cancelled } = ending
  const exit_code = end.kind === 'exit' ? end.code : null
  const verdict = (status: Verdict['status'], kind: Verdict['kind'], reason: string | null): Verdict => ({
    status,
    kind,
    reason: reason === null ? null : capReason(clean(reason)),
    exit_code,
    metadata: metadataOf(facts, kind),
  })

  if (cancelled) return verdict('cancelled', null, 'Cancelled')
  if (end.kind === 'exit' && end.timedOut) return verdict('timeout', 'timeout', 'The run took longer than it may')
  const told = abort ?? facts.failure ?? endFailure(ending, facts, fromStderr)
  const failure = told && (ownRefusal(told.reason) ?? told)
  if (failure) return verdict('failed', failure.kind, sentence(failure))
  if (!facts.produced && !facts.result_text)
    return verdict('failed', 'no_output', withLeftOut('The agent gave no answer', facts))
  if (facts.init && !facts.finished)
    return verdict('failed', 'internal', withLeftOut('The client ended before its turn was over', facts))
  const refused = facts.permission_denials.map(({ tool_name }) => tool_name)
  return refused.length > 0
    ? verdict('completed', 'refused_tool', `The client refused ${refused.join(', ')}`)
    : verdict('completed', null, null)
}

/** Missing output may have been in a line that was too long. */
const withLeftOut = (reason: string, { left_out }: Facts): string =>
  left_out ? `${reason}; lines of its output that were left out for their length: ${left_out.lines}` : reason

function sentence({ kind, reason }: Failure): string {
  const lead = leads[kind]
  return lead && reason && reason !== lead ? `${lead}: ${reason}` : lead || reason
}

const endings: Record<number, Failure> = {
  123: { kind: 'bad_key', reason: 'the token of the client is not valid' },
  126: { kind: 'client_missing', reason: "The agent's client cannot be executed in this image" },
  127: { kind: 'client_missing', reason: "The agent's client is not in this image" },
}

function endFailure(
  { end, stderr, resumed = false }: Ending,
  facts: Facts,
  fromStderr: Adapter['stderrFailure'],
): Failure | null {
  if (end.kind === 'lost') return { kind: 'killed', reason: `The agent's process is gone: ${end.reason}` }
  if (end.kind === 'exit' && end.code === 0) return null
  const code = end.kind === 'exit' ? end.code : null
  const said = fromStderr(stderr, { code, resumed, began: facts.init !== null })
  if (said) return said
  if (end.kind === 'signal' || end.code > 128) {
    if (facts.complaint) return facts.complaint
    const signal = end.kind === 'signal' ? end.signal : (signals[end.code - 128] ?? `signal ${end.code - 128}`)
    const cause = signal === 'SIGKILL' ? ', perhaps for want of memory' : ''
    return { kind: 'killed', reason: `The agent's process was ended by ${signal}${cause}` }
  }
  const last = stderr.trim().split('\n').at(-1)
  return (
    endings[end.code] ??
    facts.complaint ?? { kind: 'internal', reason: `The client ended with code ${end.code}${last ? `: ${last}` : ''}` }
  )
}

const signals: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
}

/** Metadata of the terminal entry. docs/rules/runs.md, "Entries". */
function metadataOf(facts: Facts, kind: Verdict['kind']): Record<string, unknown> {
  const { init, session_id, usage, total_cost_usd, duration_ms, num_turns, permission_denials, left_out } = facts
  const known = {
    model: init?.model,
    cli_version: init?.cli_version,
    api_key_source: init?.api_key_source,
    permission_mode: init?.permission_mode,
    session_id,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    usage,
    total_cost_usd,
    duration_ms,
    num_turns,
    mcp_server_errors: init?.mcp_server_errors.length ? init.mcp_server_errors : null,
    permission_denials: permission_denials.length ? permission_denials : null,
    left_out_lines: left_out?.lines,
    left_out_bytes: left_out?.bytes,
    error_kind: kind,
  }
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )
}

const codes: Partial<Record<FailureKind, ErrorCode>> = {
  quota: 'capacity',
  overloaded: 'capacity',
  unknown_model: 'provider_capability',
  client_missing: 'provider_capability',
}

/** What the chat is told of a run that failed; null when it did not. */
export function errorFrame({ status, kind, reason }: Verdict): AgentFrame | null {
  if (status !== 'failed' && status !== 'timeout') return null
  const code = (kind && kind !== 'refused_tool' && codes[kind]) || 'internal'
  return { type: 'error', content: reason ?? 'The run failed', metadata: { reason: kind ?? 'internal', code } }
}
