import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { server } from '../../../support/server.ts'

const path = '/admin/keeper/aux'
const slots = ['curator', 'behavior', 'memory_health', 'negative', 'run_summary', 'fallback']
const slotIn = (body: { slots: { slot: string }[] }, name: string) => body.slots.find(({ slot }) => slot === name)

const judge = { judge_endpoint_url: 'http://127.0.0.1:11434', judge_model: 'qwen3' }

describe('keeper.aux', () => {
  it('names nobody where the server has no key', async () => {
    const { call } = await daemon()
    const { body } = await call('ADMIN', 'GET', path)
    expect(body).toMatchObject({
      providers: ['ollama', 'openai_compat', 'anthropic', 'openai'],
      judge_provider: 'ollama',
      judge_model: '',
      any_overridden: false,
    })
    expect(body.slots.map(({ slot }: { slot: string }) => slot)).toEqual(slots)
    expect(body.slots[1]).toEqual({
      slot: 'behavior',
      label: 'Tool-call behaviour monitor',
      provider: { value: '', source: 'default', editable: true },
      model: { value: '', source: 'default', editable: true },
      timeout_ms: { value: 20000, source: 'default', editable: true },
      credential_id: { value: '', source: 'default', editable: true },
      overridden: false,
    })
  })

  it('takes the first provider of which the server has a key, and what the environment says before', async () => {
    const { call } = await daemon({
      config: {
        vendor: {
          'models.openai_key': 'sk-a',
          'keeper.aux.behavior.provider': 'anthropic',
          'keeper.aux.behavior.model': 'claude-x',
          'keeper.aux.behavior.timeout': '3000',
        },
      },
    })
    const { body } = await call('ADMIN', 'GET', path)
    expect(slotIn(body, 'curator')).toMatchObject({ provider: { value: 'openai' }, model: { value: 'gpt-5.4-mini' } })
    expect(slotIn(body, 'behavior')).toMatchObject({
      provider: { value: 'anthropic', source: 'env' },
      model: { value: 'claude-x', source: 'env' },
      timeout_ms: { value: 3000, source: 'env' },
    })
  })
})

describe('keeper.setAux', () => {
  it('sets one, and the fallback all that are unset', async () => {
    const { call, entries } = await daemon()
    const { status, body } = await call('ADMIN', 'PUT', `${path}/fallback`, { provider: 'ollama', model: 'qwen3' })
    expect(status).toBe(200)
    expect(slotIn(body, 'behavior')).toMatchObject({ provider: { value: 'ollama', source: 'default' } })
    expect(slotIn(body, 'fallback')).toMatchObject({
      provider: { value: 'ollama', source: 'instance' },
      overridden: true,
    })
    expect(body.any_overridden).toBe(true)
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'keeper.decision',
      payload: { rule: 'keeper_aux_config', slots: { fallback: { provider: 'ollama', model: 'qwen3' } } },
    })
    await call('ADMIN', 'PUT', `${path}/behavior`, { timeout_ms: 600_000 })
    const after = (await call('ADMIN', 'PUT', `${path}/behavior`, { timeout_ms: 0 })).body
    expect(slotIn(after, 'behavior')).toMatchObject({ timeout_ms: { value: 20000, source: 'default' } })
  })

  it.each([
    ['nobody', { timeout_ms: 2000 }, 'slot'],
    ['behavior', { provider: 'hal', model: 'm' }, 'provider'],
    ['behavior', { provider: 'openai' }, 'model'],
    ['behavior', { model: 'm' }, 'provider'],
    ['behavior', { timeout_ms: 999 }, 'timeout_ms'],
    ['behavior', { timeout_ms: 600_001 }, 'timeout_ms'],
    ['behavior', { credential_id: 'c1' }, 'provider'],
    ['behavior', { provider: 'openai', model: 'm', credential_id: 'c1' }, 'credential_id'],
    ['behavior', { provider: 'ollama', model: 'm', credential_id: 'c1' }, 'credential_id'],
  ])('refuses %s %j', async (slot, body, field) => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'PUT', `${path}/${slot}`, body)).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field,
    })
  })

  it('takes working keys of the own workspace alone, and tells no other one of them', async () => {
    const { call, stranger } = await daemon()
    const key = { name: 'k', type: 'API_KEY', provider: 'OPENAI', value: 'sk-own' }
    const own = (await call('OWNER', 'POST', '/credentials', key)).body.id
    const foreign = (await call(stranger(), 'POST', '/credentials', key)).body.id
    const set = (credential_id: string) =>
      call('ADMIN', 'PUT', `${path}/behavior`, { provider: 'openai', model: 'm', credential_id })
    expect((await set(foreign)).body).toMatchObject({ status: 400, field: 'credential_id' })
    expect(slotIn((await set(own)).body, 'behavior')).toMatchObject({ credential_id: { value: own } })
    const seen = slotIn((await call(stranger(), 'GET', path)).body, 'behavior')
    expect(seen).toMatchObject({ credential_id: { value: '', editable: false } })
  })

  it('opens no credential without an encryption key', async () => {
    const { call } = await daemon({ withVault: false })
    const body = { provider: 'openai', model: 'm', credential_id: 'c1' }
    expect((await call('ADMIN', 'PUT', `${path}/behavior`, body)).body).toMatchObject({ status: 503 })
  })

  it('is for who administers the server alone', async () => {
    const { call, stranger } = await daemon()
    for (const [method, at] of [
      ['PUT', `${path}/behavior`],
      ['DELETE', path],
      ['DELETE', `${path}/behavior`],
      ['POST', `${path}/use-judge`],
      ['POST', `${path}/behavior/probe`],
    ] as const)
      expect((await call(stranger(), method, at, method === 'PUT' ? {} : undefined)).status).toBe(403)
  })
})

