import type { InboxKind } from '#contract/inbox'
import { allows, type Role, roles } from '#contract/roles'
import type { Row, Seen } from './queries.ts'

/** The roles whose items somebody with this role sees: their own and those below. */
export const rolesBelow = (role: Role): Role[] => roles.filter((it) => allows(it, role))

/** Kinds that are decided where they come from, as long as that is there. */
export const isManaged = (kind: InboxKind): boolean => kind === 'waitpoint' || kind === 'escalation'

/** Where a decision is made, for who tries to make it here. */
export const hintOf = ({ kind, source_id, payload_json }: Row): string => {
  if (kind === 'escalation')
    return `Answer the escalation: PATCH /api/v1/escalations/${source_id}/resolve (muster escalations resolve ${source_id})`
  const { approval_id, waitpoint_id } = payloadOf(payload_json) as { approval_id?: string; waitpoint_id?: string }
  if (waitpoint_id)
    return `Decide the waitpoint: POST /api/v1/workspaces/…/pipelines/waitpoints/${waitpoint_id}/approve (muster approve ${waitpoint_id})`
  return `Decide the approval: POST /api/v1/approvals/${approval_id ?? source_id}/decide (muster approve ${approval_id ?? source_id})`
}

export const payloadOf = (json: string | null): Record<string, unknown> =>
  json ? (JSON.parse(json) as Record<string, unknown>) : {}

export const stateOf = ({ resolved_at, own_read_at }: Seen) =>
  resolved_at ? 'resolved' : own_read_at ? 'read' : 'unread'

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
    ...(actions_json && { actions: JSON.parse(actions_json) as { id: string; label: string }[] }),
  }
}
