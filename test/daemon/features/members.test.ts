import { describe, expect, it } from 'vitest'
import { roles } from '#contract/roles'
import { addPerson, daemon, type Person, type TestDaemon } from '#test'
import { refusalOfChange } from '../../../daemon/features/members/roster/rules.ts'
import { dissolve, membershipOf, raise, rolesOf } from '../../../daemon/features/members/service.ts'

const memberId = ({ app }: TestDaemon, { userId, workspace }: Person): string =>
  app.db
    .prepare('SELECT id FROM workspace_members WHERE user_id = ? AND workspace_id = ?')
    .pluck()
    .get(userId, workspace) as string
const roleOf = ({ app, workspace }: TestDaemon, { userId }: Person) =>
  app.db
    .prepare('SELECT role FROM workspace_members WHERE user_id = ? AND workspace_id = ?')
    .pluck()
    .get(userId, workspace)
const owners = ({ app, workspace }: TestDaemon) =>
  app.db
    .prepare("SELECT count(*) FROM workspace_members WHERE workspace_id = ? AND role = 'OWNER'")
    .pluck()
    .get(workspace)
const another = (it: TestDaemon, role: Person['role']) => it.app.writeNow(() => addPerson(it.app, role, it.workspace))
const brief = ({ status, body }: { status: number; body: { code?: string } }) => ({ status, code: body?.code })

