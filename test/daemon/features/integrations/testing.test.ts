import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { RuntimeService } from '#runtime/service-types'
import { markSeen, want } from '../../../../daemon/features/crews/containers/service.ts'
import { everythingArgs, everythingServer } from '../../../support/everything-server.ts'
import { fakeServer, json } from '../../../support/fake-server.ts'
import { integrationScene } from '../../../support/integrations.ts'
import { localCrew } from '../../../support/local-servers.ts'

/** What testing a server at this address answers. */
async function tested(endpoint: string, hosts: string[] = [new URL(endpoint).host]) {
  const { it, crew } = await integrationScene({ config: { integrationHosts: [new URL(endpoint).host] } })
  const body = { name: 'x', endpoint, config_json: '{"headers":{"X-Team":"web"}}' }
  const made = (await it.call('OWNER', 'POST', `/crews/${crew}/integrations`, body)).body
  Object.assign(it.app.config, { integrationHosts: hosts })
  return await it.call('MANAGER', 'POST', `/crews/${crew}/integrations/${made.id}/test`)
}

describe('testing integrations', () => {
  it('says what a real server says of itself', async () => {
    const { url } = await everythingServer()
    expect(await tested(url)).toMatchObject({
      status: 200,
      body: { status: 'ok', server_info: { name: 'mcp-servers/everything', version: expect.any(String) } },
    })
  })

  it('of the workspace is for MANAGERs, and looks at the form of a command alone where no crew runs', async () => {
    const { it, server } = await integrationScene()
    const made = await server('x', { transport: 'stdio', endpoint: null, command: 'npx' })
    expect((await it.call('MANAGER', 'POST', `/integrations/${made.id}/test`)).body).toEqual({
      status: 'ok',
      message: 'The command has the right form. It was not run: no crew that could run it is running',
    })
    expect((await it.call('MANAGER', 'POST', '/integrations/none/test')).status).toBe(404)
  })

  it('sends the headers of the settings, and no private address is reached unless the operator names it', async () => {
    const server = await fakeServer((_, reply) => reply.writeHead(401).end())
    expect((await tested(server.url)).body.status).toBe('auth_required')
    expect(server.seen[0]!.headers['x-team']).toBe('web')
    const refused = (await tested(server.url, [])).body
    expect(refused).toMatchObject({ status: 'error', message: 'http:// is not allowed here' })
    expect(server.seen).toHaveLength(1)
  })

  /** A server that takes one token, and what testing it says once an agent is bound to it with a credential. */
  async function withCredential(value: string, answer?: (reply: ServerResponse, told: string) => unknown) {
    const upstream = await fakeServer(({ headers, body }, reply) => {
      const told = String(headers.authorization)
      if (answer) return answer(reply, told)
      if (told !== 'Bearer right-token') return reply.writeHead(401).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      if (id === undefined) return reply.writeHead(202).end()
      expect(method).toBe('initialize')
      const serverInfo = { name: `it took ${told}`, version: '1' }
      json(reply, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo } })
    })
    const { it, ada, server, bind, credential } = await integrationScene({
      config: { integrationHosts: [new URL(upstream.url).host] },
    })
    const made = await server('x', { endpoint: upstream.url })
    const test = async () => (await it.call('MANAGER', 'POST', `/integrations/${made.id}/test`)).body
    const before = await test()
    await bind(ada, made, { credential_id: await credential('key', { value }) })
    return { before, after: await test() }
  }

  it('asks with the credential that the server is used with, says which, and shows nothing of it', async () => {
    const { before, after } = await withCredential('right-token')
    expect(before).toEqual({
      status: 'auth_required',
      message: expect.stringMatching(/asks for a credential \(401\)$/),
    })
    expect(after).toEqual({
      status: 'ok',
      server_info: { name: 'it took Bearer [redacted]', version: '1' },
      message: 'Asked with the credential key',
    })
  })

  it('says with which credential a server was asked that does not take it', async () => {
    expect((await withCredential('wrong-token')).after).toEqual({
      status: 'auth_required',
      message: expect.stringMatching(/asks for a credential \(401\); asked with the credential key$/),
    })
    const { after } = await withCredential('right-token', (reply, told) =>
      json(reply, { jsonrpc: '2.0', id: 0, error: { code: -32600, message: `No: ${told}` } }),
    )
    expect(after.message).toMatch(/No: Bearer \[redacted\]; asked with the credential key$/)
  })

  it.each<[string, (reply: ServerResponse) => unknown, RegExp]>([
    ['HTML', (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /does not speak MCP$/],
    ['an error', (reply) => reply.writeHead(500).end('secret words'), /answered 500$/],
    ['JSON of another kind', (reply) => json(reply, { hello: 1 }), /does not speak MCP$/],
    ['an answer without end', flood, /larger than 65536 bytes$/],
  ])('says that %s is no answer', async (_, answer, message) => {
    const server = await fakeServer((__, reply) => answer(reply))
    expect((await tested(server.url)).body).toEqual({ status: 'error', message: expect.stringMatching(message) })
  })

  it('quotes a refusal on one line, without characters that deceive', async () => {
    const message = `no\u001b[2J\u202e ${'x'.repeat(5000)}`
    const server = await fakeServer(({ body }, reply) => {
      json(reply, { jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, error: { code: -32600, message } })
    })
    const said = (await tested(server.url)).body.message as string
    expect(said).toMatch(/refused: .*no \[2J x+$/)
    expect(said.length).toBeLessThan(300)
  })
})

