import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { Draft } from '#kernel/journal/journal'
import { problem } from '#kernel/problem'
import { setStatus } from '../../agents/service.ts'
import { leaveSession, sessionOfRun } from '../../asks/sessions/service.ts'
import { addMessage, type NewMessage } from '../messages/service.ts'
import { type Execution, type NewExecution, type Outcome, queries } from './queries.ts'
import { addSpent, type Spent, spentOf } from './rules.ts'

export type { Execution, Outcome } from './queries.ts'

/** Runs that are accepted and not ended, waiting ones included; past it nothing is accepted. */
const openLimit = 1000

export const openExecutions = ({ db }: App): Execution[] => queries(db).open.all()
export const findExecution = ({ db }: App, id: string): Execution | undefined => queries(db).find.get(id)
export const executionOfChat = ({ db }: App, chatId: string): Execution | undefined => queries(db).ofChat.get(chatId)
export const executionsOfAgent = ({ db }: App, agentId: string): Execution[] => queries(db).ofAgent.all(agentId)
export const executionsOfCrew = ({ db }: App, crewId: string): Execution[] => queries(db).ofCrew.all(crewId)
/** Runs that are accepted and not ended, but for those that wait for a person: these have no program. */
export const workingOfAgent = ({ db }: App, agentId: string): Execution[] => queries(db).workingOfAgent.all(agentId)
/** The same of a crew: what holds its container up. */
export const workingOfCrew = ({ db }: App, crewId: string): Execution[] => queries(db).workingOfCrew.all(crewId)

/** Newest number of a frame that an ended run of the chat gave out. */
export const lastFrameOf = ({ db }: App, chatId: string): number => queries(db).lastFrame.get(chatId)?.last_frame ?? 0

/** Beginnings and ends of an agent's runs, latest first. */
export function historyOfAgent(
  { db }: App,
  agentId: string,
  limit: number,
): { at: number; event: string; run: string; tokens: number | null }[] {
  const runs = queries(db).history.all(agentId, limit)
  const events = runs.flatMap(({ id, created_at, ended_at, outcome, tokens }) => [
    { at: created_at, event: 'run.started', run: id, tokens: null },
    ...(ended_at !== null && outcome ? [{ at: ended_at, event: entryOf[outcome], run: id, tokens }] : []),
  ])
  return events
    .sort((a, b) => b.at - a.at || Number(a.event === 'run.started') - Number(b.event === 'run.started'))
    .slice(0, limit)
}

/**
 * Records a run with its `run.started`, which is what starts it once the change is committed. Within a change. Refuses
 * when
 * the chat has a run already.
 */
export function beginExecution(app: App, run: NewExecution, metadata: Record<string, unknown>): void {
  if (queries(app.db).queued.get()!.count >= openLimit)
    throw problem('unavailable', { detail: 'Too many runs wait to be started; try again later' })
  if (!queries(app.db).insert.get(run)) throw busy(app, run.chat_id)
  app.journal({
    ...about(run),
    type: 'run.started',
    summary: `${run.agent_name} started a run`,
    actor_type: 'sidecar',
    ...(run.triggered_by && { actor_id: run.triggered_by }),
    payload: { trigger_type: run.trigger_type, chat_id: run.chat_id, metadata },
  })
  setStatus(app, run.agent_id, 'RUNNING')
  tell(app, run, 'run.started', 'RUNNING')
}

/** Why nothing can begin in a chat. */
export function busy(app: App, chatId: string, detail?: string) {
  const { id, triggered_by, phase } = executionOfChat(app, chatId) ?? {}
  const item = phase === 'parking' || phase === 'parked' ? sessionOfRun(app, id!)?.inbox_item_id : undefined
  return problem('chat_busy', {
    ...(item ? { detail: 'The agent waits for an answer to its question in the inbox' } : detail && { detail }),
    extra: { run_id: id, triggered_by, ...(item && { inbox_item_id: item }) },
  })
}

/** How a run's program is about to be started. */
export interface Launching {
  /** Number of the first frame that comes of its output. */
  frame: number
  facts: Record<string, unknown>
  command: Record<string, unknown>
  /** What of the chat the agent is not told; null when it is told everything. */
  overflow: object | null
}

/** Within a change; false when the run does not wait any more. */
export function markLaunching(app: App, id: string, launch: Launching): boolean {
  const run = queries(app.db).launch.get({
    id,
    frame: launch.frame,
    launch: JSON.stringify(launch.facts),
    at: Math.round(app.steady()),
  })
  if (!run) return false
  if (run.attempt > 0) leaveSession(app, id, 'running', null)
  if (launch.overflow) {
    app.journal({
      ...about(run),
      type: 'conversation.compacted',
      summary: 'Earlier messages were left out of the prompt',
      actor_type: 'orchestrator',
      payload: { session_id: run.chat_id, ...launch.overflow },
    })
  }
  app.journal({
    ...about(run),
    type: 'exec.command',
    summary: "Agent's client started",
    actor_type: 'orchestrator',
    payload: { ...launch.command, phase: 'start' },
  })
  return true
}

