import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'

const read = async (it: TestDaemon, query = '') => (await it.call('ADMIN', 'GET', `/audit${query}`)).body
const told = async (it: TestDaemon, query: string): Promise<[string, string, string | null][]> =>
  (await read(it, query)).data.map((row: { action: string; entity_type: string; entity_name: string | null }) => [
    row.action,
    row.entity_type,
    row.entity_name,
  ])

/** A workspace in which a few things were done, on three days. */
async function scene() {
  const it = await daemon()
  const owner = it.person('OWNER')
  const member = it.person('MEMBER')
  const day = () => it.clock.advance(86_400_000)
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })
  day()
  const value = { name: 'key', type: 'SECRET', value: 'a secret value' }
  await it.call('OWNER', 'POST', '/credentials', value)
  await it.call('ADMIN', 'PATCH', `/crews/${crew}`, { description: 'Builds' })
  day()
  await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'eve@example.com' })
  await it.call('OWNER', 'DELETE', `/crews/${crew}/members/none`)
  return { ...it, owner, member, crew }
}

describe('audit.list', () => {
  it('tells what was changed, by whom and when, newest first', async () => {
    const it = await scene()
    const { data, pagination } = await read(it)
    expect(pagination).toEqual({ page: 1, limit: 50, total: data.length, total_pages: 1 })
    const times = data.map(({ created_at }: { created_at: string }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
    const created = data.find((row: { entity_type: string }) => row.entity_type === 'CREDENTIAL')
    expect(created).toEqual({
      id: expect.stringMatching(/^j_/),
      action: 'create',
      entity_type: 'CREDENTIAL',
      entity_id: expect.any(String),
      entity_name: 'key',
      summary: expect.stringContaining('key'),
      metadata: created.metadata,
      ip_address: null,
      user_agent: null,
      actor_type: 'user',
      actor_id: it.owner.userId,
      user: { id: it.owner.userId, email: it.owner.email, full_name: 'The OWNER' },
      created_at: created.created_at,
    })
    expect(JSON.stringify(data)).not.toContain('a secret value')
  })

  it.each([
    ['?source=credentials', [['create', 'CREDENTIAL', 'key']]],
    [
      '?source=crews&entity_type=crew',
      [
        ['update', 'CREW', 'web'],
        ['create', 'CREW', 'web'],
      ],
    ],
    ['?entity_type=AGENT', [['create', 'AGENT', 'ada']]],
    ['?entity_type=crew&action=UPDATE', [['update', 'CREW', 'web']]],
    ['?source=credentials&entity_type=AGENT', []],
    ['?source=keeper', []],
    ['?date_from=2026-01-02&date_to=2026-01-02&entity_type=CREW', [['update', 'CREW', 'web']]],
    ['?date_to=2026-01-01&entity_type=CREW', [['create', 'CREW', 'web']]],
    [
      '?date_from=2026-01-02T00:00:00Z&date_to=2026-01-02T00:00:01Z&source=credentials',
      [['create', 'CREDENTIAL', 'key']],
    ],
  ])('filters: %s', async (query, rows) => {
    const it = await scene()
    expect(await told(it, query)).toEqual(rows)
    expect((await read(it, query)).pagination.total).toBe(rows.length)
  })

  it('filters by person', async () => {
    const it = await scene()
    const admin = it.person('ADMIN').userId
    expect(await told(it, `?user_id=${admin}`)).toEqual([['update', 'CREW', 'web']])
    expect(await told(it, `?user_id=${it.member.userId}`)).toEqual([])
  })

  it('comes in pages', async () => {
    const it = await scene()
    const { data: all } = await read(it)
    const pages = [await read(it, '?limit=2'), await read(it, '?limit=2&page=2')]
    expect(pages.flatMap(({ data }) => data)).toEqual(all.slice(0, 4))
    expect(pages[1].pagination).toEqual({
      page: 2,
      limit: 2,
      total: all.length,
      total_pages: Math.ceil(all.length / 2),
    })
    expect((await read(it, '?limit=2&page=9999')).data).toEqual([])
    expect((await read(it, '?limit=x&page=-3')).pagination).toMatchObject({ page: 1, limit: 50 })
    expect((await read(it, '?limit=100000')).pagination.limit).toBe(200)
  })

  it('tells of an erased entry that there was one', async () => {
    const it = await scene()
    const entry = it.entries().find(({ payload }) => payload?.['entity_type'] === 'credential')!
    it.app.db
      .prepare("UPDATE journal SET doc = json_set(json_remove(doc, '$.payload'), '$.summary', '') WHERE id = ?")
      .run(entry.id)
    const row = (await read(it)).data.find(({ id }: { id: string }) => id === entry.id)
    expect(row).toMatchObject({
      action: 'created',
      entity_type: 'ERASED',
      entity_id: null,
      metadata: null,
      summary: '',
    })
  })

  it.each([
    ['?source=journal', 'source'],
    ['?entity_type=ship', 'entity_type'],
    ['?date_from=yesterday', 'date_from'],
    ['?date_to=2026-13-45', 'date_to'],
  ])('refuses %s', async (query, field) => {
    const { call } = await daemon()
    expect(await call('ADMIN', 'GET', `/audit${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field },
    })
  })

  it('is for ADMINs and of one workspace', async () => {
    const it = await scene()
    expect((await it.call('MANAGER', 'GET', '/audit')).status).toBe(403)
    expect((await it.call(it.stranger(), 'GET', '/audit')).body.data).toEqual([])
  })
})