describe('testing an integration over standard streams', () => {
  /** A server of the workspace or of a crew, where both crews run as local processes. */
  async function scene(args: string[], { denied = [] as string[], ofCrew = false, more = {} } = {}) {
    const { it, crew, other, server } = await integrationScene()
    const local = { [crew]: await localCrew(crew), [other]: await localCrew(other) }
    const started: string[] = []
    it.app.runtime = {
      async startServer(crewId, program) {
        started.push(crewId)
        return { ...(await local[crewId]!.startServer(crewId, program)), deniedHosts: () => denied }
      },
    } as Partial<RuntimeService> as RuntimeService
    await it.app.write(() => {
      for (const id of [crew, other]) {
        want(it.app, id, 'running', null)
        markSeen(it.app, id, { state: 'running', containerId: id, contract: null, startedAt: null, error: null })
      }
    })
    const program = { transport: 'stdio', endpoint: null, command: 'node', args_json: JSON.stringify(args), ...more }
    const { id } = await server('x', program, ofCrew ? other : undefined)
    const path = ofCrew ? `/crews/${other}/integrations/${id}/test` : `/integrations/${id}/test`
    return { other, started, test: async () => (await it.call('MANAGER', 'POST', path)).body }
  }

  it('runs it in a crew, and says what it says of itself', async () => {
    expect(await (await scene(everythingArgs)).test()).toEqual({
      status: 'ok',
      message: expect.stringMatching(/^It was run in the crew (web|ops)$/),
      server_info: { name: 'mcp-servers/everything', version: expect.any(String) },
    })
  })

  it('runs that of a crew in its own crew, once for all who ask at once', async () => {
    const { test, other, started } = await scene(everythingArgs, { ofCrew: true })
    const said = await Promise.all([test(), test()])
    expect(said.map(({ message }) => message)).toEqual(Array(2).fill('It was run in the crew ops'))
    expect(started).toEqual([other])
  })

  it('says why it ended at once, without its secrets', async () => {
    const args = ['-e', 'console.error("npm error of", process.env.TOKEN); process.exit(1)']
    const { test } = await scene(args, { ofCrew: true, more: { env_json: '{"TOKEN":"s3cret-value-42"}' } })
    const message = 'The server x ended at once: npm error of [redacted] (in the crew ops)'
    expect(await test()).toEqual({ status: 'error', message })
  })

  it('says which hosts the network policy of the crew kept it from', async () => {
    const args = ['-e', 'console.error("npm error 403"); process.exit(1)']
    const { test } = await scene(args, { ofCrew: true, denied: ['registry.example'] })
    expect((await test()).message).toBe(
      "The server x ended at once. The crew's network policy does not let it reach registry.example. " +
        'At last: npm error 403 (in the crew ops)',
    )
  })
})

/** Sends for as long as somebody listens. */
function flood(reply: ServerResponse): void {
  reply.writeHead(200, { 'content-type': 'application/json' })
  const write = () => {
    while (!reply.destroyed && reply.write('x'.repeat(65_536)));
  }
  reply.on('drain', write)
  write()
}
