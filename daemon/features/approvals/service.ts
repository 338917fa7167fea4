import type { Static } from 'typebox'
import type { Approval, ApprovalKind, ApprovalStatus, approvals } from '#contract/approvals'
import type { EntryType } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { unlessStorage } from '#kernel/store/storage-fault'
import { type Raise, raise, settle as settleItem } from '../inbox/service.ts'
import { effects } from './effects.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Approval>

const present = ({ payload_json, decider: _, ...row }: Row): Shown => ({
  ...row,
  payload: JSON.parse(payload_json) as Record<string, unknown>,
  comment: row.decision_comment,
})

/** How long people may take. Contract part 3, section 4.3. */
const holdSeconds = 7 * 86_400

export interface Request {
  workspace: string
  crew?: string
  agent?: string
  /** Id of the agent that wants it. */
  by: string
  kind: ApprovalKind
  reason: string
  payload: Record<string, unknown>
  seconds?: number
  /** The card that people see; its source is `payload.target_id` where there is one. */
  card: Pick<Raise, 'title' | 'body' | 'sender'>
  now: string
}

/** The item's source: what is held back, else the request itself. */
const sourceOf = (id: string, payload: Record<string, unknown>): string =>
  typeof payload['target_id'] === 'string' ? payload['target_id'] : id

/** Puts something before people that takes effect only when they approve. The id. Within a change. */
export function requestApproval(
  app: App,
  { workspace, crew, agent, by, kind, reason, payload, seconds = holdSeconds, card, now }: Request,
): string {
  const id = newId(app.clock())
  const timeout_at = wholeSeconds(app.clock() + seconds * 1000)
  const row = {
    id,
    workspace_id: workspace,
    crew_id: crew ?? null,
    agent_id: agent ?? null,
    mission_id: null,
    requested_by: by,
    kind,
    reason,
  }
  queries(app.db).insert.run({ ...row, payload_json: JSON.stringify(payload), timeout_at, created_at: now })
  raise(app, {
    ...card,
    workspace,
    kind: 'waitpoint',
    source: sourceOf(id, payload),
    target: { role: 'ADMIN' },
    priority: 'high',
    blocking: true,
    attention: 'decision',
    actions: [
      { id: 'approve', label: 'Approve' },
      { id: 'deny', label: 'Deny' },
    ],
    payload: { kind, ...payload, approval_id: id, ...(crew && { crew_id: crew }) },
    now,
  })
  note(app, queries(app.db).find.get(workspace, id)!, 'approval.requested', null, reason)
  app.afterCommit(() => app.bus.emit('due', timeout_at))
  return id
}

/** How many requests of an agent are open. */
export const openRequests = ({ db }: App, workspace: string, by: string): number =>
  queries(db).asked.get({ workspace, by })!.n

const entries = {
  approved: 'approval.granted',
  denied: 'approval.denied',
  timeout: 'approval.timeout',
  cancelled: 'approval.cancelled',
} as const satisfies Record<Exclude<ApprovalStatus, 'pending'>, EntryType>

function note(app: App, row: Row, type: EntryType, actor: Actor | null, comment: string | null): void {
  const asked = type === 'approval.requested'
  app.journal({
    workspace_id: row.workspace_id,
    ...(row.crew_id && { crew_id: row.crew_id }),
    ...((row.agent_id ?? row.requested_by) && { agent_id: row.agent_id ?? row.requested_by! }),
    type,
    summary: `${row.kind}: ${row.reason.split('\n')[0]!.slice(0, 120)}${asked ? '' : ` (${row.status})`}`,
    ...(asked ? { actor_type: 'agent' as const, actor_id: row.requested_by ?? undefined } : actorOf(actor)),
    payload: {
      approval_id: row.id,
      kind: row.kind,
      ...policyActionOf(row),
      ...(comment && { [type === 'approval.cancelled' || asked ? 'reason' : 'comment']: comment }),
      ...(type === 'approval.cancelled' && actor && { cancelled_by: actor.id }),
    },
    refs: { approval_id: row.id },
  })
}

/** What the policy was asked about, for who replays the journal under another one. */
function policyActionOf({ payload_json }: Pick<Row, 'payload_json'>): { policy_action?: string } {
  const { policy_action } = JSON.parse(payload_json) as { policy_action?: unknown }
  return typeof policy_action === 'string' ? { policy_action } : {}
}

interface Ending {
  status: keyof typeof entries
  actor: Actor | null
  comment: string | null
  now: string
}

