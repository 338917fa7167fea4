import { describe, expect, it } from 'vitest'
import { daemon, type Person } from '#test'
import { workplace } from '../../../support/runs.ts'

const agent = { name: 'Ada', slug: 'ada' }
const mcp = { mcp_config_json: '{"mcpServers":{}}' }

/** Two crews, `mine` and `other`; a VIEWER of the workspace may be given a role in the first. */
async function place() {
  const it = await daemon()
  const create = async (path: string, body: object) =>
    (await it.call('OWNER', 'POST', path, body)).body as { id: string }
  const mine = (await create('/crews', { name: 'Mine', slug: 'mine' })).id
  const other = (await create('/crews', { name: 'Other', slug: 'other' })).id
  const someones = (await create('/agents', { ...agent, slug: 'someones', crew_id: mine, ...mcp })).id
  const elsewhere = (await create('/agents', { ...agent, slug: 'elsewhere', crew_id: other, ...mcp })).id
  const viewer = it.person('VIEWER')
  const join = async (role: string | null, who: Person = viewer, crew = mine) =>
    expect((await it.call('OWNER', 'POST', `/crews/${crew}/members`, { user_id: who.userId, role })).status).toBe(201)
  const status = async (method: string, path: string, body?: object) =>
    (await it.call('VIEWER', method, path, body)).status
  return { ...it, mine, other, someones, elsewhere, viewer, join, status }
}

