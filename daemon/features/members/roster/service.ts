import type { Reply } from '#contract/define'
import type { members } from '#contract/members'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { forgetCrewMemberships } from '../../crews/members/service.ts'
import { handOver } from '../../inbox/service.ts'
import { settleInvitation, withdrawInvitationsBy } from '../../invitations/service.ts'
import { find as findUser } from '../../users/service.ts'
import { withdrawLinksBy } from '../provisioning/links.ts'
import { type Membership, queries } from '../queries.ts'
import { checkGift, enrol, standing } from '../service.ts'
import { refusalOfChange } from './rules.ts'

const actions = {
  create: 'audit.entity_created',
  update: 'audit.entity_updated',
  delete: 'audit.entity_deleted',
} as const

/** The journal's word on a membership. */
export function noteMember(
  app: App,
  actor: Actor,
  action: keyof typeof actions,
  member: Membership,
  details: Record<string, unknown> = {},
): void {
  const left = action === 'delete' && member.user_id === actor.id
  const { id, workspace_id, user_id, role } = member
  app.journal({
    workspace_id,
    type: actions[action],
    summary: `member ${user_id} ${left ? 'left' : action === 'update' ? `is now ${role}` : `${action}d`}`,
    ...actorOf(actor),
    payload: { action, entity_type: 'workspace_member', entity_id: id, metadata: { user_id, role, ...details } },
    refs: { entity_type: 'workspace_member', entity_id: id },
  })
}

function findMember({ db }: App, workspace: string, id: string): Membership {
  const member = queries(db).find.get(workspace, id)
  if (!member) throw problem('not_found', { field: 'memberId', detail: 'There is no such member' })
  return member
}

export function add(app: App, { actor, body, now }: Call<typeof members.add>): Reply<typeof members.add> {
  const role = body.role ?? 'MEMBER'
  checkGift(role, standing(app, actor, 'ADMIN'))
  const { email } = findUser(app, body.user_id)
  const member = enrol(app, { workspace: actor.workspace, user: body.user_id, role, now })
  if (!member) throw problem('already_member', { field: 'user_id' })
  settleInvitation(app, actor.workspace, email)
  noteMember(app, actor, 'create', member)
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
  // Who may not invite any more cannot come back, or bring others, with what was sent before.
  if (!allows('ADMIN', role)) withdrawOffersBy(app, actor, before.user_id)
  if (!allows('MEMBER', role)) handOver(app, actor.workspace, before.user_id)
  noteMember(app, actor, 'update', after, { previous_role: before.role, changed: ['role'] })
}

/** Ends the ways into the workspace that somebody opened who may open none any more. */
function withdrawOffersBy(app: App, actor: Actor, user: string): void {
  withdrawInvitationsBy(app, actor, user)
  withdrawLinksBy(app, actor, user)
}

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

/** Ends a membership and what hangs on it; anyone may end their own, unless the workspace would have no OWNER. */
export function remove(app: App, { actor, memberId }: Call<typeof members.remove>): { success: boolean } {
  const { db } = app
  const own = queries(db).ofUser.get(actor.workspace, actor.id)
  if (own?.id !== memberId) standing(app, actor, 'ADMIN')
  const target = findMember(app, actor.workspace, memberId)
  if (target.role === 'OWNER' && own?.id !== memberId)
    throw problem('insufficient_role', {
      detail: 'An OWNER is not removed by others; they leave by themselves or hand the ownership over',
    })
  if (!queries(db).remove.get({ workspace: actor.workspace, id: memberId }))
    throw problem('last_owner', {
      detail: 'You are the last OWNER; hand the ownership over first, or delete the workspace',
    })
  forgetCrewMemberships(app, actor.workspace, target.user_id)
  withdrawOffersBy(app, actor, target.user_id)
  handOver(app, actor.workspace, target.user_id)
  noteMember(app, actor, 'delete', target)
  app.afterCommit(() => app.bus.emit('access_lost', actor.workspace))
  return { success: true }
}
