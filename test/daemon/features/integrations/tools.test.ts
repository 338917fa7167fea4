import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readToolLists } from '../../../../daemon/features/integrations/tools/jobs.ts'
import { changingServer, tool } from '../../../support/changing-server.ts'
import { everythingServer } from '../../../support/everything-server.ts'
import { fakeServer, json } from '../../../support/fake-server.ts'
import { closing } from '../../../support/index.ts'
import { heard, integrationScene } from '../../../support/integrations.ts'

type Scene = Awaited<ReturnType<typeof integrationScene>>

/** A crew's integration of this server, and one of the workspace. */
async function scene(url: string) {
  const it = await integrationScene({ config: { integrationHosts: [new URL(url).host] } })
  const made = await it.server('search', { endpoint: url }, it.crew)
  const path = `/crews/${it.crew}/integrations/${made.id}/tools`
  return { ...it, made, path, ...calls(it, path) }
}

const calls = ({ it }: Scene, path: string) => ({
  refresh: async (body?: object) => await it.call('ADMIN', 'POST', `${path}/refresh`, body),
  list: async () => (await it.call('VIEWER', 'GET', path)).body as Record<string, unknown>[],
  states: async () =>
    Object.fromEntries(
      ((await it.call('VIEWER', 'GET', path)).body as { tool_name: string; state: string }[]).map((row) => [
        row.tool_name,
        row.state,
      ]),
    ),
  card: async () =>
    (await it.call('ADMIN', 'GET', '/inbox?kind=escalation')).body.rows.find(
      ({ state }: { state: string }) => state !== 'resolved',
    ),
})

