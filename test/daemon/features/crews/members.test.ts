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
      expect((await add('OWNER', user)).body).toMatchObject({ status: 400, field: 'user_id' })
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
    await add('OWNER', person('VIEWER').userId)
    await call('OWNER', 'DELETE', `/crews/${crew.id}`)
    expect(app.db.prepare('SELECT count(*) FROM crew_members').pluck().get()).toBe(0)
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