/**
 * Ends a request with its effect, its card and its record. False when its effect cannot happen any more. Within a
 * change.
 */
function end(app: App, before: Row, { status, actor, comment, now }: Ending): boolean {
  const { settle, find } = queries(app.db)
  if (!settle.get({ id: before.id, status, user: actor?.type === 'user' ? actor.id : null, comment, now }))
    throw settledBefore(find.get(before.workspace_id, before.id)!)
  const happened = effects[before.kind]?.(app, before, { approved: status === 'approved', actor }) ?? true
  if (!happened && status === 'approved') return false
  const source = sourceOf(before.id, present(before).payload)
  const action = status === 'timeout' ? 'timed_out' : status
  settleItem(app, { workspace: before.workspace_id, kind: 'waitpoint', source, action, by: actor?.id ?? null, now })
  note(app, find.get(before.workspace_id, before.id)!, entries[status], actor, comment)
  return true
}

/** What happened before, for who comes too late. */
function settledBefore({ status, decider, decided_at, timeout_at }: Row): Problem {
  const detail =
    status === 'timeout'
      ? `The time to decide was over at ${timeout_at}`
      : `${decider ?? 'Muster'}: ${status} at ${decided_at}`
  return problem('approval_settled', { detail, extra: { settled: { status, decided_by: decider, decided_at } } })
}

/** The request as it may be decided now, or why not. The time that is over ends it on the way. Within a change. */
function open(app: App, actor: Actor, id: string, now: string): Row | Problem {
  const row = queries(app.db).find.get(actor.workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such approval' })
  if (row.status !== 'pending') return settledBefore(row)
  if (row.timeout_at === null || row.timeout_at > now) return row
  end(app, row, { status: 'timeout', actor: null, comment: null, now })
  // Returned, not thrown: that it ran out is to be kept.
  return settledBefore(queries(app.db).find.get(actor.workspace, id)!)
}

export function decide(app: App, { actor, approvalId, body, now }: Call<typeof approvals.decide>) {
  const row = open(app, actor, approvalId, now)
  if ('code' in row) return row
  if (!end(app, row, { status: body.status, actor, comment: blankToNull(body.comment), now }))
    throw problem('approval_undecidable', { detail: 'What this would let happen is gone, or was decided elsewhere' })
  return { status: body.status, decided_by: actor.id }
}

export function cancel(app: App, { actor, approvalId, body, now }: Call<typeof approvals.cancel>) {
  const row = open(app, actor, approvalId, now)
  if ('code' in row) return row
  end(app, row, { status: 'cancelled', actor, comment: blankToNull(body?.reason), now })
  return { status: 'cancelled' as const, cancelled_by: actor.id }
}

/** When the next request times out; null when none is open. */
export const nextTimeout = ({ db }: App): string | null => queries(db).next.get()?.at ?? null

/** Ends what nobody decided in time, at most so many; how many these were. Within a change. */
export function endTimedOut(app: App, most: number): number {
  const now = app.now()
  const due = queries(app.db).due.all({ now, most })
  for (const row of due) end(app, row, { status: 'timeout', actor: null, comment: null, now })
  return due.length
}

/** Withdraws requests about agents that are gone, at most so many; how many these were. Within a change. */
export function cancelOrphans(app: App, most: number): number {
  const rows = queries(app.db).orphans.all({ most })
  for (const row of rows)
    end(app, row, { status: 'cancelled', actor: null, comment: 'The agent is gone', now: app.now() })
  return rows.length
}

/** Reads answer what is so now, also in the second before the timer runs, but for a disk that takes nothing. */
async function settleDue(app: App): Promise<void> {
  const next = nextTimeout(app)
  if (next !== null && next <= app.now()) await app.write(() => endTimedOut(app, 500)).catch(unlessStorage)
}

export async function list(app: App, { actor, query }: Call<typeof approvals.list>) {
  await settleDue(app)
  const { status = 'pending' } = query
  const window = { workspace: actor.workspace, ...pageOf(query, { fallback: 50, max: 200 }) }
  const rows = status === 'all' ? queries(app.db).list.all(window) : queries(app.db).listOf.all({ ...window, status })
  return { rows: rows.map(present), status: status === 'all' ? '' : status, count: rows.length }
}

export async function show(app: App, { actor, approvalId }: Call<typeof approvals.show>): Promise<Shown> {
  await settleDue(app)
  const row = queries(app.db).find.get(actor.workspace, approvalId)
  if (!row) throw problem('not_found', { detail: 'There is no such approval' })
  return present(row)
}
