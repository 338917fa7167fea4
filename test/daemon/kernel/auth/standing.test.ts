import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Endpoint } from '#contract/define'
import type { Role } from '#contract/roles'
import {
  actorExpected,
  actorHere,
  capabilitiesIn,
  capabilitiesOf,
  crewRoles,
  holds,
  roleInCrew,
} from '#kernel/auth/standing'
import type { Actor } from '#kernel/feature'
import { type Db, migrate, openDatabase } from '#kernel/store/db'
import { migrations } from '#test'

/** Two workspaces: ada has a role in the crews of both, and in a deleted crew; aaron and grace in one crew each. */
function open(): Db {
  const db = openDatabase(':memory:')
  migrate(db, migrations, 'now')
  db.exec('PRAGMA foreign_keys = OFF')
  const crew = db.prepare(
    `INSERT INTO crews (id, workspace_id, name, slug, network_mode, allowed_domains_json, allow_private_endpoints,
      created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, 'open', '[]', 0, 't', 't', ?)`,
  )
  crew.run('backend', 'w1', 'b', 'b', null)
  crew.run('frontend', 'w1', 'f', 'f', null)
  crew.run('gone', 'w1', 'g', 'g', 't')
  crew.run('foreign', 'w2', 'x', 'x', null)
  const member = db.prepare(
    `INSERT INTO crew_members (id, crew_id, user_id, role, created_at, updated_at) VALUES (?, ?, ?, ?, 't', 't')`,
  )
  member.run('m0', 'backend', 'aaron', 'ADMIN')
  member.run('m1', 'backend', 'ada', 'MANAGER')
  member.run('m2', 'frontend', 'ada', null)
  member.run('m3', 'gone', 'ada', 'ADMIN')
  member.run('m4', 'foreign', 'ada', 'ADMIN')
  member.run('m5', 'frontend', 'grace', 'ADMIN')
  const agent = db.prepare(
    `INSERT INTO agents (id, workspace_id, crew_id, name, slug, agent_role, status, cli_adapter, timeout_seconds,
      tool_profile, search, created_at, updated_at, deleted_at)
     VALUES (?, ?, ?, 'a', ?, 'AGENT', 'IDLE', 'CLAUDE_CODE', 1, 'CODING', '', 't', 't', ?)`,
  )
  agent.run('agent', 'w1', 'backend', 'a1', null)
  agent.run('gone-agent', 'w1', 'backend', 'a2', 't')
  agent.run('foreign-agent', 'w2', 'backend', 'a3', null)
  const escalation = db.prepare(
    `INSERT INTO escalations (id, workspace_id, crew_id, from_agent_id, type, reason, created_at, deadline_at)
     VALUES (?, ?, 'backend', 'agent', 'TEXT', 'r', 't', 't')`,
  )
  escalation.run('question', 'w1')
  escalation.run('foreign-question', 'w2')
  const joined = db.prepare(
    `INSERT INTO workspace_members (id, workspace_id, user_id, role, capabilities_json, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, 't', 't')`,
  )
  joined.run('j1', 'w1', 'ada', 'MEMBER', '["page.create"]')
  joined.run('j2', 'w2', 'ada', 'MANAGER', null)
  joined.run('j3', 'w1', 'grace', 'VIEWER', null)
  return db
}

let db: Db
beforeAll(() => {
  db = open()
})
afterAll(() => void db.close())

const person = (role: Role | null, id = 'ada', workspace = 'w1') => ({ id, workspace, role, type: 'user' }) as Actor
const at = (crew?: Endpoint['crew']) => ({ crew }) as Endpoint

it.each<[crew: string, role: Role | null, expected: Role | null]>([
  ['backend', 'MEMBER', 'MANAGER'],
  ['backend', 'ADMIN', 'ADMIN'],
  ['frontend', 'MEMBER', 'MEMBER'],
  ['gone', 'MEMBER', 'MEMBER'],
  ['foreign', 'MEMBER', 'MEMBER'],
  ['foreign', null, null],
])('in crew %s a %s counts as %s', (crew, role, expected) => expect(roleInCrew(db, person(role), crew)).toBe(expected))

