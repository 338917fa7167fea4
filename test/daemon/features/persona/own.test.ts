import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

async function place() {
  const it = await daemon()
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  const { body } = await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.body.id })
  return { ...it, agentId: body.id as string, crewId: crew.body.id as string }
}

describe('whether an agent may change itself', () => {
  it('is no, until somebody says yes and why', async () => {
    const it = await place()
    const path = `/agents/${it.agentId}/learning`
    expect((await it.call('VIEWER', 'GET', path)).body).toEqual({ agent_id: it.agentId, enabled: false })
    const set = await it.call('ADMIN', 'PATCH', path, { enabled: true, reason: ' a sandbox ' })
    const shown = {
      agent_id: it.agentId,
      enabled: true,
      set_by_user_id: it.person('ADMIN').userId,
      set_at: expect.stringMatching(/Z$/),
      reason: 'a sandbox',
    }
    expect([set.status, set.body]).toEqual([200, shown])
    expect((await it.call('VIEWER', 'GET', path)).body).toEqual(shown)
    await it.call('ADMIN', 'PATCH', path, { enabled: false, reason: 'done' })
    expect((await it.call('VIEWER', 'GET', path)).body).toMatchObject({ enabled: false, reason: 'done' })
    const told = it.entries().filter(({ payload }) => JSON.stringify(payload ?? {}).includes('self_learning'))
    expect(told.map(({ summary, severity }) => [summary, severity])).toEqual([
      [`${it.person('ADMIN').email} lets agent Ada change itself: "a sandbox"`, 'notice'],
      [`${it.person('ADMIN').email} does not let agent Ada change itself: "done"`, 'notice'],
    ])
  })

  it.each([
    ['no reason', { enabled: true }],
    ['a blank reason', { enabled: true, reason: ' ' }],
    ['nothing to say', { reason: 'x' }],
    ['a word for it', { enabled: 'yes', reason: 'x' }],
  ])('is refused with %s', async (_, body) => {
    const it = await place()
    expect((await it.call('ADMIN', 'PATCH', `/agents/${it.agentId}/learning`, body)).status).toBe(400)
    expect((await it.call('MANAGER', 'PATCH', `/agents/${it.agentId}/learning`, body)).status).toBe(403)
  })
})

describe('cards about people', () => {
  async function withCards() {
    const it = await place()
    const add = (user: string, at: string) =>
      it.app.db
        .prepare(
          `INSERT INTO peer_cards (id, workspace_id, agent_id, user_id, content, created_at, updated_at)
           VALUES (?, ?, ?, ?, 'Likes tests ✓', ?, ?)`,
        )
        .run(`card-${user}`, it.workspace, it.agentId, user, at, at)
    const [member, viewer] = [it.person('MEMBER').userId, it.person('VIEWER').userId]
    add(member, '2026-01-01T00:00:00Z')
    add(viewer, '2026-01-02T00:00:00Z')
    return { it, member, viewer, path: `/agents/${it.agentId}/peers` }
  }
  const slugOf = (user: string, workspace: string) => hash('sha256', `${user}\0${workspace}`, 'hex').slice(0, 16)

  it('are listed without what they say', async () => {
    const { it, member, viewer, path } = await withCards()
    const at = '2026-01-01T00:00:00Z'
    const { body } = await it.call('VIEWER', 'GET', path)
    expect(body).toEqual({
      agent_id: it.agentId,
      peers: [
        {
          id: `card-${member}`,
          user_id: member,
          user_slug: slugOf(member, it.workspace),
          bytes: 15,
          created_at: at,
          updated_at: at,
        },
        expect.objectContaining({ user_id: viewer }),
      ],
    })
    expect((await it.call('VIEWER', 'GET', `/agents/${await free(it)}/peers`)).body.code).toBe('agent_crewless')
  })

  const free = async (it: Awaited<ReturnType<typeof place>>) =>
    (await it.call('OWNER', 'POST', '/agents', { name: 'Solo', slug: 'solo' })).body.id

  it('are read by any member, and the journal says by whom', async () => {
    const { it, member, path } = await withCards()
    const { status, body } = await it.call('VIEWER', 'GET', `${path}/${member}`)
    expect([status, body]).toEqual([
      200,
      {
        agent_id: it.agentId,
        user_id: member,
        user_slug: slugOf(member, it.workspace),
        bytes: 15,
        content: 'Likes tests ✓',
      },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'peer.card_read',
      actor_id: it.person('VIEWER').userId,
      payload: { agent_id: it.agentId, user_id: member },
      summary: `${it.person('VIEWER').email} read what agent Ada keeps about a person`,
    })
    expect((await it.call('VIEWER', 'GET', `${path}/cnone00000000000000000000`)).status).toBe(404)
  })

  it.each([
    ['MEMBER', 'MEMBER', 204],
    ['MANAGER', 'MEMBER', 204],
    ['VIEWER', 'VIEWER', 204],
    ['VIEWER', 'MEMBER', 403],
    ['MEMBER', 'VIEWER', 403],
  ] as const)('are deleted for the person, and by managers: %s deletes that of %s', async (who, of, status) => {
    const { it, path } = await withCards()
    const card = `${path}/${it.person(of).userId}`
    expect((await it.call(who, 'DELETE', card)).status).toBe(status)
    expect((await it.call('OWNER', 'GET', card)).status).toBe(status === 204 ? 404 : 200)
    if (status !== 204) return
    expect((await it.call(who, 'DELETE', card)).status).toBe(204)
    const deleted = it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    expect(deleted).toMatchObject([{ payload: { entity_type: 'peer_card' } }])
  })

  it('go when the person leaves the workspace', async () => {
    const { it, member, viewer, path } = await withCards()
    const other = `card-${member}-elsewhere`
    it.app.db
      .prepare(
        "INSERT INTO workspaces (id, name, slug, created_at, updated_at) SELECT 'w2', 'Other', 'other-w2', '', ''",
      )
      .run()
    it.app.db.prepare("INSERT INTO peer_cards VALUES (?, 'w2', 'c-agent', ?, 'Likes tests', '', '')").run(other, member)
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === member)
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBeLessThan(300)
    const left = (await it.call('OWNER', 'GET', path)).body.peers
    expect(left.map(({ user_id }: { user_id: string }) => user_id)).toEqual([viewer])
    expect(it.app.db.prepare('SELECT id FROM peer_cards WHERE user_id = ?').all(member)).toEqual([{ id: other }])
  })

  it('tell nobody by an answer of somebody without rights which cards there are', async () => {
    const { it, path } = await withCards()
    expect((await it.call('VIEWER', 'DELETE', `${path}/cnone00000000000000000000`)).status).toBe(403)
  })
})
