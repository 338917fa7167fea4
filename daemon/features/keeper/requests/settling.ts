import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { askable, issueLease } from '../../credentials/leases/service.ts'
import { governanceOf } from '../governance/service.ts'
import { queries, type Row } from './queries.ts'
import { broadcast } from './telling.ts'

interface Settling {
  before: Row['decision']
  decision: Row['decision']
  reason: string
  risk: number
  rule: string
  prompt?: string | undefined
  raw?: string | undefined
  profile?: string
  /** Null for the judge. */
  by: Actor | null
  now: string
}

/** Stores what was decided, its event and the lease that follows from it; null when it was decided before. */
export function settle(app: App, id: string, it: Settling): Row | null {
  const { decide, byId, addEvent } = queries(app.db)
  const { before, decision, reason, risk, rule, now } = it
  const user = it.by?.type === 'user' ? it.by.id : null
  const kept = { prompt: it.prompt ?? null, raw: it.raw ?? null, profile: it.profile ?? null }
  if (!decide.get({ id, before, decision, reason, risk, rule, ...kept, user, now })) return null
  const row = byId.get(id)!
  addEvent.run({
    request_id: id,
    workspace_id: row.workspace_id,
    state: decision,
    reason,
    risk_score: risk,
    exit_code: null,
    actor_type: user ? 'user' : 'keeper',
    actor_id: user,
    recorded_at: now,
  })
  if (decision === 'ALLOW' && row.request_type === 'access') lease(app, row, it.by, now)
  broadcast(app, row)
  return row
}

/** What is guarded is given for a while where the workspace says for how long. */
function lease(app: App, { workspace_id, crew_id, agent_id, credential_id }: Row, by: Actor | null, now: string): void {
  const { auto_lease_seconds: seconds } = governanceOf(app, workspace_id)
  const credential = askable(app, agent_id!, { id: credential_id! })
  if (!seconds || !credential || credential.level < 3) return
  issueLease(app, { workspace: workspace_id, crew: crew_id, agent: agent_id!, credential, seconds, by, now })
}
