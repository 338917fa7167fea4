import type { Static } from 'typebox'
import type { AuditEvent, CredentialAudit } from '#contract/credentials'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { queries } from './queries.ts'

/** Adds to a credential's own record; `detail` never holds a value. Within a change. */
export function note(app: App, credentialId: string, event: AuditEvent, actor: Actor | null, detail: Record<string, unknown> = {}): void {
  const { actor_type, actor_id = null } = actorOf(actor)
  queries(app.db).insert.run({
    id: newId(app.clock()),
    credential_id: credentialId,
    event,
    actor_type,
    actor_id,
    detail_json: JSON.stringify(detail),
    created_at: app.now(),
  })
}

export const auditOf = ({ db }: App, credentialId: string, limit: number): Static<typeof CredentialAudit>[] =>
  queries(db)
    .list.all(credentialId, limit)
    .map(({ detail_json, ...row }) => ({ ...row, detail: JSON.parse(detail_json) as Record<string, unknown> }))
