import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

/** What the specification says of all endpoints, tried at a few of each kind. */
describe('conventions', () => {
  it('answers at /api/health to anybody that it is well', async () => {
    const { http } = await daemon()
    const { statusCode, body } = await http.inject({ method: 'GET', url: '/api/health' })
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: 200, status: 'ok' })
  })

  it('gives lists as bare arrays, paged by limit and offset', async () => {
    const { call } = await daemon()
    for (const slug of ['one', 'two', 'three']) await call('OWNER', 'POST', '/crews', { name: slug, slug })
    const slugs = async (query: string) =>
      (await call('VIEWER', 'GET', `/crews${query}`)).body.map((it: { slug: string }) => it.slug)
    const all = await slugs('')
    expect(all).toHaveLength(3)
    expect(await slugs('?limit=2')).toEqual(all.slice(0, 2))
    expect(await slugs('?limit=2&offset=2')).toEqual(all.slice(2))
  })

  it('gives times as RFC 3339 in UTC, and ids as texts', async () => {
    const { call } = await daemon()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
    const agent = (await call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
    const [entry] = (await call('OWNER', 'GET', '/journal?limit=1')).body.entries
    for (const time of [crew.created_at, crew.updated_at, agent.created_at, entry.ts])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    for (const id of [crew.id, agent.id, entry.id]) expect(id).toEqual(expect.any(String))
  })

  it.each([
    ['a', 400],
    ['ab', 201],
    ['a'.repeat(50), 201],
    ['a'.repeat(51), 400],
    ['-ab', 400],
    ['_ab', 400],
    ['Ab', 400],
    ['a.b', 400],
    ['9-a_b', 201],
  ])('takes a slug of 2 to 50 characters, a-z, 0-9, _ and -: %s is %i', async (slug, status) => {
    const { call } = await daemon()
    expect((await call('OWNER', 'POST', '/crews', { name: 'Web', slug })).status).toBe(status)
  })

  it('hides deleted crews, agents and credentials, whose rows stay', async () => {
    const { app, call } = await daemon()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
    const agent = (await call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
    const secret = { name: 'key', type: 'SECRET', value: 'x-secret' }
    const credential = (await call('OWNER', 'POST', '/credentials', secret)).body
    for (const [table, path, id] of [
      ['agents', '/agents', agent.id],
      ['credentials', '/credentials', credential.id],
      ['crews', '/crews', crew.id],
    ] as const) {
      expect((await call('OWNER', 'DELETE', `${path}/${id}`)).status).toBeLessThan(300)
      expect((await call('OWNER', 'GET', `${path}/${id}`)).status).toBe(404)
      expect(app.db.prepare(`SELECT deleted_at FROM ${table} WHERE id = ?`).get(id)).toEqual({
        deleted_at: expect.any(String),
      })
    }
  })

  it('signs nobody in who signs up, and says nothing of the account', async () => {
    const { call } = await daemon({ config: { allowSignup: true } })
    const body = { full_name: 'Ada L', email: 'new@example.com', password: 'correct horse battery 9' }
    const { status, headers, text } = await call(null, 'POST', '/auth/signup', body)
    expect(status).toBe(202)
    expect(headers['set-cookie']).toBeUndefined()
    expect(text).not.toMatch(/"id"|c[a-z0-9]{24}|new@example\.com/)
  })

  it('gives CLI tokens as svc_cli_ and 64 hexadecimal digits', async () => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'POST', '/auth/cli-token', { name: 'ci' })
    expect(body.token).toMatch(/^svc_cli_[0-9a-f]{64}$/)
  })
})
