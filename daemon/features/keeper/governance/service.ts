import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type keeper, leaseSeconds, type WatchPreset } from '#contract/keeper'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { tierFloor, tierOf } from '../../credentials/levels/service.ts'
import { requireSecondApprover, secondApproverRequired } from '../../workspaces/service.ts'
import { judging } from '../config/service.ts'
import { judgeOf } from '../evaluators/service.ts'
import { type GovernanceRow, queries } from './queries.ts'

type Shown = Reply<typeof keeper.governance>
type Set = Omit<Shown, 'configured' | 'effective_second_approver' | 'warning'>

const unset: Omit<Set, 'require_second_approver'> = {
  enabled: false,
  security_contact_user_id: '',
  deny_notify_min_risk: 7,
  watch_spec: '',
  watch_presets: [],
  auto_lease_seconds: 0,
  monitor_tool_calls: false,
  gov_model_provider: '',
  gov_model_id: '',
  gov_model_credential_id: '',
}

const fromRow = (row: GovernanceRow): typeof unset => ({
  enabled: row.enabled === 1,
  security_contact_user_id: row.security_contact_user_id ?? '',
  deny_notify_min_risk: row.deny_notify_min_risk,
  watch_spec: row.watch_spec,
  watch_presets: JSON.parse(row.watch_presets_json) as WatchPreset[],
  auto_lease_seconds: row.auto_lease_seconds,
  monitor_tool_calls: row.monitor_tool_calls === 1,
  gov_model_provider: row.model_provider,
  gov_model_id: row.model_id,
  gov_model_credential_id: row.model_credential_id,
})

/** What a workspace asks of the judge. */
export function governanceOf(app: App, workspace: string): Set {
  const row = queries(app.db).find.get(workspace)
  return { ...(row ? fromRow(row) : unset), require_second_approver: secondApproverRequired(app, workspace) }
}

/** Whom the workspace names for its security, as long as that person may decide; null otherwise. */
export function contactOf(app: App, workspace: string): string | null {
  const { security_contact_user_id: user } = governanceOf(app, workspace)
  const there = queries(app.db)
    .deciders.all(workspace)
    .some((it) => it.user_id === user && allows('ADMIN', it.role))
  return there ? user : null
}

export function show(app: App, { actor: { workspace } }: { actor: Actor }): Shown {
  const set = governanceOf(app, workspace)
  return {
    configured: queries(app.db).find.get(workspace) !== undefined,
    ...set,
    effective_second_approver: secondApproverOf(app, set.require_second_approver),
  }
}

/** From which level of credentials on two people decide, and who says so. */
function secondApproverOf(app: App, byWorkspace: boolean): Shown['effective_second_approver'] {
  const byTier = judging(app).enabled.value
  const least = byWorkspace ? 1 : byTier ? tierFloor : 0
  return {
    min_security_level: least,
    min_security_level_label: least ? tierOf(least).label : '',
    source: byWorkspace ? 'workspace' : byTier ? 'tier' : 'none',
    tier_floor_security_level: tierFloor,
    tier_floor_label: tierOf(tierFloor).label,
  }
}

export function set(app: App, { actor, body, now }: Call<typeof keeper.setGovernance>): Shown {
  const { workspace } = actor
  const before = governanceOf(app, workspace)
  const known = Object.entries(body).filter(([name]) => Object.hasOwn(before, name))
  const after: Set = {
    ...before,
    ...Object.fromEntries(known),
    ...(body.watch_presets && { watch_presets: [...new Set(body.watch_presets)] }),
    ...(body.watch_spec !== undefined && { watch_spec: body.watch_spec.trim() }),
    ...(body.gov_model_id !== undefined && { gov_model_id: body.gov_model_id.trim() }),
  }
  check(app, actor, before, after)
  if (after.require_second_approver !== before.require_second_approver)
    requireSecondApprover(app, workspace, after.require_second_approver, now)
  queries(app.db).store.run({
    workspace_id: workspace,
    enabled: after.enabled ? 1 : 0,
    security_contact_user_id: after.security_contact_user_id || null,
    deny_notify_min_risk: after.deny_notify_min_risk,
    watch_spec: after.watch_spec,
    watch_presets_json: JSON.stringify(after.watch_presets),
    auto_lease_seconds: after.auto_lease_seconds,
    monitor_tool_calls: after.monitor_tool_calls ? 1 : 0,
    model_provider: after.gov_model_provider,
    model_id: after.gov_model_id,
    model_credential_id: after.gov_model_credential_id,
    updated_by: actor.id,
    updated_at: now,
  })
  const changes = Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = before[name as keyof Set]
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [[name, { from, to }]]
    }),
  )
  if (Object.keys(changes).length)
    app.journal(
      fact(
        'keeper.governance_set',
        { rule: 'keeper_governance', changes },
        { workspace_id: workspace, ...actorOf(actor) },
      ),
    )
  const warning = warningOf(app, workspace, after)
  return { ...show(app, { actor }), ...(warning && { warning }) }
}

function check(app: App, { workspace, role }: Actor, before: Set, after: Set): void {
  const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })
  const contact = after.security_contact_user_id
  const deciders = queries(app.db).deciders.all(workspace)
  if (contact && !deciders.some((it) => it.user_id === contact && allows('ADMIN', it.role)))
    throw refuse('security_contact_user_id', 'The security contact is an OWNER or ADMIN of the workspace')
  if (after.auto_lease_seconds && after.auto_lease_seconds < leaseSeconds.least)
    throw refuse('auto_lease_seconds', `auto_lease_seconds is 0, or ${leaseSeconds.least} to ${leaseSeconds.most}`)
  if (after.gov_model_provider && !after.gov_model_id) throw refuse('gov_model_id', 'A provider needs a model')
  if (!after.gov_model_provider && after.gov_model_id) throw refuse('gov_model_provider', 'A model needs a provider')
  if (!after.gov_model_provider && after.gov_model_credential_id)
    throw refuse('gov_model_provider', 'A credential needs a provider')
  if (after.gov_model_credential_id && after.gov_model_credential_id !== before.gov_model_credential_id) {
    if (!app.vault)
      throw problem('unavailable', { detail: 'This server has no encryption key, so it opens no credential' })
    if (!queries(app.db).credential.get(workspace, after.gov_model_credential_id))
      throw refuse('gov_model_credential_id', 'It must be a working API_KEY or ENDPOINT_URL of the workspace')
  }
  // Two people guard against one: one alone may ask for it, but an OWNER has to take it back.
  if (before.require_second_approver && !after.require_second_approver && role !== 'OWNER')
    throw problem('insufficient_role', {
      field: 'require_second_approver',
      detail: 'Only an OWNER lets one person decide alone again',
    })
}

function warningOf(app: App, workspace: string, { require_second_approver, monitor_tool_calls }: Set): string | null {
  if (monitor_tool_calls && 'missing' in judgeOf(app, 'behavior'))
    return 'No call is judged yet: nobody is named who judges them (muster keeper aux)'
  if (!require_second_approver || queries(app.db).deciders.all(workspace).length > 1) return null
  return 'Only one member may decide: what that person brought about nobody can approve'
}
