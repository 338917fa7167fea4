import type { Static } from 'typebox'
import type { CrewMember, crewMembers } from '#contract/crew-members'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { membershipRow } from '#kernel/auth/membership'
import { roleInCrew } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findCrew } from '../service.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof CrewMember>

const present = ({ email, full_name, avatar_url, ...member }: Row): Shown => ({
  ...member,
  user: { id: member.user_id, email, full_name, avatar_url },
})

export function listMembers(app: App, { actor, crewId, query }: Call<typeof crewMembers.members>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  findCrew(app, actor.workspace, crewId)
  return queries(app.db).list.all(crewId, limit, offset).map(present)
}

/** Ids of the first 100 people of a crew. */
export const membersOf = ({ db }: App, crewId: string): string[] =>
  queries(db)
    .list.all(crewId, 100, 0)
    .map(({ user_id }) => user_id)

export function addMember(app: App, { actor, crewId, body, now }: Call<typeof crewMembers.addMember>): Shown {
  findCrew(app, actor.workspace, crewId)
  const role = body.role ?? null
  guardRank(standingHere(app, actor, crewId, 'MANAGER'), role)
  if (!membershipRow(app.db, actor.workspace, body.user_id))
    throw problem('invalid_field', { field: 'user_id', detail: 'user_id must name a member of the workspace' })
  const made = queries(app.db).insert.get({ id: newId(app.clock()), crew: crewId, user: body.user_id, role, now })
  if (!made) throw problem('already_member', { field: 'user_id', detail: 'That person belongs to the crew already' })
  return announce(app, actor, 'created', findMember(app, crewId, made.id))
}

export function setMember(app: App, { actor, crewId, memberId, body, now }: Call<typeof crewMembers.setMember>): Shown {
  findCrew(app, actor.workspace, crewId)
  const before = findMember(app, crewId, memberId)
  const role = body.role || null
  const own = standingHere(app, actor, crewId, 'ADMIN')
  guardRank(own, before.role)
  guardRank(own, role)
  if (role === before.role) return present(before)
  queries(app.db).setRole.run(role, now, memberId)
  return announce(app, actor, 'updated', { ...before, role }, before.role)
}

export function removeMember(
  app: App,
  { actor, crewId, memberId }: Call<typeof crewMembers.removeMember>,
): Reply<typeof crewMembers.removeMember> {
  findCrew(app, actor.workspace, crewId)
  const before = findMember(app, crewId, memberId)
  guardRank(standingHere(app, actor, crewId, 'ADMIN'), before.role)
  queries(app.db).remove.run(memberId)
  announce(app, actor, 'deleted', before)
  return { success: true }
}

/**
 * The caller's role in the crew as it is within this change: what the request came with may have been taken away by the
 * change just before. Refuses one below `gate`.
 */
function standingHere(app: App, actor: Actor, crewId: string, gate: Role): Role {
  const member = membershipRow(app.db, actor.workspace, actor.id)
  const role = member && roleInCrew(app.db, { ...actor, role: member.role }, crewId)
  if (!role) throw problem('not_a_member')
  if (!allows(gate, role))
    throw problem('insufficient_role', { detail: `This needs the role ${gate} or above; yours is ${role}` })
  return role
}

/** Nobody may give, change or withdraw a role above their own. */
function guardRank(own: Role, role: Role | null): void {
  if (role && !allows(role, own))
    throw problem('insufficient_role', { field: 'role', detail: `The role ${role} is above yours, which is ${own}` })
}

function findMember({ db }: App, crewId: string, memberId: string): Row {
  const row = queries(db).find.get(crewId, memberId)
  if (!row) throw problem('not_found', { field: 'memberId', detail: 'The crew has no such member' })
  return row
}

function announce(
  app: App,
  actor: Actor,
  what: 'created' | 'updated' | 'deleted',
  row: Row,
  from?: Role | null,
): Shown {
  const metadata = { user_id: row.user_id, role: row.role, ...(from !== undefined && { from }) }
  const about = { workspace_id: actor.workspace, crew_id: row.crew_id, ...actorOf(actor) }
  app.journal(fact(`crew_member.${what}`, { entity_id: row.id, name: row.email, metadata }, about))
  app.broadcast({ channel: `workspace:${actor.workspace}`, type: 'crew.updated', payload: { id: row.crew_id } })
  return present(row)
}

/** Whoever leaves a workspace leaves its crews. */
export const forgetCrewMemberships = ({ db }: App, workspace: string, user: string): void =>
  void queries(db).removeUser.run(user, workspace)
