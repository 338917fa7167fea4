import type { Static } from 'typebox'
import type { AuditEvent, CredentialAudit } from '#contract/credential-audit'
import type { Acting } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { newId } from '#kernel/ids'
import { type NamedAuditRow, queries } from './queries.ts'

/** Adds to a credential's own record; `detail` never holds a value. */
export function note(
  app: App,
  credentialId: string,
  event: AuditEvent,
  { actor_type, actor_id }: Acting,
  detail: Record<string, unknown> = {},
): void {
  queries(app.db).insert.run({
    id: newId(app.clock()),
    credential_id: credentialId,
    event,
    actor_type,
    actor_id: actor_id ?? null,
    detail_json: JSON.stringify(detail),
    created_at: app.now(),
  })
}

export const auditOf = ({ db }: App, credentialId: string, limit: number): Static<typeof CredentialAudit>[] =>
  queries(db).list.all(credentialId, limit).map(toAudit)

function toAudit({ detail_json, ...row }: NamedAuditRow): Static<typeof CredentialAudit> {
  const detail = JSON.parse(detail_json) as Record<string, unknown>
  const { event, actor_type, actor_id, created_at } = row
  const agent = actor_type === 'agent' ? actor_id : detail['agent_id']
  return {
    ...row,
    event_type: event,
    actor_kind: actor_type,
    agent_id: typeof agent === 'string' ? agent : null,
    ip_address: null,
    detail,
    metadata: detail,
    occurred_at: created_at,
  }
}

/** Until when each workspace keeps records of its credentials; those that keep them for ever are left out. */
export const keptSince = ({ db, clock }: App): { workspace: string; before: string }[] =>
  queries(db)
    .retentions.all()
    .map(({ id, days }) => ({ workspace: id, before: wholeSeconds(clock() - days * 86_400_000) }))

/** Deletes up to `most` records that are past their workspace's retention; returns how many. */
export function forgetOldAudit(app: App, most: number): number {
  let forgotten = 0
  for (const { workspace, before } of keptSince(app)) {
    if (forgotten === most) break
    forgotten += queries(app.db).forget.run({ workspace, before, most: most - forgotten }).changes
  }
  return forgotten
}
