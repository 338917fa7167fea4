import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { forgetCrewMemberships } from '../../../../daemon/features/crews/members/service.ts'
import { failOn } from '../../../support/reactions.ts'

async function withCrew(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const { body: crew } = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  const at = `/crews/${crew.id}/members`
  const add = (who: Parameters<typeof it.call>[0], user: string, role?: string) =>
    it.call(who, 'POST', at, { user_id: user, ...(role && { role }) })
  return { ...it, crew: crew as { id: string }, at, add }
}

describe('crews.members', () => {
  it('lists 500 where no number is asked for', async () => {
    const { app, call, at, crew } = await withCrew()
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)'
    app.db.exec(`${numbers} INSERT INTO users (id, email, created_at, updated_at)
      SELECT 'u' || i, 'u' || i || '@example.com', 'x', 'x' FROM n`)
    app.db
      .prepare(
        `${numbers} INSERT INTO crew_members (id, crew_id, user_id, role, created_at, updated_at)
         SELECT 'm' || i, ?, 'u' || i, 'MEMBER', 'x', 'x' FROM n`,
      )
      .run(crew.id)
    const count = async (query: string) => (await call('OWNER', 'GET', `${at}${query}`)).body.length
    expect([await count(''), await count('?offset=500'), await count('?limit=2')]).toEqual([500, 1, 2])
  })
})

describe('a change of the members of a crew', () => {
  it('is told to the workspace and the journal, with what it was', async () => {
    const { app, call, add, at, crew, entries, person, workspace } = await withCrew()
    const heard: unknown[] = []
    app.bus.on('broadcast', (message) => heard.push(message))
    const { userId, email } = person('VIEWER')
    const told = { channel: `workspace:${workspace}`, type: 'crew.updated', payload: { id: crew.id } }
    const last = () => {
      expect(heard.splice(0)).toEqual([told])
      const { entry_type, crew_id, actor_id, payload } = entries().at(-1)!
      expect([crew_id, actor_id]).toEqual([crew.id, person('OWNER').userId])
      return [entry_type, payload?.['name'], payload?.['metadata']]
    }
    const { id } = (await add('OWNER', userId, 'MEMBER')).body
    expect(last()).toEqual(['audit.entity_created', email, { user_id: userId, role: 'MEMBER' }])
    await call('OWNER', 'PATCH', `${at}/${id}`, { role: null })
    expect(last()).toEqual(['audit.entity_updated', email, { user_id: userId, role: null, from: 'MEMBER' }])
    await call('OWNER', 'PATCH', `${at}/${id}`, { role: 'MANAGER' })
    expect(last()).toEqual(['audit.entity_updated', email, { user_id: userId, role: 'MANAGER', from: null }])
    await call('OWNER', 'DELETE', `${at}/${id}`)
    expect(last()).toEqual(['audit.entity_deleted', email, { user_id: userId, role: 'MANAGER' }])
  })

  it('is none where the role stays', async () => {
    const { app, call, add, at, entries, person } = await withCrew()
    const { body } = await add('OWNER', person('VIEWER').userId, 'MEMBER')
    const [before, heard] = [entries().length, [] as unknown[]]
    app.bus.on('broadcast', (message) => heard.push(message))
    const answer = await call('OWNER', 'PATCH', `${at}/${body.id}`, { role: 'MEMBER' })
    expect(answer).toMatchObject({ status: 200, body })
    expect(answer.headers['muster-unchanged']).toBe('true')
    expect([entries().length, heard]).toEqual([before, []])
  })

  it('leaves the other members as they are', async () => {
    const { call, add, at, person } = await withCrew()
    const [one, two] = [
      (await add('OWNER', person('VIEWER').userId, 'MEMBER')).body,
      (await add('OWNER', person('MEMBER').userId, 'MANAGER')).body,
    ]
    const changed = await call('OWNER', 'PATCH', `${at}/${two.id}`, { role: 'ADMIN' })
    expect(changed.body).toEqual({ ...two, role: 'ADMIN' })
    expect((await call('OWNER', 'GET', at)).body).toEqual([one, { ...two, role: 'ADMIN' }])
  })

  it.each([
    ['removed', 'not_a_member'],
    ['made MEMBER', 'insufficient_role'],
  ])('is refused to who was %s just before', async (what, code) => {
    const { call, add, at, workspace, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId)).body
    const admin = person('ADMIN')
    const members = (await call('OWNER', 'GET', `/workspaces/${workspace}/members`)).body as {
      id: string
      user_id: string
    }[]
    const own = `/workspaces/${workspace}/members/${members.find(({ user_id }) => user_id === admin.userId)!.id}`
    const answers = await Promise.all([
      what === 'removed' ? call('OWNER', 'DELETE', own) : call('OWNER', 'PATCH', own, { role: 'MEMBER' }),
      add(admin, person('MEMBER').userId),
      call(admin, 'PATCH', `${at}/${id}`, { role: 'VIEWER' }),
      call(admin, 'DELETE', `${at}/${id}`, {}),
    ])
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, code],
      [403, code],
      [403, code],
    ])
    expect((await call('OWNER', 'GET', at)).body).toMatchObject([{ id, role: null }])
  })

  it.each([
    ['add', 'MEMBER', 'POST'],
    ['change', 'MANAGER', 'PATCH'],
    ['remove', 'MANAGER', 'DELETE'],
  ])('%s: needs more than the role %s at that moment', async (_, role, method) => {
    const { call, add, at, workspace, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId)).body
    const admin = person('ADMIN')
    const members = (await call('OWNER', 'GET', `/workspaces/${workspace}/members`)).body as {
      id: string
      user_id: string
    }[]
    const own = members.find(({ user_id }) => user_id === admin.userId)!.id
    const body = { POST: { user_id: person('MEMBER').userId }, PATCH: { role: 'VIEWER' }, DELETE: {} }[method]
    const [, asked] = await Promise.all([
      call('OWNER', 'PATCH', `/workspaces/${workspace}/members/${own}`, { role }),
      call(admin, method, method === 'POST' ? at : `${at}/${id}`, body),
    ])
    expect(asked.body).toMatchObject({ status: 403, code: 'insufficient_role' })
  })
})