/** Within a change. */
export const markRunning = ({ db }: App, id: string): void => void queries(db).started.run(id)

/** Puts what the agent's client said of itself on record, once. Within a change. */
export function noteSession(
  app: App,
  run: Execution,
  init: Record<string, unknown> & { mcp_server_errors?: unknown[] },
): void {
  if (!queries(app.db).noteInit.get(run.id)) return
  app.journal({
    ...about(run),
    type: 'run.session_init',
    ...(init.mcp_server_errors?.length && { severity: 'error' as const }),
    summary: `Session began${init['model'] ? ` with ${init['model']}` : ''}`,
    actor_type: 'orchestrator',
    payload: init,
  })
}

/**
 * Records that the run should end; null when it has ended. One that waits for a person has no program, so it ends here.
 * Within a change. Then tell `app.runs.cancel`.
 */
export function wishCancel(app: App, runId: string, userId: string | null): Execution | null {
  const run = queries(app.db).cancel.get(app.clock(), userId, runId)
  if (run?.phase === 'parked') endExecution(app, runId, { ...noProgram, outcome: 'CANCELLED', reason: 'Cancelled' })
  return run ?? null
}

const noProgram: Omit<Ending, 'outcome' | 'reason'> = {
  agentStatus: null,
  exitCode: null,
  metadata: {},
  message: null,
  command: null,
  lastFrame: 0,
}

/** The run waits for a person; its program is to be ended. Within a change; false when it is over, or about to end. */
export function parkExecution(app: App, runId: string): boolean {
  const run = queries(app.db).park.get(runId)
  if (run) tell(app, run, 'run.parked', 'RUNNING')
  return run !== undefined
}

/** What is known of a program that ended because its run waits for a person. */
export type Parked = Pick<Ending, 'exitCode' | 'message' | 'command' | 'lastFrame'> & { metadata: Spent }

/**
 * A parked run has no program any more, and what it said is stored. Within a change; false when its end is wished for.
 */
export function settleParking(
  app: App,
  runId: string,
  { exitCode, message, command, lastFrame, metadata }: Parked,
): boolean {
  const before = findExecution(app, runId)
  if (before?.phase !== 'parking') return false
  const worked = workedMs(app, before) - before.worked_ms
  const run = queries(app.db).settleParking.get({
    id: runId,
    worked,
    spent: JSON.stringify(spentOf(addSpent(spentBefore(before), metadata))),
  })
  if (!run) return false
  queries(app.db).settleFrames.run(lastFrame, run.chat_id)
  if (message) addMessage(app, { ...message, chatId: run.chat_id, agentId: run.agent_id, runId })
  if (command) journalCommandEnd(app, run, { command, exitCode, failed: false, reason: null, workedMs: worked })
  if (message?.role === 'assistant' && message.content) journalAnswer(app, run, message.content)
  if (!workingOfAgent(app, run.agent_id).length) setStatus(app, run.agent_id, 'IDLE')
  return true
}

/** A run that waited for a person goes on with this message. Within a change; its entry is what starts it. */
export function resumeExecution(
  app: App,
  runId: string,
  { actor, message, ...about_ }: { actor: Actor; message: string } & Record<string, unknown>,
): void {
  const run = queries(app.db).resume.get({ id: runId, message })
  if (!run) throw new Error(`The run ${runId} does not wait for anybody`)
  app.journal({
    ...about(run),
    type: 'run.resumed',
    summary: `${run.agent_name} goes on`,
    ...actorOf(actor),
    payload: { chat_id: run.chat_id, comment_id: message, attempt: run.attempt, ...about_ },
  })
  setStatus(app, run.agent_id, 'RUNNING')
  tell(app, run, 'run.resumed', 'RUNNING')
}

/** The session of the agent's client is gone: the run is started once more, with what was said. Within a change. */
export const startOver = ({ db }: App, runId: string, frame: number): Execution | undefined =>
  queries(db).startOver.get({ id: runId, frame })

const spentBefore = ({ spent_json }: Execution): Spent => (spent_json ? (JSON.parse(spent_json) as Spent) : {})

/** How long the run's programs worked, all together: time spent waiting for people is left out. */
function workedMs(app: App, { worked_ms, launched_at, created_at, attempt }: Execution): number {
  if (launched_at !== null) return worked_ms + Math.max(0, Math.round(app.steady()) - launched_at)
  return attempt === 0 && worked_ms === 0 ? Math.max(0, app.clock() - created_at) : worked_ms
}

/**
 * A restart begins the frames of a run that was not started yet anew, past all that may have been seen of it. Within a
 * change.
 */
export const skipFrames = ({ db }: App, runId: string, first: number): void =>
  void queries(db).skipFrames.run(first, runId)

/** The run's spool is removed. Within a change. */
export const markDiscarded = ({ db }: App, id: string): void => void queries(db).discarded.run(id)

/** Ended runs of a crew whose spools are still there. */
export const leftExecutions = ({ db }: App, crewId: string): Execution[] => queries(db).left.all(crewId)

