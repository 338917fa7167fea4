import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { Member, members } from '#contract/members'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { bySystem } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { find as findUser } from '../users/service.ts'
import { type Membership, queries } from './queries.ts'

export function list({ db }: App, { actor, query }: Call<typeof members.list>): Static<typeof Member>[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  const rows = queries(db).list.all(actor.workspace, limit, offset)
  return rows.map(({ email, full_name, avatar_url, ...member }) => ({
    ...member,
    user: { id: member.user_id, email, full_name, avatar_url },
  }))
}

/** Makes a user a member; null when it is one already. */
export const enrol = (
  { db, clock }: App,
  member: { workspace: string; user: string; role: Role; now: string },
): Membership | null => queries(db).insert.get({ id: newId(clock()), ...member }) ?? null

/** The membership of a user; undefined when there is none. */
export const membershipOf = ({ db }: App, workspace: string, user: string): Membership | undefined =>
  queries(db).ofUser.get(workspace, user)

/**
 * The caller's role as it is within this change: what the request came with may have been taken away by the change just
 * before. Refuses one below `gate`.
 */
export function standing(app: App, actor: Actor, gate: Role): Role {
  const role = membershipOf(app, actor.workspace, actor.id)?.role
  if (!role) throw problem('not_a_member')
  if (!allows(gate, role))
    throw problem('insufficient_role', { detail: `This needs the role ${gate} or above; yours is ${role}` })
  return role
}

/** Refuses to give a role that this caller may not give. */
export function checkGift(role: Role, caller: Role): void {
  if (role === 'ADMIN' && caller !== 'OWNER')
    throw problem('insufficient_role', { field: 'role', detail: 'The role ADMIN is given by an OWNER alone' })
}

/** Ends every membership of a deleted workspace. */
export const dissolve = ({ db }: App, workspace: string): void => void queries(db).removeAll.run(workspace)

/** What the journal tells of a membership. */
export function payloadOf(app: App, { id, user_id, role }: Membership) {
  const { email, full_name } = findUser(app, user_id)
  return { entity_id: id, ...(full_name && { name: full_name }), metadata: { user_id, email, role } }
}

interface Raised {
  role: Role
  /** Null for a person who was not a member. */
  previous_role: Role | null
  changed: boolean
}

/** Gives a user at least this role, in the name of the host's administrator. Nobody is lowered. */
export function raise(
  app: App,
  { workspace, user, role, now }: { workspace: string; user: string; role: Role; now: string },
): Raised {
  const before = membershipOf(app, workspace, user)
  const previous_role = before?.role ?? null
  if (before && allows(role, before.role)) return { role: before.role, previous_role, changed: false }
  const member = before
    ? queries(app.db).setRole.get({ workspace, id: before.id, role, now })
    : enrol(app, { workspace, user, role, now })
  recordRaise(app, member!, before?.role)
  return { role, previous_role, changed: true }
}

function recordRaise(app: App, member: Membership, previous_role: Role | undefined): void {
  const { metadata, ...payload } = payloadOf(app, member)
  const about = { workspace_id: member.workspace_id, ...bySystem }
  const more = { ...metadata, via: 'host' as const }
  if (previous_role) {
    const change = { ...more, previous_role, changed: ['role' as const] }
    app.journal(fact('workspace_member.updated', { ...payload, metadata: change }, about))
  } else
    app.journal(fact('workspace_member.created', { ...payload, metadata: { ...more, previous_role: null } }, about))
}

/** The roles of a user, by workspace. */
export const rolesOf = ({ db }: App, user: string): Map<string, Role> =>
  new Map(
    queries(db)
      .rolesOf.all(user)
      .map(({ workspace_id, role }) => [workspace_id, role]),
  )
