import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { wake } from '#kernel/waiting'
import { settle } from '../../decisions/service.ts'
import { sourceOf } from '../../runs/messages/service.ts'
import { findRun, type Run, wishCancel } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { type Ending, queries, type Row } from '../queries.ts'
import { isPrivate } from '../readers.ts'
import { cut, resultOf } from '../rules.ts'
import { broadcast, broadcastUnqueued, concerning, naming } from '../telling.ts'

export type EndedRun = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>
export type EndedAssignment = Happened<'assignment.completed' | 'assignment.failed' | 'assignment.cancelled'>

interface End extends Pick<Ending, 'status'> {
  result?: string | null
  error?: string | null
  exit_code?: number | undefined
  by?: Acting
}

const orchestrator = { actor_type: 'orchestrator' } as const
const facts = {
  COMPLETED: 'assignment.completed',
  FAILED: 'assignment.failed',
  CANCELLED: 'assignment.cancelled',
} as const
const errorLimit = 2000

/** Ends an assignment; false when it has ended before. */
export function end(app: App, row: Row, { status, result = null, error, exit_code, by = orchestrator }: End): boolean {
  const { id, workspace_id, assigned_to_id: agent_id } = row
  const scrub = app.scrub({ workspace_id, agent_id }, [])
  const told = error ? scrub(cut(error, errorLimit)) : null
  if (!queries(app.db).end.get({ id, status, result, error: told, now: app.now() })) return false
  const ended = queries(app.db).byId.get(id)!
  if (row.status === 'QUEUED') broadcastUnqueued(app, ended)
  broadcast(app, ended, status === 'COMPLETED' ? 'completed' : 'failed')
  const payload = {
    ...naming(app, ended),
    ...(exit_code !== undefined && { exit_code }),
    ...(told && !isPrivate(app, ended) && { error_message: told }),
  }
  app.journal(fact(facts[status], payload, { ...concerning(ended), ...by }))
  wake(app, id)
  return true
}

/** Ends the assignment of a run with the run, or leaves it to wait for what it delegated itself. */
export function settleRun(app: App, it: EndedRun): void {
  const run = it.about.trace_id ? findRun(app, it.about.trace_id) : undefined
  const row = run?.source === 'assignment' && run.source_id ? queries(app.db).byId.get(run.source_id) : undefined
  if (!run || row?.run_id !== run.id || row.finished_at !== null) return
  const { exit_code, error_message } = it.payload
  if (it.name === 'run.completed') complete(app, row, run)
  else if (it.name === 'run.cancelled')
    end(app, row, { status: 'CANCELLED', error: cancelledBy(app, it.about), exit_code, by: acting(it.about) })
  else {
    const error = run.reason ?? error_message ?? (it.name === 'run.timeout' ? 'It took too long' : 'The run failed')
    end(app, row, { status: 'FAILED', error, exit_code })
  }
}

function complete(app: App, row: Row, run: Run): void {
  const result = resultOf(sourceOf(app, run).kept(app, run))
  const { openOfGroup, undelivered, wait } = queries(app.db)
  if (openOfGroup.get(row.id) || undelivered.all(row.id).length)
    return void wait.get({ id: row.id, run: run.id, result })
  end(app, row, { status: 'COMPLETED', result })
}

function cancelledBy(app: App, { actor_type, actor_id }: Acting): string {
  const person = actor_type === 'user' && actor_id ? findUser(app, actor_id) : undefined
  return person ? `Cancelled by ${person.full_name ?? person.email}` : 'Cancelled'
}

/** Cancels an assignment. One that has a run ends with its run. */
export function cancelOne(app: App, row: Row, by: Acting, why = cancelledBy(app, by)): void {
  const user = by.actor_type === 'user' ? (by.actor_id ?? null) : null
  const atWork = row.status === 'RUNNING' && row.waiting === 0 && row.run_id !== null
  if (atWork && wishCancel(app, row.run_id!, user)) return
  end(app, row, { status: 'CANCELLED', error: why, by })
}

/** Cancels what is open of a group; nobody is told of what has ended. */
export function cancelGroup(app: App, group: string, by: Acting): void {
  const { ofGroup, undelivered, deliver } = queries(app.db)
  for (const row of ofGroup.all(group)) if (row.finished_at === null) cancelOne(app, row, by)
  for (const { id } of undelivered.all(group)) deliver.get({ id, delivery: 'none', run: null })
}

const groupsOf = ({ db }: App, chat: string): string[] =>
  queries(db)
    .groupsOfChat.all({ chat })
    .map(({ group_id }) => group_id)

/** Whether what was delegated in a chat goes on, or its agent has yet to be told what it came to. */
export const delegatesIn = (app: App, chat: string): boolean => groupsOf(app, chat).length > 0

/** Cancels what is open of all that was delegated in a chat; its agent is not told. */
export const cancelIn = (app: App, chat: string, by: Acting): void => {
  for (const group of groupsOf(app, chat)) cancelGroup(app, group, by)
  // Those at work end a moment later.
  queries(app.db).leaveOpen.run(chat)
}

/** Cancels what a daemon that ended could not cancel any more. */
export function sweepOrphans(app: App): void {
  for (const { group_id } of queries(app.db).orphaned.all()) cancelGroup(app, group_id, { actor_type: 'system' })
}

/** Withdraws the request to approve an assignment that is over. */
export function withdrawRequest(app: App, { approval_id }: Row): void {
  if (approval_id === null) return
  settle(app, approval_id, {
    state: 'withdrawn',
    actor: null,
    now: app.now(),
    comment: 'The assignment was cancelled',
  })
}

/** Cancels what a deleted agent was given to do and what it gave to others; its runs are cancelled with it. */
export function leaveAgent(app: App, { payload, about }: Happened<'agent.deleted'>): void {
  const { openTo, openBy } = queries(app.db)
  const agent = payload.entity_id
  for (const row of openTo.all(agent)) cancelOne(app, row, acting(about), 'The agent was deleted')
  for (const row of openBy.all(agent)) cancelOne(app, row, acting(about), 'The agent that gave the work was deleted')
}

/** Cancels what waits in a crew that a person stops: it would start the crew again. An idle stop finds nothing. */
export function leaveStopped(app: App, { payload, about }: Happened<'crew.stop_requested'>): void {
  if (about.actor_type === 'system') return
  for (const row of queries(app.db).queuedIn.all(payload.entity_id))
    end(app, row, { status: 'CANCELLED', error: 'The crew was stopped', by: acting(about) })
}