/** All that is known of a run's end. */
export interface Ending {
  outcome: Outcome
  /** Status that the agent has afterwards, unless another of its runs goes on; null leaves it as it is. */
  agentStatus: 'IDLE' | 'ERROR' | null
  exitCode: number | null
  reason: string | null
  /** Of the terminal entry; members without a value are left out. */
  metadata: Record<string, unknown>
  payload?: Record<string, unknown>
  severity?: Draft['severity']
  /** What goes into the chat; null when there is nothing to say. */
  message: Omit<NewMessage, 'chatId' | 'agentId' | 'runId'> | null
  command: Record<string, unknown> | null
  /** Newest number of a frame, those that tell of the end included. */
  lastFrame: number
}

const entryOf = {
  COMPLETED: 'run.completed',
  FAILED: 'run.failed',
  CANCELLED: 'run.cancelled',
  TIMEOUT: 'run.timeout',
} as const
const answerLimit = 8 * 1024

/** Ends a run for good: message, entries and status together. Within a change; false when it had ended before. */
export function endExecution(app: App, runId: string, ending: Ending): boolean {
  const before = findExecution(app, runId)
  if (!before) return false
  const metadata = before.spent_json ? addSpent(spentBefore(before), ending.metadata) : ending.metadata
  const run = queries(app.db).end.get(app.clock(), ending.outcome, tokensOf(metadata), runId)
  if (!run) return false
  leaveSession(app, runId, 'idle', run.cancelled_by)
  queries(app.db).settleFrames.run(ending.lastFrame, run.chat_id)
  if (ending.message) addMessage(app, { ...ending.message, chatId: run.chat_id, agentId: run.agent_id, runId })
  const failed = ending.outcome === 'FAILED' || ending.outcome === 'TIMEOUT'
  const ownMs = workedMs(app, before) - before.worked_ms
  if (ending.command) journalCommandEnd(app, run, { ...ending, command: ending.command, failed, workedMs: ownMs })
  if (ending.message?.role === 'assistant' && ending.message.content) journalAnswer(app, run, ending.message.content)
  const payload = {
    chat_id: run.chat_id,
    ...ending.payload,
    ...(ending.exitCode !== null && { exit_code: ending.exitCode }),
    ...(ending.reason && ending.outcome !== 'COMPLETED' && { error_message: ending.reason }),
    metadata: { duration_ms: workedMs(app, before), ...metadata },
  }
  app.journal(
    fact(entryOf[ending.outcome], payload, {
      ...about(run),
      ...(ending.severity && { severity: ending.severity }),
      ...(ending.outcome === 'CANCELLED' && run.cancelled_by
        ? { actor_type: 'user', actor_id: run.cancelled_by }
        : { actor_type: 'orchestrator' }),
    }),
  )
  if (ending.agentStatus && !workingOfAgent(app, run.agent_id).length) setStatus(app, run.agent_id, ending.agentStatus)
  tell(app, run, ending.outcome === 'COMPLETED' ? 'run.completed' : 'run.failed', ending.outcome)
  return true
}

function tokensOf({ input_tokens, output_tokens }: Record<string, unknown>): number | null {
  const spent = Number(input_tokens ?? 0) + Number(output_tokens ?? 0)
  return spent > 0 ? spent : null
}

interface CommandEnd {
  command: Record<string, unknown>
  exitCode: number | null
  failed: boolean
  reason: string | null
  workedMs: number
}

function journalCommandEnd(
  app: App,
  run: Execution,
  { command, exitCode, failed, reason, workedMs }: CommandEnd,
): void {
  app.journal({
    ...about(run),
    type: 'exec.command',
    ...(failed && { severity: 'error' as const }),
    summary: "Agent's client ended",
    actor_type: 'orchestrator',
    payload: {
      ...command,
      phase: 'end',
      ...(exitCode !== null && { exit_code: exitCode }),
      duration_ms: workedMs,
      ...(failed && exitCode === 0 && { in_band_error: reason }),
    },
  })
}

function journalAnswer(app: App, run: Execution, content: string): void {
  const kept = Buffer.from(content).subarray(0, answerLimit).toString('utf8').replace(/�$/, '')
  app.journal({
    ...about(run),
    type: 'chat.agent_response',
    summary: `${run.agent_name} answered`,
    actor_type: 'agent',
    actor_id: run.agent_id,
    payload: {
      chat_id: run.chat_id,
      agent_slug: run.agent_slug,
      content: kept,
      length_chars: content.length,
      ...(kept.length < content.length && { truncated: true }),
    },
  })
}

const about = ({ workspace_id, crew_id, agent_id, id }: NewExecution) => ({
  workspace_id,
  crew_id,
  agent_id,
  trace_id: id,
})

function tell(app: App, { id, workspace_id, agent_id, agent_name }: NewExecution, type: string, status: string): void {
  app.broadcast({ channel: `workspace:${workspace_id}`, type, payload: { run_id: id, agent_id, agent_name, status } })
}
