import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { idp, LinkedAccount } from '#contract/idp'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { type Person, queries, type Row } from './queries.ts'

export const list = ({ db }: App, { actor }: Call<typeof idp.links>): Static<typeof LinkedAccount>[] =>
  queries(db).listOf.all(actor.id)

/** Removes a link unless it is the last way to sign in. Links to a provider that is not configured do not count. */
export function unlink(app: App, { actor, linkId }: Call<typeof idp.unlink>): undefined {
  const removed = queries(app.db).remove.get({ user: actor.id, id: linkId })
  if (!removed) throw problem('not_found', { field: 'linkId' })
  const left = queries(app.db)
    .listOf.all(actor.id)
    .some(({ provider }) => provider === app.config.idpIssuer)
  const owner = queries(app.db).person.get(actor.id)!
  if (!left && !owner.password_hash)
    throw problem('last_way_in', {
      detail: 'This account is the only way to sign in as you: set a password first, as with a forgotten one',
    })
  journalForUser(app, owner.id, fact('linked_account.deleted', payloadOf(owner, removed), byUser(owner.id)))
}

/** The payload of facts about a link, without the account at the provider, which is private. */
export const payloadOf = ({ id: user_id, email }: Person, { id, provider }: Row) => ({
  entity_id: id,
  metadata: { user_id, email, provider },
})
