import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createClient } from '#client'
import { closing } from '#test'
import { cli } from '../support/cli.ts'
import { startMusterd } from '../support/musterd.ts'
import { oauthServers } from '../support/oauth-server.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A built daemon that may reach a real authorization server, with all that it prints. */
async function installed() {
  const servers = await oauthServers({ seconds: 3600 })
  const { env, home } = cli({
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_LOG_LEVEL: 'debug',
    SVC_RATELIMIT_DISABLED: 'true',
    SVC_ENV: 'development',
    SVC_INTEGRATION_PRIVATE_HOSTS: servers.hosts.join(),
  })
  const dir = join(home, 'data')
  env['SVC_DATA_DIR'] = dir
  let log = ''
  const daemon = await startMusterd(env, (text) => {
    log += text
  })
  closing({ close: () => daemon.kill() })
  const server = `unix://${dir}/musterd.sock`
  const owner = await createClient({ server }).bootstrap.create({
    body: { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' },
  })
  const client = createClient({ server, token: owner.cli_token, workspace: owner.workspace_id })
  const callback = (query: string, how: RequestInit = {}) => fetch(`${daemon.url}/api/v1/oauth/callback${query}`, how)
  return { servers, daemon, dir, owner, client, callback, log: () => log }
}

it('leaves nothing of a sign-in where others could read it', async () => {
  const { servers, daemon, dir, client, log, callback } = await installed()
  const tokens: string[] = []
  servers.instead.set('/token', async (request, response) => {
    const end = response.end.bind(response)
    response.end = ((body?: string) => {
      const { access_token, refresh_token } = JSON.parse(String(body)) as Record<string, string>
      tokens.push(access_token!, refresh_token!)
      return end(body)
    }) as typeof response.end
    await servers.itself(request, response)
  })
  const { auth_url, credential_id } = await client.oauth.autoConnect({ body: { mcp_url: servers.resource } })
  const url = await servers.visit(auth_url)
  const { code, state } = Object.fromEntries(url.searchParams) as { code: string; state: string }
  const page = await callback(url.search)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(tokens).toHaveLength(2)
  const shown = JSON.stringify([
    await client.credentials.show({ credentialId: credential_id! }),
    await client.credentials.list({ query: {} }),
    await client.journal.list({ query: { limit: 500 } }),
    await client.integrations.list({}),
  ])
  await daemon.stop()
  const stored = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => readFileSync(join(it.parentPath, it.name), 'latin1'))
    .join('\n')
  for (const secret of [...tokens, code, state])
    for (const [where, text] of Object.entries({ shown, stored, log: log() }))
      expect(text.includes(secret) ? `${where} holds ${secret}` : null).toBeNull()
})

it('answers whatever comes back with a page or a problem, and lets nobody in', async () => {
  const { servers, client, callback, daemon, owner } = await installed()
  const { auth_url } = await client.oauth.autoConnect({ body: { mcp_url: servers.resource } })
  const state = new URL(auth_url).searchParams.get('state')!
  const html = { headers: { accept: 'text/html' } }
  for (const query of [
    '',
    '?',
    '?state',
    '?code=x',
    '?state=&code=',
    '?state=%00&code=%00',
    '?state=%F0%9F&code=x',
    `?state=${state}x&code=x`,
    `?state=${state.toUpperCase().replace(/[A-F]/g, 'G')}&code=x`,
    `?state[]=${state}&code=x`,
    '?state=__proto__&code=constructor',
    `?state=${'x'.repeat(8000)}&code=x`,
    '?state=<script>alert(1)</script>&code=x',
    '?state=x&error=<img src=x onerror=alert(1)>',
  ]) {
    const answer = await callback(query, html)
    const text = await answer.text()
    expect([query, answer.status]).toEqual([query, 400])
    expect(text).not.toMatch(/<script|<img/)
  }
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await callback(`?state=${state}&code=x`, { method })).status).toBe(405)
  expect((await callback(`?state=${state}&code=${'x'.repeat(100_000)}`)).status).toBe(431)
  const forged = await fetch(`${daemon.url}/api/v1/oauth/initiate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.cli_token}`,
      origin: 'https://evil.example',
      'content-type': 'application/json',
    },
    body: '{"credential_id":"x"}',
  })
  expect(forged.status).toBe(403)
  // After all of that the sign-in is still there.
  const url = await servers.visit(auth_url)
  expect((await callback(url.search)).status).toBe(200)
})

it('keeps a hundred sign-ins of a person, the newest ones', async () => {
  const { servers, client, callback } = await installed()
  const first = await client.oauth.autoConnect({ body: { mcp_url: servers.resource } })
  const begun = [first.auth_url]
  for (let n = 0; n < 120; n++)
    begun.push((await client.oauth.initiate({ body: { credential_id: first.credential_id! } })).auth_url)
  const back = async (address: string) => (await callback((await servers.visit(address)).search)).status
  expect(await back(begun[0]!)).toBe(400)
  expect(await back(begun.at(-1)!)).toBe(200)
})
