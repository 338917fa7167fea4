import { describe, expect, it } from 'vitest'
import type { Capability } from '#contract/capabilities'
import { addPerson, daemon, type TestDaemon } from '#test'
import { after as heldAfter } from '../../../../daemon/features/members/capabilities/rules.ts'

const at = ({ workspace }: TestDaemon, user: string) => `/workspaces/${workspace}/members/${user}/capabilities`
const keys = ['chat', 'credential.create', 'credential.rotate']
const power = ['chat', 'routine.create', 'routine.run', 'issue.create', 'memory.write']
const admin = [
  'chat',
  'routine.create',
  'routine.run',
  'skill.create',
  'credential.create',
  'credential.rotate',
  'issue.create',
  'memory.write',
]
/** Who runs routines says their definition, not the role. */
const byRole = (preset: string[]) => preset.filter((it) => it !== 'routine.run')

describe('members.capabilities', () => {
  it('lists what comes with each role while nobody said otherwise', async () => {
    const it = await daemon()
    for (const role of ['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'VIEWER'] as const) it.person(role)
    const { body } = await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/members/capabilities`)
    expect(
      body.members.map(({ role, capabilities }: { role: string; capabilities: string[] }) => [role, capabilities]),
    ).toEqual([
      ['OWNER', byRole(admin)],
      ['ADMIN', byRole(admin)],
      ['MANAGER', byRole(power)],
      ['MEMBER', ['chat']],
      ['VIEWER', ['chat']],
    ])
    expect(body.members[0].user_id).toBe(it.person('OWNER').userId)
  })

  it('lists nobody of another workspace', async () => {
    const it = await daemon()
    const { userId } = it.stranger()
    const { body } = await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/members/capabilities`)
    expect(body.members.map((row: { user_id: string }) => row.user_id)).not.toContain(userId)
  })

  it('answers for one by the id of the user, and shows everyone their own', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    expect((await it.call('ADMIN', 'GET', at(it, userId))).body).toEqual({
      user_id: userId,
      role: 'MEMBER',
      capabilities: ['chat'],
    })
    expect((await it.call('ADMIN', 'GET', at(it, it.stranger().userId))).body).toMatchObject({
      status: 404,
      field: 'userId',
    })
    await it.call('ADMIN', 'PATCH', at(it, userId), { grant: ['credential.create'] })
    const expected = { currentUserCapabilities: ['chat', 'credential.create'] }
    expect((await it.call('MEMBER', 'GET', `/workspaces/${it.workspace}`)).body).toMatchObject(expected)
    expect((await it.call('MEMBER', 'GET', '/workspaces')).body).toMatchObject([expected])
  })
})

