import { describe, expect, it } from 'vitest'
import type { Role } from '#contract/roles'
import { addPerson, daemon, fixedClock, type TestDaemon } from '#test'
import { knownSecrets } from '../../../../daemon/features/credentials/delivery/service.ts'

const hush = 'hush-hush-7f3a'
const draft = { name: 'deploy', value: hush }
const key = { name: 'anthropic', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-ant-api03-hush' }

type Call = TestDaemon['call']
type Made = { id: string } & Record<string, unknown>

async function make(call: Call, path: string, body: object, who: Role = 'OWNER'): Promise<Made> {
  const answer = await call(who, 'POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

const events = async (call: Call, id: string) =>
  (await call('OWNER', 'GET', `/credentials/${id}/audit`)).body.map(({ event }: { event: string }) => event)

describe('credentials.create', () => {
  it('answers with everything but the value', async () => {
    const it = await daemon()
    const answer = await it.call('MANAGER', 'POST', '/credentials', draft)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^c[a-z0-9]{24}$/),
      workspace_id: it.workspace,
      name: 'deploy',
      type: 'SECRET',
      provider: 'NONE',
      description: null,
      scope: 'WORKSPACE',
      crew_ids: [],
      crew_id: null,
      tags: [],
      account_label: null,
      account_email: null,
      token_expires_at: null,
      status: 'ACTIVE',
      last_error: null,
      last_used_at: null,
      last_checked_at: null,
      created_by: it.person('MANAGER').userId,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      username: null,
      security_level: 1,
      security_level_label: 'L1 · low',
      sensitivity: 'STANDARD',
      testable: false,
      last_used_ips: [],
      mcp_used: false,
      agent_ids: [],
      agent_names: [],
      _count: { agents: 0 },
      _count_agent_credentials: 0,
    })
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        summary: expect.stringMatching(/^Credential "deploy" was created by \S+@example\.com$/),
        payload: { entity_type: 'credential' },
      },
    ])
    expect(await events(it.call, answer.body.id)).toEqual(['CREATED'])
  })

  it('keeps the value in no reply, no entry, no record and no row', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    await it.call('OWNER', 'PATCH', `/credentials/${id}`, { description: 'x' })
    await it.call('OWNER', 'POST', `/credentials/${id}/rotate`, { value: `${hush}-2` })
    for (const path of ['', `/${id}`, `/${id}/audit`, `/${id}/rotations`]) {
      const { status, text } = await it.call('OWNER', 'GET', `/credentials${path}`)
      expect(status).toBe(200)
      expect(text).not.toContain('hush')
    }
    expect(JSON.stringify(it.entries())).not.toContain('hush')
    for (const table of ['credentials', 'credential_rotations', 'credential_audit', 'journal']) {
      expect(JSON.stringify(it.app.db.prepare(`SELECT * FROM ${table}`).all())).not.toContain('hush')
    }
    expect(it.app.db.prepare('SELECT encrypted_value AS v FROM credentials').get()).toEqual({
      v: expect.stringMatching(/^v1:/),
    })
  })

  it('binds the sealed value to its row', async () => {
    const it = await daemon()
    const [one, two] = [
      await make(it.call, '/credentials', draft),
      await make(it.call, '/credentials', { ...draft, name: 'other', value: 'second' }),
    ]
    it.app.db
      .prepare(
        'UPDATE credentials SET encrypted_value = (SELECT encrypted_value FROM credentials WHERE id = ?) WHERE id = ?',
      )
      .run(one.id, two.id)
    expect(knownSecrets(it.app, it.workspace), 'a value moved to another row does not open').toEqual([hush])
  })

  it('takes what asks for nothing, and every member that has an effect', async () => {
    const it = await daemon()
    const body = {
      ...draft,
      description: 'Two\nlines',
      tags: [' a ', 'a', 'b'],
      account_label: 'ops',
      account_email: 'ops@example.com',
      token_expires_at: '2027-01-01T01:00:00.5+01:00',
    }
    expect(
      await make(it.call, '/credentials', {
        ...body,
        security_level: 1,
        sensitivity: 'STANDARD',
        username: '',
        unknown: 1,
      }),
    ).toMatchObject({
      description: 'Two\nlines',
      tags: ['a', 'b'],
      account_label: 'ops',
      account_email: 'ops@example.com',
      token_expires_at: '2027-01-01T00:00:00Z',
    })
  })

  it('drops the line end that pasting adds to a key, and keeps other values to the byte', async () => {
    const it = await daemon()
    await make(it.call, '/credentials', { ...key, value: `${key.value}\n` })
    await make(it.call, '/credentials', { ...draft, value: ' a\r\n\tb \n' })
    expect([...knownSecrets(it.app, it.workspace)].sort()).toEqual([' a\r\n\tb \n', key.value])
  })

  it('gives a name to one of many at the same time, in whatever Unicode form', async () => {
    const it = await daemon()
    const names = ['Caf\u00e9', 'Cafe\u0301', ' Caf\u00e9 ', 'Caf\u00e9']
    const answers = await Promise.all(names.map((name) => it.call('OWNER', 'POST', '/credentials', { ...draft, name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'name_taken', field: 'name' })
    expect(it.app.db.prepare('SELECT count(*) AS n FROM credentials').get()).toEqual({ n: 1 })
    expect(it.entries()).toHaveLength(1)
  })

  it('answers 503 without an encryption key, and reading goes on', async () => {
    const it = await daemon({ withVault: false })
    expect((await it.call('OWNER', 'POST', '/credentials', draft)).body).toMatchObject({
      status: 503,
      code: 'encryption_unavailable',
    })
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toEqual([])
  })
})

