import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { server } from '../../../support/server.ts'

const verdict = (decision = 'ALLOW') => JSON.stringify({ decision, reason: 'It fits', risk: 2 })

/** Servers of models as their vendors document them: what they list, and what they answer to a question. */
const vendors = {
  ollama: {
    list: ['/api/tags', { models: [{ name: 'qwen3:latest' }] }],
    ask: ['/api/chat', (text: string) => ({ message: { role: 'assistant', content: text }, done: true })],
  },
  'openai-chat': {
    list: ['/v1/models', { data: [{ id: 'qwen3' }] }],
    ask: ['/v1/chat/completions', (text: string) => ({ choices: [{ message: { role: 'assistant', content: text } }] })],
  },
  'openai-responses': {
    list: ['/v1/models', { data: [{ id: 'qwen3' }] }],
    ask: [
      '/v1/responses',
      (text: string) => ({
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', content: [{ type: 'output_text', text }] },
        ],
      }),
    ],
  },
  'anthropic-messages': {
    list: ['/v1/models', { data: [{ id: 'qwen3', type: 'model' }] }],
    ask: ['/v1/messages', (text: string) => ({ content: [{ type: 'text', text }], stop_reason: 'end_turn' })],
  },
} as const
type Wire = keyof typeof vendors

async function judgeServer(wire: Wire, says: string | number = verdict()) {
  const { list, ask } = vendors[wire]
  return server(({ url }, response) => {
    if (url === list[0]) return void response.end(JSON.stringify(list[1]))
    if (url !== ask[0]) return void response.writeHead(404).end()
    if (typeof says === 'number') return void response.writeHead(says).end('{"error":"sk-hush"}')
    response.end(JSON.stringify(ask[1](says)))
  })
}

const providerOf = (wire: Wire) =>
  wire === 'ollama' ? 'ollama' : wire === 'anthropic-messages' ? 'anthropic' : 'openai_compat'

async function place(wire: Wire, says?: string | number) {
  const there = await judgeServer(wire, says)
  const it = await daemon()
  const endpoint = there.url.replace('://', '://sk-judge@')
  const { status } = await it.call('ADMIN', 'PUT', '/admin/keeper/config', {
    judge_provider: providerOf(wire),
    judge_wire: wire,
    judge_endpoint_url: endpoint,
    judge_model: 'qwen3',
  })
  expect(status).toBe(200)
  return { ...it, there }
}

describe('keeper.test', () => {
  it.each(Object.keys(vendors) as Wire[])('asks a server that speaks %s', async (wire) => {
    const { call, there } = await place(wire)
    const { status, body } = await call('ADMIN', 'POST', '/admin/keeper/judge/test')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ok: true,
      endpoint: there.url.replace('://', '://***@'),
      model: 'qwen3',
      decision: 'ALLOW',
      stages: [
        { name: 'reach', label: 'Reach the endpoint', ok: true },
        { name: 'model', label: 'Model is available', ok: true },
        { name: 'verdict', label: 'Returns a verdict', ok: true, detail: 'ALLOW, risk 2' },
      ],
    })
    const asked = there.seen.find(({ method }) => method === 'POST')!
    const sent = JSON.parse(asked.body)
    expect(sent.model).toBe('qwen3')
    expect(asked.body).toContain('NPM_READ_TOKEN')
    const secret = wire === 'anthropic-messages' ? asked.headers['x-api-key'] : asked.headers.authorization
    expect(secret).toBe(wire === 'anthropic-messages' ? 'sk-judge' : 'Bearer sk-judge')
    const bounds = {
      ollama: { stream: false, think: false, options: { temperature: 0.1, num_predict: 256 } },
      'openai-chat': { temperature: 0.1, max_tokens: 256, response_format: { type: 'json_schema' } },
      'openai-responses': { max_output_tokens: 256, store: false, text: { format: { type: 'json_schema' } } },
      'anthropic-messages': { temperature: 0.1, max_tokens: 256 },
    }
    expect(sent).toMatchObject(bounds[wire])
  })

  it.each([
    ['prose', 'I would allow it.', 'The answer holds no verdict'],
    ['nothing', '', 'The answer holds no verdict'],
    ['a verdict without a decision', '{"reason":"because"}', 'The answer holds no verdict'],
    ['500', 500, 'The server answered 500'],
  ])('fails at the verdict when the model answers %s', async (_, says, detail) => {
    const { call } = await place('ollama', says)
    const { text } = await call('ADMIN', 'POST', '/admin/keeper/judge/test')
    expect(JSON.parse(text)).toMatchObject({ ok: false, decision: '' })
    expect(JSON.parse(text).stages[2]).toMatchObject({ name: 'verdict', ok: false, detail })
    expect(text).not.toContain('sk-hush')
  })

  it('takes a verdict out of a fence, and one that it does not know as a denial', async () => {
    const fenced = await place('ollama', `\`\`\`json\n${verdict('ESCALATE')}\n\`\`\``)
    expect((await fenced.call('ADMIN', 'POST', '/admin/keeper/judge/test')).body.decision).toBe('ESCALATE')
    const other = await place('ollama', verdict('MAYBE'))
    expect((await other.call('ADMIN', 'POST', '/admin/keeper/judge/test')).body.decision).toBe('DENY')
  })

  it('stops at what fails first', async () => {
    const { call } = await place('ollama')
    const gone = await call('ADMIN', 'POST', '/admin/keeper/judge/test', { judge_endpoint_url: 'http://127.0.0.1:1' })
    expect(gone.body.stages).toMatchObject([
      { name: 'reach', ok: false },
      { name: 'model', ok: false, skipped: true },
      { name: 'verdict', ok: false, skipped: true },
    ])
    const other = await call('ADMIN', 'POST', '/admin/keeper/judge/test', { judge_model: 'other' })
    expect(other.body).toMatchObject({ ok: false, models: ['qwen3:latest'] })
    expect(other.body.stages[1]).toMatchObject({ name: 'model', ok: false, detail: 'The server does not list other' })
  })

  it('tries nothing where there is nothing, and refuses what is no address', async () => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'POST', '/admin/keeper/judge/test')).body).toMatchObject({ ok: false, endpoint: '' })
    const bad = await call('ADMIN', 'POST', '/admin/keeper/judge/test', { judge_endpoint_url: 'judge' })
    expect(bad.body).toMatchObject({ status: 400, field: 'judge_endpoint_url' })
  })

  it("sends the key of the judge's address nowhere else", async () => {
    const { call } = await place('ollama')
    const other = await judgeServer('ollama')
    await call('ADMIN', 'POST', '/admin/keeper/judge/test', { judge_endpoint_url: other.url })
    expect(other.seen.length).toBe(2)
    expect(JSON.stringify(other.seen)).not.toContain('sk-judge')
  })

  it('lets owners of other workspaces look at no private address', async () => {
    const { call, stranger } = await daemon()
    const inside = await judgeServer('ollama')
    const { body } = await call(stranger(), 'POST', '/admin/keeper/judge/test', { judge_endpoint_url: inside.url })
    expect(body.stages[0]).toMatchObject({ ok: false })
    expect(inside.connections()).toBe(0)
  })
})

