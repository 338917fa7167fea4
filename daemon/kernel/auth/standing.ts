import { type Capability, capabilities, roleCapabilities } from '#contract/capabilities'
import type { Endpoint } from '#contract/define'
import { higher, type Role } from '#contract/roles'
import type { Actor } from '../feature.ts'
import { type Db, statements } from '../store/db.ts'

export const queries = statements((db) => ({
  inCrew: db.prepare<{ crew: string; user: string; workspace: string }, { role: Role | null }>(
    `SELECT m.role FROM crew_members m JOIN crews c ON c.id = m.crew_id
     WHERE m.crew_id = @crew AND m.user_id = @user AND c.workspace_id = @workspace AND c.deleted_at IS NULL`,
  ),
  inAll: db.prepare<{ user: string; workspace: string }, { crew_id: string; role: Role | null }>(
    `SELECT m.crew_id, m.role FROM crew_members m JOIN crews c ON c.id = m.crew_id
     WHERE m.user_id = @user AND c.workspace_id = @workspace AND c.deleted_at IS NULL`,
  ),
  crewOfAgent: db.prepare<{ agent: string; workspace: string }, { crew_id: string | null }>(
    'SELECT crew_id FROM agents WHERE id = @agent AND workspace_id = @workspace AND deleted_at IS NULL',
  ),
  crewOfEscalation: db.prepare<{ escalation: string; workspace: string }, { crew_id: string }>(
    'SELECT crew_id FROM escalations WHERE id = @escalation AND workspace_id = @workspace',
  ),
  crewOfAssignment: db.prepare<{ assignment: string; workspace: string }, { crew_id: string }>(
    'SELECT crew_id FROM assignments WHERE id = @assignment AND workspace_id = @workspace',
  ),
  member: db.prepare<{ user: string; workspace: string }, { role: Role; capabilities_json: string | null }>(
    'SELECT role, capabilities_json FROM workspace_members WHERE workspace_id = @workspace AND user_id = @user',
  ),
}))

type Person = Pick<Actor, 'id' | 'workspace' | 'role'>

/** A member's role within a crew of the workspace: the higher one of `role` and the one that the crew gave. */
export function roleInCrew(db: Db, { id: user, workspace, role }: Person, crew: string): Role | null {
  return higher(role, queries(db).inCrew.get({ crew, user, workspace })?.role ?? null)
}

/** A member's roles in crews, by crew; null for a membership without a role. */
export const crewRoles = (db: Db, { id: user, workspace }: Person): Map<string, Role | null> =>
  new Map(
    queries(db)
      .inAll.all({ user, workspace })
      .map(({ crew_id, role }) => [crew_id, role]),
  )

/** The caller with the effective role for an operation: a higher role in the crew that it concerns counts. */
export function actorHere(db: Db, { crew }: Endpoint, actor: Actor, input: object): Actor {
  if (!crew || actor.type !== 'user' || actor.role === null || actor.role === 'OWNER') return actor
  const named = crewNamed(db, crew, actor, input)
  const role = named ? roleInCrew(db, actor, named) : actor.role
  return role === actor.role ? actor : { ...actor, role }
}

/** As `actorHere`, before the body is read: assumes the caller's highest crew role where the body names the crew. */
export function actorExpected(db: Db, endpoint: Endpoint, actor: Actor, params: object): Actor {
  if (endpoint.crew !== 'body.crew_id') return actorHere(db, endpoint, actor, params)
  return { ...actor, role: [...crewRoles(db, actor).values()].reduce(higher, actor.role) }
}

function crewNamed(db: Db, place: NonNullable<Endpoint['crew']>, { workspace }: Actor, input: object): string | null {
  const { crewId, agentId, escalationId, delegationId, body } = input as {
    crewId?: string
    agentId?: string
    escalationId?: string
    delegationId?: string
    body?: { crew_id?: string | null }
  }
  if (place === 'crewId') return crewId ?? null
  if (place === 'body.crew_id') return body?.crew_id ?? null
  if (place === 'escalationId')
    return (escalationId && queries(db).crewOfEscalation.get({ escalation: escalationId, workspace })?.crew_id) || null
  if (place === 'delegationId')
    return (delegationId && queries(db).crewOfAssignment.get({ assignment: delegationId, workspace })?.crew_id) || null
  return (agentId && queries(db).crewOfAgent.get({ agent: agentId, workspace })?.crew_id) || null
}

/** A member's capabilities: the stored ones, else the default of the role. */
export function capabilitiesOf({
  role,
  capabilities_json,
}: {
  role: Role
  capabilities_json: string | null
}): Capability[] {
  if (capabilities_json === null) return roleCapabilities(role)
  const stored = JSON.parse(capabilities_json) as Capability[]
  return capabilities.filter((it) => it === 'chat' || stored.includes(it))
}

/** A user's capabilities in a workspace; none where the user is not a member. */
export function capabilitiesIn(db: Db, workspace: string, user: string): Capability[] {
  const row = queries(db).member.get({ user, workspace })
  return row ? capabilitiesOf(row) : []
}

/** Whether the caller has this capability in the workspace. */
export const holds = (db: Db, { id, workspace, type }: Actor, capability: Capability): boolean =>
  type === 'user' && capabilitiesIn(db, workspace, id).includes(capability)
