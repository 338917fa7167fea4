import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { server } from '../../support/server.ts'

type Answer = [status: number, body: unknown]

/** A daemon whose vendors and local model server are one server, which answers each path so. */
async function place(answers: Record<string, Answer> = {}, vendor: Record<string, string> = {}) {
  const there = await server(({ url }, response) => {
    const [status, body] = answers[url!] ?? [404, {}]
    response.writeHead(status).end(JSON.stringify(body))
  })
  const addresses = { 'models.anthropic_url': there.url, 'models.openai_url': there.url, ...vendor }
  const it = await daemon({ config: { vendor: addresses } })
  const list = async (query: string, who: 'VIEWER' | 'OWNER' = 'VIEWER') =>
    (await it.call(who, 'GET', `/models${query}`)).body
  return { it, list, there }
}

const addKey = (it: TestDaemon, provider: string, value = 'sk-hush', type = 'API_KEY') =>
  it.call('OWNER', 'POST', '/credentials', { name: `${provider} ${value}`, type, provider, value })

describe('GET /models', () => {
  it.each([
    ['ANTHROPIC', 'anthropic', 'claude-fable-5', 'claude-haiku-4-5', 8],
    ['anthropic', 'anthropic', 'claude-fable-5', 'claude-haiku-4-5', 8],
    ['OpenAI', 'openai', 'gpt-4o', 'o3-mini', 4],
    ['google', 'google', 'gemini-2.0-flash', 'gemini-1.5-flash', 3],
  ])('knows models of %s without asking anyone', async (given, provider, first, last, count) => {
    const { list, there } = await place()
    const found = await list(`?provider=${given}`)
    expect(found).toMatchObject({ provider: provider.toUpperCase(), source: 'curated' })
    expect(found.models).toHaveLength(count)
    expect([found.models[0], found.models.at(-1)]).toEqual([
      { id: first, provider },
      { id: last, provider },
    ])
    expect(there.seen).toEqual([])
  })

  it.each([
    ['?provider=', 400, 'invalid_field'],
    ['?provider=cursor', 400, 'invalid_field'],
    ['?provider=nobody', 400, 'invalid_field'],
    ['', 400, 'missing_field'],
  ])('refuses %s', async (query, status, code) => {
    const { list } = await place()
    expect(await list(query)).toMatchObject({ status, code, field: 'provider' })
  })

  it('asks the vendor with the oldest key of the workspace, and remembers the answer', async () => {
    const data = [{ id: 'claude-new', display_name: 'Claude New' }, { id: 'claude-other' }, { id: 7 }, null]
    const { it, list, there } = await place({ '/v1/models?limit=1000': [200, { data }] })
    await addKey(it, 'ANTHROPIC', 'sk-first')
    it.clock.advance(1000)
    await addKey(it, 'ANTHROPIC', 'sk-second')
    const live = {
      provider: 'ANTHROPIC',
      source: 'live',
      models: [
        { id: 'claude-new', display_name: 'Claude New', provider: 'anthropic' },
        { id: 'claude-other', provider: 'anthropic' },
      ],
    }
    expect(await list('?provider=anthropic')).toEqual(live)
    expect(await list('?provider=anthropic')).toEqual(live)
    expect(there.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-first'])
  })

  it('asks OpenAI with a bearer token, and never asks Google', async () => {
    const { it, list, there } = await place({ '/v1/models': [200, { data: [{ id: 'gpt-9' }] }] })
    await addKey(it, 'OPENAI')
    await addKey(it, 'GOOGLE')
    expect(await list('?provider=openai')).toMatchObject({ source: 'live', models: [{ id: 'gpt-9' }] })
    expect(await list('?provider=google')).toMatchObject({ source: 'curated' })
    expect(there.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-hush'])
  })

  it.each([
    ['refuses the key', [401, {}]],
    ['is broken', [500, {}]],
    ['lists nothing', [200, { data: [] }]],
    ['answers nonsense', [200, 'nonsense']],
  ] as [string, Answer][])('falls back on what it knows when the vendor %s', async (_, answer) => {
    const { it, list } = await place({ '/v1/models?limit=1000': answer })
    await addKey(it, 'ANTHROPIC')
    expect(await list('?provider=anthropic')).toMatchObject({ source: 'curated' })
  })

  it('asks with an API key that is ACTIVE, and with nothing else', async () => {
    const { it, list, there } = await place({ '/v1/models?limit=1000': [200, { data: [{ id: 'claude-new' }] }] })
    await addKey(it, 'ANTHROPIC', 'sk-ant-oat01-login', 'AI_CLI_TOKEN')
    const { body } = await addKey(it, 'ANTHROPIC', 'sk-revoked')
    it.app.db.prepare("UPDATE credentials SET status = 'ERROR' WHERE id = ?").run(body.id)
    expect(await list('?provider=anthropic')).toMatchObject({ source: 'curated' })
    expect(there.seen).toEqual([])
    await addKey(it, 'ANTHROPIC', 'sk-working')
    expect(await list('?provider=anthropic')).toMatchObject({ source: 'live' })
    expect(there.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-working'])
  })

  it("does not ask with another workspace's key", async () => {
    const { it, there } = await place({ '/v1/models?limit=1000': [200, { data: [{ id: 'theirs' }] }] })
    await addKey(it, 'ANTHROPIC')
    const other = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Other', slug: 'other' })).body
    const owner = it.person('OWNER')
    const headers = { authorization: `Bearer ${owner.token}`, 'x-workspace-id': other.id }
    const reply = await it.http.inject({ url: '/api/v1/models?provider=anthropic', headers })
    expect(reply.json()).toMatchObject({ source: 'curated' })
    expect(there.seen).toEqual([])
  })
})

describe("models of the operator's own server", () => {
  const local = async (answers: Record<string, Answer>) => {
    const there = await server(({ url }, response) => {
      const [status, body] = answers[url!] ?? [404, {}]
      response.writeHead(status).end(JSON.stringify(body))
    })
    return { ...(await place({}, { 'local_models.base_url': `${there.url}/` })), there }
  }

  it.each([
    ['the usual list', { '/v1/models': [200, { data: [{ id: 'qwen3:8b' }] }] }, ['/v1/models']],
    ["Ollama's own", { '/api/tags': [200, { models: [{ name: 'qwen3:8b' }] }] }, ['/v1/models', '/api/tags']],
  ] as [string, Record<string, Answer>, string[]][])('are listed: %s', async (_, answers, asked) => {
    const { list, there } = await local(answers)
    expect(await list('?provider=ollama')).toEqual({
      provider: 'OLLAMA',
      source: 'live',
      models: [{ id: 'qwen3:8b', provider: 'ollama' }],
    })
    expect(there.seen.map(({ url }) => url)).toEqual(asked)
  })

  it('are a 502 when it does not answer', async () => {
    const { list } = await local({})
    expect(await list('?provider=ollama')).toMatchObject({ status: 502, code: 'models_unreachable' })
  })

  it('are a 502 that says what to do when none is known', async () => {
    const { list } = await place()
    expect(await list('?provider=ollama')).toMatchObject({
      status: 502,
      code: 'models_unreachable',
      detail: expect.stringContaining('SVC_LOCAL_MODELS_URL'),
    })
  })
})