describe('members.add', () => {
  it('makes a user a member and journals who did', async () => {
    const it = await daemon()
    const { userId } = it.stranger()
    const { status, body } = await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/members`, {
      user_id: userId,
      role: 'MANAGER',
    })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        workspace_id: it.workspace,
        user_id: userId,
        role: 'MANAGER',
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
      },
    })
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        actor_id: it.person('ADMIN').userId,
        payload: {
          entity_type: 'workspace_member',
          entity_id: body.id,
          metadata: { user_id: userId, role: 'MANAGER' },
        },
      },
    ])
  })

  it('names the member in the journal, with a name or without', async () => {
    const it = await daemon()
    const named = it.stranger()
    const nameless = it.stranger()
    it.app.db.prepare('UPDATE users SET full_name = NULL WHERE id = ?').run(nameless.userId)
    for (const { userId } of [named, nameless])
      await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/members`, { user_id: userId, role: 'VIEWER' })
    const told = ({ userId, email }: Person) => ({
      action: 'create',
      entity_type: 'workspace_member',
      entity_id: membershipOf(it.app, it.workspace, userId)!.id,
      metadata: { user_id: userId, email, role: 'VIEWER' },
    })
    expect(it.entries().map(({ payload }) => payload)).toEqual([{ ...told(named), name: 'The OWNER' }, told(nameless)])
  })

  it('is for an ADMIN who is one still', async () => {
    const it = await daemon()
    const admin = it.person('ADMIN')
    const answers = await Promise.all([
      it.call('OWNER', 'PATCH', `/workspaces/${it.workspace}/members/${memberId(it, admin)}`, { role: 'MANAGER' }),
      it.call(admin, 'POST', `/workspaces/${it.workspace}/members`, { user_id: it.stranger().userId }),
    ])
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 403, code: 'insufficient_role' },
    ])
  })

  it('gives the role MEMBER unless another one is named', async () => {
    const it = await daemon()
    const answer = await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/members`, {
      user_id: it.stranger().userId,
    })
    expect(answer.body.role).toBe('MEMBER')
  })

  it('lets an OWNER alone give ADMIN, and nobody OWNER', async () => {
    const it = await daemon()
    const { userId } = it.stranger()
    const add = (who: Person['role'], role: string) =>
      it.call(who, 'POST', `/workspaces/${it.workspace}/members`, { user_id: userId, role })
    expect((await add('ADMIN', 'ADMIN')).body).toMatchObject({ status: 403, code: 'insufficient_role', field: 'role' })
    expect((await add('OWNER', 'OWNER')).body).toMatchObject({ status: 400, field: 'role' })
    expect((await add('OWNER', 'ADMIN')).status).toBe(201)
  })

  it('refuses a member, an unknown user and nonsense', async () => {
    const it = await daemon()
    const add = (body: unknown) => it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members`, body)
    expect((await add({ user_id: it.person('VIEWER').userId })).body).toMatchObject({
      status: 409,
      code: 'already_member',
      field: 'user_id',
    })
    expect((await add({ user_id: 'cnone00000000000000000000' })).body).toMatchObject({
      status: 404,
      code: 'not_found',
      field: 'user_id',
    })
    expect(brief(await add({}))).toEqual({ status: 400, code: 'missing_field' })
    expect(brief(await add({ user_id: 5 }))).toEqual({ status: 400, code: 'invalid_field' })
    expect(it.entries()).toEqual([])
  })

  it('makes one membership of many at once, and settles the open invitation', async () => {
    const it = await daemon()
    const { userId, email } = it.stranger()
    await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/invitations`, { email })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members`, { user_id: userId }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(5).fill(409)])
    expect((await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/invitations`)).body).toEqual([])
  })
})

describe('lists of members', () => {
  it('have 500 rows where no number is asked for', async () => {
    const it = await daemon()
    it.person('OWNER')
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)'
    const add = (sql: string, ...given: string[]) => it.app.db.prepare(`${numbers} ${sql} FROM n`).run(...given)
    add(`INSERT INTO users (id, email, created_at, updated_at) SELECT 'u' || i, 'u' || i || '@example.com', 'x', 'x'`)
    const member = `SELECT 'm' || i, ?, 'u' || i, 'MEMBER', 'x', 'x'`
    add(
      `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at) ${member}`,
      it.workspace,
    )
    const count = async (path: string) => {
      const { body } = await it.call('OWNER', 'GET', path)
      return (body.members ?? body).length
    }
    const place = `/workspaces/${it.workspace}`
    expect(await count(`${place}/members`)).toBe(500)
    expect(await count(`${place}/members/capabilities`)).toBe(500)
    expect(await count(`${place}/members?offset=500`)).toBe(2)
  })
})

describe('refusalOfChange', () => {
  const table = roles.flatMap((caller) =>
    roles.flatMap((target) => roles.map((role) => [caller, target, role] as const)),
  )
  const rank = (role: string) => roles.indexOf(role as (typeof roles)[number])
  it.each(table)('%s changes %s to %s', (caller, target, role) => {
    const fine = rank(target) <= rank(caller) && rank(role) < rank(caller)
    expect(refusalOfChange({ caller, target, role }) === null).toBe(fine)
  })
  it.each([
    ['ADMIN', 'OWNER', 'MEMBER', 'A member with the role OWNER is above yours, ADMIN'],
    ['ADMIN', 'MEMBER', 'OWNER', 'You give roles below your own, ADMIN'],
    ['ADMIN', 'MEMBER', 'ADMIN', 'You give roles below your own, ADMIN'],
    [
      'OWNER',
      'MEMBER',
      'OWNER',
      'You give roles below your own, OWNER; an OWNER hands the ownership over with a transfer',
    ],
  ] as const)('tells %s why not to make %s a %s', (caller, target, role, why) =>
    expect(refusalOfChange({ caller, target, role })).toBe(why),
  )
})

describe('members.update', () => {
  const path = (it: TestDaemon, who: Person) => `/workspaces/${it.workspace}/members/${memberId(it, who)}`

  it('changes a role and journals from what', async () => {
    const it = await daemon()
    const target = it.person('VIEWER')
    const { status, body } = await it.call('MANAGER', 'PATCH', path(it, target), { role: 'MEMBER' })
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'updated', member_id: memberId(it, target), role: 'MEMBER' },
    })
    expect(roleOf(it, target)).toBe('MEMBER')
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_updated',
        actor_id: it.person('MANAGER').userId,
        payload: {
          entity_id: memberId(it, target),
          name: 'The VIEWER',
          metadata: {
            user_id: target.userId,
            email: target.email,
            role: 'MEMBER',
            previous_role: 'VIEWER',
            changed: ['role'],
          },
        },
      },
    ])
  })

  it('changes nobody else, and dates it', async () => {
    const it = await daemon()
    const list = async () =>
      (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as { user_id: string }[]
    const target = it.person('VIEWER')
    it.person('ADMIN')
    it.stranger()
    const before = await list()
    expect(before).toHaveLength(3)
    it.clock.advance(1000)
    await it.call('OWNER', 'PATCH', path(it, target), { role: 'MANAGER' })
    const changed = { role: 'MANAGER', updated_at: '2026-01-01T00:00:01Z' }
    expect(await list()).toEqual(before.map((row) => (row.user_id === target.userId ? { ...row, ...changed } : row)))
  })

  it('is for a MANAGER who is one still', async () => {
    const it = await daemon()
    const manager = it.person('MANAGER')
    const answers = await Promise.all([
      it.call('OWNER', 'PATCH', path(it, manager), { role: 'MEMBER' }),
      it.call(manager, 'PATCH', path(it, it.person('VIEWER')), { role: 'VIEWER' }),
    ])
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 403, code: 'insufficient_role' },
    ])
  })

  it('says nothing of a role that stays', async () => {
    const it = await daemon()
    expect((await it.call('OWNER', 'PATCH', path(it, it.person('VIEWER')), { role: 'VIEWER' })).status).toBe(200)
    expect(it.entries()).toEqual([])
  })

  it.each([
    ['MANAGER', 'ADMIN', 'MEMBER'],
    ['MANAGER', 'MEMBER', 'MANAGER'],
    ['ADMIN', 'MEMBER', 'ADMIN'],
    ['ADMIN', 'OWNER', 'MEMBER'],
    ['OWNER', 'MEMBER', 'OWNER'],
  ] as const)('keeps %s from making %s a %s', async (caller, target, role) => {
    const it = await daemon()
    expect((await it.call(caller, 'PATCH', path(it, it.person(target)), { role })).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'role',
    })
    expect(roleOf(it, it.person(target))).toBe(target)
  })

  it('keeps the last OWNER, whoever else is there or elsewhere, and lets one of two step down', async () => {
    const it = await daemon()
    const owner = it.person('OWNER')
    it.person('ADMIN')
    it.stranger()
    expect(brief(await it.call('OWNER', 'PATCH', path(it, owner), { role: 'ADMIN' }))).toEqual({
      status: 409,
      code: 'last_owner',
    })
    another(it, 'OWNER')
    expect((await it.call('OWNER', 'PATCH', path(it, owner), { role: 'ADMIN' })).status).toBe(200)
    expect(owners(it)).toBe(1)
  })

  it('leaves one OWNER when two demote each other at once', async () => {
    const it = await daemon()
    const pair = [it.person('OWNER'), another(it, 'OWNER')] as const
    const answers = await Promise.all([
      it.call(pair[0], 'PATCH', path(it, pair[1]), { role: 'MEMBER' }),
      it.call(pair[1], 'PATCH', path(it, pair[0]), { role: 'MEMBER' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(owners(it)).toBe(1)
  })

  it('leaves one OWNER when all step down at once', async () => {
    const it = await daemon()
    const all = [it.person('OWNER'), another(it, 'OWNER'), another(it, 'OWNER')]
    const answers = await Promise.all(all.map((who) => it.call(who, 'PATCH', path(it, who), { role: 'ADMIN' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
    expect(owners(it)).toBe(1)
  })

  it('does not find members of other workspaces', async () => {
    const it = await daemon()
    const foreign = it.stranger()
    for (const [method, to, body] of [
      ['PATCH', '', { role: 'VIEWER' }],
      ['POST', '/transfer', undefined],
      ['DELETE', '', undefined],
    ] as const)
      expect((await it.call('OWNER', method, `${path(it, foreign)}${to}`, body)).body).toMatchObject({
        status: 404,
        code: 'not_found',
        field: 'memberId',
      })
    expect((await it.call('OWNER', 'PATCH', path(it, it.person('MEMBER')), { role: 'KING' })).body).toMatchObject({
      status: 400,
      field: 'role',
    })
  })
})

describe('members.transfer', () => {
  const path = (it: TestDaemon, who: Person) => `/workspaces/${it.workspace}/members/${memberId(it, who)}/transfer`

  it('makes the member OWNER and the caller ADMIN', async () => {
    const it = await daemon()
    const target = it.person('VIEWER')
    expect((await it.call('OWNER', 'POST', path(it, target))).body).toEqual({
      status: 'updated',
      member_id: memberId(it, target),
      role: 'OWNER',
    })
    expect([roleOf(it, target), roleOf(it, it.person('OWNER'))]).toEqual(['OWNER', 'ADMIN'])
    expect(it.entries().map(({ payload }) => payload?.['metadata'])).toMatchObject([
      { previous_role: 'VIEWER', role: 'OWNER' },
      { previous_role: 'OWNER', role: 'ADMIN' },
    ])
  })

  it('to another OWNER only takes the own role down', async () => {
    const it = await daemon()
    const other = another(it, 'OWNER')
    const { status, body } = await it.call('OWNER', 'POST', path(it, other))
    expect([status, body.role, roleOf(it, other), roleOf(it, it.person('OWNER'))]).toEqual([
      200,
      'OWNER',
      'OWNER',
      'ADMIN',
    ])
    expect(it.entries().map(({ payload }) => payload?.['metadata'])).toMatchObject([
      { user_id: it.person('OWNER').userId, previous_role: 'OWNER', role: 'ADMIN' },
    ])
  })

  it('to oneself tells nobody', async () => {
    const it = await daemon()
    expect((await it.call('OWNER', 'POST', path(it, it.person('OWNER')))).body).toMatchObject({ role: 'OWNER' })
    expect(it.entries()).toEqual([])
  })

  it('of two transfers at once makes one, and changes nothing to oneself', async () => {
    const it = await daemon()
    const owner = it.person('OWNER')
    await it.call('OWNER', 'POST', path(it, owner))
    expect(roleOf(it, owner)).toBe('OWNER')
    const answers = await Promise.all(
      (['ADMIN', 'MEMBER'] as const).map((role) => it.call('OWNER', 'POST', path(it, it.person(role)))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 403])
    expect(owners(it)).toBe(1)
  })
})

describe('members.remove', () => {
  const path = (it: TestDaemon, who: Person) => `/workspaces/${it.workspace}/members/${memberId(it, who)}`

  it('ends the membership, its access and the invitations that the member sent', async () => {
    const it = await daemon()
    const admin = it.person('ADMIN')
    await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'back-door@example.com' })
    expect((await it.call('OWNER', 'DELETE', path(it, admin))).body).toEqual({ success: true })
    expect(brief(await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}`))).toEqual({
      status: 403,
      code: 'not_a_member',
    })
    expect((await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/invitations`)).body).toEqual([])
    expect(it.entries().slice(1)).toMatchObject([
      {
        entry_type: 'audit.entity_deleted',
        actor_id: it.person('OWNER').userId,
        payload: { entity_type: 'workspace_member', metadata: { user_id: admin.userId } },
      },
      {
        entry_type: 'audit.entity_deleted',
        actor_id: it.person('OWNER').userId,
        payload: { entity_type: 'invitation' },
        summary: 'The invitation for back-door@example.com was withdrawn: its sender may invite no more',
      },
    ])
  })

  it('has open connections checked once the membership is gone', async () => {
    const it = await daemon()
    const admin = it.person('ADMIN')
    const target = path(it, admin)
    const heard: unknown[] = []
    it.app.bus.on('access_lost', (id) => heard.push([id, it.app.db.inTransaction, roleOf(it, admin)]))
    await it.call('OWNER', 'DELETE', target)
    expect(heard).toEqual([[it.workspace, false, undefined]])
  })

  it('is for ADMIN and above, and never for an OWNER', async () => {
    const it = await daemon()
    expect(brief(await it.call('MANAGER', 'DELETE', path(it, it.person('VIEWER'))))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect(brief(await it.call('ADMIN', 'DELETE', path(it, it.person('OWNER'))))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect(brief(await it.call(another(it, 'OWNER'), 'DELETE', path(it, it.person('OWNER'))))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect(brief(await it.call('OWNER', 'DELETE', path(it, it.stranger())))).toEqual({ status: 404, code: 'not_found' })
  })

  it('tells a low role nothing about which members there are', async () => {
    const it = await daemon()
    const strip = ({ body }: { body: object }) => ({ ...body, instance: '' })
    const [there, absent] = [
      path(it, it.person('OWNER')),
      `/workspaces/${it.workspace}/members/cnone00000000000000000000`,
    ]
    expect(strip(await it.call('VIEWER', 'DELETE', there))).toEqual(strip(await it.call('VIEWER', 'DELETE', absent)))
  })

  it.each(roles.filter((role) => role !== 'OWNER'))('lets a %s leave', async (role) => {
    const it = await daemon()
    expect((await it.call(role, 'DELETE', path(it, it.person(role)))).status).toBe(200)
    expect(roleOf(it, it.person(role))).toBeUndefined()
    expect(it.entries()).toMatchObject([{ summary: expect.stringMatching(/left the workspace$/) }])
  })

  it('keeps the last OWNER, whoever else is there or owns another workspace', async () => {
    const it = await daemon()
    it.person('ADMIN')
    it.stranger()
    expect(brief(await it.call('OWNER', 'DELETE', path(it, it.person('OWNER'))))).toEqual({
      status: 409,
      code: 'last_owner',
    })
  })

  it('ends one membership and no other', async () => {
    const it = await daemon()
    const [kept, gone] = [it.person('VIEWER'), it.person('MEMBER')]
    const elsewhere = it.stranger()
    await it.call(elsewhere, 'POST', `/workspaces/${elsewhere.workspace}/members`, { user_id: gone.userId })
    await it.call('OWNER', 'DELETE', path(it, gone))
    expect([roleOf(it, kept), roleOf(it, it.person('OWNER')), roleOf(it, gone)]).toEqual(['VIEWER', 'OWNER', undefined])
    expect([...rolesOf(it.app, gone.userId)]).toEqual([[elsewhere.workspace, 'MEMBER']])
  })

  it('lets an OWNER leave who is not the last one, also when all leave at once', async () => {
    const it = await daemon()
    const all = [it.person('OWNER'), another(it, 'OWNER'), another(it, 'OWNER')]
    const answers = await Promise.all(all.map((who) => it.call(who, 'DELETE', path(it, who))))
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 200, code: undefined },
      { status: 409, code: 'last_owner' },
    ])
    expect(owners(it)).toBe(1)
  })

  it('has no effect any more once the one who asks is removed', async () => {
    const it = await daemon()
    const [admin, victim] = [it.person('ADMIN'), it.person('VIEWER')]
    const answers = await Promise.all([
      it.call('OWNER', 'DELETE', path(it, admin)),
      it.call(admin, 'DELETE', path(it, victim)),
    ])
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 403, code: 'not_a_member' },
    ])
    expect(roleOf(it, victim)).toBe('VIEWER')
  })
})

describe('the memberships of a user', () => {
  it('are those in workspaces that are not deleted', async () => {
    const it = await daemon()
    const { userId, workspace } = it.stranger()
    await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members`, { user_id: userId })
    const roles = () => Object.fromEntries(rolesOf(it.app, userId))
    expect(roles()).toEqual({ [workspace]: 'OWNER', [it.workspace]: 'MEMBER' })
    expect(membershipOf(it.app, workspace, userId)?.role).toBe('OWNER')
    expect(membershipOf(it.app, it.workspace, userId)?.role).toBe('MEMBER')
    expect(membershipOf(it.app, workspace, it.person('OWNER').userId)).toBeUndefined()
    it.app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE id = ?").run(workspace)
    expect(roles()).toEqual({ [it.workspace]: 'MEMBER' })
  })

  it('end with their workspace alone', async () => {
    const it = await daemon()
    const { userId, workspace } = it.stranger()
    const owner = it.person('OWNER')
    it.app.writeNow(() => dissolve(it.app, workspace))
    expect([rolesOf(it.app, userId).size, rolesOf(it.app, owner.userId).size]).toEqual([0, 1])
  })
})

