import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

describe('users.update', () => {
  it('changes the name, trimmed and in one form, and nothing else', async () => {
    const { call, person, entries } = await daemon()
    const { userId, email } = person('VIEWER')
    const { status, body } = await call('VIEWER', 'PATCH', '/users/me', {
      full_name: '  Zoe\u0308 ',
      email: 'other@example.com',
      avatar_url: 'x',
    })
    expect({ status, body }).toEqual({ status: 200, body: { id: userId, email, full_name: 'Zoë', avatar_url: null } })
    expect((await call('VIEWER', 'GET', '/users/me')).body).toEqual(body)
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: userId,
      payload: { entity_type: 'user', metadata: { changed: ['full_name'] } },
    })
  })

  it('leaves no trace when it is the name already', async () => {
    const { call, entries } = await daemon()
    await call('VIEWER', 'PATCH', '/users/me', { full_name: 'Zoë' })
    const before = entries().length
    expect((await call('VIEWER', 'PATCH', '/users/me', { full_name: ' Zoë' })).body.full_name).toBe('Zoë')
    expect(entries()).toHaveLength(before)
  })

  it('takes 100 characters, however many bytes and blanks', async () => {
    const { call } = await daemon()
    expect(
      (await call('VIEWER', 'PATCH', '/users/me', { full_name: ` ${'e\u0301'.repeat(100)} ` })).body.full_name,
    ).toBe('é'.repeat(100))
    expect((await call('VIEWER', 'PATCH', '/users/me', { full_name: '😀'.repeat(100) })).status).toBe(200)
  })

  it.each([
    ['no name', {}, 'missing_field'],
    ['an empty name', { full_name: '' }, 'invalid_field'],
    ['blanks', { full_name: ' \u00a0 ' }, 'invalid_field'],
    ['null', { full_name: null }, 'invalid_field'],
    ['101 characters', { full_name: 'x'.repeat(101) }, 'invalid_field'],
    ['a letter under many marks', { full_name: `a${'\u0301'.repeat(200)}` }, 'invalid_field'],
    ['two lines', { full_name: 'a\nb' }, 'invalid_field'],
  ])('refuses %s', async (_, body, code) => {
    const { call } = await daemon()
    expect((await call('VIEWER', 'PATCH', '/users/me', body)).body).toMatchObject({
      status: 400,
      code,
      field: 'full_name',
    })
    expect((await call('VIEWER', 'GET', '/users/me')).body.full_name).toBe('The VIEWER')
  })
})