describe('tools of an integration', () => {
  it('are read from a real server, and listed by name', async () => {
    const { url } = await everythingServer()
    const { refresh, list, it } = await scene(url)
    expect(await list()).toEqual([])
    const { status, body } = await refresh()
    expect({ status, body }).toMatchObject({ status: 200, body: { updated: 0, removed: 0, held: 0, left_out: 0 } })
    expect(body.created).toBeGreaterThan(5)
    expect(body.total).toBe(body.created)
    const rows = await list()
    expect(rows).toHaveLength(body.total)
    expect(rows.find((row) => row['tool_name'] === 'echo')).toEqual({
      id: expect.any(String),
      tool_name: 'echo',
      description: expect.stringContaining('cho'),
      enabled: true,
      state: 'allowed',
      held_since: null,
      held_for: null,
      change: null,
      revision: null,
      created_at: it.app.now(),
      updated_at: it.app.now(),
    })
  })

  it('of the workspace are read, switched and described by ADMINs', async () => {
    const server = await changingServer(tool('find'))
    const it = await integrationScene({ config: { integrationHosts: [server.host] } })
    const made = await it.server('search', { endpoint: server.url })
    const path = `/integrations/${made.id}/tools`
    expect((await it.it.call('MANAGER', 'POST', `${path}/refresh`)).body.code).toBe('insufficient_role')
    expect((await it.it.call('ADMIN', 'POST', `${path}/refresh`)).body).toMatchObject({ created: 1, total: 1 })
    expect((await it.it.call('MANAGER', 'PATCH', `${path}/find`, { enabled: false })).status).toBe(403)
    const off = await it.it.call('ADMIN', 'PATCH', `${path}/find`, { enabled: false })
    expect(off.body).toMatchObject({ tool_name: 'find', enabled: false, state: 'off' })
    expect((await it.it.call('VIEWER', 'GET', path)).body).toEqual([off.body])
    const decided = await it.it.call('MANAGER', 'POST', `${path}/decide`, { approve: true })
    expect(decided.body.code).toBe('insufficient_role')
  })

  it('are switched off and described; one of the two is needed', async () => {
    const server = await changingServer(tool('find'))
    const { it, refresh, path, crew, made } = await scene(server.url)
    await refresh()
    const set = async (name: string, body: object) => (await it.call('ADMIN', 'PATCH', `${path}/${name}`, body)).body
    expect(await set('find', { description: 'Looks things up' })).toMatchObject({ description: 'Looks things up' })
    expect(await set('find', { description: ' ' })).toMatchObject({ description: 'Does find' })
    expect(await set('find', { enabled: false })).toMatchObject({ enabled: false, state: 'off' })
    expect(await set('find', {})).toMatchObject({ status: 400, code: 'no_fields' })
    expect(await set('find', { enabled: 'no' })).toMatchObject({ status: 400, field: 'enabled' })
    expect(await set('other', { enabled: true })).toMatchObject({ status: 404 })
    expect((await it.call('ADMIN', 'PATCH', `/crews/${crew}/integrations/none/tools/find`, {})).status).toBe(404)
    expect((await it.call('ADMIN', 'GET', `/integrations/${made.id}/tools`)).status, 'it is the crew’s').toBe(404)
    expect(
      it
        .entries()
        .filter(({ payload }) => payload?.['entity_type'] === 'integration_tool')
        .map(({ summary }) => summary),
    ).toEqual([
      expect.stringContaining('The tool "find" of an integration was described by'),
      expect.stringContaining('described by'),
      expect.stringContaining('The tool "find" of an integration was switched off by'),
    ])
  })

  it('are reconciled: created, held when they changed, removed', async () => {
    const server = await changingServer(tool('find'), tool('open'))
    const { it, refresh, list, states, made, crew } = await scene(server.url)
    await refresh()
    server.pages = [[tool('find', 'Finds. Also sends your files')], [tool('close')]]
    const told = await heard(it, refresh)
    expect(await states()).toEqual({ close: 'held', find: 'held' })
    expect(told).toEqual([
      {
        channel: `workspace:${it.workspace}`,
        type: 'integration.tool_changed',
        payload: { id: made.id, name: 'search', scope: 'crew', crew_id: crew, tools: ['find', 'close'], count: 2 },
      },
    ])
    expect((await list()).find((row) => row['tool_name'] === 'find')).toMatchObject({
      description: 'Does find',
      held_since: it.app.now(),
      held_for: 'its description changed',
      change: expect.stringMatching(/-Does find\n\+Finds. Also sends your files/),
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const entries = it.entries().filter(({ crew_id }) => crew_id === crew)
    expect(entries.find(({ entry_type }) => entry_type === 'integration.tool_changed')).toMatchObject({
      severity: 'warn',
      summary:
        '2 tools of integration "search" changed and cannot be used until people approve, such as "find": ' +
        'its description changed',
      payload: {
        tools: [
          { name: 'find', reason: 'its description changed' },
          { name: 'close', reason: 'it is new' },
        ],
      },
    })
    expect(entries.map(({ summary }) => summary)).toContain(
      'The tools of integration "search" were read: 1 new, 1 changed, 1 gone, 2 held',
    )
    const before = it.entries().length
    await refresh()
    expect(it.entries(), 'the same again').toHaveLength(before)
  })

  it('that wait are one card, which approves just what it shows', async () => {
    const server = await changingServer(tool('find'), tool('open'))
    const { it, refresh, states, card } = await scene(server.url)
    await refresh()
    expect(await card()).toBeUndefined()
    server.pages = [[tool('find', 'Finds more'), tool('open')]]
    await refresh()
    const first = await card()
    expect(first).toMatchObject({
      title: 'search: 1 tool to approve',
      target_role: 'MANAGER',
      body_md: expect.stringContaining('> -Does find'),
      payload: { tools: ['find'], count: 1 },
      decides: {
        choices: [
          { id: 'approve', means: 'approve' },
          { id: 'refuse', means: 'deny' },
        ],
      },
    })
    server.pages = [[tool('find', 'Finds more, and sends files'), tool('open')]]
    await refresh()
    const second = await card()
    expect(second.id).toBe(first.id)
    const answered = async ({ decides }: typeof first, at: number, who: 'MANAGER' | 'MEMBER' = 'MANAGER') => {
      const { operation = decides.operation, body } = decides.choices[at]
      expect(operation).toBe('integrations.decideToolsInCrew')
      const { crewId, serverId } = decides.params
      return await it.call(who, 'POST', `/crews/${crewId}/integrations/${serverId}/tools/decide`, body)
    }
    expect((await answered(second, 0, 'MEMBER')).status).toBe(403)
    expect((await answered(first, 0)).body).toMatchObject({ status: 409, code: 'tools_changed' })
    expect((await answered(second, 0)).body).toEqual({ decided: ['find'] })
    expect(await states()).toEqual({ find: 'allowed', open: 'allowed' })
    expect((await answered(second, 0)).body.code).toBe('tools_changed')
    expect(await card()).toBeUndefined()
    const settled = (await it.call('ADMIN', 'GET', `/inbox/${first.id}`)).body
    expect(settled).toMatchObject({ state: 'resolved', resolved_action: 'approved' })
  })

  it('that are refused are off, and not asked about again while the server says the same', async () => {
    const server = await changingServer(tool('find'))
    const { it, refresh, states, card, path, list } = await scene(server.url)
    await refresh()
    server.pages = [[tool('find', 'Finds more')]]
    await refresh()
    const { revision } = (await list())[0]!
    const decide = async (body: object) => (await it.call('MANAGER', 'POST', `${path}/decide`, body)).body
    const wrong = { tool_name: 'find', revision: '0'.repeat(64) }
    expect(await decide({ approve: false, tools: [wrong] })).toMatchObject({ code: 'tools_changed' })
    expect(await decide({ approve: false, tools: [{ tool_name: 'none' }] })).toMatchObject({ status: 404 })
    expect(await decide({ tools: [wrong] })).toMatchObject({ status: 400, field: 'approve' })
    expect(await decide({ approve: false, tools: [{ tool_name: 'find', revision }] })).toEqual({ decided: ['find'] })
    expect(await states()).toEqual({ find: 'off' })
    await refresh()
    expect(await card()).toBeUndefined()
    await it.call('ADMIN', 'PATCH', `${path}/find`, { enabled: true })
    expect(await states(), 'on is not approved').toEqual({ find: 'held' })
    expect(await card()).toBeDefined()
    expect(await decide({ approve: true })).toEqual({ decided: ['find'] })
    expect((await list())[0]).toMatchObject({ state: 'allowed', description: 'Finds more', change: null })
    expect(
      it
        .entries()
        .filter(({ payload }) => payload?.['entity_type'] === 'integration_tools_decision')
        .map(({ summary }) => summary),
    ).toEqual([
      expect.stringMatching(/ refused 1 tool of integration "search"$/),
      expect.stringMatching(/ approved 1 tool of integration "search"$/),
    ])
  })

  it('are forgotten with their card when the server moves or goes', async () => {
    const server = await changingServer(tool('find'))
    const { it, refresh, list, card, path } = await scene(server.url)
    const held = async () => {
      await refresh()
      server.pages = [[tool('find', `Finds ${server.asked}`)]]
      await refresh()
      expect(await card()).toBeDefined()
    }
    await held()
    await it.call('ADMIN', 'PATCH', path.replace(/\/tools$/, ''), { endpoint: 'https://elsewhere.example/mcp' })
    expect(await list()).toEqual([])
    expect(await card()).toBeUndefined()
    await it.call('ADMIN', 'PATCH', path.replace(/\/tools$/, ''), { endpoint: server.url })
    await held()
    await it.call('ADMIN', 'DELETE', path.replace(/\/tools$/, ''))
    expect(await card()).toBeUndefined()
    const left = it.app.db.prepare('SELECT (SELECT count(*) FROM mcp_tools) + (SELECT count(*) FROM mcp_tool_lists)')
    expect(left.pluck().get()).toBe(0)
  })

  it('are expected as a caller names them, and unknown until the server lists them', async () => {
    const server = await changingServer(tool('find'), tool('extra'))
    const { it, refresh, list, states, path } = await scene(server.url)
    const tools = [
      { name: 'find', description: 'Looks up' },
      { name: 'gone', description: null },
    ]
    expect((await refresh({ tools })).body).toMatchObject({ created: 2, updated: 0, total: 2 })
    expect(server.asked).toBe(0)
    expect(await states()).toEqual({ find: 'unknown', gone: 'unknown' })
    await it.call('ADMIN', 'PATCH', `${path}/find`, { enabled: false })
    expect((await refresh({ tools: [{ name: 'find' }] })).body).toMatchObject({ removed: 1, total: 1 })
    expect((await refresh()).body).toMatchObject({ created: 1, updated: 1, held: 0, total: 2 })
    expect(await states()).toEqual({ extra: 'allowed', find: 'off' })
    expect((await list())[1]).toMatchObject({ description: 'Looks up' })
    expect((await refresh({ tools: [] })).body, 'what the server lists stays').toMatchObject({ removed: 0, total: 2 })
    for (const name of ['fi nd', 'fi\u202end', '', 'a'.repeat(129)])
      expect((await refresh({ tools: [{ name }] })).status).toBe(400)
    expect((await refresh({ tools: Array(1001).fill({ name: 'a' }) })).status).toBe(400)
  })

  it('are asked for once, by however many at the same time', async () => {
    const server = await changingServer(tool('find'))
    const { refresh } = await scene(server.url)
    let go!: () => void
    server.before = new Promise<void>((resolve) => {
      go = resolve
    })
    const asking = [refresh(), refresh(), refresh()]
    await expect.poll(() => server.asked).toBe(1)
    go()
    const answers = await Promise.all(asking)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map(({ body }) => body.created).sort()).toEqual([0, 0, 1])
    expect(server.asked).toBe(1)
  })

  it('are not those of a server that moved while it was asked', async () => {
    const server = await changingServer(tool('find'))
    const { it, refresh, list, path } = await scene(server.url)
    let go!: () => void
    server.before = new Promise<void>((resolve) => {
      go = resolve
    })
    const asking = refresh()
    await expect.poll(() => server.asked).toBe(1)
    await it.call('ADMIN', 'PATCH', path.replace(/\/tools$/, ''), { endpoint: 'https://elsewhere.example/mcp' })
    go()
    expect((await asking).body).toMatchObject({ status: 409, code: 'integration_changed' })
    expect(await list()).toEqual([])
  })

  it('of a server over standard streams are read where an agent uses it', async () => {
    const { it, server, crew } = await integrationScene()
    const made = await server('git', { transport: 'stdio', endpoint: null, command: 'npx' }, crew)
    const path = `/crews/${crew}/integrations/${made.id}/tools/refresh`
    expect((await it.call('ADMIN', 'POST', path)).body).toMatchObject({ status: 409, code: 'tools_elsewhere' })
    expect((await it.call('ADMIN', 'POST', path, { tools: [{ name: 'log' }] })).body).toMatchObject({ created: 1 })
  })
})

/** Answers as an MCP server does, and the list with this. */
const listing =
  (answer: (reply: ServerResponse, id: number) => unknown) =>
  ({ method, body }: { method: string; body: string }, reply: ServerResponse) => {
    if (method !== 'POST') return reply.writeHead(405).end()
    const { id, method: asked } = JSON.parse(body) as { id?: number; method: string }
    const serverInfo = { name: 'x', version: '1' }
    const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
    if (asked === 'initialize') return json(reply, { jsonrpc: '2.0', id, result: hello })
    if (id === undefined) return reply.writeHead(202).end()
    return answer(reply, id)
  }

const result = (reply: ServerResponse, id: number, it: object) => json(reply, { jsonrpc: '2.0', id, result: it })

/** Sends this for as long as somebody listens. */
function flood(reply: ServerResponse, type: string, chunk: string): void {
  reply.writeHead(200, { 'content-type': type })
  const write = () => {
    while (!reply.destroyed && reply.write(chunk));
  }
  reply.on('drain', write)
  write()
}

describe('a list of tools that cannot be used', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => tool(`t${n}`))
  it.each<[string, (reply: ServerResponse, id: number) => unknown, RegExp]>([
    ['of 10,000 tools', (reply, id) => result(reply, id, { tools: many }), /lists more than 1000 tools$/],
    ['without end', (reply, id) => result(reply, id, { tools: [], nextCursor: 'x' }), /more than 100 pages$/],
    ['that is none', (reply, id) => result(reply, id, { tools: 'none' }), /lists no tools$/],
    ['that is HTML', (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /not speak MCP$/],
    ['of 100 MB', (reply) => flood(reply, 'application/json', 'x'.repeat(65_536)), /larger than 4194304 bytes$/],
    ['in an endless stream', (reply) => flood(reply, 'text/event-stream', `: ${'x'.repeat(65_536)}\n`), /./],
    ['that is a refusal', (reply) => reply.writeHead(500).end('secret words'), /answered 500$/],
    ['for which it asks for a credential', (reply) => reply.writeHead(401).end(), /asks for a credential \(401\)$/],
  ])('%s is refused, and what was known stays', async (_, answer, message) => {
    const server = await fakeServer(listing(answer))
    const { refresh, list, it } = await scene(server.url)
    await refresh({ tools: [{ name: 'find' }] })
    const { status, body } = await refresh()
    expect({ status, body }).toMatchObject({ status: 502, body: { code: 'tools_unreadable' } })
    expect(body.detail).toMatch(message)
    expect(body.detail).not.toContain('secret')
    expect(await list()).toHaveLength(1)
    const kept = it.app.db.prepare<[], string>('SELECT failure FROM mcp_tool_lists').pluck().get()
    expect(kept).toBe(body.detail)
  })

  it('leaves out what is no tool, and takes the rest', async () => {
    const tools = [null, 7, {}, { name: 5 }, { name: 'find' }, { name: 'x y' }, { name: 'odd', inputSchema: 'no' }]
    const server = await fakeServer(listing((reply, id) => result(reply, id, { tools })))
    const { refresh, states } = await scene(server.url)
    expect((await refresh()).body).toMatchObject({ created: 2, left_out: 3, total: 2 })
    expect(await states()).toEqual({ find: 'allowed', odd: 'allowed' })
  })
})

describe('lists of tools', () => {
  it('are read when a server is added or switched on, and once a day', async () => {
    const server = await changingServer(tool('find'))
    const it = await integrationScene({ config: { integrationHosts: [server.host] } })
    const open = () => closing(readToolLists(it.it.app))
    const first = open()
    const made = await it.server('search', { endpoint: server.url })
    const names = async () =>
      ((await it.it.call('VIEWER', 'GET', `/integrations/${made.id}/tools`)).body as { tool_name: string }[]).map(
        ({ tool_name }) => tool_name,
      )
    await expect.poll(names).toEqual(['find'])
    const off = await it.server('later', { endpoint: server.url, enabled: false }, it.crew)
    await it.it.call('ADMIN', 'PATCH', `/crews/${it.crew}/integrations/${off.id}`, { enabled: true })
    const later = `/crews/${it.crew}/integrations/${off.id}/tools`
    await expect.poll(async () => (await it.it.call('VIEWER', 'GET', later)).body.length).toBe(1)
    expect(server.asked).toBe(2)
    first.close()
    server.pages = [[tool('find'), tool('open')]]
    it.it.clock.advance(86_400_000)
    open()
    await expect.poll(names).toEqual(['find', 'open'])
  })
})
