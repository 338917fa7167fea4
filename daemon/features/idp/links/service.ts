import type { Static } from 'typebox'
import type { idp, LinkedAccount } from '#contract/idp'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { journalAffair } from '../../members/service.ts'
import { queries, type Row } from './queries.ts'

export const list = ({ db }: App, { actor }: Call<typeof idp.links>): Static<typeof LinkedAccount>[] =>
  queries(db).listOf.all(actor.id)

/** Refused when nothing is left to sign in with: another provider's accounts open nothing any more. */
export function unlink(app: App, { actor, linkId }: Call<typeof idp.unlink>): undefined {
  const removed = queries(app.db).remove.get({ user: actor.id, id: linkId })
  if (!removed) throw problem('not_found', { field: 'linkId' })
  const left = queries(app.db)
    .listOf.all(actor.id)
    .some(({ provider }) => provider === app.config.idpIssuer)
  if (!left && !queries(app.db).person.get(actor.id)!.password_hash)
    throw problem('last_way_in', {
      detail: 'This account is the only way to sign in as you: set a password first, as with a forgotten one',
    })
  note(app, removed, 'delete')
}

/**
 * A link opens every workspace of its user, so their journals tell of it; the account there is the user's own affair.
 */
export const note = (
  app: App,
  { id, user_id: user, provider }: Row,
  action: 'create' | 'delete',
  more: object = {},
): void =>
  journalAffair(app, {
    user,
    action,
    entity: { type: 'linked_account', id },
    summary: `linked_account ${id} ${action}d`,
    metadata: { provider, ...more },
  })