it("lists the roles of a member's own living crews of the workspace", () => {
  expect([...crewRoles(db, person('MEMBER'))].sort()).toEqual([
    ['backend', 'MANAGER'],
    ['frontend', null],
  ])
  expect([...crewRoles(db, person('VIEWER', 'grace'))]).toEqual([['frontend', 'ADMIN']])
})

it.each<[place: Endpoint['crew'], input: object, expected: Role]>([
  ['crewId', { crewId: 'backend' }, 'MANAGER'],
  ['crewId', { crewId: 'frontend' }, 'MEMBER'],
  ['crewId', { agentId: 'agent' }, 'MEMBER'],
  ['body.crew_id', { body: { crew_id: 'backend' } }, 'MANAGER'],
  ['body.crew_id', { body: { crew_id: null } }, 'MEMBER'],
  ['body.crew_id', { crewId: 'backend' }, 'MEMBER'],
  ['agentId', { agentId: 'agent' }, 'MANAGER'],
  ['agentId', { agentId: 'gone-agent' }, 'MEMBER'],
  ['agentId', { agentId: 'foreign-agent' }, 'MEMBER'],
  ['agentId', { agentId: 'none' }, 'MEMBER'],
  ['agentId', {}, 'MEMBER'],
  ['escalationId', { escalationId: 'question' }, 'MANAGER'],
  ['escalationId', { escalationId: 'foreign-question' }, 'MEMBER'],
  ['escalationId', { agentId: 'agent' }, 'MEMBER'],
  [undefined, { crewId: 'backend' }, 'MEMBER'],
])('an operation on %s with %j is called as %s', (place, input, expected) =>
  expect(actorHere(db, at(place), person('MEMBER'), input).role).toBe(expected),
)

it('leaves the other members of the caller, owners, agents and those without a role as they are', () => {
  expect(actorHere(db, at('crewId'), person('MEMBER'), { crewId: 'backend' })).toEqual(person('MANAGER'))
  for (const actor of [person('OWNER'), person(null), { ...person('MEMBER'), type: 'agent' } as Actor])
    expect(actorHere(db, at('crewId'), actor, { crewId: 'backend' })).toBe(actor)
})

it('expects the highest role of all crews while the body is not read, and that of the path at once', () => {
  expect(actorExpected(db, at('body.crew_id'), person('MEMBER'), {}).role).toBe('MANAGER')
  expect(actorExpected(db, at('body.crew_id'), person('VIEWER', 'grace'), {}).role).toBe('ADMIN')
  expect(actorExpected(db, at('crewId'), person('MEMBER'), { crewId: 'frontend' }).role).toBe('MEMBER')
  expect(actorExpected(db, at('agentId'), person('MEMBER'), { agentId: 'agent' }).role).toBe('MANAGER')
})

it('reads capabilities as they are stored, chat always among them, else those of the role', () => {
  expect(capabilitiesOf({ role: 'MEMBER', capabilities_json: null })).toEqual(['chat'])
  expect(capabilitiesOf({ role: 'OWNER', capabilities_json: '["page.create","issue.create"]' })).toEqual([
    'chat',
    'issue.create',
    'page.create',
  ])
})

it("knows a user's capabilities in each workspace, and none for strangers", () => {
  expect(capabilitiesIn(db, 'w1', 'ada')).toEqual(['chat', 'page.create'])
  expect(capabilitiesIn(db, 'w2', 'ada')).toEqual(['chat', 'routine.create', 'issue.create', 'memory.write'])
  expect(capabilitiesIn(db, 'w1', 'grace')).toEqual(['chat'])
  expect(capabilitiesIn(db, 'w2', 'grace')).toEqual([])
  expect(holds(db, person('MEMBER'), 'page.create')).toBe(true)
  expect(holds(db, person('MEMBER'), 'issue.create')).toBe(false)
  expect(holds(db, { ...person('MEMBER'), type: 'agent' } as Actor, 'page.create')).toBe(false)
})
