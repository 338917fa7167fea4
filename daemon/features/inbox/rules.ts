import type { Static } from 'typebox'
import type { Decides } from '#contract/decisions'
import type { InboxEvidence, InboxKind, InboxState } from '#contract/inbox'
import { allows, type Role, roles } from '#contract/roles'
import { type Problem, problem } from '#kernel/problem'
import type { Row, Seen } from './queries.ts'

/** The roles whose items somebody with this role sees: their own and those below. */
export const rolesBelow = (role: Role): Role[] => roles.filter((it) => allows(it, role))

/** Kinds that come from a source which decides them, as long as that is there. docs/rules/inbox.md, "Items". */
const sourced: ReadonlySet<InboxKind> = new Set(['waitpoint', 'escalation'])

/** Whether what an item of such a kind is about is gone, so that only the item is left. */
export const missingSource = ({ kind, decides_json }: Row) =>
  sourced.has(kind) ? { source_missing: decides_json === null } : {}

/** How an item is decided, as it is stored. */
export interface Deciding extends Static<typeof Decides> {
  /** Where, for who tries to do it by marking the item. */
  hint?: string
  /** The choice that marking it resolved stands for. */
  resolves?: string
  /** Who set the agent up may not decide alone, where the workspace asks for a second person. */
  guarded?: boolean
  /** Nor anywhere else: what is asked for takes two people. */
  tiered?: boolean
}

export const decidingOf = ({ decides_json }: Row): Deciding | null =>
  decides_json ? (JSON.parse(decides_json) as Deciding) : null

/** What the item asked was decided. */
export const isSettled = ({ blocking, resolved_at }: Pick<Row, 'blocking' | 'resolved_at'>): boolean =>
  Boolean(blocking) && resolved_at !== null

/** Why an item cannot be moved: it is decided elsewhere, or a question that is settled. Null when it can. */
export function managedBy(row: Row, state: InboxState): Problem | null {
  const { kind, resolved_at, resolved_action } = row
  if (kind === 'run_needs_human' && state === 'unread' && resolved_at !== null)
    return problem('source_managed', {
      detail: `This question is settled (${resolved_action ?? 'resolved'}) and stays so`,
      extra: { kind },
    })
  const deciding = decidingOf(row)
  const managed = deciding ? !deciding.resolves : state === 'unread' && sourced.has(kind)
  return managed
    ? problem('source_managed', { ...(deciding?.hint && { detail: deciding.hint }), extra: { kind } })
    : null
}

export const payloadOf = (json: string | null): Record<string, unknown> =>
  json ? (JSON.parse(json) as Record<string, unknown>) : {}

export const stateOf = ({ resolved_at, own_read_at }: Seen) =>
  resolved_at ? 'resolved' : own_read_at ? 'read' : 'unread'

/** The level of the credential that an item is about. */
function levelIn(payload_json: string | null) {
  const label = payload_json && payloadOf(payload_json)['security_level_label']
  return typeof label === 'string' ? { security_level_label: label } : {}
}

/** What people should know before they decide about a credential. */
export function evidenceOf({ payload_json }: Pick<Seen, 'payload_json'>): { evidence?: Static<typeof InboxEvidence> } {
  const evidence = payload_json && payloadOf(payload_json)['evidence']
  return evidence ? { evidence: evidence as Static<typeof InboxEvidence> } : {}
}

/** An item as one user sees it. */
export function present(row: Seen) {
  const {
    seq: _,
    audience,
    blocking,
    payload_json,
    actions_json,
    own_read_at,
    avatar_seed,
    avatar_style,
    decides_json,
    ...rest
  } = row
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) as typeof rest
  const [kind, target] = audience.split(':') as [string, string]
  return {
    ...(given as { [K in keyof typeof rest]: NonNullable<(typeof rest)[K]> }),
    state: stateOf(row) as 'unread' | 'read' | 'resolved',
    blocking: blocking === 1,
    ...(kind === 'user' && { target_user_id: target }),
    ...(kind === 'role' && { target_role: target as Role }),
    ...(avatar_seed && { avatar_seed }),
    ...(avatar_style && { avatar_style }),
    ...(payload_json && { payload: payloadOf(payload_json) }),
    ...levelIn(payload_json),
    ...(decides_json && !row.resolved_at && { decides: decidingOf(row)! }),
    ...(actions_json && { actions: JSON.parse(actions_json) as { id: string; label: string }[] }),
  }
}
