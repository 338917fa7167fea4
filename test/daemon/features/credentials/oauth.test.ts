import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { isAudience } from '../../../../daemon/features/credentials/oauth/rules.ts'
import { isMeantFor, valueFor } from '../../../../daemon/features/credentials/oauth/service.ts'

const draft = {
  name: 'notes',
  type: 'OAUTH2',
  oauth_client_id: 'muster',
  oauth_client_secret: 'a client secret',
  oauth_auth_url: 'https://idp.example/authorize',
  oauth_token_url: 'https://idp.example/token',
}

describe('isAudience', () => {
  const at = (resource: string | null, address: string) =>
    isAudience({ resource, auth_url: 'https://idp.example/a', token_url: 'https://api.idp.example/t' }, address)

  it.each([
    ['https://notes.example/mcp', 'https://notes.example/mcp', true],
    ['https://notes.example/mcp', 'https://notes.example/mcp/v2?x=1', true],
    ['https://notes.example/', 'https://notes.example/mcp', true],
    ['https://notes.example/mcp', 'https://notes.example/mcpx', false],
    ['https://notes.example/mcp', 'https://notes.example/mcp/../admin', false],
    ['https://notes.example/mcp', 'https://notes.example:8443/mcp', false],
    ['https://notes.example/mcp', 'http://notes.example/mcp', false],
    ['https://notes.example/mcp', 'https://notes.example.evil.example/mcp', false],
    ['https://notes.example/mcp', 'https://notes.example@evil.example/mcp', false],
    ['https://notes.example/mcp', 'no address', false],
    ['no address', 'https://notes.example/mcp', false],
    [null, 'https://api.idp.example/mcp', true],
    [null, 'https://idp.example/mcp', true],
    [null, 'https://other.example/mcp', false],
  ])('of tokens for %s says of %s: %s', (resource, address, meant) => expect(at(resource, address)).toBe(meant))
})

describe('credentials of type OAUTH2', () => {
  it('wait for a sign-in unless a token comes with them, and show nothing of their secrets', async () => {
    const it = await daemon()
    const made = await it.call('OWNER', 'POST', '/credentials', { ...draft, value: '' })
    expect(made).toMatchObject({ status: 201, body: { status: 'PENDING', type: 'OAUTH2', testable: false } })
    expect(made.text).not.toContain('a client secret')
    const [row] = it.app.db.prepare('SELECT * FROM oauth_clients').all() as Record<string, string>[]
    expect(row!['client_secret_sealed']).toMatch(/^v1:/)
    const other = { ...draft, name: 'b', value: 'token', refresh_token: 'again' }
    expect((await it.call('OWNER', 'POST', '/credentials', other)).body.status).toBe('ACTIVE')
  })

  it('reach no agent, and keep what they are', async () => {
    const it = await daemon()
    const { id } = (await it.call('OWNER', 'POST', '/credentials', { ...draft, value: 'token' })).body
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada' })).body.id
    const body = { credential_id: id, env_var_name: 'TOKEN' }
    expect(await it.call('OWNER', 'POST', `/agents/${agent}/credentials`, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field: 'credential_id' },
    })
    for (const change of [{ type: 'SECRET' }, { oauth_auth_url: 'https://evil.example/' }, { value: 'other' }])
      expect((await it.call('OWNER', 'PATCH', `/credentials/${id}`, change)).status).toBe(400)
  })

  it('are renewed at their own time, and shown to no provider', async () => {
    const it = await daemon()
    const until = '2026-06-01T00:00:00Z'
    const body = { ...draft, value: 'token', provider: 'GITHUB', token_expires_at: until }
    const { id } = (await it.call('OWNER', 'POST', '/credentials', body)).body
    const changed = await it.call('OWNER', 'PATCH', `/credentials/${id}`, { name: 'x', token_expires_at: null })
    expect(changed.body).toMatchObject({ name: 'x', token_expires_at: until })
    expect((await it.call('OWNER', 'POST', `/credentials/${id}/test`)).body).toMatchObject({ status: 'unsupported' })
    expect((await it.call('OWNER', 'POST', `/credentials/${id}/rotate`, { value: 'other' })).status).toBe(400)
  })

  it('give their token for requests to their audience alone', async () => {
    const it = await daemon()
    const body = { ...draft, value: 'token', oauth_resource: 'https://notes.example/mcp' }
    const { id, workspace_id } = (await it.call('OWNER', 'POST', '/credentials', body)).body
    expect(valueFor(it.app, workspace_id, id, 'https://notes.example/mcp')).toBe('token')
    expect(valueFor(it.app, workspace_id, id, 'https://evil.example/mcp')).toBeNull()
    expect(valueFor(it.app, 'another workspace', id, 'https://notes.example/mcp')).toBeNull()
    expect(isMeantFor(it.app, id, 'https://evil.example/mcp')).toBe(false)
    await it.call('OWNER', 'DELETE', `/credentials/${id}`)
    expect(valueFor(it.app, workspace_id, id, 'https://notes.example/mcp')).toBeNull()
    expect(it.app.db.prepare('SELECT count(*) AS n FROM oauth_clients').get()).toEqual({ n: 0 })
  })
})
