import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { agentRoutes } from '#runtime/sidecar/agent-calls'
import { agentTools } from '#runtime/sidecar/agent-tools'
import type { Ask } from '#runtime/sidecar/control'
import type { SidecarAnswer, SidecarCall } from '#runtime/types'
import { waitingNotes } from '../../../support/waiting-notes.ts'
import { call, config, sidecar, text } from './support.ts'

const ada = { authorization: 'Bearer dummy-ada', 'x-svc-run-id': 'run-1', 'content-type': 'application/json' }

/** A sidecar whose daemon answers as told, and what it was asked. */
async function asking(
  answer: () => Promise<SidecarAnswer> = async () => ({ status: 200, body: { status: 'RESOLVED' } }),
) {
  const asked: SidecarCall[] = []
  const hungUp: string[] = []
  const ask: Ask = (it) => {
    asked.push(it)
    return { answer: answer(), hangUp: () => void hungUp.push(it.id) }
  }
  const it = await sidecar(config([], {}), { ask })
  const send = async (message: unknown, headers: Record<string, string> = {}) => {
    const { status, body } = await call(`${it.url}/mcp`, {
      headers: { ...ada, ...headers },
      body: JSON.stringify(message),
    })
    return { status, body: body ? JSON.parse(body) : null }
  }
  const rpc = async (method: string, params?: object, id: string | number = 1) =>
    (await send({ jsonrpc: '2.0', id, method, params })).body
  return { ...it, send, rpc, asked, hungUp }
}

const streams = { ...ada, accept: 'application/json, text/event-stream' }
const escalate = (more: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'escalate', arguments: { reason: 'why' }, ...more },
  })

afterEach(() => void vi.useRealTimers())

