import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { models } from '../../../../daemon/providers/anthropic/models.ts'
import { server } from '../../../support/server.ts'

describe('a model', () => {
  it.each([
    ['claude-sonnet-4-6', null, true],
    ['claude-haiku-4-5-20251001', null, true],
    ['claude-haiku-4-5-latest', null, true],
    ['sonnet', null, true],
    ['opus[1m]', null, true],
    ['claude-sonnet-4-6[1m]', null, true],
    ['claude-sonnet-4-60', null, false],
    ['claude-haiku-4-5-2025', null, false],
    ['Claude-Sonnet-4-6', null, false],
    ['gpt-4o', null, false],
    ['house-model', ['house-model'], true],
    ['claude-sonnet-4-6', ['house-model'], false],
    ['sonnet', ['house-model'], true],
  ] as const)('%s with the list %j: %s', (model, live, known) => expect(models.knows(model, live)).toBe(known))
})

const draft = { name: 'Ada', slug: 'ada' }

async function setting(status = 200, vendors = {}) {
  const vendor = await server((_request, response) =>
    response.writeHead(status).end(JSON.stringify({ data: [{ id: 'house-model' }, { id: 5 }] })),
  )
  const it = await daemon({ config: { vendor: { 'models.anthropic_url': vendor.url, ...vendors } } })
  const create = async (llm_model: unknown) => (await it.call('OWNER', 'POST', '/agents', { ...draft, llm_model })).body
  const addKey = () =>
    it.call('OWNER', 'POST', '/credentials', {
      name: 'k',
      type: 'API_KEY',
      provider: 'ANTHROPIC',
      value: 'sk-ant-hush',
    })
  return { ...it, vendor, create, addKey }
}

describe('llm_model', () => {
  it('is checked against what the vendor serves, asked once with the workspace’s key', async () => {
    const it = await setting()
    await it.addKey()
    expect(await it.create('claude-sonnet-4-6')).toMatchObject({
      status: 400,
      field: 'llm_model',
      detail: expect.stringContaining('house-model'),
    })
    const agent = await it.create(' house-model ')
    expect(agent).toMatchObject({ llm_model: 'house-model' })
    const patch = async (llm_model: unknown) =>
      (await it.call('OWNER', 'PATCH', `/agents/${agent.id}`, { llm_model })).body
    expect(await patch('other')).toMatchObject({ status: 400, field: 'llm_model' })
    expect(await patch('')).toMatchObject({ llm_model: null })
    expect(it.vendor.seen).toMatchObject([
      { url: '/v1/models?limit=1000', headers: { 'x-api-key': 'sk-ant-hush', 'anthropic-version': '2023-06-01' } },
    ])
  })

  it('is checked against the curated list when the vendor cannot be asked', async () => {
    const it = await daemon()
    const create = async (llm_model: string) =>
      (await it.call('OWNER', 'POST', '/agents', { ...draft, llm_model })).body
    expect(await create('gpt-4o')).toMatchObject({ status: 400, detail: expect.stringContaining('claude-opus-5') })
    expect(await create('claude-opus-5')).toMatchObject({ llm_model: 'claude-opus-5' })
  })

  it.each([
    ['anthropic/claude-opus-5', null, 201],
    ['anthropic/gpt-4o', 'OPENAI', 400],
    ['openai/gpt-4o', null, 201],
    ['gpt-4o', 'OPENAI', 201],
    ['gpt-4o', null, 400],
  ])('%s of a client with several providers, with %s: %i', async (llm_model, llm_provider, status) => {
    const { call } = await daemon()
    const body = { ...draft, cli_adapter: 'OPENCODE', llm_provider, llm_model }
    expect((await call('OWNER', 'POST', '/agents', body)).status).toBe(status)
  })

  it('names no provider where its client has one only', async () => {
    const { call } = await daemon()
    expect((await call('OWNER', 'POST', '/agents', { ...draft, llm_model: 'anthropic/claude-opus-5' })).status).toBe(
      400,
    )
  })

  it.each([
    ['without a key', 200, false],
    ['when it answers nonsense', 200, true],
    ['when it refuses', 401, true],
    ['when it is broken', 500, true],
  ])('is anyone’s guess at an address of the operator’s own %s', async (_when, status, withKey) => {
    const vendor = await server((_request, response) => response.writeHead(status).end('nonsense'))
    const it = await setting(200, { 'models.anthropic_url': vendor.url })
    if (withKey) await it.addKey()
    expect(await it.create('mock-model')).toMatchObject({ llm_model: 'mock-model' })
  })
})