describe('crews.addMember', () => {
  it('adds a member of the workspace, tells the journal and counts', async () => {
    const { call, add, at, crew, entries, person } = await withCrew()
    const { userId, email } = person('VIEWER')
    const { status, body } = await add('MANAGER', userId, 'MANAGER')
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        crew_id: crew.id,
        user_id: userId,
        role: 'MANAGER',
        created_at: '2026-01-01T00:00:00Z',
        user: expect.objectContaining({ id: userId, email, full_name: 'The VIEWER' }),
      },
    })
    expect((await call('VIEWER', 'GET', at)).body).toEqual([body])
    expect((await call('VIEWER', 'GET', `/crews/${crew.id}`)).body._count).toEqual({ agents: 0, members: 1 })
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      crew_id: crew.id,
      actor_id: person('MANAGER').userId,
      summary: `${email} was added to crew backend as MANAGER by ${person('MANAGER').email}`,
      payload: {
        action: 'create',
        entity_type: 'crew_member',
        entity_id: body.id,
        metadata: { user_id: userId, role: 'MANAGER' },
      },
    })
  })

  it('gives no role any more that was taken from the one who asks', async () => {
    const { call, add, workspace, person, at } = await withCrew()
    const admin = person('ADMIN')
    const members = (await call('OWNER', 'GET', `/workspaces/${workspace}/members`)).body as {
      id: string
      user_id: string
    }[]
    const { id } = members.find(({ user_id }) => user_id === admin.userId)!
    const answers = await Promise.all([
      call('OWNER', 'PATCH', `/workspaces/${workspace}/members/${id}`, { role: 'VIEWER' }),
      add(admin, admin.userId, 'ADMIN'),
    ])
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, 'insufficient_role'],
    ])
    expect((await call('OWNER', 'GET', at)).body).toEqual([])
  })

  it('needs no role: null is that of the workspace', async () => {
    const { add, person } = await withCrew()
    expect((await add('MANAGER', person('VIEWER').userId)).body.role).toBeNull()
  })

  it('refuses strangers, a second time, a role above the own one, and who is no MANAGER', async () => {
    const { call, add, at, person, stranger } = await withCrew()
    const { userId } = person('VIEWER')
    for (const user of [stranger().userId, 'nobody'])
      expect((await add('OWNER', user)).body).toMatchObject({ status: 400, code: 'invalid_field', field: 'user_id' })
    expect((await add('MANAGER', userId, 'ADMIN')).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'role',
    })
    expect((await add('MEMBER', userId)).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    expect((await add('OWNER', userId, 'BOSS')).body).toMatchObject({ status: 400, field: 'role' })
    expect((await add('OWNER', userId, 'OWNER')).status).toBe(201)
    expect((await add('OWNER', userId)).body).toMatchObject({ status: 409, code: 'already_member', field: 'user_id' })
    expect((await call('VIEWER', 'GET', at)).body).toHaveLength(1)
  })

  it('lets only one of two at the same time through', async () => {
    const { add, person } = await withCrew()
    const both = await Promise.all([add('OWNER', person('VIEWER').userId), add('ADMIN', person('VIEWER').userId)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })
})

