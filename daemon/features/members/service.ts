import type { Static } from 'typebox'
import type { Severity } from '#contract/entries'
import type { Member, members } from '#contract/members'
import { allows, type Role } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type Membership, queries } from './queries.ts'

export function list({ db }: App, { actor, query }: Call<typeof members.list>): Static<typeof Member>[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  const rows = queries(db).list.all(actor.workspace, limit, offset)
  return rows.map(({ email, full_name, avatar_url, ...member }) => ({
    ...member,
    user: { id: member.user_id, email, full_name, avatar_url },
  }))
}

/** Makes a user a member, within a change; null when it is one already. */
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

/** Ends every membership of a workspace that goes; answers whose they were. Within a change. */
export const dissolve = ({ db }: App, workspace: string): string[] =>
  queries(db)
    .removeAll.all(workspace)
    .map(({ user_id }) => user_id)

interface Raised {
  role: Role
  /** Null for one who was no member. */
  previous_role: Role | null
  changed: boolean
}

/** Gives a user at least this role, in the name of the host's administrator, within a change. Nobody is lowered. */
export function raise(
  app: App,
  { workspace, user, role, now }: { workspace: string; user: string; role: Role; now: string },
): Raised {
  const before = membershipOf(app, workspace, user)
  if (before && allows(role, before.role)) return { role: before.role, previous_role: before.role, changed: false }
  const member = before
    ? queries(app.db).setRole.get({ workspace, id: before.id, role, now })
    : enrol(app, { workspace, user, role, now })
  const { id } = member!
  const previous_role = before?.role ?? null
  app.journal({
    workspace_id: workspace,
    type: before ? 'audit.entity_updated' : 'audit.entity_created',
    summary: `workspace_member ${id} ${before ? 'raised' : 'added'} as ${role} on the host`,
    actor_type: 'system',
    payload: {
      action: before ? 'update' : 'create',
      entity_type: 'workspace_member',
      entity_id: id,
      metadata: { user_id: user, role, previous_role, via: 'host', ...(before && { changed: ['role'] }) },
    },
    refs: { entity_type: 'workspace_member', entity_id: id },
  })
  return { role, previous_role, changed: true }
}

/** The roles of a user, by workspace. */
export const rolesOf = ({ db }: App, user: string): Map<string, Role> =>
  new Map(
    queries(db)
      .rolesOf.all(user)
      .map(({ workspace_id, role }) => [workspace_id, role]),
  )

/**
 * Longest audience of one event. Anyone may own any number of workspaces and take others into them, which must neither
 * make
 * an event dear nor keep it from the journals where it counts.
 */
const audienceLimit = 200

/** The workspaces whose journals tell of what a user does for all of them. */
export const audienceOf = ({ db }: App, user: string): string[] =>
  queries(db)
    .audience.all(user, audienceLimit)
    .map(({ workspace_id }) => workspace_id)

/** Something that concerns a user in every workspace: the user's own account, or what opens it. */
interface Affair {
  user: string
  action: 'create' | 'update' | 'delete'
  /** What it was done to; the user, when nothing else is named. */
  entity?: { type: string; id: string }
  summary: string
  metadata?: object
  severity?: Severity
  /** The user, unless it was done in the name of the daemon or of its host's administrator. */
  by?: 'user' | 'system'
}

/** Tells the journals of a user's workspaces of it, within a change. */
export function journalAffair(app: App, affair: Affair, workspaces = audienceOf(app, affair.user)): void {
  const { user, action, entity = { type: 'user', id: user }, summary, metadata, severity, by = 'user' } = affair
  const about = { entity_type: entity.type, entity_id: entity.id }
  for (const workspace_id of workspaces)
    app.journal({
      workspace_id,
      type: `audit.entity_${action}d`,
      ...(severity && { severity }),
      summary,
      actor_type: by,
      ...(by === 'user' && { actor_id: user }),
      payload: { action, ...about, ...(metadata && { metadata }) },
      refs: about,
    })
}