describe('credentials.list and credentials.show', () => {
  it('show a crew’s credentials to managers and above', async () => {
    const it = await daemon()
    const crew = await make(it.call, '/crews', { name: 'Backend', slug: 'backend' })
    const open = await make(it.call, '/credentials', draft)
    const closed = await make(it.call, '/credentials', {
      ...draft,
      name: 'crew only',
      scope: 'CREW',
      crew_ids: [crew.id, crew.id],
    })
    expect(closed['crew_ids']).toEqual([crew.id])
    const ids = async (role: Role) => (await it.call(role, 'GET', '/credentials')).body.map(({ id }: Made) => id).sort()
    for (const role of ['OWNER', 'ADMIN', 'MANAGER'] as const)
      expect(await ids(role)).toEqual([open.id, closed.id].sort())
    for (const role of ['MEMBER', 'VIEWER'] as const) {
      expect(await ids(role)).toEqual([open.id])
      const hidden = await it.call(role, 'GET', `/credentials/${closed.id}`)
      const absent = await it.call(role, 'GET', '/credentials/cnone00000000000000000000')
      expect({ ...hidden.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
    }
  })

  it('are windowed as lists are, newest first', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    for (const name of ['one', 'two', 'three']) {
      await make(it.call, '/credentials', { ...draft, name })
      clock.advance(1000)
    }
    const names = async (query: string) =>
      (await it.call('VIEWER', 'GET', `/credentials${query}`)).body.map(({ name }: Made) => name)
    expect(await names('')).toEqual(['three', 'two', 'one'])
    expect(await names('?limit=1&offset=1')).toEqual(['two'])
    expect(await names('?limit=bad&offset=-1')).toEqual(['three', 'two', 'one'])
  })

  it('say EXPIRED once the token’s own time is over', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { id } = await make(it.call, '/credentials', { ...draft, token_expires_at: '2026-01-01T00:01:00Z' })
    const status = async () => (await it.call('VIEWER', 'GET', `/credentials/${id}`)).body.status
    expect(await status()).toBe('ACTIVE')
    clock.advance(60_000)
    expect(await status()).toBe('EXPIRED')
  })
})

describe('a credential of another workspace', () => {
  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['PUT', '', { name: 'mine' }],
    ['DELETE', '', undefined],
    ['POST', '/test', undefined],
    ['POST', '/rotate', { value: 'x' }],
    ['GET', '/rotations', undefined],
    ['GET', '/audit', undefined],
  ])('is answered by %s %s as one that is absent', async (method, path, body) => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    const other = it.stranger()
    const foreign = await it.call(other, method, `/credentials/${id}${path}`, body)
    const absent = await it.call(other, method, `/credentials/cnone00000000000000000000${path}`, body)
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
  })
})

