import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { deferred } from '../../support/deferred.ts'
import { everythingServer } from '../../support/everything-server.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { adaKey, boKey, gatewayScene, withSidecar } from '../../support/gateway.ts'

/** Ada's server, the reference one, with a sidecar before her daemon. */
async function everything(more: object = {}) {
  const { url, host } = await everythingServer()
  const scene = await gatewayScene([host])
  const server = await scene.server('everything', url, more)
  return { ...scene, ...(await withSidecar(scene)), serverId: server.id as string }
}

interface Rpc {
  id?: number
  method: string
  params?: { name?: string; arguments?: unknown }
}

/** A server with one tool, `echo`, that answers calls of it as told. */
async function fake(answer: (reply: ServerResponse, message: Rpc, headers: Record<string, unknown>) => unknown) {
  const server = await fakeServer(({ body, headers }, reply) => {
    const message = JSON.parse(body || '{}') as Rpc
    const result = (it: object) => json(reply, { jsonrpc: '2.0', id: message.id, result: it })
    if (message.method === 'initialize')
      return result({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1' },
      })
    if (message.method === 'tools/list')
      return result({ tools: [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }] })
    if (message.id === undefined) return reply.writeHead(202).end()
    return answer(reply, message, headers)
  })
  const scene = await gatewayScene([new URL(server.url).host])
  const made = await scene.server('fake', `${server.url}/mcp`, { config_json: '{"timeout_seconds":1}' })
  return { ...scene, ...(await withSidecar(scene)), serverId: made.id as string, upstream: server }
}

const said = (text: string) => ({ content: [{ type: 'text', text }] })
const answers = (reply: ServerResponse, { id }: Rpc, text: string) =>
  json(reply, { jsonrpc: '2.0', id, result: said(text) })

