import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { daemon, type Person, type TestDaemon } from '#test'
import { redeemInvitations } from '../../../daemon/features/invitations/service.ts'

const week = 7 * 86_400_000
const invite = (it: TestDaemon, email: string, more: object = {}, who: Person | Person['role'] = 'ADMIN') =>
  it.call(who, 'POST', `/workspaces/${typeof who === 'string' ? it.workspace : who.workspace}/invitations`, {
    email,
    ...more,
  })
const listed = async (it: TestDaemon) => (await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/invitations`)).body
const brief = ({ status, body }: { status: number; body: { code?: string } }) => ({ status, code: body?.code })
const roleOf = ({ app, workspace }: TestDaemon, user: string) =>
  app.db
    .prepare('SELECT role FROM workspace_members WHERE user_id = ? AND workspace_id = ?')
    .pluck()
    .get(user, workspace)

describe('invitations.create', () => {
  it('shows the token once, stores its hash, and journals without it', async () => {
    const it = await daemon()
    const inviter = it.person('ADMIN')
    const { status, body } = await invite(it, 'Ada@Example.COM', { role: 'MANAGER' })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        workspace_id: it.workspace,
        email: 'ada@example.com',
        role: 'MANAGER',
        invited_by: inviter.userId,
        created_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-08T00:00:00Z',
        accepted_at: null,
        inviter: { id: inviter.userId, email: inviter.email, full_name: 'The ADMIN' },
        token: expect.stringMatching(/^[0-9a-f]{64}$/),
        link: null,
      },
    })
    expect(it.app.db.prepare('SELECT token_hash FROM workspace_invitations').pluck().get()).toBe(
      createHash('sha256').update(body.token).digest('hex'),
    )
    expect(JSON.stringify(it.entries())).not.toContain(body.token)
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        payload: {
          action: 'create',
          entity_type: 'invitation',
          metadata: { email: 'ada@example.com', role: 'MANAGER' },
        },
      },
    ])
    const { token, link, ...shown } = body
    expect(await listed(it)).toEqual([shown])
  })

  it('has a link where the server has an address', async () => {
    const it = await daemon({ config: { publicUrl: 'https://muster.example/x/' } })
    const { body } = await invite(it, 'ada@example.com')
    expect(body.link).toBe(`https://muster.example/invitation?token=${body.token}`)
  })

  it('answers the same for an address with an account and one without', async () => {
    const it = await daemon()
    const shape = ({ status, body }: { status: number; body: object }) => ({ status, members: Object.keys(body) })
    expect(shape(await invite(it, it.stranger().email))).toEqual(shape(await invite(it, 'nobody@example.com')))
  })

  it('refuses members and addresses with a live invitation, whatever their case', async () => {
    const it = await daemon()
    expect(brief(await invite(it, it.person('VIEWER').email.toUpperCase()))).toEqual({
      status: 409,
      code: 'already_member',
    })
    const answers = await Promise.all(
      ['ada@example.com', 'ADA@example.com', 'Ada@Example.com'].map((email) => invite(it, email)),
    )
    expect(answers.map(brief)).toEqual([
      { status: 201, code: undefined },
      { status: 409, code: 'invitation_exists' },
      { status: 409, code: 'invitation_exists' },
    ])
  })

  it('lets an OWNER alone invite an ADMIN, and nobody an OWNER', async () => {
    const it = await daemon()
    expect(brief(await invite(it, 'a@example.com', { role: 'ADMIN' }))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect((await invite(it, 'a@example.com', { role: 'ADMIN' }, 'OWNER')).status).toBe(201)
    expect(brief(await invite(it, 'b@example.com', { role: 'OWNER' }, 'OWNER'))).toEqual({
      status: 400,
      code: 'invalid_field',
    })
  })
})