it('members.capabilities lists 500 unless told otherwise', async () => {
  const it = await daemon()
  it.app.writeNow(() => {
    for (let n = 0; n < 501; n++) addPerson(it.app, 'VIEWER', it.workspace)
  })
  const listed = async (query: string) =>
    (await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/members/capabilities${query}`)).body.members.length
  expect([await listed(''), await listed('?limit=2')]).toEqual([500, 2])
})

describe('members.setCapabilities', () => {
  it('grants, revokes, sets, and tells the journal', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    const change = async (body: object) => (await it.call('ADMIN', 'PATCH', at(it, userId), body)).body.capabilities
    expect(await change({ grant: ['credential.rotate'] })).toEqual(['chat', 'credential.rotate'])
    expect(await change({ grant: ['credential.create'] })).toEqual(keys)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: it.person('ADMIN').userId,
      payload: {
        entity_type: 'workspace_member',
        metadata: { user_id: userId, changed: ['capabilities'], from: ['chat', 'credential.rotate'], to: keys },
      },
    })
    expect(await change({ revoke: ['credential.create'] })).toEqual(['chat', 'credential.rotate'])
    expect(await change({ set: ['credential.create'] })).toEqual(['chat', 'credential.create'])
    expect(await change({ preset: 'admin' })).toEqual(admin)
    expect(await change({ preset: 'power' })).toEqual(power)
    expect(await change({ grant: ['credentials:reveal', 'page.create'] })).toEqual([
      'chat',
      'routine.create',
      'routine.run',
      'credentials:reveal',
      'issue.create',
      'page.create',
      'memory.write',
    ])
    expect(await change({ preset: 'chat' })).toEqual(['chat'])
    expect((await it.call('ADMIN', 'GET', at(it, userId))).body.capabilities).toEqual(['chat'])
  })

  it('changes one member, and tells the journal whom, with a name or without', async () => {
    const it = await daemon()
    const [first, target] = [it.person('VIEWER'), it.person('MEMBER')]
    const foreign = it.stranger()
    await it.call(foreign, 'POST', `/workspaces/${foreign.workspace}/members`, { user_id: target.userId })
    const held = async (who: { userId: string }, by: 'ADMIN' | typeof foreign = 'ADMIN', place = it.workspace) =>
      (await it.call(by, 'GET', `/workspaces/${place}/members/${who.userId}/capabilities`)).body.capabilities
    const grant = async (name: string) =>
      (await it.call('ADMIN', 'PATCH', at(it, target.userId), { grant: [name] })).body
    const { id } = it.app.db
      .prepare<[string, string], { id: string }>(
        'SELECT id FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
      )
      .get(it.workspace, target.userId)!
    it.clock.advance(1000)
    expect(await grant('page.create')).toEqual({
      user_id: target.userId,
      role: 'MEMBER',
      capabilities: ['chat', 'page.create'],
    })
    expect([await held(first), await held(target), await held(target, foreign, foreign.workspace)]).toEqual([
      ['chat'],
      ['chat', 'page.create'],
      ['chat'],
    ])
    const told = (from: string[], to: string[]) => ({
      action: 'update',
      entity_type: 'workspace_member',
      entity_id: id,
      metadata: { user_id: target.userId, email: target.email, changed: ['capabilities'], from, to },
    })
    expect(it.entries().at(-1)!.payload).toEqual({
      ...told(['chat'], ['chat', 'page.create']),
      name: 'The MEMBER',
    })
    it.app.db.prepare('UPDATE users SET full_name = NULL').run()
    await grant('skill.create')
    expect(it.entries().at(-1)!.payload).toEqual(told(['chat', 'page.create'], ['chat', 'skill.create', 'page.create']))
    expect(it.app.db.prepare('SELECT id FROM workspace_members WHERE updated_at > created_at').pluck().all()).toEqual([
      id,
    ])
  })

  it('is for an ADMIN who is one still, and for members', async () => {
    const it = await daemon()
    const admin = it.person('ADMIN')
    const { id } = it.app.db
      .prepare<[string], { id: string }>('SELECT id FROM workspace_members WHERE user_id = ?')
      .get(admin.userId)!
    const stranger = await it.call(admin, 'PATCH', at(it, it.stranger().userId), { preset: 'chat' })
    expect(stranger.body).toMatchObject({ status: 404, code: 'not_found', field: 'userId' })
    const answers = await Promise.all([
      it.call('OWNER', 'PATCH', `/workspaces/${it.workspace}/members/${id}`, { role: 'MANAGER' }),
      it.call(admin, 'PATCH', at(it, it.person('VIEWER').userId), { preset: 'chat' }),
    ])
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, 'insufficient_role'],
    ])
  })

  it('refuses the own row, an OWNER, and who is no ADMIN', async () => {
    const it = await daemon()
    const change = async (who: 'ADMIN' | 'MANAGER' | 'OWNER', user: string) =>
      (await it.call(who, 'PATCH', at(it, user), { preset: 'chat' })).body
    expect(await change('ADMIN', it.person('ADMIN').userId)).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'userId',
    })
    expect(await change('ADMIN', it.person('OWNER').userId)).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'userId',
    })
    expect(await change('OWNER', it.person('OWNER').userId)).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'userId',
    })
    expect(await change('MANAGER', it.person('VIEWER').userId)).toMatchObject({ status: 403 })
    expect(await change('OWNER', it.person('ADMIN').userId)).toMatchObject({ role: 'ADMIN', capabilities: ['chat'] })
  })

  it.each([
    [{}, 'no_fields', undefined],
    [{ grant: ['credential.create'], revoke: ['credential.create'] }, 'invalid_field', 'revoke'],
    [{ grant: [] }, 'invalid_field', 'grant'],
    [{ set: [] }, 'invalid_field', 'set'],
    [{ grant: ['root'] }, 'invalid_field', 'grant.0'],
    [{ revoke: ['credential.rotate', 'chat'] }, 'invalid_field', 'revoke.1'],
    [{ preset: 'root' }, 'invalid_field', 'preset'],
    [{ grant: ['chat'], more: 'x'.repeat(16_384) }, 'body_over_limit', undefined],
  ])('refuses %j', async (body, code, field) => {
    const it = await daemon()
    const answer = (await it.call('ADMIN', 'PATCH', at(it, it.person('MEMBER').userId), body)).body
    expect({ status: answer.status, code: answer.code, field: answer.field }).toEqual({ status: 400, code, field })
  })
})

describe('after', () => {
  it.each([
    [[], 'no_fields', undefined],
    [['set', 'grant'], 'invalid_field', 'grant'],
    [['set', 'revoke'], 'invalid_field', 'revoke'],
    [['grant', 'revoke'], 'invalid_field', 'revoke'],
    [['grant', 'preset'], 'invalid_field', 'preset'],
    [['revoke', 'preset'], 'invalid_field', 'preset'],
  ])('takes one way at a time, not %j', (ways, code, field) => {
    const body = Object.fromEntries(ways.map((way) => [way, way === 'preset' ? 'chat' : ['page.create']]))
    expect(() => heldAfter(['chat'], body)).toThrow(expect.objectContaining({ code, field }))
  })

  it.each([
    [['chat'], 'revoke.0'],
    [['page.create', 'chat'], 'revoke.1'],
  ])('leaves chat to every member: %j', (revoke, field) => {
    const refused = expect.objectContaining({ code: 'invalid_field', field })
    expect(() => heldAfter(['chat', 'page.create'], { revoke: revoke as Capability[] })).toThrow(refused)
  })

  it.each([
    [keys, { set: ['chat'] }, ['chat']],
    [keys, { set: ['page.create', 'chat'] }, ['chat', 'page.create']],
    [keys, { grant: ['page.create', 'skill.create'] }, ['chat', 'skill.create', ...keys.slice(1), 'page.create']],
    [keys, { revoke: ['page.create'] }, keys],
    [keys, { preset: 'chat' }, ['chat']],
    [[], { revoke: ['page.create'] }, ['chat']],
    [['chat'], { grant: ['chat'] }, ['chat']],
    [keys, { revoke: ['credential.create', 'credential.rotate'] }, ['chat']],
    [keys, { set: ['credential.rotate'] }, ['chat', 'credential.rotate']],
    [keys, { preset: 'power' }, power],
  ])('%j with %j is %j', (held, body, expected) =>
    expect(heldAfter(held as Capability[], body as never)).toEqual(expected),
  )
})

describe('a capability', () => {
  const draft = { name: 'deploy key', value: 'secret' }

  it('credential.create lets a member store credentials, for all or for crews of their own', async () => {
    const it = await daemon()
    const crew = async (slug: string) =>
      (await it.call('OWNER', 'POST', '/crews', { name: slug, slug })).body.id as string
    const [mine, other] = [await crew('mine'), await crew('other')]
    const { userId } = it.person('MEMBER')
    await it.call('OWNER', 'POST', `/crews/${mine}/members`, { user_id: userId })
    const store = async (body: object) => (await it.call('MEMBER', 'POST', '/credentials', { ...draft, ...body })).body
    expect(await store({})).toMatchObject({ status: 403, code: 'insufficient_role' })
    await it.call('ADMIN', 'PATCH', at(it, userId), { grant: ['credential.create'] })
    expect(await store({})).toMatchObject({ name: 'deploy key', scope: 'WORKSPACE' })
    expect(await store({ name: 'b', scope: 'CREW', crew_ids: [mine] })).toMatchObject({ crew_ids: [mine] })
    expect(await store({ name: 'c', scope: 'CREW', crew_ids: [mine, other] })).toMatchObject({
      status: 403,
      field: 'crew_ids.1',
    })
    const [{ id }] = (await it.call('MEMBER', 'GET', '/credentials')).body
    expect((await it.call('MEMBER', 'DELETE', `/credentials/${id}`)).status).toBe(403)
    expect((await it.call('MEMBER', 'POST', `/credentials/${id}/rotate`, { value: 'next' })).status).toBe(403)
    await it.call('ADMIN', 'PATCH', at(it, userId), { revoke: ['credential.create'] })
    expect(await store({ name: 'd' })).toMatchObject({ status: 403 })
  })

  it('credential.rotate lets a member replace values that they may see', async () => {
    const it = await daemon()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Mine', slug: 'mine' })).body.id
    const open = (await it.call('OWNER', 'POST', '/credentials', draft)).body.id
    const hidden = (
      await it.call('OWNER', 'POST', '/credentials', { ...draft, name: 'b', scope: 'CREW', crew_ids: [crew] })
    ).body.id
    const { userId } = it.person('MEMBER')
    const rotate = (id: string) => it.call('MEMBER', 'POST', `/credentials/${id}/rotate`, { value: 'next' })
    expect((await rotate(open)).status).toBe(403)
    await it.call('ADMIN', 'PATCH', at(it, userId), { grant: ['credential.rotate'] })
    const rotated = await rotate(open)
    expect([rotated.status, (await rotate(hidden)).status]).toEqual([200, 404])
    expect((await it.call('MEMBER', 'GET', `/credentials/${open}/rotations`)).body).toHaveLength(1)
    const foreign = (await it.call('OWNER', 'POST', `/credentials/${hidden}/rotate`, { value: 'next' })).body.id
    expect((await it.call('MEMBER', 'DELETE', `/credential-rotations/${foreign}`)).status).toBe(404)
    expect((await it.call('MEMBER', 'DELETE', `/credential-rotations/${rotated.body.id}`)).status).toBe(200)
  })

  it('ends with the membership, and never reaches another workspace', async () => {
    const it = await daemon()
    const { userId } = it.person('VIEWER')
    await it.call('ADMIN', 'PATCH', at(it, userId), { preset: 'admin' })
    const other = it.stranger()
    it.app.db
      .prepare(
        "INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at) VALUES ('m', ?, " +
          "?, 'VIEWER', 'x', 'x')",
      )
      .run(other.workspace, userId)
    expect(
      (await it.call({ ...it.person('VIEWER'), workspace: other.workspace }, 'POST', '/credentials', draft)).status,
    ).toBe(403)
    expect((await it.call('VIEWER', 'POST', '/credentials', draft)).status).toBe(201)
  })
})
