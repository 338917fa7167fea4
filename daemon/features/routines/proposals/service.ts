import type { RoutineDefinition } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { type Choice, type Decision, declareKind, isOpen, open, settle } from '../../decisions/service.ts'
import { itemId } from '../../inbox/service.ts'
import { queries, type RoutineRow } from '../queries.ts'

const source = (routine: string) => `routine_${routine}`
/** The inbox item that asks people to look at a routine. */
export const cardOf = (routine: string) => itemId('escalation', source(routine))
const decisionOf = (routine: string, version: number) => `${source(routine)}_${version}`

const text = { member: 'comment', required: false }
const choices: readonly Choice[] = [
  { id: 'approve', label: 'Approve', means: 'approve', text },
  { id: 'reject', label: 'Reject', means: 'deny', operation: 'routines.reject', text },
]

/** A version that can do harm, until a person has looked at it. docs/routines.md, "Versions and approval". */
const proposal = declareKind({
  name: 'routine_proposal',
  card: 'escalation',
  role: 'MANAGER',
  seconds: null,
  operation: 'routines.approve',
  params: ({ workspace_id, item_id }: Decision, app) => ({
    workspaceId: workspace_id,
    routineSlug: queries(app.db).byId.get(workspace_id, item_id.slice(cardOf('').length))?.slug ?? '',
  }),
  choices: () => [...choices],
  hint: ({ id }) => `Approve or reject the routine: muster approve ${id}, or muster deny ${id}`,
  expired: 'expired',
  orphaned: true,
  fact: () => null,
})

interface Proposed {
  definition: RoutineDefinition
  risks: readonly string[]
}

/** Asks people to look at a version that can do harm. */
export function propose(app: App, row: RoutineRow, before: RoutineRow | undefined, it: Proposed): void {
  const { definition, risks } = it
  const { credentials_required = [], egress_targets = [], integrations_required = [] } = definition
  const asked = `Version ${row.version} of the routine "${row.name}" waits for approval`
  open(app, proposal, {
    id: decisionOf(row.id, row.version),
    workspace: row.workspace_id,
    asked,
    card: {
      source: source(row.id),
      title: asked,
      body: `It has: ${risks.join(', ')}. Look at it with: muster routines show ${row.slug}`,
      payload: () => ({
        kind: 'routine_proposal',
        slug: row.slug,
        to_version: row.version,
        ...(before?.active_version && { from_version: before.active_version }),
        risk_reasons: risks,
        credentials_required,
        integrations_required,
        egress_targets,
      }),
    },
    now: app.now(),
  })
}

/** Closes what asks for a decision about a version, if anything does. */
export function closeProposal(app: App, { id }: RoutineRow, version: number, actor: Actor, outcome: string): void {
  const decision = decisionOf(id, version)
  const state = outcome === 'approved' || outcome === 'rejected' ? 'decided' : 'withdrawn'
  if (isOpen(app, decision, app.now())) settle(app, decision, { state, outcome, actor, now: app.now() })
}
