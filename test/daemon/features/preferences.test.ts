import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

describe('preferences', () => {
  it('are kept by key and come back as they went', async () => {
    const { call } = await daemon()
    const values = {
      theme: 'dark',
      'sidebar.width': 240,
      'a-b_c.D9': { open: [1, null, { deep: true }] },
      no: false,
      none: null,
      empty: '',
      __proto__x: '💥',
    }
    for (const [key, value] of Object.entries(values)) {
      const { status, text } = await call('VIEWER', 'PUT', `/me/preferences/${key}`, JSON.stringify(value))
      expect({ status, text }).toEqual({ status: 204, text: '' })
    }
    const { status, body, headers } = await call('VIEWER', 'GET', '/me/preferences')
    expect({ status, body }).toEqual({ status: 200, body: values })
    expect(headers['content-type']).toMatch(/^application\/json/)
  })

  it('are replaced by setting and forgotten by removing, again and again', async () => {
    const { call } = await daemon()
    for (const value of [1, 2]) await call('VIEWER', 'PUT', '/me/preferences/a', value)
    await call('VIEWER', 'PUT', '/me/preferences/b', 3)
    expect((await call('VIEWER', 'GET', '/me/preferences')).body).toEqual({ a: 2, b: 3 })
    const removed = [
      await call('VIEWER', 'DELETE', '/me/preferences/a'),
      await call('VIEWER', 'DELETE', '/me/preferences/a'),
    ]
    expect(removed.map(({ status }) => status)).toEqual([204, 204])
    expect((await call('VIEWER', 'GET', '/me/preferences')).body).toEqual({ b: 3 })
  })

  it('belong to one person', async () => {
    const { call } = await daemon()
    await call('VIEWER', 'PUT', '/me/preferences/a', 1)
    await call('OWNER', 'DELETE', '/me/preferences/a')
    expect((await call('OWNER', 'GET', '/me/preferences')).body).toEqual({})
    expect((await call('VIEWER', 'GET', '/me/preferences')).body).toEqual({ a: 1 })
  })

  it('take the names of object members for names', async () => {
    const { call } = await daemon()
    await call('VIEWER', 'PUT', '/me/preferences/__proto__', 1)
    expect((await call('VIEWER', 'GET', '/me/preferences')).text).toBe('{"__proto__":1}')
  })

  it.each(['a b', 'a%2Fb', 'é', 'x'.repeat(65)])('refuse the key %s', async (key) => {
    const { call } = await daemon()
    for (const method of ['PUT', 'DELETE'])
      expect(
        (await call('VIEWER', method, `/me/preferences/${key}`, method === 'PUT' ? 1 : undefined)).body,
      ).toMatchObject({
        code: 'invalid_field',
        field: 'key',
      })
  })

  it.each([
    ['nothing', '', 'invalid_json'],
    ['no JSON', '{', 'invalid_json'],
    ['a number beyond all bounds', '[1e999]', 'invalid_json'],
    ['a nest without end', '['.repeat(8192) + ']'.repeat(8192), 'invalid_json'],
    ['a prototype', '{"__proto__":{"admin":true}}', 'invalid_json'],
  ])('refuse %s', async (_, text, code) => {
    const { call } = await daemon()
    expect((await call('VIEWER', 'PUT', '/me/preferences/a', text)).body).toMatchObject({ status: 400, code })
  })

  it('hold 16 KB and no more', async () => {
    const { call } = await daemon()
    const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
    expect((await call('VIEWER', 'PUT', '/me/preferences/a', text(16 * 1024))).status).toBe(204)
    expect((await call('VIEWER', 'PUT', '/me/preferences/a', text(16 * 1024 + 1))).body).toMatchObject({
      status: 413,
      code: 'body_too_large',
    })
    expect((await call('VIEWER', 'PUT', '/me/preferences/a', text(3_000_000))).status).toBe(413)
  })

  it('are a hundred at most, of which each can still be changed', async () => {
    const { call } = await daemon()
    const put = async (key: string) => (await call('VIEWER', 'PUT', `/me/preferences/${key}`, 1)).status
    for (let index = 0; index < 100; index += 1) expect(await put(`k${index}`)).toBe(204)
    expect((await call('VIEWER', 'PUT', '/me/preferences/one-more', 1)).body).toMatchObject({
      status: 400,
      field: 'key',
    })
    expect(await put('k7')).toBe(204)
    await call('VIEWER', 'DELETE', '/me/preferences/k0')
    expect(await put('one-more')).toBe(204)
  })
})

describe('onboarding', () => {
  it('is completed once, by each for themselves', async () => {
    const { call } = await daemon()
    expect((await call('VIEWER', 'GET', '/onboarding/status')).body).toEqual({ completed: false })
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await call('VIEWER', 'POST', '/onboarding/complete')
      expect({ status, body }).toEqual({ status: 200, body: { status: 'completed' } })
    }
    expect((await call('VIEWER', 'GET', '/onboarding/status')).body).toEqual({ completed: true })
    expect((await call('OWNER', 'GET', '/onboarding/status')).body).toEqual({ completed: false })
  })
})
