import { fact, type Payload, type Severity } from '#contract/entries'
import type { Usage } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Said } from '#kernel/runs'
import { setStatus } from '../../agents/status/service.ts'
import { isPrivate, openly } from '../chains/service.ts'
import { sourceOf } from '../messages/service.ts'
import { type Outcome, queries, type Run } from '../queries.ts'
import { addSpent, entryOf, type Spent, spentOf } from '../rules.ts'
import { about, chatOf, tell } from '../telling.ts'

/** The end of a run. */
export interface Ending {
  outcome: Outcome
  /** Status of the agent afterwards, unless another of its runs is active; null leaves it unchanged. */
  agentStatus: 'IDLE' | 'ERROR' | null
  exitCode: number | null
  reason: string | null
  /** Metadata of the terminal entry; members without a value are left out. */
  metadata: Record<string, unknown>
  payload?: { reason: 'server_restart' }
  severity?: Severity
  /** The message to store; null when there is none. */
  message: Said | null
  command: Omit<Payload<'exec.command'>, 'phase'> | null
  /** Number of the newest frame, including those about the end. */
  lastFrame: number
}

/** The end of a program whose run waits for a person. */
export type Parked = Pick<Ending, 'exitCode' | 'message' | 'command' | 'lastFrame'> & { metadata: Spent }

/** Parks a run whose program has ended, and stores its message; false when the run is to be cancelled. */
export function settleParking(
  app: App,
  runId: string,
  { exitCode, message, command, lastFrame, metadata }: Parked,
): boolean {
  const before = queries(app.db).find.get(runId)
  if (before?.phase !== 'parking') return false
  const worked = workedMs(app, before) - before.worked_ms
  const run = queries(app.db).settleParking.get({
    id: runId,
    worked,
    spent: JSON.stringify(spentOf(addSpent(spentBefore(before), metadata))),
    frame: lastFrame,
  })
  if (!run) return false
  if (message) sourceOf(app, run).keep(app, run, message)
  if (command) journalCommandEnd(app, run, { command, exitCode, failed: false, reason: null, workedMs: worked })
  if (message?.role === 'assistant') journalAnswer(app, run, message.content)
  settleAgent(app, run, 'IDLE')
  return true
}

/** Ends a run: message, entries and status in one change; false when it had ended before. */
export function endRun(app: App, runId: string, ending: Ending): boolean {
  const before = queries(app.db).find.get(runId)
  if (!before) return false
  const { message, command, outcome, lastFrame: frame } = ending
  const metadata = before.spent_json ? addSpent(spentBefore(before), ending.metadata) : ending.metadata
  const own = isPrivate(app, before) ? ending.reason : null
  const end = { id: runId, at: app.clock(), outcome, tokens: tokensOf(metadata), reason: own, frame }
  const run = queries(app.db).end.get(end)
  if (!run) return false
  const reason = ending.reason && openly(app, run, ending.reason)
  if (message) sourceOf(app, run).keep(app, run, message)
  const failed = outcome === 'FAILED' || outcome === 'TIMEOUT'
  const ownMs = workedMs(app, before) - before.worked_ms
  if (command) journalCommandEnd(app, run, { ...ending, reason, command, failed, workedMs: ownMs })
  if (message?.role === 'assistant') journalAnswer(app, run, message.content)
  journalEnd(app, run, { ...ending, reason }, { duration_ms: workedMs(app, before), ...metadata })
  if (ending.agentStatus) settleAgent(app, run, ending.agentStatus)
  tell(app, run, outcome === 'COMPLETED' ? 'run.completed' : 'run.failed', outcome, {
    duration_ms: workedMs(app, before),
    ...(reason && outcome !== 'COMPLETED' && { error: reason, error_message: reason }),
  })
  return true
}

function journalEnd(app: App, run: Run, ending: Ending, metadata: Record<string, unknown>): void {
  const { outcome, payload, exitCode, reason, severity } = ending
  const by =
    outcome === 'CANCELLED' && run.cancelled_by
      ? ({ actor_type: 'user', actor_id: run.cancelled_by } as const)
      : ({ actor_type: 'orchestrator' } as const)
  const said = {
    ...chatOf(run),
    ...payload,
    ...(exitCode !== null && { exit_code: exitCode }),
    ...(reason && outcome !== 'COMPLETED' && { error_message: reason }),
    metadata,
  }
  app.journal(fact(entryOf[outcome], said, { ...about(run), ...by, ...(severity && { severity }) }))
}

/** Sets the agent's status, unless another of its runs has a program. */
function settleAgent(app: App, { agent_id }: Run, status: 'IDLE' | 'ERROR'): void {
  if (!queries(app.db).workingOfAgent.all(agent_id).length) setStatus(app, agent_id, status)
}

/** What the earlier programs of a run used of the model service; null when there were none. */
export const usedBefore = (run: Run): Usage | null => (spentBefore(run)['usage'] as Usage | undefined) ?? null

/** What two parts of a session used together; null when nothing is known of either. */
export const addUsage = (one: Usage | null | undefined, other: Usage | null | undefined): Usage | null =>
  one && other ? (addSpent({ usage: one }, { usage: other })['usage'] as Usage) : (one ?? other ?? null)

const spentBefore = ({ spent_json }: Run): Spent => (spent_json ? (JSON.parse(spent_json) as Spent) : {})

/** Milliseconds that the run's programs worked in total, without the time spent waiting for people. */
function workedMs(app: App, { worked_ms, launched_at, created_at, attempt }: Run): number {
  if (launched_at !== null) return worked_ms + Math.max(0, Math.round(app.steady()) - launched_at)
  return attempt === 0 && worked_ms === 0 ? Math.max(0, app.clock() - created_at) : worked_ms
}

function tokensOf({ input_tokens, output_tokens }: Record<string, unknown>): number | null {
  const spent = Number(input_tokens ?? 0) + Number(output_tokens ?? 0)
  return spent > 0 ? spent : null
}

interface CommandEnd {
  command: NonNullable<Ending['command']>
  exitCode: number | null
  failed: boolean
  reason: string | null
  workedMs: number
}

function journalCommandEnd(app: App, run: Run, { command, exitCode, failed, reason, workedMs }: CommandEnd): void {
  const payload = {
    ...command,
    phase: 'end' as const,
    ...(exitCode !== null && { exit_code: exitCode }),
    duration_ms: workedMs,
    ...(failed && exitCode === 0 && { in_band_error: reason }),
  }
  const severity = failed ? { severity: 'error' as const } : {}
  app.journal(fact('exec.command', payload, { ...about(run), actor_type: 'orchestrator', ...severity }))
}

const answerLimit = 8 * 1024

function journalAnswer(app: App, run: Run, content: string): void {
  if (!content || isPrivate(app, run)) return
  const kept = Buffer.from(content).subarray(0, answerLimit).toString('utf8').replace(/�$/, '')
  const payload = {
    ...chatOf(run),
    agent_slug: run.agent_slug,
    content: kept,
    length_chars: content.length,
    ...(kept.length < content.length && { truncated: true as const }),
  }
  app.journal(fact('chat.agent_response', payload, { ...about(run), actor_type: 'agent', actor_id: run.agent_id }))
}
