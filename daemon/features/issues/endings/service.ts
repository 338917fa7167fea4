import type { Acting } from '#contract/entries'
import type { IssueStatus } from '#contract/issues'
import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import { acting, type Happened } from '#kernel/facts'
import { unlessStorage } from '#kernel/store/storage-fault'
import { cancelIn, delegatesIn } from '../../assignments/endings/service.ts'
import { lastWordsOf } from '../../runs/messages/service.ts'
import { findRun, type Run, runOfChat, wishCancel } from '../../runs/service.ts'
import { addComment } from '../comments/service.ts'
import { moveTo } from '../moving/service.ts'
import { noticeEnd } from '../notices/service.ts'
import { queries, type Row } from '../queries.ts'
import { note, tell } from '../telling.ts'

type Ended = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>

const commentLimit = 20_000
const reasonLimit = 2000

/**
 * Ends what an agent did on an issue with its run: its last words become its comment, and the issue goes on, unless the
 * agent has another turn or waits for what it delegated. Comes after the reaction of chats, which begins such turns.
 */
export function afterRun(app: App, it: Ended): void {
  const run = it.about.trace_id ? findRun(app, it.about.trace_id) : undefined
  const name = run?.mission_id
  const issue = name ? queries(app.db).find.get({ workspace: run.workspace_id, name }) : undefined
  if (!run || !issue) return
  const words = it.name === 'run.completed' ? lastWordsOf(app, run) : ''
  if (words && run.trigger_type === 'ISSUE') {
    const by = { actor_type: 'agent', actor_id: run.agent_id } as const
    addComment(app, issue, { by, author: { type: 'agent', id: run.agent_id }, text: cut(words, commentLimit) })
  }
  if (issue.work_chat_id === run.chat_id) settleWork(app, { issue, run, it, words })
  else tell(app, issue, 'issue.updated')
}

interface Work {
  issue: Row
  run: Run
  it: Ended
  /** What the agent said last. */
  words: string
}

function settleWork(app: App, work: Work): void {
  const { issue, run, it } = work
  if (it.name === 'run.cancelled') finish(app, issue, 'TODO', acting(it.about))
  else if (goesOn(app, run.chat_id!)) tell(app, issue, 'issue.updated')
  else if (it.name === 'run.completed') complete(app, work)
  else fail(app, work)
}

function complete(app: App, { issue, run, words }: Work): void {
  const by = { actor_type: 'agent', actor_id: run.agent_id } as const
  note(app, issue, by, 'task_completed')
  noticeEnd(app, finish(app, issue, 'REVIEW', by), senderOf(run), words || null)
}

function fail(app: App, { issue, run, it }: Work): void {
  const by = { actor_type: 'system' } as const
  const why = it.payload.error_message ?? (it.name === 'run.timeout' ? 'It took too long' : 'The run failed')
  const reason = cut(why, reasonLimit)
  note(app, issue, by, 'task_failed', reason)
  noticeEnd(app, finish(app, issue, 'FAILED', by), senderOf(run), reason)
}

const senderOf = (run: Run) => ({ type: 'agent', id: run.agent_id, name: run.agent_name }) as const

const finish = (app: App, issue: Row, status: IssueStatus, by: Acting): Row => moveTo(app, issue, status, by)

const goesOn = (app: App, chat: string): boolean => runOfChat(app, chat) !== undefined || delegatesIn(app, chat)

/** Ends the work on an issue that somebody takes away; answers the runs of agents that end with it. */
export function leaveWork(
  app: App,
  { work_chat_id, work_run_id }: Pick<Row, 'work_chat_id' | 'work_run_id'>,
  by: Acting,
): string[] {
  if (work_run_id !== null) app.routines.cancel(app, work_run_id, by)
  if (work_chat_id === null) return []
  cancelIn(app, work_chat_id, by)
  const run = runOfChat(app, work_chat_id)
  const user = by.actor_type === 'user' ? (by.actor_id ?? null) : null
  return run && wishCancel(app, run.id, user) ? [run.id] : []
}

type RoutineEnded = Happened<'routine_run.completed' | 'routine_run.failed' | 'routine_run.cancelled'>

/** An issue goes on with the end of the run of its routine. */
export function afterRoutine(app: App, it: RoutineEnded): void {
  const issue = queries(app.db).ofRoutineRun.get(it.payload.run_id)
  if (!issue) return
  const by = { actor_type: 'system' } as const
  const sender = { type: 'pipeline', id: it.payload.pipeline_id, name: it.payload.pipeline_slug } as const
  if (it.name === 'routine_run.cancelled') finish(app, issue, 'TODO', acting(it.about))
  else if (it.name === 'routine_run.completed') {
    note(app, issue, by, 'task_completed')
    noticeEnd(app, finish(app, issue, 'REVIEW', by), sender, null)
  } else {
    const { error_message = 'The routine failed' } = it.payload as Happened<'routine_run.failed'>['payload']
    const reason = cut(error_message, reasonLimit)
    note(app, issue, by, 'task_failed', reason)
    noticeEnd(app, finish(app, issue, 'FAILED', by), sender, reason)
  }
}

/** An issue whose agent gets no turn for what it delegated goes back to TODO. */
function settleLeft(app: App, issue: Row): void {
  if (issue.work_chat_id !== null && !goesOn(app, issue.work_chat_id))
    finish(app, issue, 'TODO', { actor_type: 'system' })
}

/** How often issues are looked at whose agent delegated. */
const everyMs = 60_000

/** Looks after issues whose agent waits for what it delegated: it may be left without a turn. */
export function settleRegularly(app: App): { close(): void } {
  const look = () =>
    void app
      .write(() => {
        for (const issue of queries(app.db).atWork.all()) settleLeft(app, issue)
      })
      .catch(unlessStorage)
      .catch((error) => app.log.error({ err: error }, 'Issues could not be looked after'))
  const timer = setInterval(look, everyMs).unref()
  look()
  return { close: () => clearInterval(timer) }
}