describe('credentials.update', () => {
  it.each(['PATCH', 'PUT'])('%s changes what it names and nothing else', async (method) => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const made = await make(it.call, '/credentials', { ...draft, description: 'old', account_label: 'ops' })
    clock.advance(1000)
    const { body } = await it.call('MANAGER', method, `/credentials/${made.id}`, {
      name: 'new',
      description: '',
      status: 'REVOKED',
    })
    expect(body).toEqual({ ...made, name: 'new', description: null, updated_at: '2026-01-01T00:00:01Z' })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { metadata: { changed: ['name', 'description'] } },
    })
  })

  it('needs something to change, and a free name', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    await make(it.call, '/credentials', { ...draft, name: 'other' })
    for (const body of [{}, { status: 'REVOKED' }])
      expect((await it.call('OWNER', 'PATCH', `/credentials/${id}`, body)).body.code).toBe('no_fields')
    expect((await it.call('OWNER', 'PATCH', `/credentials/${id}`, { name: 'other' })).body).toMatchObject({
      status: 409,
      code: 'name_taken',
    })
  })

  it('replaces the value at once, for administrators', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    expect((await it.call('MANAGER', 'PATCH', `/credentials/${id}`, { value: 'second' })).body.code).toBe(
      'insufficient_role',
    )
    expect(knownSecrets(it.app, it.workspace)).toEqual([hush])
    expect((await it.call('ADMIN', 'PATCH', `/credentials/${id}`, { value: 'second' })).status).toBe(200)
    expect(knownSecrets(it.app, it.workspace), 'the old value is gone').toEqual(['second'])
    expect(await events(it.call, id)).toEqual(['ROTATE', 'CREATED'])
    expect(it.entries().at(-2)).toMatchObject({ entry_type: 'credential.rotated', payload: { grace_seconds: 0 } })
  })

  it('ends the old value’s expiry with it, unless the change names another', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', { ...draft, token_expires_at: '2027-01-01T00:00:00Z' })
    const expiry = async (body: object) =>
      (await it.call('OWNER', 'PATCH', `/credentials/${id}`, body)).body.token_expires_at
    expect(await expiry({ description: 'x' })).toBe('2027-01-01T00:00:00Z')
    expect(await expiry({ value: 'second', token_expires_at: '2028-01-01T00:00:00Z' })).toBe('2028-01-01T00:00:00Z')
    expect(await expiry({ value: 'third' })).toBeNull()
  })

  it('changes no type while the stored value cannot be opened', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    it.app.db.prepare("UPDATE credentials SET encrypted_value = 'sealed with another key'").run()
    const patched = await it.call('OWNER', 'PATCH', `/credentials/${id}`, { type: 'API_KEY', provider: 'ANTHROPIC' })
    expect(patched.body).toMatchObject({
      status: 503,
      code: 'encryption_unavailable',
      detail: 'The stored value cannot be opened with this encryption key',
    })
    expect((await it.call('OWNER', 'GET', `/credentials/${id}`)).body.type).toBe('SECRET')
  })

  it('does not let a value become something that it cannot be', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', { ...draft, value: 'has spaces' })
    const patch = async (body: object) => (await it.call('OWNER', 'PATCH', `/credentials/${id}`, body)).body
    expect(await patch({ type: 'API_KEY', provider: 'ANTHROPIC' })).toMatchObject({ status: 400, field: 'value' })
    expect(await patch({ type: 'API_KEY' })).toMatchObject({ status: 400, field: 'type' })
    await patch({ value: ' trimmed ' })
    const pasted = await patch({ type: 'API_KEY', provider: 'ANTHROPIC' })
    expect([pasted.field, pasted.detail]).toEqual(['type', 'The stored value is no API_KEY; send the value as well'])
    expect(await patch({ type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-ant-x' })).toMatchObject({
      type: 'API_KEY',
      provider: 'ANTHROPIC',
    })
  })

  it('moves between the workspace and crews', async () => {
    const it = await daemon()
    const crew = await make(it.call, '/crews', { name: 'Backend', slug: 'backend' })
    const { id } = await make(it.call, '/credentials', draft)
    const patch = async (body: object) => (await it.call('OWNER', 'PATCH', `/credentials/${id}`, body)).body
    expect(await patch({ scope: 'CREW' })).toMatchObject({ status: 400, field: 'crew_ids' })
    expect(await patch({ scope: 'CREW', crew_ids: [crew.id] })).toMatchObject({
      scope: 'CREW',
      crew_ids: [crew.id],
      crew_id: crew.id,
    })
    expect(await patch({ description: 'x' })).toMatchObject({ scope: 'CREW', crew_ids: [crew.id] })
    expect(await patch({ scope: 'WORKSPACE' })).toMatchObject({ scope: 'WORKSPACE', crew_ids: [] })
  })
})