describe('raise', () => {
  const give = (it: TestDaemon, user: string, role: Person['role']) =>
    it.app.writeNow(() => raise(it.app, { workspace: it.workspace, user, role, now: it.app.now() }))

  it('makes a member on the host, and says so', async () => {
    const it = await daemon()
    const { userId, email } = it.stranger()
    expect(give(it, userId, 'ADMIN')).toEqual({ role: 'ADMIN', previous_role: null, changed: true })
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        actor_type: 'system',
        payload: {
          name: 'The OWNER',
          metadata: { user_id: userId, email, role: 'ADMIN', via: 'host', previous_role: null },
        },
      },
    ])
  })

  it('raises a member, and says from what', async () => {
    const it = await daemon()
    const viewer = it.person('VIEWER')
    expect(give(it, viewer.userId, 'OWNER')).toEqual({ role: 'OWNER', previous_role: 'VIEWER', changed: true })
    expect(roleOf(it, viewer)).toBe('OWNER')
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_updated',
        actor_type: 'system',
        payload: { metadata: { role: 'OWNER', via: 'host', previous_role: 'VIEWER', changed: ['role'] } },
      },
    ])
  })

  it.each(['MANAGER', 'ADMIN'] as const)('leaves an ADMIN who should be %s as they are', async (role) => {
    const it = await daemon()
    const admin = it.person('ADMIN')
    expect(give(it, admin.userId, role)).toEqual({ role: 'ADMIN', previous_role: 'ADMIN', changed: false })
    expect(roleOf(it, admin)).toBe('ADMIN')
    expect(it.entries()).toEqual([])
  })
})
