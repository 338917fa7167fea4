import { hash as digest, randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import type { Invitation, invitations, OwnInvitation } from '#contract/invitations'
import type { Role } from '#contract/roles'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { byUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { checkGift, enrol, standing } from '../members/service.ts'
import { queries, type Row, type Shown } from './queries.ts'

const day = 86_400_000
const lifetimeMs = 7 * day
/** Days after its time for which an invitation is kept for the record; the journal keeps it longer. */
const keptDays = 30
const hashOf = (token: string): string => digest('sha256', token, 'hex')

const present = ({ inviter_email, inviter_name, ...row }: Shown): Static<typeof Invitation> => ({
  ...row,
  accepted_at: null,
  inviter: { id: row.invited_by, email: inviter_email, full_name: inviter_name },
})

export function list({ db, now }: App, { actor, query }: Call<typeof invitations.list>): Static<typeof Invitation>[] {
  return queries(db)
    .list.all({ workspace: actor.workspace, now: now(), ...pageOf(query) })
    .map(present)
}

export function mine(
  { db, now }: App,
  { actor, query }: Call<typeof invitations.mine>,
): Static<typeof OwnInvitation>[] {
  return queries(db)
    .mine.all({ email: actor.email ?? '', now: now(), ...pageOf(query) })
    .map(({ workspace_name: name, workspace_slug: slug, ...row }) => ({
      ...present(row),
      workspace: { id: row.workspace_id, name, slug },
    }))
}

export function create(
  app: App,
  { actor, body, now }: Call<typeof invitations.create>,
): Reply<typeof invitations.create> {
  const { workspace } = actor
  const role = body.role ?? 'MEMBER'
  const email = body.email.toLowerCase()
  checkGift(role, standing(app, actor, 'ADMIN'))
  if (queries(app.db).memberAt.get(email, workspace)) throw problem('already_member', { field: 'email' })
  queries(app.db).expire.run({ workspace, email, now })
  const token = randomBytes(32).toString('hex')
  const expires_at = wholeSeconds(Date.parse(now) + lifetimeMs)
  const row = {
    id: newId(app.clock()),
    workspace_id: workspace,
    email,
    role,
    invited_by: actor.id,
    created_at: now,
    expires_at,
  }
  const made = queries(app.db).insert.get({ ...row, token_hash: hashOf(token) })
  if (!made)
    throw problem('invitation_exists', {
      field: 'email',
      detail: `There is a live invitation for ${email}; revoke it to send another one`,
    })
  app.journal(fact('invitation.created', payloadOf(made), aboutOf(made, actorOf(actor))))
  const inviter = queries(app.db).sender.get(actor.id)!
  return { ...made, accepted_at: null, inviter: { id: actor.id, ...inviter }, token, link: linkOf(app, token) }
}

const linkOf = ({ config }: App, token: string): string | null =>
  config.publicUrl ? `${new URL(config.publicUrl).origin}/invitation?token=${token}` : null

export function revoke(app: App, { actor, invitationId: id, now }: Call<typeof invitations.revoke>): undefined {
  standing(app, actor, 'ADMIN')
  const row = queries(app.db).revoke.get({ workspace: actor.workspace, id, now })
  if (!row) throw problem('not_found', { field: 'invitationId', detail: 'There is no such open invitation' })
  app.journal(fact('invitation.revoked', payloadOf(row), aboutOf(row, actorOf(actor))))
}

export function accept(
  app: App,
  { actor, invitationId: id, now }: Call<typeof invitations.accept>,
): Reply<typeof invitations.accept> {
  return join(app, actor.id, take(app, actor, id, 'accepted', now), now)
}

export function decline(
  app: App,
  { actor, invitationId: id, now }: Call<typeof invitations.decline>,
): Reply<typeof invitations.decline> {
  const row = take(app, actor, id, 'declined', now)
  app.journal(fact('invitation.declined', payloadOf(row), aboutOf(row, actorOf(actor))))
  return { workspace_id: row.workspace_id, role: row.role }
}

/** Another one's, an old and an absent one answer alike. */
function take(app: App, { email }: Actor, id: string, status: 'accepted' | 'declined', now: string): Row {
  const row = queries(app.db).takeById.get({ id, email: email ?? '', status, now })
  if (!row)
    throw problem('not_found', { field: 'invitationId', detail: 'There is no such open invitation to your address' })
  return row
}

/** Whoever holds the token was given it: the address of the account does not matter. */
export function redeem(
  app: App,
  { actor, body, now }: Call<typeof invitations.redeem>,
): Reply<typeof invitations.redeem> {
  const row = queries(app.db).takeByToken.get({ hash: hashOf(body.token.trim()), now })
  if (!row)
    throw problem('invalid_token', { field: 'token', detail: 'Invalid, used, revoked or expired invitation token' })
  return join(app, actor.id, row, now)
}

/** Refused, the invitation stays open for whom it is meant. */
function join(app: App, user: string, row: Row, now: string): { workspace_id: string; role: Role } {
  const { workspace_id, role } = row
  if (!enrol(app, { workspace: workspace_id, user, role, now }))
    throw problem('already_member', { detail: 'You are a member of that workspace already' })
  const { metadata, ...payload } = payloadOf(row)
  const accepted = { ...payload, metadata: { ...metadata, user_id: user } }
  app.journal(fact('invitation.accepted', accepted, aboutOf(row, byUser(user))))
  return { workspace_id, role }
}

/** Makes a new account a member wherever its address is invited. Without an open invitation the answer is empty. */
export function redeemInvitations(
  app: App,
  { user, email, now }: { user: string; email: string; now: string },
): { workspace_id: string; role: Role }[] {
  const rows = queries(app.db).takeAll.all({ email: email.toLowerCase(), now })
  return rows.map((row) => join(app, user, row, now))
}

/** Whoever became a member by another way needs the invitation no more. */
export const settleInvitation = ({ db, now }: App, workspace: string, email: string): void =>
  void queries(db).settle.run({ workspace, email, now: now() })

/** Takes back what a user sent who may invite no more. */
export function withdrawInvitationsBy(app: App, workspace: string, user: string, by: Acting): void {
  const reason = 'its sender may invite no more'
  for (const row of queries(app.db).revokeBy.all({ workspace, by: user, now: app.now() })) {
    const { metadata, ...payload } = payloadOf(row)
    app.journal(fact('invitation.revoked', { ...payload, metadata: { ...metadata, reason } }, aboutOf(row, by)))
  }
}

/** Takes back every invitation into a workspace that goes. */
export const withdrawInvitationsTo = ({ db, now }: App, workspace: string): void =>
  void queries(db).revokeAll.run({ workspace, now: now() })

/** Forgets invitations whose time was over long ago, `most` of them; how many these were. */
export const forgetOldInvitations = ({ db, clock }: App, most: number): number =>
  queries(db).forget.run(wholeSeconds(clock() - keptDays * day), most).changes

const payloadOf = ({ id, email, role }: Row) => ({ entity_id: id, name: email, metadata: { email, role } })
const aboutOf = ({ workspace_id }: Row, by: Acting) => ({ workspace_id, ...by })
