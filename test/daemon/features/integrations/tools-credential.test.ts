import { describe, expect, it } from 'vitest'
import { changingServer, tool } from '../../../support/changing-server.ts'
import { fakeServer, json } from '../../../support/fake-server.ts'
import { integrationScene } from '../../../support/integrations.ts'
import { actsOf } from '../../../support/oauth.ts'
import { oauthServers } from '../../../support/oauth-server.ts'

interface Rpc {
  id?: number
  method: string
}

/** A server that lists a tool to each key, and says no without one; it repeats the key wherever it can. */
async function keyed(tools: Record<string, string>) {
  const server = await fakeServer(({ body, headers }, reply) => {
    const key = String(headers['x-api-key'])
    const { id, method } = JSON.parse(body || '{}') as Rpc
    const name = tools[key]
    if (!name) return reply.writeHead(401).end()
    if (id === undefined) return reply.writeHead(202).end()
    if (name === 'none') return json(reply, { jsonrpc: '2.0', id, error: { code: -32000, message: `No: ${key}` } })
    const told = { name, description: `For ${key}`, inputSchema: { type: 'object' } }
    const greeting = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'k', version: '1' },
    }
    return json(reply, { jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : { tools: [told] } })
  })
  const scene = await integrationScene({ config: { integrationHosts: [new URL(server.url).host] } })
  const made = await scene.server('keyed', { endpoint: server.url })
  const path = `/integrations/${made.id}/tools`
  const refresh = () => scene.it.call('ADMIN', 'POST', `${path}/refresh`)
  const list = async () => (await scene.it.call('VIEWER', 'GET', path)).body as { tool_name: string }[]
  const bind = async (agent: string, value: string) => {
    const credential_id = await scene.credential(`key ${value}`, { value })
    const { id } = await scene.bind(agent, made, { credential_id, cred_type: 'api_key' })
    return { id: id as string, credential_id }
  }
  return { ...scene, refresh, list, bind }
}

describe('tools of a server that wants a credential', () => {
  it('are read with the one that people signed in with', async () => {
    const servers = await oauthServers()
    const scene = await integrationScene({ config: { integrationHosts: servers.hosts } })
    const { id } = await scene.server('notes', { endpoint: servers.resource })
    const refresh = () => scene.it.call('ADMIN', 'POST', `/integrations/${id}/tools/refresh`)
    expect((await refresh()).body).toMatchObject({ code: 'tools_unreadable' })
    await actsOf(scene.it, servers).signIn()
    expect((await refresh()).body).toMatchObject({ created: 1, total: 1 })
    await servers.revoke(servers.brought.at(-1)!)
    expect((await refresh()).body).toMatchObject({ updated: 0, total: 1 })
    const { text } = await scene.it.call('VIEWER', 'GET', `/integrations/${id}/tools`)
    expect(text).toContain('Says what it is sent: [redacted]')
    for (const token of servers.brought) expect(text).not.toContain(token)
  })

  it('are read with the one of its binding, and the record of that says so', async () => {
    const { refresh, list, bind, ada, it } = await keyed({ 'key-of-ada-1': 'find' })
    expect((await refresh()).body.detail).toContain('asks for a credential')
    const { credential_id } = await bind(ada, 'key-of-ada-1')
    expect((await refresh()).body).toMatchObject({ created: 1 })
    expect(await list()).toMatchObject([{ tool_name: 'find', description: 'For [redacted]' }])
    const { body } = await it.call('OWNER', 'GET', `/credentials/${credential_id}/audit`)
    expect(JSON.stringify(body)).toContain('integration_id')
  })

  it('that another credential is told of are not deleted', async () => {
    const tools: Record<string, string> = { 'key-of-ada-1': 'find', 'key-of-bo-22': 'find' }
    const { refresh, list, bind, ada, bo, it } = await keyed(tools)
    const first = await bind(ada, 'key-of-ada-1')
    await refresh()
    await bind(bo, 'key-of-bo-22')
    tools['key-of-ada-1'] = 'seek'
    expect((await refresh()).body).toMatchObject({ created: 1, removed: 0, total: 2 })
    await it.call('OWNER', 'DELETE', `/agents/${ada}/integrations/${first.id}`)
    expect((await refresh()).body).toMatchObject({ removed: 1, total: 1 })
    expect(await list()).toMatchObject([{ tool_name: 'find' }])
  })

  it('that cannot be read do not show it in the reason', async () => {
    const { refresh, bind, ada } = await keyed({ 'key-of-ada-1': 'none' })
    await bind(ada, 'key-of-ada-1')
    expect((await refresh()).body).toMatchObject({ code: 'tools_unreadable', detail: expect.stringContaining('No: [') })
  })

  it('are asked for without one where there is none', async () => {
    const server = await changingServer(tool('find'))
    const scene = await integrationScene({ config: { integrationHosts: [server.host] } })
    const { id } = await scene.server('open', { endpoint: server.url })
    expect((await scene.it.call('ADMIN', 'POST', `/integrations/${id}/tools/refresh`)).body.created).toBe(1)
  })
})
