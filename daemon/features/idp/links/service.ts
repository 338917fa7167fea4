import type { Static } from 'typebox'
import type { idp, LinkedAccount } from '#contract/idp'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { audienceOf } from '../../members/service.ts'
import { queries, type Row } from './queries.ts'

export const list = ({ db }: App, { actor }: Call<typeof idp.links>): Static<typeof LinkedAccount>[] => queries(db).listOf.all(actor.id)

/** Refused when nothing is left to sign in with: another provider's accounts open nothing any more. */
export function unlink(app: App, { actor, linkId }: Call<typeof idp.unlink>): undefined {
  const removed = queries(app.db).remove.get({ user: actor.id, id: linkId })
  if (!removed) throw problem('not_found', { field: 'linkId' })
  const left = queries(app.db)
    .listOf.all(actor.id)
    .some(({ provider }) => provider === app.config.idpIssuer)
  if (!left && !queries(app.db).person.get(actor.id)!.password_hash)
    throw problem('last_way_in', { detail: 'This account is the only way to sign in as you: set a password first, as with a forgotten one' })
  note(app, removed, 'audit.entity_deleted')
}

/** A link opens every workspace of its user, so their journals tell of it; the account there is the user's own affair. */
export function note(app: App, { id, user_id, provider }: Row, type: 'audit.entity_created' | 'audit.entity_deleted', more: object = {}): void {
  const action = type === 'audit.entity_created' ? 'create' : 'delete'
  for (const workspace_id of audienceOf(app, user_id))
    app.journal({
      workspace_id,
      type,
      summary: `linked_account ${id} ${action}d`,
      actor_type: 'user',
      actor_id: user_id,
      payload: { action, entity_type: 'linked_account', entity_id: id, metadata: { provider, ...more } },
      refs: { entity_type: 'linked_account', entity_id: id },
    })
}
