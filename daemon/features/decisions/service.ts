import { type App, wholeSeconds } from '#kernel/app'
import { newId } from '#kernel/ids'
import { unlessStorage } from '#kernel/store/storage-fault'
import { itemId, type Raise, raise, release, settle as settleItem } from '../inbox/service.ts'
import { type Ending, type Kind, kindOf } from './kinds.ts'
import { queries, type Row } from './queries.ts'

export { type Choice, declareKind, type Ending, type Kind } from './kinds.ts'
export type { Row as Decision } from './queries.ts'

export interface Opening {
  id?: string
  workspace: string
  /** What is to be decided, on one line. */
  asked: string
  crew?: string | null
  /** The agent concerned. */
  agent?: string | null
  run?: string | null
  /** How long people may take, if not the kind's default. */
  seconds?: number
  card: Pick<Raise, 'title' | 'body' | 'sender' | 'thread' | 'attention' | 'priority' | 'blocking'> & {
    /** Source of the inbox item; by default the decision's id. */
    source?: string
    target?: Raise['target']
    payload?(deadline: string | null): Record<string, unknown>
  }
  now: string
}

/** Opens a decision. The caller records the fact, because only it knows the details. */
export function open(app: App, kind: Kind, it: Opening): Row {
  const id = it.id ?? newId(app.clock())
  const { source = id, target = { role: kind.role }, payload, ...card } = it.card
  const seconds = it.seconds ?? kind.seconds
  const deadline_at = seconds === null ? null : wholeSeconds(app.clock() + seconds * 1000)
  const row = queries(app.db).insert.get({
    id,
    workspace_id: it.workspace,
    kind: kind.name,
    item_id: itemId(kind.card, source),
    asked: it.asked,
    crew_id: it.crew ?? null,
    agent_id: it.agent ?? null,
    run_id: it.run ?? null,
    created_at: it.now,
    deadline_at,
  })!
  const item: Raise = {
    priority: 'high',
    blocking: true,
    attention: 'decision',
    ...card,
    ...(payload && { payload: payload(deadline_at) }),
    workspace: it.workspace,
    kind: kind.card,
    source,
    target,
    run: it.run ?? null,
    ...(kind.actions && { actions: kind.actions(app, row) }),
    decides: {
      ...decidesOf(app, row),
      ...(kind.hint && { hint: kind.hint(row) }),
      ...(kind.resolves && { resolves: kind.resolves }),
      ...(kind.guarded?.(app, row) && { guarded: true }),
      ...(kind.tiered?.(app, row) && { tiered: true }),
    },
    now: it.now,
  }
  // A source that asks again, after an earlier decision, has its item opened again.
  raise(app, item, 'upsert')
  if (deadline_at) app.afterCommit(() => app.bus.emit('due', deadline_at))
  return row
}

/** How a decision can be made, for readers of its card. */
export function decidesOf(app: App, row: Row) {
  const { operation, params, choices } = kindOf(row)
  return {
    operation,
    params: params(row, app),
    choices: choices(app, row).map(({ text, body = {}, ...choice }) => ({ ...choice, body, ...(text && { text }) })),
  }
}

/** Settles a decision: row, effect, card and entry in one change. Returns null if it was settled before. */
export function settle(app: App, id: string, ending: Ending): Row | null {
  const { state, actor, now } = ending
  const user = ending.by ?? (actor?.type === 'user' ? actor.id : null)
  const kind = kindOf(queries(app.db).byId.get(id) ?? { kind: '' })
  const outcome = ending.outcome ?? (state === 'expired' ? kind.expired : 'cancelled')
  const row = queries(app.db).settle.get({ id, state, outcome, user, now })
  if (!row) return null
  kind.ended?.(app, row, ending)
  settleItem(app, {
    workspace: row.workspace_id,
    id: row.item_id,
    action: outcome,
    by: user,
    release: !kind.lasting,
    now,
  })
  const fact = kind.fact(app, row, ending)
  if (fact) app.journal(fact)
  return row
}

/** Whether a decision is open. Expires it when it is past its deadline. */
export function isOpen(app: App, id: string, now: string): boolean {
  const row = queries(app.db).byId.get(id)
  if (row?.state !== 'open') return false
  if (row.deadline_at === null || row.deadline_at > now) return true
  settle(app, id, { state: 'expired', actor: null, now })
  return false
}

/** Gives people until another time to decide. */
export function postpone(app: App, id: string, deadline: string): void {
  queries(app.db).postpone.run({ id, deadline })
  app.afterCommit(() => app.bus.emit('due', deadline))
}

/** Number of open decisions of a kind for an agent. */
export const openOf = ({ db }: App, kind: Kind, agent: string): number => queries(db).asked.get(agent, kind.name)!.n

/** The next deadline; null when there is none. */
export const nextDeadline = ({ db }: App): string | null => queries(db).next.get()?.at ?? null

/** Expires at most `most` overdue decisions and returns their number. */
export function expireDue(app: App, most: number, { kind, workspace }: { kind?: Kind; workspace?: string } = {}) {
  const now = app.now()
  const due = queries(app.db).due.all({ now, kind: kind?.name ?? null, workspace: workspace ?? null, most })
  for (const { id } of due) settle(app, id, { state: 'expired', actor: null, now })
  return due.length
}

/** Expires overdue decisions before a read, because the timer may be late. A full disk does not fail the read. */
export async function settleDue(app: App): Promise<void> {
  const next = nextDeadline(app)
  if (next !== null && next <= app.now()) await app.write(() => expireDue(app, 500)).catch(unlessStorage)
}

/** Withdraws a crew's open decisions of a kind. */
export function withdrawOfKind(app: App, kind: Kind, crew: string, ending: Pick<Ending, 'actor' | 'comment' | 'now'>) {
  for (const row of queries(app.db).openOfCrew.all(crew))
    if (row.kind === kind.name) settle(app, row.id, { state: 'withdrawn', ...ending })
}

/** Deletes a crew's decisions of a kind; their cards stay. */
export function forget(app: App, kind: Kind, crew: string): void {
  for (const { workspace_id, item_id } of queries(app.db).purge.all(crew, kind.name))
    release(app, workspace_id, item_id)
}