it('keeper.useJudge points all of them at the judge, once there is one', async () => {
  const { call } = await daemon()
  expect((await call('ADMIN', 'POST', `${path}/use-judge`)).body).toMatchObject({
    status: 400,
    field: 'judge_endpoint_url',
  })
  await call('ADMIN', 'PUT', '/admin/keeper/config', judge)
  const { status, body } = await call('ADMIN', 'POST', `${path}/use-judge`)
  expect(status).toBe(200)
  for (const slot of slots)
    expect(slotIn(body, slot)).toMatchObject({ provider: { value: 'ollama' }, model: { value: 'qwen3' } })
})

it('keeper.resetSlot and keeper.resetAux take back one and all', async () => {
  const { call } = await daemon()
  await call('ADMIN', 'PUT', '/admin/keeper/config', judge)
  await call('ADMIN', 'POST', `${path}/use-judge`)
  const one = (await call('ADMIN', 'DELETE', `${path}/behavior`)).body
  expect(slotIn(one, 'behavior')).toMatchObject({ provider: { source: 'default' }, overridden: false })
  expect(slotIn(one, 'curator')).toMatchObject({ overridden: true })
  expect((await call('ADMIN', 'DELETE', `${path}/nobody`)).body).toMatchObject({ status: 400, field: 'slot' })
  expect((await call('ADMIN', 'DELETE', path)).body).toMatchObject({ any_overridden: false })
})

describe('keeper.probe', () => {
  it('asks whoever judges the slot', async () => {
    const there = await server(({ url }, response) => {
      if (url === '/api/tags') return void response.end('{"models":[{"name":"qwen3"}]}')
      response.end(JSON.stringify({ message: { content: '{"decision":"DENY","reason":"no","risk":20}' } }))
    })
    const { call } = await daemon()
    await call('ADMIN', 'PUT', '/admin/keeper/config', { ...judge, judge_endpoint_url: there.url })
    await call('ADMIN', 'POST', `${path}/use-judge`)
    const { status, body } = await call('ADMIN', 'POST', `${path}/behavior/probe`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, decision: 'DENY', stages: [{}, {}, { detail: 'DENY, risk 10' }] })
  })

  it.each(['nobody', 'behavior'])('refuses %s, which is unknown or unset', async (slot) => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'POST', `${path}/${slot}/probe`)).body).toMatchObject({ status: 400, field: 'slot' })
  })
})
