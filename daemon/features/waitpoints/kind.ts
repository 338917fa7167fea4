import { type Fact, type FactName, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { type Choice, type Decision, declareKind, type Ending } from '../decisions/service.ts'
import { queries } from './queries.ts'

const daySeconds = 86_400

const text = { member: 'comment', required: false }
const choices: readonly Choice[] = [
  { id: 'approve', label: 'Approve', means: 'approve', body: { approved: true }, text },
  { id: 'deny', label: 'Deny', means: 'deny', body: { approved: false }, text },
]

type Told = Extract<FactName, `approval.${string}`>

/** An entry about waiting work. */
export const factOf = (
  name: Told,
  { id, asked, workspace_id, crew_id, run_id }: Decision,
  actor: Actor | null,
  more: { comment?: string; reason?: string; cancelled_by?: string } = {},
): Fact =>
  fact(
    name,
    { approval_id: id, kind: 'waitpoint', asked, ...more },
    {
      workspace_id,
      ...(crew_id && { crew_id }),
      ...actorOf(actor),
      ...(run_id && { trace_id: run_id }),
      refs: { approval_id: id },
    },
  )

function endOf(_: App, decision: Decision, { state, actor, comment }: Ending): Fact {
  if (state === 'expired') return factOf('approval.timeout', decision, null)
  if (state === 'withdrawn') return factOf('approval.orphaned', decision, actor, comment ? { reason: comment } : {})
  const name = decision.outcome === 'approved' ? 'approval.granted' : 'approval.denied'
  return factOf(name, decision, actor, comment ? { comment } : {})
}

/** Work that waits for people, or for a system that holds its token. docs/rules/decisions.md, "Waitpoints". */
export const waitpoint = declareKind({
  name: 'waitpoint',
  card: 'waitpoint',
  role: 'MANAGER',
  seconds: daySeconds,
  operation: 'waitpoints.approve',
  params: ({ id, workspace_id }) => ({ workspaceId: workspace_id, token: id }),
  choices: () => [...choices],
  hint: ({ id }) =>
    `Decide the waitpoint: POST /api/v1/workspaces/…/pipelines/waitpoints/${id}/approve (muster approve ${id})`,
  expired: 'timed_out',
  orphaned: true,
  ended(app, { id }, { comment }) {
    if (comment) queries(app.db).comment.run(comment, id)
  },
  fact: endOf,
})