describe('crews.setMember', () => {
  it('changes the role, clears it, and tells the journal what it was', async () => {
    const { call, add, at, entries, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId, 'MEMBER')).body
    expect((await call('ADMIN', 'PATCH', `${at}/${id}`, { role: 'ADMIN' })).body).toMatchObject({ id, role: 'ADMIN' })
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { metadata: { from: 'MEMBER', role: 'ADMIN' } },
    })
    expect((await call('ADMIN', 'PATCH', `${at}/${id}`, { role: '' })).body.role).toBeNull()
    expect((await call('ADMIN', 'GET', at)).body).toMatchObject([{ role: null }])
  })

  it('refuses roles above the own one, given or taken, and who is no ADMIN', async () => {
    const { call, add, at, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId, 'OWNER')).body
    expect((await call('ADMIN', 'PATCH', `${at}/${id}`, { role: '' })).body).toMatchObject({
      status: 403,
      field: 'role',
    })
    expect((await call('ADMIN', 'DELETE', `${at}/${id}`)).body).toMatchObject({ status: 403, field: 'role' })
    expect((await call('OWNER', 'PATCH', `${at}/${id}`, { role: 'MEMBER' })).status).toBe(200)
    expect((await call('ADMIN', 'PATCH', `${at}/${id}`, { role: 'OWNER' })).body).toMatchObject({
      status: 403,
      field: 'role',
    })
    expect((await call('MANAGER', 'PATCH', `${at}/${id}`, { role: 'MEMBER' })).body).toMatchObject({ status: 403 })
    expect((await call('ADMIN', 'PATCH', `${at}/${id}`, {})).body).toMatchObject({ status: 400, code: 'missing_field' })
  })
})

describe('crews.removeMember', () => {
  it('takes a member out, once', async () => {
    const { call, add, at, crew, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId)).body
    const foreign = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    expect((await call('OWNER', 'DELETE', `/crews/${foreign}/members/${id}`)).status).toBe(404)
    expect((await call('MANAGER', 'DELETE', `${at}/${id}`)).status).toBe(403)
    expect(await call('ADMIN', 'DELETE', `${at}/${id}`)).toMatchObject({ status: 200, body: { success: true } })
    expect((await call('ADMIN', 'DELETE', `${at}/${id}`)).body).toMatchObject({ status: 404, field: 'memberId' })
    expect((await call('VIEWER', 'GET', `/crews/${crew.id}`)).body._count.members).toBe(0)
  })

  it('leaves the others in', async () => {
    const { call, add, at, person } = await withCrew()
    const { id } = (await add('OWNER', person('VIEWER').userId)).body
    await add('OWNER', person('MEMBER').userId)
    await call('OWNER', 'DELETE', `${at}/${id}`)
    expect((await call('OWNER', 'GET', at)).body).toMatchObject([{ user_id: person('MEMBER').userId }])
  })
})

describe('crew memberships', () => {
  it('go with the crew', async () => {
    const { app, call, add, crew, person } = await withCrew()
    const other = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    await add('OWNER', person('VIEWER').userId)
    await call('OWNER', 'POST', `/crews/${other}/members`, { user_id: person('VIEWER').userId })
    await call('OWNER', 'DELETE', `/crews/${crew.id}`)
    expect(app.db.prepare('SELECT crew_id FROM crew_members').pluck().all()).toEqual([other])
  })

  it('stay when a reaction to the deletion of the crew fails, and so does all else of it', async () => {
    const { app, call, add, crew, person, entries } = await withCrew({ quiet: true })
    await add('OWNER', person('VIEWER').userId)
    await call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
    await call('OWNER', 'POST', '/credentials', {
      name: 'key',
      value: 'secret',
      type: 'SECRET',
      scope: 'CREW',
      crew_ids: [crew.id],
    })
    const tables = ['crews', 'crew_members', 'crew_containers', 'agents', 'credential_crews']
    const stored = () => tables.map((table) => app.db.prepare(`SELECT * FROM ${table}`).all())
    const before = [stored(), entries()]
    failOn(app, 'crew.deleted')
    expect((await call('OWNER', 'DELETE', `/crews/${crew.id}`)).status).toBe(500)
    expect([stored(), entries()]).toEqual(before)
  })

  it('go with the membership of the workspace, and no others', async () => {
    const { app, add, at, call, person, workspace, stranger } = await withCrew()
    const elsewhere = stranger()
    const other = (await call(elsewhere, 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    app.db
      .prepare("INSERT INTO crew_members VALUES ('x', ?, ?, NULL, 'now', 'now')")
      .run(other, person('VIEWER').userId)
    await add('OWNER', person('VIEWER').userId)
    await add('OWNER', person('MEMBER').userId)
    app.writeNow(() => forgetCrewMemberships(app, workspace, person('VIEWER').userId))
    expect((await call('OWNER', 'GET', at)).body).toMatchObject([{ user_id: person('MEMBER').userId }])
    expect((await call(elsewhere, 'GET', `/crews/${other}/members`)).body).toHaveLength(1)
  })

  it('answer 404 for crews of others', async () => {
    const { call, add, at, person, stranger } = await withCrew()
    const other = stranger()
    const { id } = (await add('OWNER', person('VIEWER').userId)).body
    for (const [method, path] of [
      ['GET', at],
      ['POST', at],
      ['PATCH', `${at}/${id}`],
      ['DELETE', `${at}/${id}`],
    ] as const)
      expect(
        (
          await call(
            other,
            method,
            path,
            method === 'GET' || method === 'DELETE' ? undefined : { user_id: other.userId, role: 'MEMBER' },
          )
        ).body,
      ).toMatchObject({ status: 404, detail: 'There is no such crew' })
    expect((await call('OWNER', 'GET', at)).body).toMatchObject([{ id, role: null }])
  })
})
