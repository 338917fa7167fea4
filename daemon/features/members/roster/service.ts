import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { members } from '#contract/members'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { endLinksBy } from '../../users/links/service.ts'
import { find as findUser } from '../../users/service.ts'
import { type Membership, queries } from '../queries.ts'
import { checkGift, enrol, payloadOf, standing } from '../service.ts'
import { refusalOfChange } from './rules.ts'

function findMember({ db }: App, workspace: string, id: string): Membership {
  const member = queries(db).find.get(workspace, id)
  if (!member) throw problem('not_found', { field: 'memberId', detail: 'There is no such member' })
  return member
}

export function add(app: App, { actor, body, now }: Call<typeof members.add>): Reply<typeof members.add> {
  const role = body.role ?? 'MEMBER'
  checkGift(role, standing(app, actor, 'ADMIN'))
  findUser(app, body.user_id)
  const member = enrol(app, { workspace: actor.workspace, user: body.user_id, role, now })
  if (!member) throw problem('already_member', { field: 'user_id' })
  app.journal(fact('workspace_member.created', payloadOf(app, member), aboutOf(actor)))
  return member
}

export function update(
  app: App,
  { actor, body: { role }, memberId, now }: Call<typeof members.update>,
): Reply<typeof members.update> {
  const caller = standing(app, actor, 'MANAGER')
  const before = findMember(app, actor.workspace, memberId)
  const refused = refusalOfChange({ caller, target: before.role, role })
  if (refused) throw problem('insufficient_role', { field: 'role', detail: refused })
  if (before.role !== role) change(app, actor, before, role, now)
  return { status: 'updated', member_id: memberId, role }
}

function change(app: App, actor: Actor, before: Membership, role: Role, now: string): void {
  const after = queries(app.db).setRole.get({ workspace: actor.workspace, id: before.id, role, now })
  if (!after)
    throw problem('last_owner', { detail: 'This is the last OWNER of the workspace; hand the ownership over first' })
  // Whoever may make members no more cannot come back, or bring others, by the links handed out before.
  if (!allows('ADMIN', role)) endLinksBy(app, actor.workspace, before.user_id)
  const { metadata, ...payload } = payloadOf(app, after)
  const change = { ...metadata, previous_role: before.role, changed: ['role' as const] }
  app.journal(fact('workspace_member.updated', { ...payload, metadata: change }, aboutOf(actor)))
}

const aboutOf = (actor: Actor) => ({ workspace_id: actor.workspace, ...actorOf(actor) })

/** The one way to make an OWNER over the API: both sides change in one step, and never is there none. */
export function transfer(
  app: App,
  { actor, memberId, now }: Call<typeof members.transfer>,
): Reply<typeof members.transfer> {
  standing(app, actor, 'OWNER')
  const own = queries(app.db).ofUser.get(actor.workspace, actor.id)!
  const target = findMember(app, actor.workspace, memberId)
  if (target.id !== own.id) {
    if (target.role !== 'OWNER') change(app, actor, target, 'OWNER', now)
    change(app, actor, own, 'ADMIN', now)
  }
  return { status: 'updated', member_id: memberId, role: 'OWNER' }
}

/**
 * Ends a membership, and with it what hangs on it; anyone may end their own, unless the workspace would have no OWNER.
 */
export function remove(app: App, { actor, memberId }: Call<typeof members.remove>): { success: boolean } {
  const { db } = app
  const own = queries(db).ofUser.get(actor.workspace, actor.id)
  if (own?.id !== memberId) standing(app, actor, 'ADMIN')
  const target = findMember(app, actor.workspace, memberId)
  if (target.role === 'OWNER' && own?.id !== memberId)
    throw problem('insufficient_role', {
      detail: 'An OWNER is not removed by others; they leave by themselves or hand the ownership over',
    })
  endMembership(app, actor, target)
  return { success: true }
}

/** Ends a membership within a change; whether the caller may was checked. */
export function endMembership(app: App, actor: Actor, target: Membership): void {
  if (!queries(app.db).remove.get({ workspace: actor.workspace, id: target.id }))
    throw problem('last_owner', {
      detail: 'You are the last OWNER; hand the ownership over first, or delete the workspace',
    })
  endLinksBy(app, actor.workspace, target.user_id)
  app.journal(fact('workspace_member.deleted', payloadOf(app, target), aboutOf(actor)))
  app.afterCommit(() => app.bus.emit('access_lost', actor.workspace))
}
