import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type NoteKind, noteLimit, type notes } from '#contract/notes'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { callerOf } from '../agents/service.ts'
import { findRun, type Run } from '../runs/service.ts'
import { type NoteRow, queries } from './queries.ts'

/** How long other calls of the run are not answered with what one was answered with. */
const leaseMs = 15_000

export interface NewNote {
  runId: string
  kind: NoteKind
  /** What the agent is told, at most `noteLimit` characters. */
  text: string
  /** The message of the run's chat that it tells of. */
  messageId?: string
}

/** Leaves a note for an agent at work, which it gets after its current step; null when no program of the run works. */
export function leaveNote(app: App, { runId, kind, text, messageId }: NewNote): string | null {
  if (text.length > noteLimit) throw new RangeError(`A note has at most ${noteLimit} characters`)
  const run = findRun(app, runId)
  if (!run || !takesNotes(run)) return null
  const id = newId(app.clock())
  const created_at = app.clock()
  queries(app.db).insert.run({ id, run_id: runId, kind, text, message_id: messageId ?? null, created_at })
  return id
}

/** Whether a program of the run is at work, or about to be. */
export const takesNotes = ({ phase }: Run): boolean =>
  phase === 'queued' || phase === 'launching' || phase === 'running'

/**
 * Hands over what waits in the caller's run. It counts as taken once it is acknowledged: until then the same call has
 * the same answer, and another one has it after a while.
 */
export function take(app: App, { body }: Call<typeof notes.take>): Reply<typeof notes.take> {
  const run = ownRun(app, body)
  if (!run || !takesNotes(run)) return { receipt: null, text: '' }
  const call = body.call_id ?? newId(app.clock())
  const now = app.clock()
  const handed = fitting(queries(app.db).waiting.all({ run: run.id, call, now, lease: leaseMs }))
  for (const { id } of handed) queries(app.db).hand.run({ id, call, now })
  return { receipt: handed.length > 0 ? call : null, text: handed.map(({ text }) => text).join(between) }
}

const between = '\n\n'

/** The oldest that fit into one answer. */
function fitting(waiting: NoteRow[]): NoteRow[] {
  let left = noteLimit + between.length
  return waiting.filter(({ text }) => {
    left -= text.length + between.length
    return left >= 0
  })
}

/** Records what the caller has taken, each note once. */
export function acknowledge(app: App, { body }: Call<typeof notes.acknowledge>): Reply<typeof notes.acknowledge> {
  const run = ownRun(app, body)
  if (!run) return { taken: 0 }
  const taken = queries(app.db).take.all({ run: run.id, call: body.receipt, now: app.clock() })
  for (const note of taken) journalTaken(app, run, note)
  return { taken: taken.length }
}

function journalTaken(app: App, run: Run, { id, kind, message_id }: NoteRow): void {
  const { workspace_id, crew_id, agent_id, chat_id } = run
  const said = { ...(chat_id && { chat_id }), ...(message_id && { message_id }) }
  const about = { workspace_id, crew_id, agent_id, trace_id: run.id, actor_type: 'agent', actor_id: agent_id } as const
  app.journal(fact('run.note_taken', { note_id: id, kind, ...said }, about))
}

type Caller = Call<typeof notes.take>['body']

/** The run in which the agent calls, which is its own. */
function ownRun(app: App, caller: Caller): Run | null {
  callerOf(app, caller)
  const run = caller.run_id ? findRun(app, caller.run_id) : undefined
  return run?.agent_id === caller.agent_id && run.crew_id === caller.crew_id ? run : null
}

type Ended = Happened<'run.completed' | 'run.failed' | 'run.timeout' | 'run.cancelled'>

/** Notes go with the end of their run; chats take back what their messages still wait for. */
export const forgetNotes = (app: App, { about }: Ended): void => {
  if (about.trace_id) queries(app.db).forget.run(about.trace_id)
}

/** Takes back what the agent was not told of what people said in a run; answers those messages. */
export const withdrawSaid = ({ db }: App, runId: string): string[] =>
  queries(db)
    .withdrawSaid.all(runId)
    .flatMap(({ message_id }) => message_id ?? [])
