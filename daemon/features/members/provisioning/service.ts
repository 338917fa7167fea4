import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { members } from '#contract/members'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { homeRoleOf } from '#kernel/auth/home'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { cleanName } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { issueLink } from '../../users/links/service.ts'
import { createUser } from '../../users/service.ts'
import { checkGift, enrol, payloadOf, standing } from '../service.ts'
import { type Account, queries } from './queries.ts'

const linkLifetime = 7 * 86_400_000
const noLink = { setup_url: '', expires_at: '' }

/** Makes a member of whoever has the address; an account that nobody uses yet gets a link to set it up. */
export function provision(
  app: App,
  { actor, body, now }: Call<typeof members.provision>,
): Reply<typeof members.provision> {
  const role = body.role ?? 'MEMBER'
  checkGift(role, standing(app, actor, 'ADMIN'))
  requireHomeAdmin(app, actor)
  if (!app.config.publicUrl)
    throw problem('unavailable', { detail: 'Set SVC_PUBLIC_URL: without it there is no address to put into the link' })
  const email = body.email.toLowerCase()
  const full_name = body.full_name?.trim()
    ? cleanName('full_name', body.full_name, { min: 2, max: 100, unit: 'characters' })
    : null
  const made = createUser(app, { id: newId(app.clock()), email, full_name, password_hash: null, now })
  const account = queries(app.db).account.get(email)!
  const mayLink = Boolean(made) || isFree(app, actor, account)
  const member = enrol(app, { workspace: actor.workspace, user: account.id, role, now })
  if (!member) throw problem('already_member', { field: 'email' })
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  if (made)
    app.journal(fact('user.created', { entity_id: made.id, name: email, metadata: { via: 'provision' } }, about))
  const { metadata, ...payload } = payloadOf(app, member)
  const details = { ...metadata, provisioned: true as const, setup_link: mayLink }
  app.journal(fact('workspace_member.created', { ...payload, metadata: details }, about))
  return {
    user_id: account.id,
    email,
    role,
    created_user: Boolean(made),
    ...(mayLink ? newLink(app, actor, account.id) : noLink),
  }
}

/**
 * Anyone may own a workspace; that must let nobody make accounts, learn who has one, or take people in without asking
 * them.
 */
function requireHomeAdmin(app: App, actor: Actor): void {
  const role = homeRoleOf(app, actor.id)
  if (role && allows('ADMIN', role)) return
  throw problem('insufficient_role', {
    detail: "Only an ADMIN of this server's first workspace makes accounts; invite the address instead",
  })
}

/**
 * Whether a link to the account may be handed to this caller. Whoever follows it becomes that person everywhere: an
 * account in use is its owner's alone, and one that others made too is not this caller's to give away.
 */
const isFree = ({ db }: App, actor: Actor, { id, password_hash, email_verified_at }: Account): boolean =>
  !password_hash &&
  !email_verified_at &&
  !queries(db).link.get(id) &&
  !queries(db).foreign.get({ user: id, admin: actor.id })

/** The link with which an account is set up. One at a time: an older one ends. */
function newLink(app: App, { id: by }: Actor, user: string): { setup_url: string; expires_at: string } {
  const { token, expires_at } = issueLink(app, { user, purpose: 'account_setup', by, lifetime: linkLifetime })
  return { setup_url: `${new URL(app.config.publicUrl).origin}/reset-password?token=${token}`, expires_at }
}
