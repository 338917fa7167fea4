import type { AgentFrame, ChatEvent } from '#contract/frames'
import { Problem } from '#kernel/problem'
import { storageProblem } from '#kernel/store/storage-fault'
import type { Ending, Parked } from '../../features/runs/endings/service.ts'
import type { Run } from '../../features/runs/service.ts'
import { capReason, type Verdict } from '../adapters/adapter.ts'
import { errorFrame } from '../adapters/verdict.ts'
import type { Lost } from '../types.ts'
import type { LaunchFacts } from './parts.ts'
import type { Part, Told } from './transcript.ts'

/** How a run came out, with what was said in it. */
export interface Result {
  verdict: Verdict
  told: Told | null
  /** Null when the program was never started. */
  facts: LaunchFacts | null
  /** Set when the program was gone and had left no record of its end. */
  lost?: Lost
  /** What the chat is told, when the verdict alone does not say it. */
  error?: ErrorFrame
  /** The agent did not survive a restart of the daemon. */
  restart?: true
}

/** What the chat is told of a failure. */
type ErrorFrame = Extract<AgentFrame, { type: 'error' }>

const outcomes = { completed: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED', timeout: 'TIMEOUT' } as const

/**
 * What is to be stored of a run's end, and the frames that tell of it; `lastFrame` is the newest number before these.
 */
export function endingOf(
  run: Run,
  { verdict, told, facts, error: given, restart }: Result,
  lastFrame: number,
): { ending: Ending; tail: ChatEvent[] } {
  const outcome = outcomes[verdict.status]
  const error = given ?? (errorFrame(verdict) as ErrorFrame | null)
  const fresh =
    error && !told?.parts.some((part) => part.type === 'error' && part.content === error.content) ? error : null
  const tail: ChatEvent[] = [...(fresh ? [fresh] : []), { type: 'done', content: '', metadata: { trace_id: run.id } }]
  const ending: Ending = {
    outcome,
    agentStatus: restart || outcome === 'COMPLETED' || outcome === 'CANCELLED' ? 'IDLE' : 'ERROR',
    exitCode: verdict.exit_code,
    reason: verdict.reason,
    metadata: verdict.metadata,
    ...(restart && { payload: { reason: 'server_restart' }, severity: 'notice' as const }),
    message: messageOf(run, told, fresh, outcome),
    command: facts && { ...facts.command },
    lastFrame: lastFrame + tail.length,
  }
  return { ending, tail }
}

/** What is to be stored of a program that ended because its run waits for a person, and the frames that tell of it. */
export function parkedOf(
  run: Run,
  { verdict, told, facts }: Result,
  asked: Asked,
  lastFrame: number,
): { parked: Parked; tail: ChatEvent[] } {
  const tail: ChatEvent[] = [
    { type: 'text', content: told?.parts.at(-1)?.type === 'text' ? `\n\n${asked.question}` : asked.question },
    { type: 'status', content: 'Waiting for an answer' },
    { type: 'done', content: '', metadata: { trace_id: run.id, parked: true, inbox_item_id: asked.inbox_item_id } },
  ]
  const said = told?.parts.filter(({ type }) => type !== 'error') ?? []
  const message: Parked['message'] = {
    role: 'assistant',
    content: [told?.content, asked.question].filter(Boolean).join('\n\n'),
    parts: [...said, { type: 'text', content: asked.question }],
    toolSummary: told?.toolSummary ?? null,
    metadata: { run_id: run.id, status: 'PARKED', inbox_item_id: asked.inbox_item_id },
  }
  const { exit_code: exitCode, metadata } = verdict
  return {
    parked: { exitCode, metadata, message, command: facts && { ...facts.command }, lastFrame: lastFrame + tail.length },
    tail,
  }
}

/** What a run waits for. */
export type Asked = { question: string; inbox_item_id: string }

/** A program that came to another end before its run was cancelled. */
export const cancelledInstead = ({ error: _, ...result }: Result): Result => ({
  ...result,
  verdict: { ...result.verdict, status: 'cancelled', kind: null, reason: 'Cancelled' },
})

/** What the chat keeps: what the agent said, or a note of why it said nothing. */
function messageOf(
  run: Run,
  told: Told | null,
  error: ErrorFrame | null,
  status: Ending['outcome'],
): Ending['message'] {
  const note: Part[] = error
    ? [{ type: 'error', content: error.content, metadata: { ...error.metadata, run_id: run.id } }]
    : []
  const parts = [...(told?.parts ?? []), ...note]
  const metadata = { run_id: run.id, status }
  if (parts.length === 0) return null
  if (!told?.parts.some((part) => part.type !== 'error'))
    return { role: 'system', content: parts[0]!.content ?? '', parts, metadata }
  return { role: 'assistant', content: told.content, parts, toolSummary: told.toolSummary, metadata }
}

const early: Omit<Verdict, 'status' | 'reason'> = { kind: null, exit_code: null, metadata: {} }

export const cancelledEarly: Result = {
  verdict: { ...early, status: 'cancelled', reason: 'Cancelled' },
  told: null,
  facts: null,
}

/** A run that the server ended, or did not even begin, because its crew may store nothing more. */
export const refused = (result: Result, reason: string): Result => ({
  ...result,
  verdict: { ...result.verdict, status: 'failed', kind: 'internal', reason: capReason(reason) },
  error: { type: 'error', content: reason, metadata: { reason: 'disk_full', code: 'resource_limit' } },
})

/** A run whose program could not be started. */
export function failedEarly(error: unknown, facts: LaunchFacts | null): Result {
  const known = error instanceof Problem ? error : storageProblem(error)
  const reason = capReason(known ? known.message : `The agent could not be started: ${(error as Error).message}`)
  const code =
    known && (known.code === 'runtime_failed' || known.code === 'runtime_unavailable') ? 'provision_failed' : 'internal'
  return {
    verdict: { ...early, status: 'failed', kind: 'internal', reason },
    told: null,
    facts,
    error: { type: 'error', content: reason, metadata: { reason: known ? known.code : 'internal', code } },
  }
}

/** The same run, lost because the daemon was away. */
export function lostByRestart(result: Result): Result {
  const reason = 'The server was restarted, and the agent did not survive it'
  return {
    ...result,
    verdict: { ...result.verdict, reason },
    error: { type: 'error', content: reason, metadata: { reason: 'server_restart', code: 'internal' } },
    restart: true,
  }
}
