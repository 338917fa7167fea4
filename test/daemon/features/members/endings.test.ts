import { describe, expect, it } from 'vitest'
import { daemon, type Person, type TestDaemon } from '#test'
import { raise as raiseItem } from '../../../../daemon/features/inbox/service.ts'
import { raise } from '../../../../daemon/features/members/service.ts'

/** An ADMIN who belongs to a crew, has sent an invitation and is asked something. */
async function busyAdmin() {
  const it = await daemon({ quiet: true })
  const admin = it.person('ADMIN')
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body.id
  await it.call('OWNER', 'POST', `/crews/${crew}/members`, { user_id: admin.userId })
  await it.call(admin, 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'eve@example.com' })
  it.app.writeNow(() =>
    raiseItem(it.app, {
      workspace: it.workspace,
      kind: 'run_needs_human',
      source: 's1',
      target: { user: admin.userId },
      title: 'Which colour?',
      payload: {},
      now: it.app.now(),
    }),
  )
  const state = () => ({
    role: it.app.db
      .prepare('SELECT role FROM workspace_members WHERE workspace_id = ? AND user_id = ?')
      .pluck()
      .get(it.workspace, admin.userId),
    crews: it.app.db.prepare('SELECT count(*) FROM crew_members WHERE user_id = ?').pluck().get(admin.userId),
    invitations: it.app.db.prepare('SELECT status FROM workspace_invitations').pluck().all(),
    asked: it.app.db.prepare('SELECT audience FROM inbox_items').pluck().all(),
  })
  return { it, admin, state }
}

const path = ({ app, workspace }: TestDaemon, { userId }: Person) => {
  const id = app.db
    .prepare('SELECT id FROM workspace_members WHERE workspace_id = ? AND user_id = ?')
    .pluck()
    .get(workspace, userId)
  return `/workspaces/${workspace}/members/${id}`
}

describe('the end of a membership', () => {
  it('takes crews, invitations and open questions with it', async () => {
    const { it, admin, state } = await busyAdmin()
    expect(state()).toEqual({ role: 'ADMIN', crews: 1, invitations: ['live'], asked: [`user:${admin.userId}`] })
    expect((await it.call('OWNER', 'DELETE', path(it, admin))).status).toBe(200)
    expect(state()).toEqual({ role: undefined, crews: 0, invitations: ['revoked'], asked: ['role:MANAGER'] })
    expect(it.entries().slice(-2)).toMatchObject([
      { summary: `The ADMIN (${admin.email}) was removed from the workspace by ${it.person('OWNER').email}` },
      { summary: 'The invitation for eve@example.com was withdrawn: its sender may invite no more' },
    ])
  })

  it.each([
    ['MANAGER', { crews: 1, invitations: ['revoked'] }, false],
    ['VIEWER', { crews: 1, invitations: ['revoked'] }, true],
  ])('is not a change to %s, which takes what that role may not do', async (role, after, handedOver) => {
    const { it, admin, state } = await busyAdmin()
    expect((await it.call('OWNER', 'PATCH', path(it, admin), { role })).status).toBe(200)
    expect(state()).toEqual({ role, ...after, asked: [handedOver ? 'role:MANAGER' : `user:${admin.userId}`] })
    expect(it.entries().at(-2)!.summary).toBe(
      `The role of The ADMIN (${admin.email}) was changed from ADMIN to ${role} by ${it.person('OWNER').email}`,
    )
  })

  it.each(['DELETE ON crew_members', 'UPDATE ON workspace_invitations', 'UPDATE ON inbox_items'])(
    'does not happen when one consequence is refused: %s',
    async (what) => {
      const { it, admin, state } = await busyAdmin()
      const [before, head] = [state(), it.app.index.head()]
      it.app.db.exec(`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'disk'); END`)
      expect((await it.call('OWNER', 'DELETE', path(it, admin))).status).toBe(500)
      expect(state()).toEqual(before)
      expect(it.app.index.head()).toBe(head)
      it.app.db.exec('DROP TRIGGER full')
      expect((await it.call('OWNER', 'DELETE', path(it, admin))).status).toBe(200)
    },
  )
})

describe('a new membership', () => {
  const invite = async () => {
    const it = await daemon()
    const guest = it.stranger()
    await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/invitations`, { email: guest.email })
    const status = () => it.app.db.prepare('SELECT status FROM workspace_invitations').pluck().all()
    expect(status()).toEqual(['live'])
    return { it, guest, status }
  }

  it('settles the invitation of the address', async () => {
    const { it, guest, status } = await invite()
    await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/members`, { user_id: guest.userId })
    expect(status()).toEqual(['accepted'])
    expect(it.entries().at(-1)!.summary).toMatch(
      new RegExp(`\\(${guest.email}\\) was added as MEMBER by ${it.person('ADMIN').email}$`),
    )
  })

  it('settles it as well when it was made on the host', async () => {
    const { it, guest, status } = await invite()
    const { workspace, app } = it
    app.writeNow(() => raise(app, { workspace, user: guest.userId, role: 'ADMIN', now: app.now() }))
    expect(status()).toEqual(['accepted'])
    expect(it.entries().at(-1)!.summary).toMatch(/ was added as ADMIN on the host$/)
  })
})

describe('the end of a workspace', () => {
  it.each(['UPDATE ON workspace_invitations', 'DELETE ON workspace_members'])(
    'does not happen when one consequence is refused: %s',
    async (what) => {
      const it = await daemon({ quiet: true })
      const { id } = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Second', slug: 'second' })).body
      const owner = { ...it.person('OWNER'), workspace: id }
      await it.call(owner, 'POST', `/workspaces/${id}/invitations`, { email: 'eve@example.com' })
      const state = () =>
        it.app.db
          .prepare(
            `SELECT (SELECT count(*) FROM workspaces WHERE id = @id AND deleted_at IS NULL) AS live,
               (SELECT count(*) FROM workspace_members WHERE workspace_id = @id) AS members,
               (SELECT status FROM workspace_invitations WHERE workspace_id = @id) AS invitation`,
          )
          .get({ id })
      const remove = () => it.call(owner, 'DELETE', `/workspaces/${id}`, { confirm_slug: 'second' })
      it.app.db.exec(`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'disk'); END`)
      expect((await remove()).status).toBe(500)
      expect(state()).toEqual({ live: 1, members: 1, invitation: 'live' })
      it.app.db.exec('DROP TRIGGER full')
      expect((await remove()).status).toBe(200)
      expect(state()).toEqual({ live: 0, members: 0, invitation: 'revoked' })
    },
  )
})
