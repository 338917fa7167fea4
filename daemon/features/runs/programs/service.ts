import { fact, type Payload } from '#contract/entries'
import type { App } from '#kernel/app'
import { queries, type Run } from '../queries.ts'
import { about } from '../telling.ts'

/** How a run's program will be started. */
export interface Launching {
  /** Number of the first frame of its output. */
  frame: number
  facts: Record<string, unknown>
  command: Omit<Payload<'exec.command'>, 'phase'>
  /** The part of the chat that does not fit into the prompt; null when everything fits. */
  overflow: Omit<Payload<'conversation.compacted'>, 'session_id'> | null
}

/** Marks a queued run as launching; false when it is no longer queued. */
export function markLaunching(app: App, id: string, launch: Launching): boolean {
  const run = queries(app.db).launch.get({
    id,
    frame: launch.frame,
    launch: JSON.stringify(launch.facts),
    at: Math.round(app.steady()),
  })
  if (!run) return false
  const concerned = { ...about(run), actor_type: 'orchestrator' } as const
  if (launch.overflow) {
    const chat = run.chat_id === null ? {} : { session_id: run.chat_id }
    app.journal(fact('conversation.compacted', { ...chat, ...launch.overflow }, concerned))
  }
  app.journal(fact('exec.command', { ...launch.command, phase: 'start' }, concerned))
  return true
}

export const markRunning = ({ db }: App, id: string): void => void queries(db).started.run(id)

/** Records what the agent's client reported about itself, once. */
export function noteSession(app: App, run: Run, init: Payload<'run.session_init'>, session: string | null): void {
  if (!queries(app.db).noteInit.get({ id: run.id, session })) return
  const severity = init.mcp_server_errors?.length ? { severity: 'error' as const } : {}
  app.journal(fact('run.session_init', init, { ...about(run), actor_type: 'orchestrator', ...severity }))
}

/** Queues a run again, with its history in the prompt, after the client lost its session. */
export const startOver = ({ db }: App, runId: string, frame: number): Run | undefined =>
  queries(db).startOver.get({ id: runId, frame })

/** After a restart, moves the first frame of a queued run past all numbers that clients may have seen. */
export const skipFrames = ({ db }: App, runId: string, first: number): void =>
  void queries(db).skipFrames.run(first, runId)

/** Records that the run's spool was removed. */
export const markDiscarded = ({ db }: App, id: string): void => void queries(db).discarded.run(id)

/** Ended runs of a crew that still have a spool. */
export const leftRuns = ({ db }: App, crewId: string): Run[] => queries(db).left.all(crewId)