describe('credentials.remove', () => {
  it('erases every value, takes it from every agent and frees the name', async () => {
    const it = await daemon()
    const agent = await make(it.call, '/agents', { name: 'Ada', slug: 'ada' })
    const { id } = await make(it.call, '/credentials', draft)
    await make(it.call, `/agents/${agent.id}/credentials`, { credential_id: id, env_var_name: 'DEPLOY' })
    await it.call('OWNER', 'POST', `/credentials/${id}/rotate`, { value: 'second' })
    expect(knownSecrets(it.app, it.workspace)).toEqual(['second', hush])
    expect((await it.call('ADMIN', 'DELETE', `/credentials/${id}`)).body).toEqual({ success: true })
    expect((await it.call('ADMIN', 'DELETE', `/credentials/${id}`)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect((await it.call('OWNER', 'GET', `/agents/${agent.id}/credentials`)).body).toEqual([])
    expect((await it.call('OWNER', 'GET', `/agents/${agent.id}`)).body._count.credentials).toBe(0)
    expect(knownSecrets(it.app, it.workspace)).toEqual([])
    expect(it.app.db.prepare('SELECT encrypted_value AS v FROM credentials').all()).toEqual([{ v: null }])
    expect(it.app.db.prepare('SELECT encrypted_old AS v FROM credential_rotations').all()).toEqual([{ v: null }])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      summary: expect.stringMatching(/^Credential "deploy" was deleted by \S+@example\.com$/),
    })
    await make(it.call, '/credentials', draft)
    expect(
      it.app.db.prepare("SELECT count(*) AS n FROM credential_audit WHERE event = 'REVOKE'").get(),
      'its record stays',
    ).toEqual({ n: 1 })
  })
})

it('credentials end with their workspace', async () => {
  const it = await daemon()
  const { id } = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Research', slug: 'research' })).body
  const owner = { ...it.person('OWNER'), workspace: id }
  for (const name of ['one', 'two'])
    expect((await it.call(owner, 'POST', '/credentials', { name, value: hush })).status).toBe(201)
  await make(it.call, '/credentials', draft)
  const { status } = await it.call(owner, 'DELETE', `/workspaces/${id}`, { confirm_slug: 'research' })
  expect(status).toBe(200)
  const left = it.app.db.prepare('SELECT name FROM credentials WHERE encrypted_value IS NOT NULL').all()
  expect(left).toEqual([{ name: 'deploy' }])
  expect([knownSecrets(it.app, id), knownSecrets(it.app, it.workspace)]).toEqual([[], [hush]])
})

describe('credentials.list', () => {
  it('says which agents have a credential, and whether Muster can test it', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', { ...draft, provider: 'GITHUB' })
    const agents = []
    for (const name of ['Zoe', 'Ada']) {
      const agent = await make(it.call, '/agents', { name, slug: name.toLowerCase() })
      await make(it.call, `/agents/${agent.id}/credentials`, { credential_id: id, env_var_name: 'KEY' })
      agents.push(agent.id)
    }
    const [row] = (await it.call('VIEWER', 'GET', '/credentials')).body
    expect(row).toMatchObject({
      agent_ids: [agents[1], agents[0]],
      agent_names: ['Ada', 'Zoe'],
      _count: { agents: 2 },
      _count_agent_credentials: 2,
      testable: true,
    })
    await it.call('OWNER', 'DELETE', `/agents/${agents[1]}`)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body.agent_names).toEqual(['Zoe'])
  })
})

describe('a scoped token', () => {
  it('needs credentials:write to change, nothing to read', async () => {
    const it = await daemon()
    const narrow = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace, { scopes: ['agents:*', 'crews:*'] }))
    expect((await it.call(narrow, 'POST', '/credentials', draft)).body.code).toBe('insufficient_scope')
    expect((await it.call(narrow, 'POST', '/credentials/test', { ...key })).body.code).toBe('insufficient_scope')
    expect((await it.call(narrow, 'GET', '/credentials')).status).toBe(200)
  })
})