describe('the tool server of agents', () => {
  it('says who it is, in a version that the client knows', async () => {
    const { rpc, send } = await asking()
    expect(await rpc('initialize', { protocolVersion: '2025-03-26' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-03-26',
        capabilities: { tools: {} },
        serverInfo: { name: 'muster', title: 'Muster', version: '1' },
      },
    })
    expect((await rpc('initialize', { protocolVersion: '1999-01-01' })).result.protocolVersion).toBe('2025-06-18')
    expect(await rpc('ping', undefined, 'a')).toEqual({ jsonrpc: '2.0', id: 'a', result: {} })
    expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual({ status: 202, body: null })
  })

  it.each(['null', '{}', 'true', '1.5', '9007199254740993'])(
    'refuses the id %s, to which no answer could go',
    async (id) => {
      const { url } = await asking()
      const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
      expect(JSON.parse((await call(`${url}/mcp`, { headers: ada, body })).body)).toMatchObject({
        id: null,
        error: { code: -32600 },
      })
    },
  )

  it('takes answers that nobody asked for, and refuses what is no message', async () => {
    const { send } = await asking()
    expect(await send({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({ status: 202, body: null })
    expect(await send({ jsonrpc: '2.0', id: null, error: { code: 1 } })).toEqual({ status: 202, body: null })
    for (const message of [{ id: 1 }, {}, { id: 1, method: 5 }])
      expect((await send({ jsonrpc: '2.0', ...message })).body).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it('offers tools whose routes there are', async () => {
    const { rpc } = await asking()
    const { tools } = (await rpc('tools/list')).result
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(agentTools.map(({ name }) => name))
    for (const tool of tools)
      expect(tool).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        inputSchema: expect.any(Object),
      })
    for (const { route } of agentTools) expect(agentRoutes).toContain(route)
    expect(new Set(agentTools.map(({ name }) => name)).size).toBe(agentTools.length)
  })

  it('carries a call to the daemon as its route would', async () => {
    const { rpc, asked } = await asking()
    expect(await rpc('tools/call', { name: 'escalate', arguments: { reason: 'why' } })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '{"status":"RESOLVED"}' }], isError: false },
    })
    expect(asked).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        agentId: 'agent-ada',
        runId: 'run-1',
        route: '/escalate',
        body: { reason: 'why' },
      },
      { id: expect.any(String), agentId: 'agent-ada', runId: 'run-1', route: '/notes', body: {} },
    ])
  })

  it.each([ada, streams])('hands over notes with a result, and acknowledges them once it is sent', async (headers) => {
    const notes = waitingNotes()
    const { url } = await sidecar(config([], {}), {
      ask: (it) => (it.route === '/escalate' ? { answer: escalated(), hangUp: () => undefined } : notes.ask(it)),
    })
    const escalated = async () => ({ status: 200, body: { status: 'RESOLVED' } })
    notes.leave('Grace says, while you work:\n> Use SQLite')
    const said = async () => (await call(`${url}/mcp`, { headers, body: escalate() })).body
    expect(await said()).toContain(
      '"content":[{"type":"text","text":"{\\"status\\":\\"RESOLVED\\"}"},' +
        '{"type":"text","text":"Grace says, while you work:\\n> Use SQLite"}]',
    )
    await expect.poll(() => notes.taken).toEqual(['Grace says, while you work:\n> Use SQLite'])
    expect(await said()).not.toContain('Grace')
    expect(notes.asked.map(({ route }) => route)).toEqual(['/notes', '/notes/taken', '/notes'])
  })

  it('hands over none with a refusal, and holds no result back for a daemon that went away', async () => {
    const asked: string[] = []
    const { url } = await sidecar(config([], {}), {
      ask: ({ route, body }) => {
        asked.push(route)
        const status = (body as { reason?: string }).reason === 'no' ? 429 : 200
        const answer = route === '/notes' ? new Promise<never>(() => undefined) : Promise.resolve({ status, body: {} })
        return { answer, hangUp: () => undefined }
      },
    })
    expect(
      (await call(`${url}/mcp`, { headers: ada, body: escalate({ arguments: { reason: 'no' } }) })).body,
    ).toContain('"isError":true')
    expect(asked).toEqual(['/escalate'])
    expect((await call(`${url}/mcp`, { headers: ada, body: escalate() })).body).toContain('"isError":false')
    expect(asked).toEqual(['/escalate', '/escalate', '/notes'])
  })

  it('tells a refusal of the daemon as a failed tool, which the model can read', async () => {
    const { rpc } = await asking(async () => ({
      status: 400,
      body: { code: 'missing_field', error: 'reason is required' },
    }))
    expect((await rpc('tools/call', { name: 'escalate' })).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('reason is required') }],
    })
  })

  it('opens a stream at once and keeps it alive while people think', async () => {
    let answer = (_: SidecarAnswer) => {}
    const { url, asked } = await asking(() => new Promise((resolve) => (answer = resolve)))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const out = request(`${url}/mcp`, { method: 'POST', headers: streams }).end(
      escalate({ _meta: { progressToken: 'p' } }),
    )
    const [reply] = (await once(out, 'response')) as [IncomingMessage]
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/event-stream'])
    await expect.poll(() => asked.length).toBe(1)
    vi.advanceTimersByTime(30_000)
    answer({ status: 200, body: { status: 'UNANSWERED' } })
    const events = (await text(reply)).split('\n\n').filter(Boolean)
    expect(events.map((it) => JSON.parse(it.split('data: ')[1]!))).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 2 } },
      { id: 7, result: { content: [{ text: '{"status":"UNANSWERED"}' }] } },
    ])
  })

  it('has sixteen calls of an agent unanswered at a time, and those of others beside them', async () => {
    const { url, asked, send, configure } = await asking(() => new Promise(() => {}))
    const others = { 'dummy-bo': { agentId: 'agent-bo', slug: 'bo', credentials: [] } }
    const { agents, ...rest } = config([], {})
    configure({ ...rest, agents: { ...agents, ...others } })
    const begin = (headers: object) =>
      request(`${url}/mcp`, { method: 'POST', headers: { ...ada, ...headers } })
        .on('error', () => undefined)
        .end(escalate())
    for (let at = 0; at < 16; at++) begin({})
    await expect.poll(() => asked.length).toBe(16)
    expect((await send(JSON.parse(escalate()))).status).toBe(429)
    begin({ authorization: 'Bearer dummy-bo' })
    await expect.poll(() => asked.at(-1)?.agentId).toBe('agent-bo')
  })

  it('hangs up when the client goes away', async () => {
    const { url, asked, hungUp } = await asking(() => new Promise(() => {}))
    const out = request(`${url}/mcp`, { method: 'POST', headers: streams }).end(escalate())
    out.on('error', () => undefined)
    await expect.poll(() => asked.length).toBe(1)
    out.destroy()
    await expect.poll(() => hungUp).toEqual([asked[0]!.id])
  })

  it('does not hang up on what was answered', async () => {
    const { rpc, hungUp } = await asking()
    await rpc('tools/call', { name: 'escalate', arguments: { reason: 'why' } })
    await rpc('tools/call', { name: 'escalate', arguments: { reason: 'why' } })
    expect(hungUp).toEqual([])
  })

  it.each([
    [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, -32601],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } }, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call' }, -32602],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32600],
    ['ping', -32600],
  ])('refuses %j', async (message, code) => {
    const { send, asked } = await asking()
    expect(await send(message)).toMatchObject({ status: 200, body: { error: { code } } })
    expect(asked).toEqual([])
  })

  it('asks for the key of an agent, in a POST', async () => {
    const { url } = await asking()
    expect((await call(`${url}/mcp`, { headers: { authorization: 'Bearer dummy-eve' }, body: '{}' })).status).toBe(401)
    expect((await call(`${url}/mcp`, { method: 'GET', headers: ada })).status).toBe(405)
    expect((await call(`${url}/mcp`, { headers: ada, body: '{' })).status).toBe(400)
  })
})

describe('the servers that people gave an agent', () => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo' } })
  const result = { content: [{ type: 'text', text: 'plum' }] }

  it('answer what is quick in one piece, without a stream', async () => {
    const { url, asked } = await asking(async () => ({ status: 200, body: { result } }))
    const reply = await call(`${url}/mcp/everything`, { headers: streams, body: message })
    expect(reply.headers['content-type']).toBe('application/json')
    expect(JSON.parse(reply.body)).toEqual({ jsonrpc: '2.0', id: 7, result })
    expect(asked).toMatchObject([
      { route: '/mcp-tool-calls', body: { server: 'everything', method: 'tools/call', params: { name: 'echo' } } },
    ])
  })

  it('answer what takes time in a stream, for clients that take one', async () => {
    let answer = (_: SidecarAnswer) => {}
    const { url, asked } = await asking(() => new Promise((resolve) => (answer = resolve)))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const out = request(`${url}/mcp/everything`, { method: 'POST', headers: streams }).end(message)
    const answered = once(out, 'response') as Promise<[IncomingMessage]>
    await vi.waitUntil(() => asked.length === 1)
    await vi.advanceTimersByTimeAsync(1000)
    const [reply] = await answered
    expect(reply.headers['content-type']).toBe('text/event-stream')
    answer({ status: 200, body: { result } })
    expect(JSON.parse((await text(reply)).split('data: ')[1]!)).toEqual({ jsonrpc: '2.0', id: 7, result })
  })
})