describe('Invitation', () => {
  it('Invitation: live -> expired on its seventh day', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    it.clock.advance(week - 1000)
    expect(await listed(it)).toHaveLength(1)
    it.clock.advance(1000)
    expect(await listed(it)).toEqual([])
    expect((await it.call(person, 'GET', '/invitations')).body).toEqual([])
    expect(brief(await it.call(person, 'POST', `/invitations/${body.id}/accept`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect(brief(await it.call(person, 'POST', '/invitations/redeem', { token: body.token }))).toEqual({
      status: 400,
      code: 'invalid_token',
    })
    expect(brief(await it.call('ADMIN', 'DELETE', `/workspaces/${it.workspace}/invitations/${body.id}`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect((await invite(it, person.email)).status).toBe(201)
  })

  it('Invitation: live -> revoked on DELETE', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    expect((await it.call('ADMIN', 'DELETE', `/workspaces/${it.workspace}/invitations/${body.id}`)).status).toBe(204)
    expect(brief(await it.call(person, 'POST', `/invitations/${body.id}/accept`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect(brief(await it.call(person, 'POST', '/invitations/redeem', { token: body.token }))).toEqual({
      status: 400,
      code: 'invalid_token',
    })
    expect((await invite(it, person.email)).status).toBe(201)
    expect(it.entries()[1]).toMatchObject({ entry_type: 'audit.entity_deleted', payload: { action: 'revoke' } })
  })

  it('Invitation: live -> accepted on accept', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email.toUpperCase(), { role: 'MANAGER' })
    expect((await it.call(person, 'GET', '/invitations')).body).toMatchObject([
      {
        id: body.id,
        role: 'MANAGER',
        workspace: { id: it.workspace, name: 'Test' },
        inviter: { email: it.person('ADMIN').email },
      },
    ])
    expect((await it.call(person, 'POST', `/invitations/${body.id}/accept`)).body).toEqual({
      workspace_id: it.workspace,
      role: 'MANAGER',
    })
    expect(roleOf(it, person.userId)).toBe('MANAGER')
    expect((await it.call(person, 'GET', '/invitations')).body).toEqual([])
    expect(brief(await it.call(person, 'POST', `/invitations/${body.id}/accept`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect(it.entries()[1]).toMatchObject({
      actor_id: person.userId,
      payload: { action: 'accept', metadata: { user_id: person.userId } },
    })
  })

  it('Invitation: live -> declined on decline', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    expect((await it.call(person, 'POST', `/invitations/${body.id}/decline`)).status).toBe(200)
    expect(roleOf(it, person.userId)).toBeUndefined()
    expect(await listed(it)).toEqual([])
    expect(brief(await it.call(person, 'POST', `/invitations/${body.id}/accept`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect(it.entries()[1]).toMatchObject({
      entry_type: 'audit.entity_deleted',
      actor_id: person.userId,
      payload: { action: 'decline' },
    })
  })

  it('of accepts and redeems at once one wins', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    const accept = () => it.call(person, 'POST', `/invitations/${body.id}/accept`)
    const redeem = () => it.call(person, 'POST', '/invitations/redeem', { token: body.token })
    const answers = await Promise.all([accept(), redeem(), accept(), redeem()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 404])
    expect(it.entries().filter(({ payload }) => payload?.['action'] === 'accept')).toHaveLength(1)
  })

  it('is taken by one of many who hold its token', async () => {
    const it = await daemon()
    const { body } = await invite(it, 'ada@example.com')
    const many = Array.from({ length: 5 }, () => it.stranger())
    const answers = await Promise.all(
      many.map((who) => it.call(who, 'POST', '/invitations/redeem', { token: body.token })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(many.filter(({ userId }) => roleOf(it, userId))).toHaveLength(1)
  })

  it('of an accept and a revoke at once one wins', async () => {
    const it = await daemon()
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    const [revoked, accepted] = await Promise.all([
      it.call('ADMIN', 'DELETE', `/workspaces/${it.workspace}/invitations/${body.id}`),
      it.call(person, 'POST', `/invitations/${body.id}/accept`),
    ])
    expect([revoked.status, accepted.status].sort()).toEqual([204, 404])
    expect(roleOf(it, person.userId)).toBeUndefined()
  })

  it('answers alike for an absent one and one that is meant for another', async () => {
    const it = await daemon()
    const { body } = await invite(it, 'ada@example.com')
    const other = it.stranger()
    for (const verb of ['accept', 'decline']) {
      const answers = await Promise.all(
        [body.id, 'cnone00000000000000000000'].map((id) => it.call(other, 'POST', `/invitations/${id}/${verb}`)),
      )
      const bodies = answers.map((answer) => ({ ...answer.body, instance: '' }))
      expect(bodies[0]).toEqual(bodies[1])
      expect(bodies[0]).toMatchObject({ status: 404, code: 'not_found' })
    }
    const foreign = it.stranger()
    expect(brief(await it.call(foreign, 'DELETE', `/workspaces/${foreign.workspace}/invitations/${body.id}`))).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect(await listed(it)).toHaveLength(1)
  })

  it('stays open when a member redeems its token', async () => {
    const it = await daemon()
    const { body } = await invite(it, 'ada@example.com')
    expect(brief(await it.call('VIEWER', 'POST', '/invitations/redeem', { token: body.token }))).toEqual({
      status: 409,
      code: 'already_member',
    })
    expect(await listed(it)).toHaveLength(1)
  })

  it('is shown to ADMIN and above, without its token', async () => {
    const it = await daemon()
    const { body } = await invite(it, 'ada@example.com')
    expect(brief(await it.call('MANAGER', 'GET', `/workspaces/${it.workspace}/invitations`))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect(JSON.stringify(await listed(it))).not.toContain(body.token)
  })

  it('ends when its sender may invite no more', async () => {
    const it = await daemon()
    await invite(it, 'ada@example.com')
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as {
      id: string
      role: string
    }[]
    await it.call(
      'OWNER',
      'PATCH',
      `/workspaces/${it.workspace}/members/${members.find(({ role }) => role === 'ADMIN')!.id}`,
      { role: 'MANAGER' },
    )
    expect((await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/invitations`)).body).toEqual([])
  })

  it('is not taken when the change around it fails', async () => {
    const it = await daemon({ quiet: true })
    const person = it.stranger()
    const { body } = await invite(it, person.email)
    it.app.db.exec("CREATE TRIGGER broken BEFORE INSERT ON workspace_members BEGIN SELECT RAISE(ABORT, 'disk'); END")
    expect((await it.call(person, 'POST', `/invitations/${body.id}/accept`)).status).toBe(500)
    it.app.db.exec('DROP TRIGGER broken')
    expect((await it.call(person, 'POST', `/invitations/${body.id}/accept`)).status).toBe(200)
  })
})

describe('redeemInvitations', () => {
  it('enters every workspace that invites the address, and no other', async () => {
    const it = await daemon()
    const hosts = [it.stranger(), it.stranger(), it.stranger()]
    await invite(it, 'ada@example.com', { role: 'VIEWER' })
    await invite(it, 'ada@example.com', { role: 'ADMIN' }, hosts[0]!)
    await invite(it, 'bob@example.com', {}, hosts[1]!)
    it.clock.advance(week)
    await invite(it, 'ADA@example.com', { role: 'MANAGER' }, hosts[2]!)
    await invite(it, 'ada@example.com', { role: 'MEMBER' })
    const { userId } = it.stranger()
    const joined = it.app.writeNow(() =>
      redeemInvitations(it.app, { user: userId, email: 'Ada@example.com', now: it.app.now() }),
    )
    expect(joined.sort((a, b) => (a.role < b.role ? -1 : 1))).toEqual([
      { workspace_id: hosts[2]!.workspace, role: 'MANAGER' },
      { workspace_id: it.workspace, role: 'MEMBER' },
    ])
    expect(
      it.app.writeNow(() => redeemInvitations(it.app, { user: userId, email: 'ada@example.com', now: it.app.now() })),
    ).toEqual([])
  })
})