describe('keeper.models', () => {
  it('lists what the server has, and where else one may be', async () => {
    const { call, there } = await place('ollama')
    const { body } = await call('ADMIN', 'GET', '/admin/keeper/judge/models')
    expect(body).toEqual({
      endpoint: there.url.replace('://', '://***@'),
      models: ['qwen3:latest'],
      suggestions: [{ url: 'http://localhost:11434', label: 'On the machine of the server' }],
    })
  })

  it.each([
    ['http://127.0.0.1:1', /cannot be reached/],
    ['nowhere', /no http or https address/],
  ])('answers 200 with the reason for %s', async (endpoint, error) => {
    const { call } = await daemon()
    const { status, body } = await call('ADMIN', 'GET', `/admin/keeper/judge/models?endpoint=${endpoint}`)
    expect({ status, models: body.models }).toEqual({ status: 200, models: [] })
    expect(body.error).toMatch(error)
  })
})

describe('keeper.testHosted', () => {
  const path = '/admin/keeper/judge/test-hosted'
  const vendor = async (says?: string | number) => {
    const there = await judgeServer('anthropic-messages', says)
    const it = await daemon({
      config: { vendor: { 'models.anthropic_url': there.url, 'models.anthropic_key': 'sk-server' } },
    })
    return { ...it, there }
  }

  it("asks with the server's own key, or that of a credential", async () => {
    const { call, there } = await vendor()
    const body = { provider: 'anthropic', model: 'claude-x', credential_id: '' }
    expect((await call('ADMIN', 'POST', path, body)).body).toMatchObject({
      ok: true,
      model: 'claude-x',
      stages: [
        { name: 'key', label: 'Key resolves', ok: true },
        { name: 'verdict', ok: true },
        { name: 'budget', label: 'Answers inside the budget', ok: true },
      ],
    })
    const key = { name: 'k', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-own' }
    const { id } = (await call('OWNER', 'POST', '/credentials', key)).body
    expect((await call('ADMIN', 'POST', path, { ...body, credential_id: id })).body.ok).toBe(true)
    expect(there.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-server', 'sk-own'])
  })

  it('says at the stage of the key why there is none', async () => {
    const { call } = await daemon()
    const key = { name: 'k', type: 'API_KEY', provider: 'OPENAI', value: 'sk-own' }
    const { id } = (await call('OWNER', 'POST', '/credentials', key)).body
    for (const [credential_id, detail] of [
      ['', /no key of its own: set ANTHROPIC_API_KEY/],
      ['cnobody', /no such credential/],
      [id, /key of OPENAI/],
    ] as const) {
      const { status, body } = await call('ADMIN', 'POST', path, { provider: 'anthropic', model: 'm', credential_id })
      expect({ status, ok: body.ok }).toEqual({ status: 200, ok: false })
      expect(body.stages[0].detail).toMatch(detail)
      expect(body.stages.slice(1)).toMatchObject([{ skipped: true }, { skipped: true }])
    }
  })

  it.each([
    [{ provider: 'hal', model: 'm' }, 'invalid_field', 'provider'],
    [{ model: 'm' }, 'missing_field', 'provider'],
    [{ provider: 'anthropic' }, 'missing_field', 'model'],
  ])('refuses %j', async (body, code, field) => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'POST', path, body)).body).toMatchObject({ status: 400, code, field })
  })
})

it('trials of all workspaces together are few', async () => {
  const { call, stranger } = await daemon({ config: { rateLimitDisabled: false, keeperProbesPerMinute: 2 } })
  const models = (who: Parameters<typeof call>[0]) => call(who, 'GET', '/admin/keeper/judge/models')
  expect([(await models('ADMIN')).status, (await models(stranger())).status]).toEqual([200, 200])
  const third = await call('OWNER', 'POST', '/admin/keeper/judge/test')
  expect(third.body).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(third.headers['retry-after']).toBeDefined()
})
