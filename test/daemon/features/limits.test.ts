import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const keys = ['http.auth_per_min', 'http.api_per_min', 'login.lockout_threshold', 'login.lockout_duration_sec']
const at = (key: string) => `/admin/rate-limits/${key}`

describe('limits.list', () => {
  it('shows what the configuration says', async () => {
    const { call } = await daemon({ config: { lockoutThreshold: 7 } })
    const { limiters } = (await call('ADMIN', 'GET', '/admin/rate-limits')).body
    expect(limiters.map(({ key }: { key: string }) => key)).toEqual(keys)
    expect(limiters[2]).toEqual({
      key: 'login.lockout_threshold',
      group: 'login',
      label: 'Lockout threshold',
      display_name: 'Lockout threshold',
      description: expect.any(String),
      unit: 'attempts',
      default: 7,
      min: 1,
      max: 1000,
      value: 7,
      overridden: false,
    })
  })

  it('is for ADMIN and OWNER of the first workspace alone: anyone may own another one', async () => {
    const { call, stranger } = await daemon()
    for (const who of [stranger(), 'MANAGER'] as const)
      for (const [method, path, body] of [
        ['GET', '/admin/rate-limits', undefined],
        ['PUT', at(keys[0]!), { value: 5 }],
        ['DELETE', at(keys[0]!), undefined],
      ] as const)
        expect((await call(who, method, path, body)).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    expect((await call('OWNER', 'GET', '/admin/rate-limits')).status).toBe(200)
  })
})

describe('limits.set', () => {
  it('changes what is in force with the very next request, and tells the journal', async () => {
    const { call, entries, person } = await daemon({ config: { rateLimitDisabled: false, authPerMinute: 1000 } })
    const strict = () =>
      call(null, 'POST', '/auth/pair/redeem', { code: 'ABCD-EFGH' }, { 'x-forwarded-for': '203.0.113.9' })
    expect((await strict()).status).toBe(400)
    const { status, body } = await call('ADMIN', 'PUT', at('http.auth_per_min'), { value: 2 })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { key: 'http.auth_per_min', value: 2, default: 1000, overridden: true },
    })
    expect([(await strict()).status, (await strict()).status]).toEqual([400, 400])
    const refused = await strict()
    expect({ status: refused.status, burst: refused.headers['x-ratelimit-limit'] }).toEqual({ status: 429, burst: '2' })
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: person('ADMIN').userId,
      payload: {
        entity_type: 'rate_limit',
        entity_id: 'http.auth_per_min',
        metadata: { from: 1000, to: 2, overridden: true },
      },
    })
    expect((await call('ADMIN', 'DELETE', at('http.auth_per_min'))).body).toMatchObject({
      value: 1000,
      overridden: false,
    })
    expect(entries().at(-1)).toMatchObject({ payload: { metadata: { from: 2, to: 1000, overridden: false } } })
  })

  it('keeps a value that equals the configuration, which may change', async () => {
    const { call, app } = await daemon()
    const { value } = (await call('OWNER', 'GET', '/admin/rate-limits')).body.limiters[3]
    expect((await call('OWNER', 'PUT', at(keys[3]!), { value })).body).toMatchObject({ value, overridden: true })
    expect(app.limits.overridden('login.lockout_duration_sec')).toBe(true)
  })

  it('refuses what is out of range, no whole number, or no limit', async () => {
    const { call, app } = await daemon()
    const put = (key: string, value: unknown) => call('OWNER', 'PUT', at(key), { value })
    for (const [key, value] of [
      ['login.lockout_threshold', 0],
      ['login.lockout_threshold', 1001],
      ['login.lockout_duration_sec', 86_401],
      ['http.api_per_min', 1.5],
      ['http.api_per_min', '12'],
    ] as const)
      expect((await put(key, value)).body, `${key} ${value}`).toMatchObject({
        status: 400,
        code: 'invalid_field',
        field: 'value',
      })
    for (const key of ['notify.burst', 'constructor', '__proto__'])
      expect((await put(key, 5)).body).toMatchObject({ status: 404, field: 'key' })
    expect(app.limits.value('login.lockout_threshold')).toBe(app.config.lockoutThreshold)
  })

  it('holds over a restart', async () => {
    const file = join(tmpdir(), `muster-limits-${randomUUID()}.db`)
    try {
      const first = await daemon({ file })
      await first.call('OWNER', 'PUT', at('login.lockout_threshold'), { value: 3 })
      const second = await daemon({ file, empty: true })
      expect(second.app.limits.value('login.lockout_threshold')).toBe(3)
    } finally {
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true })
    }
  })
})
