import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { server } from '../../../support/server.ts'

const at = (...urls: [anthropic?: string, openai?: string, google?: string]) => ({
  vendor: Object.fromEntries(
    ['models.anthropic_url', 'models.openai_url', 'models.google_url'].flatMap((path, n) =>
      urls[n] ? [[path, urls[n]]] : [],
    ),
  ),
})

/**
 * A provider that takes the key `good`, is over its limit for `busy`, broken for `broken`, and repeats what it refuses.
 */
const provider: RequestListener = (request, response) => {
  const given = String(
    request.headers['x-api-key'] ?? request.headers.authorization ?? request.headers['x-goog-api-key'] ?? '',
  )
  const status = given.includes('good')
    ? 200
    : given.includes('busy')
      ? 429
      : given.includes('broken')
        ? 500
        : given.includes('away')
          ? 302
          : 401
  response
    .writeHead(status, { location: 'http://169.254.169.254/' })
    .end(JSON.stringify({ error: { message: `Incorrect key ${given}` } }))
}

async function setting(over: Parameters<typeof daemon>[0] = {}) {
  const vendor = await server(provider)
  const config = { ...at(`${vendor.url}/`, vendor.url, vendor.url), ...over.config }
  const it = await daemon({ ...over, config })
  const check = async (body: object) => (await it.call('MANAGER', 'POST', '/credentials/test', body)).body
  const store = async (value: string, more: object = {}) => {
    const { body } = await it.call('OWNER', 'POST', '/credentials', {
      name: value,
      type: 'API_KEY',
      provider: 'ANTHROPIC',
      value,
      ...more,
    })
    const test = async () => (await it.call('MANAGER', 'POST', `/credentials/${body.id}/test`)).body
    const show = async () => (await it.call('VIEWER', 'GET', `/credentials/${body.id}`)).body
    return { id: body.id as string, test, show }
  }
  return { ...it, vendor, check, store }
}

describe('credentials.check', () => {
  it.each([
    ['good', { valid: true, status: 'valid', error: null, supported: true }],
    ['bad', { valid: false, status: 'invalid', error: 'ANTHROPIC does not accept the value (401)', supported: true }],
    [
      'busy',
      {
        valid: true,
        status: 'limited',
        error: 'ANTHROPIC knows the value and is over its limit (429)',
        supported: true,
      },
    ],
    [
      'broken',
      {
        valid: false,
        status: 'unreachable',
        error: 'ANTHROPIC answered 500, which says nothing about the value',
        supported: true,
      },
    ],
    [
      'away',
      {
        valid: false,
        status: 'unreachable',
        error: 'ANTHROPIC answered 302, which says nothing about the value',
        supported: true,
      },
    ],
  ])('says of the value %s what the provider says', async (value, wanted) => {
    const it = await setting()
    expect(await it.check({ provider: 'ANTHROPIC', value })).toEqual(wanted)
    expect(it.vendor.seen).toMatchObject([
      { method: 'GET', url: '/v1/models?limit=1', headers: { 'x-api-key': value, 'anthropic-version': '2023-06-01' } },
    ])
    expect(it.entries()).toEqual([])
    expect(it.app.db.prepare('SELECT count(*) AS n FROM credentials').get()).toEqual({ n: 0 })
  })

  it('takes a 400 of GOOGLE for a bad key', async () => {
    const vendor = await server((_request, response) => response.writeHead(400).end())
    const it = await setting({ config: at(undefined, vendor.url, vendor.url) })
    expect(await it.check({ provider: 'GOOGLE', value: 'x' })).toMatchObject({ status: 'invalid' })
    expect(await it.check({ provider: 'OPENAI', value: 'x' })).toMatchObject({ status: 'unreachable' })
  })

  it('says when a provider cannot be asked or does not answer', async () => {
    const it = await setting({ config: at(undefined, 'http://127.0.0.1:1') })
    expect(await it.check({ provider: 'FACTORY', type: 'SECRET', value: 'x' })).toEqual({
      valid: false,
      status: 'unsupported',
      error: null,
      supported: false,
    })
    expect(await it.check({ provider: 'OPENAI', value: 'hush' })).toEqual({
      valid: false,
      status: 'unreachable',
      error: '127.0.0.1:1 cannot be reached: ECONNREFUSED',
      supported: true,
    })
  })

  it.each([
    [{ value: 'x' }, 'missing_field', 'provider'],
    [{ provider: 'ANTHROPIC' }, 'missing_field', 'value'],
    [{ provider: 'ACME', value: 'x' }, 'invalid_field', 'provider'],
    [{ provider: 'ANTHROPIC', value: 'a\r\nb: c' }, 'invalid_field', 'value'],
    [{ provider: 'ANTHROPIC', value: 5 }, 'invalid_field', 'value'],
  ])('refuses %j before asking anyone', async (body, code, field) => {
    const it = await setting()
    expect(await it.check(body)).toMatchObject({ status: 400, code, field })
    expect(it.vendor.seen).toEqual([])
  })

  it('is held to 60 a minute for each person', async () => {
    const it = await setting({ config: { rateLimitDisabled: false } })
    for (let n = 0; n < 60; n++)
      expect(await it.check({ provider: 'ANTHROPIC', value: 'good' })).toMatchObject({ valid: true })
    expect(await it.check({ provider: 'ANTHROPIC', value: 'good' })).toMatchObject({
      status: 429,
      code: 'rate_limited',
    })
    const other = await it.call('OWNER', 'POST', '/credentials/test', { provider: 'ANTHROPIC', value: 'good' })
    expect(other.status).toBe(200)
    expect(it.vendor.seen).toHaveLength(61)
  })
})

