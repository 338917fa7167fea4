import { describe, expect, it } from 'vitest'
import { daemon, type Person, type TestDaemon } from '#test'
import { formWith } from '../../../support/form.ts'
import { pictures } from '../../../support/pictures.ts'

const from = ({ http }: TestDaemon, { token }: Person) => {
  const headers = { host: 'localhost', authorization: `Bearer ${token}` }
  const post = async (payload: Buffer | string, type: string) => {
    const reply = await http.inject({
      method: 'POST',
      url: '/api/v1/users/me/avatar',
      headers: { ...headers, 'content-type': type },
      payload,
    })
    return { status: reply.statusCode, body: reply.json() as Record<string, unknown> }
  }
  return {
    post,
    upload: (bytes: Buffer, options: Parameters<typeof formWith>[1] = {}) => {
      const { type, body } = formWith(bytes, options)
      return post(body, type)
    },
    fetch: (url: string) => http.inject({ url, headers }),
  }
}

describe('an avatar', () => {
  it('is served as it came, under an address that changes with it', async () => {
    const it = await daemon()
    const person = it.person('VIEWER')
    const { upload, fetch } = from(it, person)
    const urls = new Set<unknown>()
    for (const [bytes, type] of [
      [pictures.png, 'image/png'],
      [pictures.jpeg, 'image/jpeg'],
      [pictures.animatedWebp, 'image/webp'],
    ] as const) {
      const { status, body } = await upload(bytes)
      expect(status).toBe(200)
      expect(body).toEqual({
        id: person.userId,
        email: person.email,
        full_name: 'The VIEWER',
        avatar_url: body['avatar_url'],
      })
      expect(body['avatar_url']).toMatch(new RegExp(`^/api/v1/users/${person.userId}/avatar\\?v=\\d{19}$`))
      urls.add(body['avatar_url'])
      const reply = await fetch(String(body['avatar_url']))
      expect(reply.statusCode).toBe(200)
      expect(reply.rawPayload.equals(bytes)).toBe(true)
      expect(reply.headers).toMatchObject({
        'content-type': type,
        'cache-control': 'private, max-age=300',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'content-disposition': 'inline; filename="avatar"',
        'content-length': String(bytes.length),
      })
    }
    expect(urls.size).toBe(3)
    expect((await it.call('VIEWER', 'GET', '/users/me')).body.avatar_url).toBe([...urls].at(-1))
    expect(it.app.db.prepare('SELECT count(*) FROM user_avatars').pluck().get()).toBe(1)
  })

  it('is told of in the journal, but not shown there', async () => {
    const it = await daemon()
    const { upload } = from(it, it.person('VIEWER'))
    await upload(pictures.png)
    await it.call('VIEWER', 'DELETE', '/users/me/avatar')
    await it.call('VIEWER', 'DELETE', '/users/me/avatar')
    expect(it.entries().map(({ entry_type, payload }) => [entry_type, payload?.['metadata']])).toEqual([
      ['audit.entity_updated', { changed: ['avatar_url'] }],
      ['audit.entity_updated', { changed: ['avatar_url'] }],
    ])
  })

  it('is removed, and then there is none', async () => {
    const it = await daemon()
    const { upload, fetch } = from(it, it.person('VIEWER'))
    const url = String((await upload(pictures.png)).body['avatar_url'])
    for (let round = 0; round < 2; round += 1)
      expect(await it.call('VIEWER', 'DELETE', '/users/me/avatar')).toMatchObject({
        status: 200,
        body: { avatar_url: null },
      })
    expect((await fetch(url)).statusCode).toBe(404)
    expect(it.app.db.prepare('SELECT count(*) FROM user_avatars').pluck().get()).toBe(0)
  })

  it('is seen by everybody who is signed in; a user without one answers like no user', async () => {
    const it = await daemon()
    const [owner, viewer, stranger] = [it.person('OWNER'), it.person('VIEWER'), it.stranger()]
    const url = String((await from(it, viewer).upload(pictures.png)).body['avatar_url'])
    expect((await from(it, stranger).fetch(url)).statusCode).toBe(200)
    expect((await it.call(null, 'GET', url.replace('/api/v1', ''))).status).toBe(401)
    const [bare, absent] = [
      await from(it, stranger).fetch(`/api/v1/users/${owner.userId}/avatar`),
      await from(it, stranger).fetch('/api/v1/users/cnone/avatar'),
    ]
    const without = ({ body }: { body: string }) => ({ ...JSON.parse(body), instance: '' })
    expect([bare.statusCode, absent.statusCode]).toEqual([404, 404])
    expect(without(bare)).toEqual(without(absent))
  })

  it('is judged by its bytes, whatever is said of it', async () => {
    const it = await daemon()
    const { upload, fetch } = from(it, it.person('VIEWER'))
    const { body } = await upload(pictures.jpeg, { filename: 'page.html', type: 'text/html' })
    expect((await fetch(String(body['avatar_url']))).headers['content-type']).toBe('image/jpeg')
    const lie = await upload(Buffer.from('<script>alert(1)</script>'), { filename: 'me.png', type: 'image/png' })
    expect(lie).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'file' } })
  })

  it('takes the file among other parts, with or without a name of its own', async () => {
    const it = await daemon()
    const { upload } = from(it, it.person('VIEWER'))
    expect((await upload(pictures.png, { before: [['note', 'hello']] })).status).toBe(200)
    expect((await upload(pictures.png, { filename: null })).status).toBe(200)
  })

  it.each([
    ['no form at all', '', 'multipart/form-data; boundary=x', 'missing_field'],
    ['a form without boundary', 'x', 'multipart/form-data', 'invalid_field'],
    [
      'a form that is cut off',
      formWith(pictures.png).body.subarray(0, 120),
      formWith(pictures.png).type,
      'invalid_field',
    ],
    ['a form of nonsense', 'nonsense', 'multipart/form-data; boundary=x', 'invalid_field'],
    ['another member', formWith(pictures.png, { name: 'picture' }).body, formWith(pictures.png).type, 'missing_field'],
    ['an empty file', formWith(Buffer.alloc(0)).body, formWith(pictures.png).type, 'invalid_field'],
    ['JSON', '{"file":"x"}', 'application/json', 'missing_field'],
    [
      'a file that is a byte too large',
      formWith(Buffer.concat([pictures.png, Buffer.alloc(2 * 1024 * 1024)])).body,
      formWith(pictures.png).type,
      'invalid_field',
    ],
    [
      'a body that is far too large',
      formWith(Buffer.alloc(5 * 1024 * 1024)).body,
      formWith(pictures.png).type,
      'invalid_field',
    ],
  ])('cannot be %s', async (_, body, type, code) => {
    const it = await daemon()
    const { post } = from(it, it.person('VIEWER'))
    expect(await post(body, type)).toMatchObject({ status: 400, body: { code, field: 'file' } })
    expect((await it.call('VIEWER', 'GET', '/users/me')).body.avatar_url).toBeNull()
  })

  it('stays as it was when the next one is refused', async () => {
    const it = await daemon()
    const { upload, fetch } = from(it, it.person('VIEWER'))
    const url = String((await upload(pictures.png)).body['avatar_url'])
    expect((await upload(pictures.gif)).status).toBe(400)
    expect((await fetch(url)).rawPayload.equals(pictures.png)).toBe(true)
    expect((await it.call('VIEWER', 'GET', '/users/me')).body.avatar_url).toBe(url)
  })

  it('wants a form: other types are refused in those words', async () => {
    const it = await daemon()
    const { post } = from(it, it.person('VIEWER'))
    expect(await post(pictures.png, 'image/png')).toMatchObject({
      status: 415,
      body: { detail: 'Send multipart/form-data' },
    })
  })
})
