import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const hush = 'hush-hush-7f3a'
const draft = { name: 'deploy', value: hush }
const key = { name: 'anthropic', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-ant-api03-hush' }

/** Nothing here changes anything. */
const shared = daemon({ shared: true })

describe('credentials.create', () => {
  it.each([
    ['name', { value: hush }, 'missing_field'],
    ['value', { name: 'deploy' }, 'missing_field'],
    ['name', { ...draft, name: '' }],
    ['name', { ...draft, name: '  ' }],
    ['name', { ...draft, name: 'x'.repeat(256) }],
    ['name', { ...draft, name: 'two\nlines' }],
    ['name', { ...draft, name: 5 }],
    ['value', { ...draft, value: '' }],
    ['value', { ...draft, value: 5 }],
    ['value', { ...draft, value: null }],
    ['value', { ...draft, value: ['hush'] }],
    ['value', { ...draft, value: 'x'.repeat(65_537) }],
    ['value', { ...draft, value: 'é'.repeat(32_769) }], // 65538 bytes
    ['value', { ...draft, value: 'hush\u0000' }],
    ['value', { ...draft, value: 'hush\ud800' }],
    ['value', { ...key, value: 'sk-ant hush' }],
    ['value', { ...key, value: 'sk-ant\r\nx-evil: hush' }],
    ['value', { ...key, value: 'ѕk-ant-hush' }], // a Cyrillic look-alike
    ['value', { ...key, value: '   ' }],
    ['type', { ...draft, type: 'secret' }],
    ['oauth_auth_url', { name: 'x', type: 'OAUTH2', oauth_auth_url: 'javascript:hush' }],
    ['oauth_token_url', { name: 'x', type: 'OAUTH2', oauth_token_url: 'https://hush:hush@idp.example/token' }],
    ['oauth_resource', { name: 'x', type: 'OAUTH2', oauth_resource: 'hush' }],
    ['value', { name: 'x', type: 'OAUTH2', value: 'hush hush' }],
    ['oauth_client_secret', { ...draft, oauth_client_secret: 'hush' }],
    ['type', { ...draft, type: 'USERPASS' }],
    ['type', { ...draft, type: null }],
    ['provider', { ...draft, provider: 'ACME' }],
    ['provider', { ...key, provider: 'OPENROUTER' }],
    ['type', { name: 'x', value: 'y', type: 'API_KEY' }],
    ['provider', { ...key, type: 'AI_CLI_TOKEN', provider: 'OPENAI' }],
    ['scope', { ...draft, scope: 'AGENT' }],
    ['crew_ids', { ...draft, scope: 'CREW' }],
    ['crew_ids', { ...draft, crew_ids: ['cnone00000000000000000000'] }],
    ['crew_ids.0', { ...draft, scope: 'CREW', crew_ids: ['cnone00000000000000000000'] }],
    ['crew_ids.0', { ...draft, scope: 'CREW', crew_ids: [5] }],
    ['tags', { ...draft, tags: 'a' }],
    ['tags.0', { ...draft, tags: ['x'.repeat(51)] }],
    ['account_email', { ...draft, account_email: 'nobody' }],
    ['token_expires_at', { ...draft, token_expires_at: 'tomorrow' }],
    ['token_expires_at', { ...draft, token_expires_at: '2026-13-01T00:00:00Z' }],
    ['token_expires_at', { ...draft, token_expires_at: '2026-01-01' }],
    ['token_expires_at', { ...draft, token_expires_at: '9999-12-31T23:59:59-01:00' }],
    ['token_expires_at', { ...draft, token_expires_at: '0001-01-01T00:00:00Z' }],
    ['token_expires_at', { ...draft, token_expires_at: 1_900_000_000 }],
    ['username', { ...draft, username: 'me' }],
    ['refresh_token', { ...draft, refresh_token: 'hush' }],
    ['security_level', { ...draft, security_level: 5 }],
    ['security_level', { ...draft, security_level: 1.5 }],
    ['sensitivity', { ...draft, sensitivity: 'SEALED' }],
    ['pending', { ...draft, pending: true }],
  ])('refuses %s in %.100j, without repeating it', async (field, body, code = 'invalid_field') => {
    const it = await shared
    const { status, body: answer, text } = await it.call('OWNER', 'POST', '/credentials', body)
    expect({ status, code: answer.code, field: answer.field }).toEqual({ status: 400, code, field })
    expect(text).not.toContain('hush')
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect(it.entries()).toEqual([])
  })
})

describe('credentials.variable', () => {
  it.each([
    ['ANTHROPIC', 'ANTHROPIC_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['ANTHROPIC&type=AI_CLI_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    ['GOOGLE', 'GEMINI_API_KEY'],
    ['github', 'GH_TOKEN'],
    ['AWS', 'AWS_ACCESS_KEY_ID'],
  ])('of %s is %s', async (provider, env_var_name) => {
    const it = await shared
    const path = `/credentials/default-env-var?provider=${provider}`
    const { body } = await it.call({ ...it.person('VIEWER'), workspace: '' }, 'GET', path)
    expect(body).toMatchObject({ env_var_name, env_var: env_var_name, testable: provider !== 'AWS' })
  })

  it.each(['', '?provider=', '?provider=ACME', '?provider=NONE', '?provider=toString'])('refuses %s', async (query) => {
    const it = await shared
    expect((await it.call('VIEWER', 'GET', `/credentials/default-env-var${query}`)).body).toMatchObject({
      status: 400,
      field: 'provider',
    })
  })
})