describe('credentials.test', () => {
  it('asks with the stored value, and puts the outcome on record without it', async () => {
    const it = await setting()
    const { id, test, show } = await it.store('hush-bad', { name: 'demo key' })
    expect(await test()).toMatchObject({ valid: false, status: 'invalid' })
    expect(it.vendor.seen[0]!.headers['x-api-key']).toBe('hush-bad')
    expect(await show()).toMatchObject({ status: 'ERROR', last_error: 'ANTHROPIC does not accept the value (401)' })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'credential.tested',
      actor_id: it.person('MANAGER').userId,
      summary: `Credential "demo key" was tested by ${it.person('MANAGER').email}: its provider does not accept it`,
      payload: { credential_id: id, status: 'invalid' },
    })
    const { body, text } = await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)
    expect(body[0]).toMatchObject({ event: 'TEST', detail: { status: 'invalid' } })
    expect(text).not.toContain('hush-bad')
    expect(JSON.stringify(it.entries())).not.toContain('hush-bad')
  })

  it('says when the provider was last asked', async () => {
    const it = await setting()
    const { test, show } = await it.store('good')
    it.clock.advance(5000)
    await test()
    it.clock.advance(5000)
    expect(await show()).toMatchObject({ last_checked_at: '2026-01-01T00:00:05Z' })
  })

  it('asks about another value without a word about the stored one', async () => {
    const it = await setting()
    const { id, test, show } = await it.store('good')
    const other = await it.call('MANAGER', 'POST', `/credentials/${id}/test`, { value: 'bad' })
    expect(other.body).toMatchObject({ valid: false, status: 'invalid' })
    expect(it.vendor.seen[0]!.headers['x-api-key']).toBe('bad')
    expect(await show()).toMatchObject({ status: 'ACTIVE', last_error: null, last_checked_at: null })
    for (const body of [{}, { value: '' }, { value: null }])
      expect((await it.call('MANAGER', 'POST', `/credentials/${id}/test`, body)).body).toMatchObject({ valid: true })
    expect(await test()).toMatchObject({ valid: true })
    expect(it.vendor.seen.at(-1)!.headers['x-api-key']).toBe('good')
  })

  it('brings a failed credential back when the provider takes it again', async () => {
    const it = await setting()
    const { id, test, show } = await it.store('good')
    it.app.db.prepare("UPDATE credentials SET status = 'ERROR', last_error = 'x' WHERE id = ?").run(id)
    expect(await test()).toMatchObject({ valid: true })
    expect(await show()).toMatchObject({ status: 'ACTIVE', last_error: null })
  })

  it('does not blame a value for a provider that is broken', async () => {
    const it = await setting()
    const { test, show } = await it.store('broken')
    expect(await test()).toMatchObject({ status: 'unreachable' })
    expect(await show()).toMatchObject({ status: 'ACTIVE', last_error: expect.stringContaining('500') })
  })

  it('does not hold an answer against a value that was rotated meanwhile', async () => {
    let rotate: () => Promise<unknown> = async () => undefined
    const vendor = await server(async (_request, response) => {
      await rotate()
      response.writeHead(401).end()
    })
    const it = await setting({ config: at(vendor.url) })
    const { id, test, show } = await it.store('old')
    rotate = () => it.call('ADMIN', 'POST', `/credentials/${id}/rotate`, { value: 'new' })
    expect(await test()).toMatchObject({ status: 'invalid' })
    expect(await show()).toMatchObject({ status: 'ACTIVE', last_error: null })
  })

  it('answers 404 for a credential that was deleted meanwhile', async () => {
    let remove: () => Promise<unknown> = async () => undefined
    const vendor = await server(async (_request, response) => {
      await remove()
      response.end('{}')
    })
    const it = await setting({ config: at(vendor.url) })
    const { id, test } = await it.store('old')
    remove = () => it.call('ADMIN', 'DELETE', `/credentials/${id}`)
    expect(await test()).toMatchObject({ status: 404 })
  })

  it('leaves what nobody can be asked about as it is', async () => {
    const it = await setting()
    const { id, test, show } = await it.store('x', { type: 'SECRET', provider: 'NONE' })
    const before = await show()
    expect(await test()).toMatchObject({ supported: false })
    expect(await show()).toEqual(before)
    expect((await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)).body).toHaveLength(1)
  })
})
