import type { Static } from 'typebox'
import type { Approval, ApprovalKind, approvals } from '#contract/approvals'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { isOpen, type Opening, open, postpone, settle, settleDue } from '../decisions/service.ts'
import { approval, factOf } from './kind.ts'
import { queries, type Row, stateOf } from './queries.ts'
import { present } from './rules.ts'

type Shown = Static<typeof Approval>

export interface Request {
  workspace: string
  crew?: string
  mission?: string
  agent?: string
  /** The run in which an agent asks; one of another agent does not count. */
  run?: string | null | undefined
  /** Id of the agent that wants it, or of `person`. */
  by: string
  /** The person who wants it, where no agent does. */
  person?: Actor
  kind: ApprovalKind
  reason: string
  /** `target_id` names what is held back; the card then points to it. */
  payload: Record<string, unknown>
  seconds?: number
  /** The card that people see. */
  card: Pick<Opening['card'], 'title' | 'body' | 'sender' | 'target'>
  now: string
}

/** Asks people to approve something before it takes effect; returns the request's id. */
export function requestApproval(app: App, it: Request): string {
  const { workspace, crew, mission, agent, run, by, person, kind, reason, payload, seconds, card, now } = it
  const id = newId(app.clock())
  queries(app.db).insert.run({
    id,
    workspace_id: workspace,
    crew_id: crew ?? null,
    agent_id: agent ?? null,
    mission_id: mission ?? null,
    requested_by: by,
    kind,
    reason,
    payload_json: JSON.stringify(payload),
    created_at: now,
  })
  const source = typeof payload['target_id'] === 'string' ? payload['target_id'] : id
  const decision = open(app, approval, {
    id,
    workspace,
    asked: card.title,
    crew: crew ?? null,
    agent: agent ?? null,
    run: run ? (queries(app.db).runOf.get(run, by)?.id ?? null) : null,
    ...(seconds !== undefined && { seconds }),
    card: { ...card, source, payload: () => ({ kind, ...payload, approval_id: id, ...(crew && { crew_id: crew }) }) },
    now,
  })
  const row = queries(app.db).find.get(workspace, id)!
  app.journal(factOf('approval.requested', decision, row, person ?? { agent: by }, { reason }))
  return id
}

/** The open request of a kind about an agent. */
export const requestAbout = ({ db }: App, agent: string, kind: ApprovalKind): string | undefined =>
  queries(db).about.get({ agent, kind })?.id

/** Gives people until another time to decide. */
export const postponeRequest = (app: App, id: string, deadline: string): void => postpone(app, id, deadline)

/** How many requests of an agent are open. */
export const openRequests = ({ db }: App, workspace: string, by: string): number =>
  queries(db).asked.get({ workspace, by })!.n

/** How many open requests are of an agent or about it. */
export const requestsConcerning = ({ db }: App, workspace: string, agent: string): number =>
  queries(db).concerning.get({ workspace, agent })!.n

/** The earlier outcome, for those who decide too late. */
function settledBefore({ status, decider, decided_at, timeout_at }: Row): Problem {
  const detail =
    status === 'timeout'
      ? `The time to decide was over at ${timeout_at}`
      : `${decider ?? 'Muster'}: ${status} at ${decided_at}`
  return problem('approval_settled', { detail, extra: { settled: { status, decided_by: decider, decided_at } } })
}

/** Why a request cannot be decided; null when it can. */
function tooLate(app: App, actor: Actor, id: string, now: string): Problem | null {
  const { find } = queries(app.db)
  if (!find.get(actor.workspace, id)) throw problem('not_found', { detail: 'There is no such approval' })
  // Returned, not thrown: the expiry must be committed.
  return isOpen(app, id, now) ? null : settledBefore(find.get(actor.workspace, id)!)
}

export function decide(app: App, { actor, approvalId, body, now }: Call<typeof approvals.decide>) {
  const refused = settleRequest(app, actor, { id: approvalId, ...body, now })
  return refused ?? { status: body.status, decided_by: actor.id }
}

/** Approves or denies a request; a problem, to be returned, when it is too late for that. */
export function settleRequest(
  app: App,
  actor: Actor,
  { id, status, comment, now }: { id: string; status: 'approved' | 'denied'; comment?: string; now: string },
): Problem | null {
  const refused = tooLate(app, actor, id, now)
  if (!refused) settle(app, id, { state: 'decided', outcome: status, actor, now, comment: blankToNull(comment) })
  return refused
}

export function cancel(app: App, { actor, approvalId, body, now }: Call<typeof approvals.cancel>) {
  const refused = tooLate(app, actor, approvalId, now)
  if (refused) return refused
  settle(app, approvalId, { state: 'withdrawn', actor, now, comment: blankToNull(body?.reason) })
  return { status: 'cancelled' as const, cancelled_by: actor.id }
}

export async function list(app: App, { actor, query }: Call<typeof approvals.list>) {
  await settleDue(app)
  const { status = 'pending' } = query
  const window = { workspace: actor.workspace, ...pageOf(query, { fallback: 50, max: 200 }) }
  const { list, listOf } = queries(app.db)
  const rows = status === 'all' ? list.all(window) : listOf.all({ ...window, ...stateOf[status] })
  return { rows: rows.map(present), status: status === 'all' ? '' : status, count: rows.length }
}

export async function show(app: App, { actor, approvalId }: Call<typeof approvals.show>): Promise<Shown> {
  await settleDue(app)
  const row = queries(app.db).find.get(actor.workspace, approvalId)
  if (!row) throw problem('not_found', { detail: 'There is no such approval' })
  return present(row)
}