describe('a role in a crew', () => {
  it('lets a MANAGER of the crew make, change and delete agents of theirs there, and nowhere else', async () => {
    const it = await place()
    expect(await it.status('POST', '/agents', { ...agent, crew_id: it.mine })).toBe(403)
    await it.join('MANAGER')
    const made = await it.call('VIEWER', 'POST', '/agents', { ...agent, crew_id: it.mine })
    expect(made.status).toBe(201)
    for (const body of [
      agent,
      { ...agent, crew_id: null },
      { ...agent, crew_id: it.other },
      { ...agent, crew_id: 'cnone00000000000000000000' },
    ])
      expect((await it.call('VIEWER', 'POST', '/agents', { ...body, slug: 'two' })).body).toMatchObject({
        status: 403,
        code: 'insufficient_role',
      })
    const at = `/agents/${made.body.id}`
    expect(await it.status('PATCH', at, { name: 'Ada L' })).toBe(200)
    expect(await it.status('PATCH', `/agents/${it.someones}`, { name: 'Ada L' })).toBe(403)
    expect(await it.status('PATCH', `/agents/${it.elsewhere}`, { name: 'Ada L' })).toBe(403)
    expect(await it.status('DELETE', `/agents/${it.someones}`)).toBe(403)
    expect(await it.status('DELETE', at)).toBe(200)
  })

  it('is gone with the membership, and does not come back with an invitation', async () => {
    const it = await place()
    await it.join('ADMIN')
    const { userId, email } = it.viewer
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as {
      id: string
      user_id: string
    }[]
    const { id } = members.find(({ user_id }) => user_id === userId)!
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    const invited = await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/invitations`, { email, role: 'VIEWER' })
    expect((await it.call('VIEWER', 'POST', `/invitations/${invited.body.id}/accept`)).status).toBe(200)
    expect(await it.status('GET', `/crews/${it.mine}`)).toBe(200)
    expect(await it.status('PATCH', `/crews/${it.mine}`, { description: 'ours' })).toBe(403)
    expect((await it.call('OWNER', 'GET', `/crews/${it.mine}/members`)).body).toEqual([])
  })

  it('lets an ADMIN of the crew change agents of others there', async () => {
    const it = await place()
    await it.join('ADMIN')
    expect(await it.status('PATCH', `/agents/${it.someones}`, { name: 'Ada L' })).toBe(200)
    expect(await it.status('PATCH', `/agents/${it.elsewhere}`, { name: 'Ada L' })).toBe(403)
    expect(await it.status('PATCH', `/crews/${it.mine}`, { description: 'ours' })).toBe(200)
    expect(await it.status('PATCH', `/crews/${it.other}`, { description: 'ours' })).toBe(403)
    expect(await it.status('DELETE', `/crews/${it.mine}`)).toBe(200)
  })

  it('does not let an agent be moved into a crew of others', async () => {
    const it = await place()
    await it.join('OWNER')
    const move = (crew_id: string) => it.call('VIEWER', 'PATCH', `/agents/${it.someones}`, { crew_id })
    expect((await move(it.other)).body).toMatchObject({ status: 403, field: 'crew_id' })
    await it.join('MANAGER', it.viewer, it.other)
    expect((await move(it.other)).status).toBe(200)
    expect((await move(it.mine)).status).toBe(403)
  })

  it('lets a MANAGER of the workspace who is ADMIN of a crew change agents there alone', async () => {
    const it = await place()
    const change = async (id: string) => (await it.call('MANAGER', 'PATCH', `/agents/${id}`, { name: 'New' })).status
    expect(await change(it.someones)).toBe(403)
    await it.join('ADMIN', it.person('MANAGER'))
    expect([await change(it.someones), await change(it.elsewhere)]).toEqual([200, 403])
  })

  it('opens the container of the crew, and no other', async () => {
    const it = await place()
    const act = async (what: string, crew: string) =>
      (await it.call('VIEWER', 'POST', `/crews/${crew}/container-${what}`)).body.code
    expect(await act('start', it.mine)).toBe('insufficient_role')
    await it.join('MANAGER')
    // This daemon has no runtime: whoever gets that far was let in.
    for (const what of ['start', 'stop']) {
      expect(await act(what, it.mine)).toBe('runtime_unavailable')
      expect(await act(what, it.other)).toBe('insufficient_role')
    }
    expect((await it.call('VIEWER', 'GET', `/crews/${it.mine}/container-logs`)).body.code).toBe('runtime_unavailable')
    expect(await it.status('POST', `/agents/${it.someones}/stop`)).toBe(200)
    expect(await it.status('POST', `/agents/${it.elsewhere}/stop`)).toBe(403)
  })

  it('lets a MANAGER of the crew add members, up to the own role', async () => {
    const it = await place()
    await it.join('MANAGER')
    const add = async (crew: string, role: string) =>
      (await it.call('VIEWER', 'POST', `/crews/${crew}/members`, { user_id: it.person('MEMBER').userId, role })).status
    expect([await add(it.other, 'MEMBER'), await add(it.mine, 'ADMIN'), await add(it.mine, 'MANAGER')]).toEqual([
      403, 403, 201,
    ])
  })

  it('never lowers the role of the workspace', async () => {
    const it = await place()
    await it.join('VIEWER', it.person('ADMIN'))
    expect((await it.call('ADMIN', 'PATCH', `/agents/${it.someones}`, { name: 'New' })).status).toBe(200)
  })

  it('shows what a MANAGER sees, also in the list', async () => {
    const it = await place()
    const shown = async () =>
      ((await it.call('VIEWER', 'GET', '/agents')).body as { id: string }[])
        .filter((row) => 'mcp_config_json' in row)
        .map(({ id }) => id)
    expect(await shown()).toEqual([])
    await it.join('MANAGER')
    expect(await shown()).toEqual([it.someones])
    expect((await it.call('VIEWER', 'GET', `/agents/${it.someones}`)).body).toMatchObject(mcp)
    expect((await it.call('VIEWER', 'GET', `/agents/${it.elsewhere}`)).body).not.toHaveProperty('mcp_config_json')
  })

  it('counts in its own workspace alone', async () => {
    const it = await place()
    const elsewhere = it.stranger()
    const foreign = (await it.call(elsewhere, 'POST', '/crews', { name: 'Foreign', slug: 'foreign' })).body.id
    it.app.db
      .prepare("INSERT INTO crew_members VALUES ('x', ?, ?, 'OWNER', 'now', 'now')")
      .run(foreign, it.viewer.userId)
    expect(await it.status('PATCH', `/crews/${foreign}`, { description: 'mine' })).toBe(403)
    expect(await it.status('POST', '/agents', { ...agent, crew_id: foreign })).toBe(403)
  })

  it('still leaves a token to its scopes', async () => {
    const it = await place()
    await it.join('OWNER')
    const { token } = (await it.call('OWNER', 'POST', '/auth/cli-token', { scopes: ['skills:write'] })).body
    it.app.db.prepare("UPDATE cli_tokens SET user_id = ? WHERE scopes_json LIKE '%skills%'").run(it.viewer.userId)
    const { body } = await it.call({ ...it.viewer, token }, 'PATCH', `/crews/${it.mine}`, { description: 'x' })
    expect(body).toMatchObject({ status: 403, code: 'insufficient_scope' })
  })

  it('ends with the membership', async () => {
    const it = await place()
    await it.join('ADMIN')
    const [{ id }] = (await it.call('OWNER', 'GET', `/crews/${it.mine}/members`)).body
    await it.call('OWNER', 'DELETE', `/crews/${it.mine}/members/${id}`)
    expect(await it.status('PATCH', `/agents/${it.someones}`, { name: 'New' })).toBe(403)
  })
})

describe('chats of a crew', () => {
  it('may be renamed and deleted by an ADMIN of the crew', async () => {
    const it = await place()
    const { id } = (await it.call('OWNER', 'POST', `/agents/${it.someones}/chats`)).body
    const at = `/agents/${it.someones}/chats/${id}`
    expect(await it.status('PATCH', at, { title: 'x' })).toBe(403)
    await it.join('ADMIN')
    expect(await it.status('PATCH', at, { title: 'x' })).toBe(200)
    expect(await it.status('DELETE', at)).toBe(204)
  })
})

describe('runs of a crew', () => {
  it('may be cancelled by a MANAGER of the crew, whoever asked for them', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    const cancel = () => it.call('VIEWER', 'POST', `/chats/${chat}/cancel`)
    expect((await cancel()).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    await it.call('OWNER', 'POST', `/crews/${it.crewId}/members`, {
      user_id: it.person('VIEWER').userId,
      role: 'MANAGER',
    })
    expect((await cancel()).body).toEqual({ chat_id: chat, run_id })
    await it.runs.ended(run_id)
  })
})

describe('credentials of a crew', () => {
  const key = { name: 'deploy key', value: 'secret', scope: 'CREW' }

  it('are seen by its members, whatever their role, and by nobody below MANAGER else', async () => {
    const it = await place()
    const { id } = (await it.call('OWNER', 'POST', '/credentials', { ...key, crew_ids: [it.mine] })).body
    await it.call('OWNER', 'POST', '/credentials', { ...key, name: 'other key', crew_ids: [it.other] })
    const names = async () =>
      ((await it.call('VIEWER', 'GET', '/credentials')).body as { name: string }[]).map(({ name }) => name)
    const given = async () =>
      ((await it.call('VIEWER', 'GET', `/agents/${it.someones}/credentials`)).body as object[]).length
    expect([await names(), await it.status('GET', `/credentials/${id}`), await given()]).toEqual([[], 404, 0])
    await it.join(null)
    expect([await names(), await it.status('GET', `/credentials/${id}`), await given()]).toEqual([
      ['deploy key'],
      200,
      1,
    ])
    expect(await it.status('PATCH', `/credentials/${id}`, { description: 'x' })).toBe(403)
  })
})