describe('the gateway to MCP servers', () => {
  it("leads an agent's client to a real server, and puts its calls on record", async () => {
    const { origin, runId, calls, it: daemon } = await everything()
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp/everything`), {
      requestInit: { headers: { authorization: `Bearer ${adaKey}`, 'x-svc-run-id': runId } },
    })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    const { content } = await client.callTool({ name: 'echo', arguments: { message: 'plum' } })
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('plum') }])
    await client.close()
    expect(calls()).toEqual([
      {
        server: 'everything',
        server_id: expect.any(String),
        tool: 'echo',
        outcome: 'ok',
        duration_ms: expect.any(Number),
        arguments_hash: hash('sha256', '{"message":"plum"}', 'hex'),
      },
    ])
    const entry = daemon.entries().find(({ entry_type }) => entry_type === 'mcp.tool_call')
    expect(entry).toMatchObject({ agent_id: daemon.agentId, actor_type: 'agent', trace_id: runId })
  })

  it.each(['2025-11-25', '2025-06-18'])('speaks the revision %s of the protocol', async (protocolVersion) => {
    const { rpc } = await everything()
    expect((await rpc('everything', 'initialize', { protocolVersion })).result).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'everything' },
    })
  })

  it('neither offers nor calls a tool that is switched off, and says why', async () => {
    const { rpc, callTool, change, serverId, calls } = await everything()
    const names = async () => (await rpc('everything', 'tools/list')).result.tools.map(({ name }) => name)
    expect(await names()).toContain('echo')
    await change(serverId, 'echo', { enabled: 0 })
    expect(await names()).not.toContain('echo')
    const { error } = await callTool('everything', 'echo', { message: 'plum' })
    expect(error.message).toBe('this tool is switched off')
    expect(calls()).toMatchObject([{ tool: 'echo', outcome: 'refused', reason: 'this tool is switched off' }])
  })

  it('does not call a tool that waits for people', async () => {
    const { rpc, callTool, change, serverId } = await everything()
    await rpc('everything', 'tools/list')
    await change(serverId, 'echo', { held_since: '2026-01-01T00:00:00Z' })
    expect((await callTool('everything', 'echo')).error.message).toContain('people have to look at it')
  })

  it.each(['ECHO', 'Echo', 'echo\u0000', 'echo ', '\u202eecho', 'echo\n', '__proto__'])(
    'knows no tool %j where there is an echo',
    async (name) => {
      const { callTool, calls } = await everything()
      expect((await callTool('everything', name, { message: 'x' })).error).toMatchObject({ code: -32602 })
      expect(calls()).toMatchObject([{ outcome: 'refused' }])
      expect(String(calls()[0]!['tool'])).not.toMatch(/[\p{C}]/u)
    },
  )

  it('tells nobody of the servers of other agents, nor that there are any', async () => {
    const scene = await everything()
    const other = await scene.server('bos', 'https://bos.example/mcp')
    await scene.bind(other.id, {}, scene.bo)
    const [foreign, absent] = [await scene.rpc('bos', 'tools/list'), await scene.rpc('nobodys', 'tools/list')]
    expect(foreign.error.message.replace('bos', 'X')).toBe(absent.error.message.replace('nobodys', 'X'))
    expect((await scene.callTool('bos', 'echo')).error.message).toBe('there is no such server for this agent')
  })

  it('knows no server of another workspace', async () => {
    const scene = await everything()
    const there = await scene.it.call('OWNER', 'POST', '/workspaces', { name: 'Other', slug: 'other' })
    const headers = { 'x-workspace-id': there.body.id }
    const made = await scene.it.call(
      'OWNER',
      'POST',
      '/integrations',
      { name: 'theirs', endpoint: 'https://theirs.example' },
      headers,
    )
    expect(made.status, made.text).toBe(201)
    expect((await scene.rpc('theirs', 'tools/list')).error.message).toContain('There is no server theirs')
  })

  it('answers no key that is unknown, and takes no authorization of its own from the agent', async () => {
    const { post, calls } = await everything()
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await post('everything', message, { authorization: 'Bearer mine' })).status).toBe(401)
    expect((await post('everything', message, { authorization: '' })).status).toBe(401)
    expect(calls()).toEqual([])
  })

  it('answers a key no longer once the run is over, and not that of an agent without a run', async () => {
    const { it: daemon, callTool, runId } = await everything()
    const own = { 'x-svc-run-id': runId }
    expect((await callTool('everything', 'echo', { message: 'a' }, own)).result.isError).toBe(false)
    const bos = { authorization: `Bearer ${boKey}` }
    expect((await callTool('everything', 'echo', { message: 'a' }, bos)).error.message).toContain('No run')
    expect((await callTool('everything', 'echo', { message: 'a' }, { ...bos, ...own })).error.message).toContain(
      'No run',
    )
    await daemon.call('OWNER', 'POST', `/agents/${daemon.agentId}/stop`)
    await daemon.runs.ended(runId)
    for (const headers of [own, {}])
      expect((await callTool('everything', 'echo', { message: 'a' }, headers)).error.message).toContain('No run')
  })

  it('takes one message at a time, and no more than a megabyte', async () => {
    const { post, callTool, calls } = await everything()
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'x' } } }
    expect((await post('everything', [call, call])).body.error).toMatchObject({ code: -32600 })
    expect(calls()).toEqual([])
    expect((await post('everything', { ...call, padding: 'x'.repeat(1024 * 1024) })).status).toBe(413)
    expect((await callTool('everything', 'echo', { message: 'x'.repeat(200_000) })).result.isError).toBe(false)
  })

  it('has a server cancel what the agent gives up, and nothing that was answered', async () => {
    const begun = deferred()
    const scene = await fake((reply, message) => {
      if (message.params?.arguments) return answers(reply, message, 'ok')
      begun.resolve()
      return undefined
    })
    const { upstream, runId, it: daemon } = scene
    const ask = (given?: object) =>
      scene.ask({
        id: 'a',
        agentId: daemon.agentId,
        runId,
        route: '/mcp-tool-calls',
        body: { server: 'fake', method: 'tools/call', params: { name: 'echo', ...(given && { arguments: given }) } },
      })
    const cancelled = () => upstream.seen.filter(({ body }) => body.includes('notifications/cancelled'))
    for (let turn = 0; turn < 3; turn++) {
      const { answer, hangUp } = ask({})
      expect(await answer).toMatchObject({ status: 200 })
      hangUp()
    }
    expect(cancelled()).toEqual([])
    const { hangUp } = ask()
    await begun.promise
    hangUp()
    await expect.poll(cancelled).toHaveLength(1)
  })

  it("keeps to the crew's network policy", async () => {
    const { it: daemon, callTool, calls } = await everything()
    await daemon.call('OWNER', 'PATCH', `/crews/${daemon.crewId}`, { network_mode: 'restricted' })
    expect((await callTool('everything', 'echo')).error.message).toContain("the crew's network policy")
    expect(calls()).toMatchObject([{ outcome: 'refused' }])
  })
})

describe('arguments of tools', () => {
  it('are on record where an ADMIN asks for them, without secrets and in at most 4 KiB', async () => {
    const scene = await fake((reply, message) => answers(reply, message, 'ok'))
    const { callTool, calls, it: daemon } = scene
    await scene.credential('s3cret-value-42')
    const set = (who: 'ADMIN' | 'MANAGER', journal_tool_arguments: boolean) =>
      daemon.call(who, 'PATCH', `/workspaces/${daemon.workspace}`, { journal_tool_arguments })
    const last = async (given: object) => {
      await callTool('fake', 'echo', given)
      return calls().at(-1)!['arguments'] as string | undefined
    }
    expect(await last({ key: 'plum' })).toBeUndefined()
    expect((await set('MANAGER', true)).status).toBe(403)
    expect((await set('ADMIN', true)).body).toMatchObject({ journal_tool_arguments: true })
    expect(await last({ key: 'plum', secret: 's3cret-value-42' })).toBe('{"key":"plum","secret":"[redacted]"}')
    const long = (await last({ key: 'é'.repeat(5000) }))!
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(4096)
    expect(long).toMatch(/^\{"key":"é+\n\(cut here\)$/)
    await set('ADMIN', false)
    expect(await last({ key: 'plum' })).toBeUndefined()
    const changes = daemon.entries().filter(({ payload }) => payload?.['entity_type'] === 'workspace')
    expect(changes).toHaveLength(2)
  })
})

describe('the credential of an MCP server', () => {
  it.each([
    ['bearer', null, 'authorization', 'Bearer s3cret-value-42'],
    ['api_key', null, 'x-api-key', 's3cret-value-42'],
    ['api_key', 'X-Team-Key', 'x-team-key', 's3cret-value-42'],
    ['basic', null, 'authorization', `Basic ${Buffer.from('s3cret-value-42').toString('base64')}`],
  ])('is put in as %s (header %s), and an answer that echoes it is cleaned', async (type, header, name, value) => {
    const scene = await fake((reply, message, headers) =>
      answers(reply, message, `You sent ${JSON.stringify(headers)} and ${encodeURIComponent(String(headers[name]))}`),
    )
    const credential_id = await scene.credential('s3cret-value-42')
    await scene.bind(scene.serverId, { credential_id, cred_type: type, cred_header: header })
    const { result } = await scene.callTool('fake', 'echo', {}, { 'x-own': 'mine', cookie: 'a=b' })
    const sent = scene.upstream.seen.at(-1)!.headers
    expect(sent[name]).toBe(value)
    expect(JSON.stringify(sent)).not.toMatch(/mine|a=b|muster-dummy/)
    expect(JSON.stringify(result)).toContain('[redacted]')
    expect(JSON.stringify(result)).not.toContain(value.replace('Basic ', ''))
    expect(JSON.stringify(scene.calls())).not.toContain('s3cret')
  })

  it('is sent no more once it is taken from the agent', async () => {
    const scene = await fake((reply, message) => answers(reply, message, 'ok'))
    const credential_id = await scene.credential('s3cret-value-42')
    const binding = await scene.bind(scene.serverId, { credential_id })
    await scene.callTool('fake', 'echo')
    expect(scene.upstream.seen.at(-1)!.headers['authorization']).toBe('Bearer s3cret-value-42')
    await scene.it.call('OWNER', 'PATCH', `/agents/${scene.it.agentId}/integrations/${binding.id}`, {
      credential_id: null,
    })
    await scene.callTool('fake', 'echo')
    expect(scene.upstream.seen.at(-1)!.headers['authorization']).toBeUndefined()
  })

  it('that is kept to its scopes is sent elsewhere once people allow it, and the call waits for them', async () => {
    const scene = await fake((reply, message) => answers(reply, message, 'ok'))
    const credential_id = await scene.credential('s3cret-value-42')
    await scene.bind(scene.serverId, { credential_id })
    await scene.callTool('fake', 'echo')
    const path = `/credentials/${credential_id}/scopes`
    const scopes = async () => (await scene.it.call('ADMIN', 'GET', path)).body
    const place = { host: scene.upstream.url, method: 'POST', path: '/mcp' }
    expect(await scopes()).toMatchObject({ uses: [place], proposed: [place] })
    expect((await scene.it.call('ADMIN', 'PUT', path)).status).toBe(200)
    expect((await scene.callTool('fake', 'echo')).result).toBeTruthy()
    await scene.it.call('OWNER', 'PATCH', `/integrations/${scene.serverId}`, {
      endpoint: `${scene.upstream.url}/other`,
    })
    const before = scene.upstream.seen.length
    const listed = await scene.rpc('fake', 'tools/list')
    expect(listed.error.message).toContain('may not be used for POST')
    const called = scene.callTool('fake', 'echo')
    await expect.poll(async () => (await scopes()).waiting.length).toBe(1)
    expect(scene.upstream.seen).toHaveLength(before)
    const [{ id }] = (await scopes()).waiting
    await scene.it.call('ADMIN', 'POST', `${path}/questions/${id}`, { decision: 'always' })
    expect((await called).result).toMatchObject(said('ok'))
    expect(scene.upstream.seen.at(-1)!.url).toBe('/other')
    expect((await scopes()).active).toHaveLength(2)
  })

  it('that people deny elsewhere is not sent, and the call says so', async () => {
    const scene = await fake((reply, message) => answers(reply, message, 'ok'))
    const credential_id = await scene.credential('s3cret-value-42')
    await scene.bind(scene.serverId, { credential_id })
    await scene.callTool('fake', 'echo')
    const path = `/credentials/${credential_id}/scopes`
    await scene.it.call('ADMIN', 'PUT', path)
    await scene.it.call('OWNER', 'PATCH', `/integrations/${scene.serverId}`, {
      endpoint: `${scene.upstream.url}/mcp/%2e%2e/other`,
    })
    const before = scene.upstream.seen.length
    const called = scene.callTool('fake', 'echo')
    const scopes = async () => (await scene.it.call('ADMIN', 'GET', path)).body
    await expect.poll(async () => (await scopes()).waiting.length).toBe(1)
    const [{ id, path: wanted }] = (await scopes()).waiting
    expect(wanted).toBe('/other')
    await scene.it.call('ADMIN', 'POST', `${path}/questions/${id}`, { decision: 'deny', reason: 'Not there' })
    expect((await called).error.message).toContain('denied at')
    expect(scene.calls().at(-1)).toMatchObject({ outcome: 'refused' })
    expect(scene.upstream.seen).toHaveLength(before)
  })

  it('does not show up in what is said of a failure', async () => {
    const scene = await fake((reply, { id }, headers) =>
      json(reply, { jsonrpc: '2.0', id, error: { code: -32000, message: `No: ${String(headers['authorization'])}` } }),
    )
    await scene.bind(scene.serverId, { credential_id: await scene.credential('s3cret-value-42') })
    const { error } = await scene.callTool('fake', 'echo')
    expect(error.message).toContain('[redacted]')
    expect(JSON.stringify(scene.calls())).not.toContain('s3cret')
  })
})

const event = (message: object) => `data: ${JSON.stringify(message)}\n\n`

const flood = (type: string) => (reply: ServerResponse) => {
  reply.writeHead(200, { 'content-type': type })
  const write = () => {
    while (!reply.destroyed && reply.write(`: ${'x'.repeat(65_536)}\n\n`));
  }
  reply.on('drain', write)
  write()
}

describe('an MCP server behind the gateway', () => {
  it('is sent what was asked of it, and nothing more', async () => {
    const { callTool, upstream } = await fake((reply, message) => answers(reply, message, 'ok'))
    for (let n = 0; n < 3; n++) await callTool('fake', 'echo')
    expect(upstream.seen.map(({ body }) => (JSON.parse(body) as Rpc).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'tools/call',
      'tools/call',
    ])
  })
})

describe('a hostile MCP server', () => {
  it.each<[string, (reply: ServerResponse, message: Rpc) => unknown, RegExp]>([
    ['HTML', (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /does not speak MCP/],
    ['100 MB', flood('application/json'), /larger than 4194304 bytes/],
    ['an endless stream', flood('text/event-stream'), /larger than|in time|does not speak/],
    [
      'a stream that says nothing',
      (reply) => reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n'),
      /in time/,
    ],
    ['nothing', () => undefined, /in time/],
    [
      'a redirect to a private address',
      (reply) => reply.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      /answered 307/,
    ],
    ['what is no result', (reply, { id }) => json(reply, { jsonrpc: '2.0', id, result: { content: 5 } }), /MCP/],
  ])('that answers %s is given up, and the agent is told', async (_, answer, message) => {
    const { callTool, calls } = await fake(answer)
    expect((await callTool('fake', 'echo')).error.message).toMatch(message)
    expect(calls()).toMatchObject([{ outcome: 'error', reason: expect.stringMatching(message) }])
  })

  it('on a private address that nobody named is not called', async () => {
    const { it: daemon, callTool, upstream, calls } = await fake((reply, message) => answers(reply, message, 'ok'))
    Object.assign(daemon.app.config, { integrationHosts: [] })
    expect((await callTool('fake', 'echo')).error.message).toContain('not allowed here')
    expect(upstream.seen).toEqual([])
    expect(calls()).toMatchObject([{ outcome: 'error' }])
  })

  it('that has its client answer one message after the other is given up, and connected to anew', async () => {
    let flooding = true
    const { callTool, upstream } = await fake((reply, message) => {
      if (message.method !== 'tools/call') return reply.writeHead(202).end()
      if (!flooding) return answers(reply, message, 'ok')
      flooding = false
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0; at < 1000; at++) reply.write(event({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' }))
      return reply.end(event({ jsonrpc: '2.0', id: message.id, result: said('ok') }))
    })
    expect((await callTool('fake', 'echo')).error.message).toContain('asks its client more than it may')
    expect(upstream.seen.filter(({ body }) => body.includes('"result"')).length).toBeLessThanOrEqual(100)
    expect((await callTool('fake', 'echo')).result.content).toEqual([{ type: 'text', text: 'ok' }])
  })

  it.each([404, 401, 1])('that refuses a call by the number %i is asked once, and its words are told', async (code) => {
    const { callTool, upstream, calls } = await fake((reply, { id }) =>
      json(reply, { jsonrpc: '2.0', id, error: { code, message: 'No such plum' } }),
    )
    expect((await callTool('fake', 'echo')).error.message).toContain('No such plum')
    expect(upstream.seen.filter(({ body }) => body.includes('tools/call'))).toHaveLength(1)
    expect(calls()).toMatchObject([{ outcome: 'error', reason: expect.stringContaining('No such plum') }])
  })

  it('that forgets its sessions is connected to again', async () => {
    let refusing = true
    const { callTool } = await fake((reply, message) => {
      if (!refusing) return answers(reply, message, 'ok')
      refusing = false
      return reply.writeHead(404).end()
    })
    expect((await callTool('fake', 'echo')).result.content).toEqual([{ type: 'text', text: 'ok' }])
  })
})
