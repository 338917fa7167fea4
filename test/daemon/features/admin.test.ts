import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

async function scene() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  const hire = (slug: string) => it.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crew })
  const [ada, bob] = [(await hire('ada')).body.id as string, (await hire('bob')).body.id as string]
  return { ...it, crew, ada, bob }
}

describe('administration', () => {
  it('counts members, crews, agents and those at work', async () => {
    const it = await scene()
    const users = (await it.call('VIEWER', 'GET', `/workspaces/${it.workspace}/members`)).body.length
    const counts = { workspaces: 1, users, crews: 1, agents: 2, running: 0 }
    expect((await it.call('OWNER', 'GET', '/admin/stats')).body).toEqual(counts)
    it.app.db.prepare("UPDATE agents SET status = 'RUNNING' WHERE id = ?").run(it.ada)
    expect((await it.call('OWNER', 'GET', '/admin/stats')).body).toEqual({ ...counts, running: 1 })
    await it.call('OWNER', 'DELETE', `/agents/${it.bob}`)
    expect((await it.call('OWNER', 'GET', '/admin/stats')).body).toEqual({ ...counts, agents: 1, running: 1 })
  })

  it('lists the users of the workspace alone, each with role and workspace', async () => {
    const it = await scene()
    for (const role of ['MEMBER', 'VIEWER'] as const) await it.call(role, 'GET', '/crews')
    const { body: members } = await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)
    const { body: users } = await it.call('OWNER', 'GET', '/admin/users')
    expect(users.map(({ id, role }: { id: string; role: string }) => [id, role]).sort()).toEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]).sort(),
    )
    expect(Object.keys(users[0]).sort()).toEqual(
      ['avatar_url', 'created_at', 'email', 'full_name', 'id', 'role', 'workspace'].sort(),
    )
    expect(users[0].workspace).toEqual({ id: it.workspace, name: expect.any(String), slug: expect.any(String) })
    const times = users.map(({ created_at }: { created_at: string }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect((await it.call('OWNER', 'GET', '/admin/users?limit=1&offset=1')).body).toEqual([users[1]])
    expect(users).toHaveLength(3)
  })

  it('shows the workspace and its counts', async () => {
    const it = await scene()
    const { body } = await it.call('OWNER', 'GET', '/admin/workspaces')
    expect(body).toEqual([
      {
        id: it.workspace,
        name: expect.any(String),
        slug: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        _count_members: expect.any(Number),
        _count_agents: 2,
        _count_crews: 1,
      },
    ])
  })

  it.each(['/admin/stats', '/admin/users', '/admin/workspaces'])('answers %s to owners alone', async (path) => {
    const it = await scene()
    for (const role of ['ADMIN', 'MANAGER', 'MEMBER', 'VIEWER'] as const)
      expect((await it.call(role, 'GET', path)).status).toBe(403)
  })
})
