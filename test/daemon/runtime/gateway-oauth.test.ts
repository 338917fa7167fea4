import { describe, expect, it } from 'vitest'
import { valueFor } from '../../../daemon/features/credentials/oauth/service.ts'
import { fakeServer } from '../../support/fake-server.ts'
import { gatewayScene, withSidecar } from '../../support/gateway.ts'
import { actsOf } from '../../support/oauth.ts'
import { oauthServers } from '../../support/oauth-server.ts'

/** Ada before a real server that a person signed in to. */
async function signedIn(hosts: string[] = []) {
  const servers = await oauthServers()
  const scene = await gatewayScene([...servers.hosts, ...hosts])
  const { id: serverId } = await scene.server('notes', servers.resource)
  const credential = await actsOf(scene.it, servers).signIn()
  const { workspace_id } = (await scene.it.call('OWNER', 'GET', `/credentials/${credential}`)).body
  const token = () => valueFor(scene.it.app, workspace_id, credential, servers.resource)!
  const over = () => scene.it.app.db.prepare("UPDATE credentials SET token_expires_at = '2020-01-01T00:00:00Z'").run()
  const renewals = () => servers.seen.filter((path) => path === '/token').length - 1
  return { ...scene, ...(await withSidecar(scene)), serverId, credential, servers, token, over, renewals }
}

const redacted = { isError: false, content: [{ type: 'text', text: 'You are [redacted]' }] }

describe('an OAuth token of an MCP server', () => {
  it('is sent for agents, and no answer shows it to them', async () => {
    const { callTool, rpc, servers, token, credential, calls, it: daemon } = await signedIn()
    const listed = await rpc('notes', 'tools/list')
    expect(listed.result.tools).toMatchObject([{ name: 'echo', description: 'Says what it is sent: [redacted]' }])
    expect((await callTool('notes', 'echo')).result).toEqual(redacted)
    expect(new Set(servers.brought)).toEqual(new Set([token()]))
    expect(calls()).toMatchObject([{ server: 'notes', outcome: 'ok' }])
    expect(JSON.stringify(daemon.entries())).not.toContain(token())
    const uses = (await daemon.call('OWNER', 'GET', `/credentials/${credential}/audit`)).text
    expect(uses).toContain(daemon.agentId)
  })

  it('that is over is renewed before it is sent', async () => {
    const { callTool, servers, token, over, renewals } = await signedIn()
    const before = token()
    over()
    expect((await callTool('notes', 'echo')).result).toEqual(redacted)
    expect(renewals()).toBe(1)
    expect(servers.brought).not.toContain(before)
  })

  it('that the server does not take any more is renewed, and the call is made once more', async () => {
    const { callTool, servers, token, renewals, calls } = await signedIn()
    await callTool('notes', 'echo')
    const before = token()
    await servers.revoke(before)
    const ended = await Promise.all([callTool('notes', 'echo'), callTool('notes', 'echo')])
    expect(ended.map(({ result }) => result)).toEqual([redacted, redacted])
    expect(renewals()).toBe(1)
    expect(token()).not.toBe(before)
    expect(servers.brought.at(-1)).toBe(token())
    expect(calls().map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok'])
  })

  it('is given up after one more try, where the server takes no new one either', async () => {
    const { callTool, servers, renewals, calls } = await signedIn()
    let asked = 0
    servers.instead.set('mcp /mcp', (_, response) => {
      asked++
      response.writeHead(401).end()
    })
    expect((await callTool('notes', 'echo')).error.message).toContain('asks for a credential (401)')
    expect([asked, renewals()]).toEqual([2, 1])
    expect(calls()).toMatchObject([{ outcome: 'error', reason: expect.stringContaining('(401)') }])
  })

  it('is never sent to a server that it was not issued for', async () => {
    const elsewhere = await fakeServer((_, reply) => reply.writeHead(401).end())
    const { server, bind, credential, callTool, renewals } = await signedIn([new URL(elsewhere.url).host])
    const { id } = await server('elsewhere', `${elsewhere.url}/mcp`)
    await bind(id, { credential_id: credential })
    expect((await callTool('elsewhere', 'echo')).error.message).toContain('it is for another address')
    expect(elsewhere.seen).toEqual([])
    expect(renewals()).toBe(0)
  })
})
