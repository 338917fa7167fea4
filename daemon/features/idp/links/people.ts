import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { foundOwn, recordCreation } from '../../accounts/service.ts'
import { redeemInvitations } from '../../invitations/service.ts'
import { createUser, exist, verifyAddress } from '../../users/service.ts'
import type { Profile } from '../rules.ts'
import { type Person, queries } from './queries.ts'
import { payloadOf } from './service.ts'

/**
 * The user of an account at the provider: by its link, else by its verified address, else a new user. `signedIn` is the
 * user of the browser's session, who has proven their identity already.
 */
export function admitPerson(app: App, provider: string, profile: Profile, signedIn: string | null): Person {
  const now = app.now()
  const { use, person, personOf } = queries(app.db)
  const { sub: account, email, verified } = profile
  const link = use.get({ provider, account, email, now })
  if (link) return person.get(link.user_id)!
  if (!email)
    throw problem('idp_profile_failed', {
      detail: 'The identity provider sent no usable email address',
    })
  const holder = personOf.get(email)
  if (holder && !verified)
    throw problem('idp_email_unverified', {
      detail:
        `There is an account with the address ${email}, and the identity provider has not verified that address: ` +
        'verify it there, or sign in another way',
    })
  if (holder && !holder.email_verified_at && holder.id !== signedIn) reclaim(app, holder, now)
  if (holder) verifyAddress(app, holder.id, now)
  const owner = holder ?? createPerson(app, { ...profile, email }, now)
  const made = queries(app.db).insert.get({ id: newId(app.clock()), user: owner.id, provider, account, email, now })!
  journalForUser(app, owner.id, fact('linked_account.created', payloadOf(owner, made), byUser(owner.id)))
  return owner
}

/**
 * Creates a user without a password. Without an invitation, this needs open sign-up. The first user, who owns the
 * server, is never created this way.
 */
function createPerson(
  app: App,
  { email, verified, name: full_name }: Profile & { email: string },
  now: string,
): Person {
  if (!exist(app))
    throw problem('signup_disabled', { detail: 'This server has no users yet; its first one is made with muster init' })
  const { id } = createUser(app, { id: newId(app.clock()), email, full_name, password_hash: null, verified, now })!
  const person = queries(app.db).person.get(id)!
  const invited = verified ? redeemInvitations(app, { user: person.id, email, now }) : []
  if (!invited.length && !app.config.allowSignup)
    throw problem('signup_disabled', {
      detail: 'There is no account with your address, and sign-up needs an invitation (SVC_ALLOW_SIGNUP)',
    })
  const settler = { id: person.id, email, via: 'idp' as const }
  if (invited.length) recordCreation(app, settler)
  else foundOwn(app, { ...settler, full_name: full_name ?? email.split('@', 1)[0]!, now })
  return person
}

/**
 * Gives an account to the verified owner of its address. Its creator never proved to own the address, and may have
 * created it to wait for the owner, so reactions to this fact close all other ways to sign in. Refused for an account
 * with a second factor, which nobody can remove without having it.
 */
function reclaim(app: App, owner: Person, now: string): void {
  const { id, email, password_hash, two_factor_at } = owner
  if (two_factor_at)
    throw problem('idp_sign_in_first', {
      detail:
        'The account with your address has a second factor: sign in to it here first, then with the identity ' +
        'provider in the same browser',
    })
  const changed = [...(password_hash ? ['password' as const] : []), 'email_verified_at' as const]
  const metadata = { changed, via: 'idp' as const, ...queries(app.db).waysIn.get({ user: id, now })! }
  journalForUser(app, id, fact('user.reclaimed', { entity_id: id, name: email, metadata }, byUser(id)))
}

/** Removes the links of a reclaimed account, which its owner never made. */
export function unlinkReclaimed(app: App, user: string): void {
  const owner = queries(app.db).person.get(user)!
  for (const link of queries(app.db).removeAll.all(user)) {
    const { metadata, ...payload } = payloadOf(owner, link)
    const reason = 'address_proved' as const
    journalForUser(
      app,
      user,
      fact('linked_account.deleted', { ...payload, metadata: { ...metadata, reason } }, byUser(user)),
    )
  }
}
