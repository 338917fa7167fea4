import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { oauthScene } from '../../support/oauth.ts'

/** A scene with an integration, and the command line of its owner. */
async function scene(options: Parameters<typeof oauthScene>[0] = {}) {
  const all = await oauthScene(options)
  await all.it.call('OWNER', 'POST', '/integrations', { name: 'notes', endpoint: all.servers.resource })
  const cli = await cliFor(all.it)
  const status = async () => (await all.it.call('OWNER', 'GET', '/credentials')).body[0]?.status
  return { ...all, cli, status }
}

/** The address that a command tells a person to open. */
const told = async (shown: { until(pattern: RegExp): Promise<string> }): Promise<string> =>
  /(http:\/\/127\.0\.0\.1:\d+\/auth\?\S+)/.exec(await shown.until(/\/auth\?\S+\s/))![1]!

const wide = { cols: 3000, rows: 30 }

describe('muster integrations connect', () => {
  it('waits for the browser, which comes back to the command', async () => {
    const { servers, cli, status } = await scene()
    const shown = cli.screen(['integrations', 'connect', 'notes', '--no-browser'], wide)
    const url = await servers.visit(await told(shown))
    expect(url.hostname).toBe('127.0.0.1')
    const stranger = await fetch(`${url.origin}/callback?code=x&state=y`)
    expect([stranger.status, await stranger.text()]).toEqual([400, expect.stringContaining('not begun here')])
    const page = await fetch(url)
    expect(await page.text()).toContain('Back to the command line')
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Connected notes.')
    expect(await status()).toBe('ACTIVE')
  })

  it('takes the address that a browser elsewhere ended at', async () => {
    const { servers, cli, status } = await scene()
    const shown = cli.screen(['integrations', 'connect', 'notes', '--no-browser'], wide)
    const url = await servers.visit(await told(shown))
    await shown.until(/address that the browser ended at/)
    shown.type(`${url.href}\r`)
    expect(await shown.ended).toBe(0)
    expect(await status()).toBe('ACTIVE')
  })

  it('waits until the browser came back to the server', async () => {
    const { servers, cli, back, status } = await scene()
    const shown = cli.screen(['integrations', 'connect', 'notes', '--no-browser', '--server-callback'], wide)
    const answer = await back(await servers.visit(await told(shown)))
    expect(answer.status).toBe(200)
    expect(await shown.ended).toBe(0)
    expect(await status()).toBe('ACTIVE')
  })

  it('says what the person said no to, and which id is missing', async () => {
    const { servers, cli } = await scene()
    servers.refuse()
    const shown = cli.screen(['integrations', 'connect', 'notes', '--no-browser'], wide)
    expect((await fetch(await servers.visit(await told(shown)))).status).toBe(400)
    expect(await shown.ended).toBe(2)
    expect(shown.text()).toContain('denied access: access_denied')
    const other = await scene({ servers: { registers: false } })
    const { code, stderr } = await other.cli.run('integrations', 'connect', 'notes', '--no-browser')
    expect([code, stderr]).toEqual([2, expect.stringContaining('muster integrations connect notes --client-id ID')])
  })

  it('has nothing to do for a server that runs in a crew', async () => {
    const { it, cli } = await scene()
    await it.call('OWNER', 'POST', '/integrations', { name: 'local', transport: 'stdio', command: 'npx' })
    const { code, stderr } = await cli.run('integrations', 'connect', 'local')
    expect([code, stderr]).toEqual([2, expect.stringContaining('nothing to sign in to')])
  })
})

describe('muster oauth', () => {
  it('goes step by step for a credential of your own', async () => {
    const redirect = 'http://127.0.0.1:8765/callback'
    const client = { client_id: 'by-hand', client_secret: 'a secret', redirect_uris: [redirect] }
    const { servers, cli } = await scene({ servers: { registers: false, client } })
    const made = await cli.pipe(
      client.client_secret,
      ...['credentials', 'create', 'mine', '--type', 'OAUTH2', '--client-id', 'by-hand', '--client-secret-stdin'],
      ...['--auth-url', `${servers.issuer}/auth`, '--token-url', `${servers.issuer}/token`],
      ...['--scopes', 'mcp', '--resource', servers.resource],
    )
    expect(made).toMatchObject({ code: 0, stdout: 'mine\n' })
    const begun = await cli.run('oauth', 'initiate', 'mine', '--redirect', redirect, '--json')
    const { auth_url } = JSON.parse(begun.stdout) as { auth_url: string }
    const url = await servers.visit(auth_url)
    const done = await cli.pipe(url.href, 'oauth', 'exchange', 'mine')
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed in for mine.') })
    const again = await cli.pipe(url.href, 'oauth', 'exchange', 'mine')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('start again')])
  })

  it('shows providers, what a server says, and what this one is', async () => {
    const { servers, cli } = await scene()
    expect((await cli.run('oauth', 'providers')).stdout).toMatch(/linear\thttps:\/\/linear\.app\/oauth\/authorize/)
    const found = JSON.parse((await cli.run('oauth', 'discover', servers.resource, '--json')).stdout)
    expect(found).toMatchObject({ source: 'discovery', supports_pkce: true })
    expect((await cli.run('oauth', 'client')).code).toBe(3)
    const begun = JSON.parse((await cli.run('oauth', 'auto-connect', servers.resource, '--json')).stdout)
    expect(begun.status).toBe('authorize')
    const name = `${new URL(servers.resource).host} sign-in`
    const loop = JSON.parse((await cli.run('oauth', 'loopback', name, '--json')).stdout)
    expect(loop).toMatchObject({ loopback_port: expect.any(Number), auth_url: expect.stringContaining('/auth?') })
  })
})
