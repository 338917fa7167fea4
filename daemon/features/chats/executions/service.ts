import type { App } from '#kernel/app'
import type { Draft } from '#kernel/journal'
import { problem } from '#kernel/problem'
import { setStatus } from '../../agents/service.ts'
import { addMessage, type NewMessage } from '../messages/service.ts'
import { type Execution, type NewExecution, type Outcome, queries } from './queries.ts'

export type { Execution, Outcome } from './queries.ts'

/** Runs that are accepted and not ended, waiting ones included; past it nothing is accepted. */
const openLimit = 1000

export const openExecutions = ({ db }: App): Execution[] => queries(db).open.all()
export const findExecution = ({ db }: App, id: string): Execution | undefined => queries(db).find.get(id)
export const executionOfChat = ({ db }: App, chatId: string): Execution | undefined => queries(db).ofChat.get(chatId)
export const executionsOfAgent = ({ db }: App, agentId: string): Execution[] => queries(db).ofAgent.all(agentId)
/** Holds a crew's container up: the runs that are accepted and not ended. */
export const executionsOfCrew = ({ db }: App, crewId: string): Execution[] => queries(db).ofCrew.all(crewId)

/** Newest number of a frame that an ended run of the chat gave out. */
export const lastFrameOf = ({ db }: App, chatId: string): number => queries(db).lastFrame.get(chatId)?.last_frame ?? 0

/** Beginnings and ends of an agent's runs, latest first. */
export function historyOfAgent({ db }: App, agentId: string, limit: number): { at: number; event: string; run: string; tokens: number | null }[] {
  const runs = queries(db).history.all(agentId, limit)
  const events = runs.flatMap(({ id, created_at, ended_at, outcome, tokens }) => [
    { at: created_at, event: 'run.started', run: id, tokens: null },
    ...(ended_at !== null && outcome ? [{ at: ended_at, event: entryOf[outcome], run: id, tokens }] : []),
  ])
  return events.sort((a, b) => b.at - a.at || Number(a.event === 'run.started') - Number(b.event === 'run.started')).slice(0, limit)
}

/**
 * Records a run with its `run.started`, which is what starts it once the change is committed. Within a change. Refuses when
 * the chat has a run already.
 */
export function beginExecution(app: App, run: NewExecution, metadata: Record<string, unknown>): void {
  if (queries(app.db).queued.get()!.count >= openLimit) throw problem('unavailable', { detail: 'Too many runs wait to be started; try again later' })
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

function busy(app: App, chatId: string) {
  const { id, triggered_by } = executionOfChat(app, chatId) ?? {}
  return problem('chat_busy', { extra: { run_id: id, triggered_by } })
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
  const run = queries(app.db).launch.get({ id, frame: launch.frame, launch: JSON.stringify(launch.facts), at: app.clock() })
  if (!run) return false
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
export function noteSession(app: App, run: Execution, init: Record<string, unknown> & { mcp_server_errors?: unknown[] }): void {
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

/** Records that the run should end; null when it has ended. Within a change. Then tell `app.runs.cancel`. */
export function wishCancel(app: App, runId: string, userId: string | null): Execution | null {
  return queries(app.db).cancel.get(app.clock(), userId, runId) ?? null
}

/** A restart begins the frames of a run that was not started yet anew, past all that may have been seen of it. Within a change. */
export const skipFrames = ({ db }: App, runId: string, first: number): void => void queries(db).skipFrames.run(first, runId)

/** The run's spool is removed. Within a change. */
export const markDiscarded = ({ db }: App, id: string): void => void queries(db).discarded.run(id)

/** Ended runs of a crew whose spools are still there. */
export const leftExecutions = ({ db }: App, crewId: string): Execution[] => queries(db).left.all(crewId)

/** All that is known of a run's end. */
export interface Ending {
  outcome: Outcome
  /** Status that the agent has afterwards, unless another of its runs goes on. */
  agentStatus: 'IDLE' | 'ERROR'
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

const entryOf = { COMPLETED: 'run.completed', FAILED: 'run.failed', CANCELLED: 'run.cancelled', TIMEOUT: 'run.timeout' } as const
const answerLimit = 8 * 1024

/** Ends a run for good: message, entries and status together. Within a change; false when it had ended before. */
export function endExecution(app: App, runId: string, ending: Ending): boolean {
  const run = queries(app.db).end.get(app.clock(), ending.outcome, tokensOf(ending.metadata), runId)
  if (!run) return false
  queries(app.db).settleFrames.run(ending.lastFrame, run.chat_id)
  if (ending.message) addMessage(app, { ...ending.message, chatId: run.chat_id, agentId: run.agent_id, runId })
  if (ending.command) journalCommandEnd(app, run, ending)
  if (ending.message?.role === 'assistant' && ending.message.content) journalAnswer(app, run, ending.message.content)
  app.journal({
    ...about(run),
    type: entryOf[ending.outcome],
    ...(ending.severity && { severity: ending.severity }),
    summary: `${run.agent_name}'s run ${words[ending.outcome]}${ending.outcome !== 'COMPLETED' && ending.reason ? `: ${ending.reason}` : ''}`,
    ...(ending.outcome === 'CANCELLED' && run.cancelled_by ? { actor_type: 'user', actor_id: run.cancelled_by } : { actor_type: 'orchestrator' }),
    payload: {
      ...ending.payload,
      ...(ending.exitCode !== null && { exit_code: ending.exitCode }),
      ...(ending.reason && ending.outcome !== 'COMPLETED' && { error_message: ending.reason }),
      metadata: { duration_ms: app.clock() - (run.launched_at ?? run.created_at), ...ending.metadata },
    },
  })
  if (!executionsOfAgent(app, run.agent_id).length) setStatus(app, run.agent_id, ending.agentStatus)
  tell(app, run, ending.outcome === 'COMPLETED' ? 'run.completed' : 'run.failed', ending.outcome)
  return true
}

function tokensOf({ input_tokens, output_tokens }: Record<string, unknown>): number | null {
  const spent = Number(input_tokens ?? 0) + Number(output_tokens ?? 0)
  return spent > 0 ? spent : null
}

const words: Record<Outcome, string> = { COMPLETED: 'completed', FAILED: 'failed', CANCELLED: 'was cancelled', TIMEOUT: 'took too long' }

function journalCommandEnd(app: App, run: Execution, { command, exitCode, outcome, reason }: Ending): void {
  const failed = outcome === 'FAILED' || outcome === 'TIMEOUT'
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
      duration_ms: app.clock() - (run.launched_at ?? run.created_at),
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

const about = ({ workspace_id, crew_id, agent_id, id }: NewExecution) => ({ workspace_id, crew_id, agent_id, trace_id: id })

function tell(app: App, { id, workspace_id, agent_id, agent_name }: NewExecution, type: string, status: string): void {
  app.broadcast({ channel: `workspace:${workspace_id}`, type, payload: { run_id: id, agent_id, agent_name, status } })
}
