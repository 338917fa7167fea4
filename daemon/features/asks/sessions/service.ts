import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { settle } from '../../decisions/service.ts'
import { queries, type SessionRow } from './queries.ts'

export type { SessionRow } from './queries.ts'

export type Asking = Pick<
  SessionRow,
  | 'workspace_id'
  | 'agent_id'
  | 'mission_id'
  | 'chat_id'
  | 'run_id'
  | 'cli_resume_id'
  | 'journal_cursor'
  | 'ask_id'
  | 'call_id'
  | 'question'
  | 'inbox_item_id'
>

/** An agent's session waits for a person. */
export function awaitInput(app: App, asking: Asking, now: string): SessionRow {
  return queries(app.db).ask.get({ ...asking, id: newId(app.clock()), asked_at: now, created_at: now })!
}

/** The session of a run's latest question. */
export const sessionOfRun = ({ db }: App, runId: string): SessionRow | undefined => queries(db).ofRun.get(runId)

/** The session that waits for a decision on this card. */
export const sessionOfItem = ({ db }: App, workspace: string, itemId: string): SessionRow | undefined =>
  queries(db).ofItem.get(workspace, itemId)

/** The sessions of a workspace that wait for a person. */
export const waitingSessions = ({ db }: App, workspace: string): SessionRow[] => queries(db).waiting.all(workspace)

export const setSession = ({ db }: App, id: string, status: SessionRow['status']): void =>
  void queries(db).setStatus.run(status, id)

/** Marks the answer to a card as being delivered; null when one already is. */
export function deliver(
  app: App,
  { workspace_id, inbox_item_id, id, run_id }: SessionRow,
  comment: string,
  now: string,
): string | null {
  const row = {
    id: newId(app.clock()),
    workspace: workspace_id,
    item: inbox_item_id,
    session: id,
    run: run_id,
    comment,
    now,
  }
  return queries(app.db).deliver.get(row)?.id ?? null
}

/** Ends the waiting of a run that goes on with its answer or is over; open questions are withdrawn. */
export function leaveSession(app: App, runId: string, status: 'running' | 'idle', by: string | null): void {
  const session = sessionOfRun(app, runId)
  if (!session || session.status === status) return
  setSession(app, session.id, status)
  if (session.status !== 'awaiting_input') return
  settle(app, session.ask_id, { state: 'withdrawn', actor: null, by, now: app.now() })
}
