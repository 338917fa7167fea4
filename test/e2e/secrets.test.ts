import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closing } from '#test'
import { startMusterd } from '../support/musterd.ts'

// What opens an account is handed out once, and then is nowhere but with its owner: not in a log at its most talkative,
// not in a file.

const password = 'plover staple 42 hush'

/** The built daemon, everything that it prints, and requests to it. */
async function setUp() {
  const data = mkdtempSync(join(tmpdir(), 'muster-secrets-'))
  const heard: string[] = []
  const env = {
    SVC_PORT: '0',
    SVC_ENV: 'test',
    SVC_RATELIMIT_DISABLED: 'true',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_ALLOW_SIGNUP: 'true',
  }
  const told = { SVC_PUBLIC_URL: 'https://muster.example.com', SVC_LOG_LEVEL: 'debug' }
  const daemon = await startMusterd({ HOME: data, SVC_DATA_DIR: data, ...env, ...told }, (text) => heard.push(text))
  closing({
    close: async () => {
      await daemon.kill()
      rmSync(data, { recursive: true, force: true })
    },
  })
  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const payload = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const reply = await fetch(daemon.url + path, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      ...payload,
    })
    const cookies = reply.headers.getSetCookie().map((line) => line.split(';')[0]!)
    const text = await reply.text()
    return {
      status: reply.status,
      cookies,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string>,
    }
  }
  const files = () =>
    readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(db|db-wal|json)$/.test(name))
  return {
    call,
    heard,
    everything: () => [...heard, ...files().map((name) => readFileSync(join(data, name), 'latin1'))].join('\n'),
  }
}

it('no password, token, code or cookie is written down anywhere', async () => {
  const { call, heard, everything } = await setUp()
  const first = await call('POST', '/api/v1/bootstrap', {
    full_name: 'Ada Lovelace',
    email: 'ada@example.com',
    password,
  })
  const { cli_token, workspace_id } = first.body as { cli_token: string; workspace_id: string }
  const auth = { authorization: `Bearer ${cli_token}` }
  const here = `/api/v1/workspaces/${workspace_id}`
  await call('POST', '/api/v1/auth/signup', `{"email":"eve@example.com","password":"${password}"`)

  const { token: invitation } = (await call('POST', `${here}/invitations`, { email: 'eve@example.com' }, auth)).body
  for (const page of ['/invitation', '/nowhere', '/api/v1/nowhere']) await call('GET', `${page}?token=${invitation}`)
  await call('POST', '/api/v1/invitations/redeem', { token: invitation }, auth)

  const { setup_url } = (await call('POST', `${here}/members/provision`, { email: 'bob@example.com' }, auth)).body
  const setup = new URL(setup_url!).searchParams.get('token')!
  await call('GET', `/reset-password?token=${setup}`)
  expect((await call('POST', '/api/v1/auth/reset', { token: setup, new_password: password })).status).toBe(200)

  const { code } = (await call('POST', '/api/v1/auth/pair/start', {}, auth)).body as { code: string }
  await call('GET', `/api/v1/auth/pair/poll?code=${code}`, undefined, auth)
  const { cli_token: paired } = (await call('POST', '/api/v1/auth/pair/redeem', { code })).body
  const { token: ticket } = (await call('GET', '/api/v1/ws-token', undefined, auth)).body
  const { secret } = (await call('POST', '/api/v1/users/me/totp', { password }, auth)).body

  const csrf = await call('GET', '/api/auth/csrf')
  const form = { email: 'ada@example.com', password, csrfToken: csrf.body['csrfToken'] }
  const signedIn = await call('POST', '/api/auth/callback/credentials', form, { cookie: csrf.cookies[0]! })
  expect(signedIn.body['ok']).toBe(true)
  const refreshed = await call('POST', '/api/auth/token/refresh', undefined, { cookie: signedIn.cookies.join('; ') })
  expect(refreshed.status).toBe(200)

  const cookies = [...first.cookies, ...csrf.cookies, ...signedIn.cookies, ...refreshed.cookies].map(
    (pair) => pair.split('=')[1]!,
  )
  const secrets = [
    password,
    cli_token,
    invitation,
    setup,
    code,
    code.replace('-', ''),
    paired,
    ticket,
    secret,
    ...cookies,
  ]
  expect(secrets.every((it) => typeof it === 'string' && it.length >= 8)).toBe(true)
  expect(heard.join('')).toContain('invitations.redeem')
  const written = everything()
  expect(written).toContain('ada@example.com')
  expect(secrets.filter((it) => written.includes(it!))).toEqual([])
})
