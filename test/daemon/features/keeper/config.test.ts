import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const path = '/admin/keeper/config'
const judge = { judge_endpoint_url: 'http://127.0.0.1:11434', judge_model: 'qwen3' }

describe('keeper.config', () => {
  it('shows what Muster says of itself, with where it comes from', async () => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'GET', path)).body).toEqual({
      enabled: { value: false, source: 'default', editable: true },
      judge_provider: { value: 'ollama', source: 'default', editable: true },
      judge_endpoint_url: { value: '', source: 'default', editable: true },
      judge_wire: { value: 'ollama', source: 'default', editable: true },
      judge_model: { value: '', source: 'default', editable: true },
      judge_timeout_ms: { value: 20000, source: 'default', editable: true },
      judge_profile: {
        name: { value: 'balanced', source: 'default', editable: true },
        evidence: { value: true, source: 'profile', editable: true },
        evidence_facts: { value: ['role', 'history'], source: 'profile', editable: true },
        hard_gate: { value: true, source: 'profile', editable: true },
        escalate_from: { value: 0, source: 'profile', editable: true },
        precedent: { value: false, source: 'profile', editable: true },
        precedent_n: { value: 3, source: 'profile', editable: true },
        consistency_samples: { value: 1, source: 'profile', editable: true },
        prompt_budget_tokens: { value: 3500, source: 'profile', editable: true },
        overridden: false,
        choices: ['balanced', 'strict', 'thorough'],
        available_facts: ['role', 'history'],
        stamp: 'balanced evidence=on facts=all hard_gate=on escalate_from=tier precedent=off/3 samples=1 budget=3500',
      },
      overridden: false,
      updated_at: null,
      updated_by: null,
      judge_configured: false,
    })
  })

  it.each([
    ['', true],
    ['false', false],
    ['true', true],
  ] as const)(
    'is on where the operator gave an address, unless KEEPER_ENABLED says otherwise: %j',
    async (says, on) => {
      const { call } = await daemon({
        config: { keeperUrl: 'http://localhost:11434', keeperModel: 'qwen3', keeperEnabled: says },
      })
      const { body } = await call('ADMIN', 'GET', path)
      expect(body).toMatchObject({
        enabled: { value: on, source: 'env' },
        judge_endpoint_url: { value: 'http://localhost:11434', source: 'env' },
        judge_model: { value: 'qwen3', source: 'env' },
        judge_configured: true,
      })
    },
  )

  it('is editable for who administers the server alone', async () => {
    const { call, stranger } = await daemon()
    const { body } = await call(stranger(), 'GET', path)
    expect(body.enabled).toEqual({ value: false, source: 'default', editable: false })
    expect((await call(stranger(), 'PUT', path, { enabled: true })).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
    })
    expect((await call('MANAGER', 'GET', path)).status).toBe(403)
  })
})

describe('keeper.setConfig', () => {
  it('sets what is named, and takes back what is empty', async () => {
    const { call, entries, person } = await daemon()
    const set = (body: object) => call('ADMIN', 'PUT', path, body)
    const { status, body } = await set({ enabled: true, ...judge, judge_timeout_ms: 5000, judge_profile: 'strict' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      enabled: { value: true, source: 'instance' },
      judge_endpoint_url: { value: judge.judge_endpoint_url, source: 'instance' },
      judge_timeout_ms: { value: 5000, source: 'instance' },
      judge_profile: {
        name: { value: 'strict', source: 'instance' },
        escalate_from: { value: 3, source: 'profile' },
        overridden: true,
      },
      overridden: true,
      updated_by: person('ADMIN').userId,
      judge_configured: true,
    })
    const { payload, ...entry } = entries().at(-1)!
    expect(entry).toMatchObject({ entry_type: 'keeper.decision', severity: 'notice', actor_type: 'user' })
    expect(payload).toEqual({
      rule: 'keeper_runtime_config',
      enabled: true,
      enabled_source: 'instance',
      endpoint: judge.judge_endpoint_url,
      endpoint_source: 'instance',
      model: 'qwen3',
      model_source: 'instance',
      judge_profile: body.judge_profile.stamp,
      judge_profile_name: 'strict',
      judge_profile_source: 'instance',
      overridden: true,
    })
    const after = (await set({ judge_timeout_ms: 0, judge_profile: '', enabled: null })).body
    expect(after).toMatchObject({
      enabled: { value: false, source: 'default' },
      judge_timeout_ms: { value: 20000, source: 'default' },
      judge_profile: { name: { value: 'balanced', source: 'default' }, overridden: false },
      judge_model: { value: 'qwen3' },
    })
  })

  it.each([
    ['on', true],
    ['off', false],
    [true, true],
    [false, false],
  ] as const)('takes %j for a switch', async (given, value) => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'PUT', path, { judge_evidence: given, judge_precedent: given })
    expect(body.judge_profile.evidence).toEqual({ value, source: 'instance', editable: true })
    expect(body.judge_profile.precedent.value).toBe(value)
    const back = (await call('OWNER', 'PUT', path, { judge_evidence: null })).body.judge_profile
    expect([back.evidence.source, back.precedent.source]).toEqual(['profile', 'instance'])
  })

  it.each([
    [{ judge_evidence_facts: 'role' }, 'evidence_facts', ['role']],
    [{ judge_evidence_facts: '' }, 'evidence_facts', ['role', 'history']],
    [{ judge_evidence_facts: ['history'] }, 'evidence_facts', ['history']],
    [{ judge_escalate_from: 5 }, 'escalate_from', 5],
    [{ judge_escalate_from: 0 }, 'escalate_from', 0],
    [{ judge_precedent_n: 10 }, 'precedent_n', 10],
    [{ judge_consistency_samples: 9 }, 'consistency_samples', 9],
    [{ judge_prompt_budget_tokens: 0 }, 'prompt_budget_tokens', 0],
    [{ judge_prompt_budget_tokens: 512 }, 'prompt_budget_tokens', 512],
  ])('sets %j', async (given, name, value) => {
    const { call } = await daemon()
    const { body } = await call('ADMIN', 'PUT', path, given)
    expect(body.judge_profile[name]).toEqual({ value, source: 'instance', editable: true })
  })

  it('speaks to each kind of server by its own wire', async () => {
    const { call } = await daemon()
    const wireOf = async (body: object) => (await call('ADMIN', 'PUT', path, body)).body.judge_wire
    expect(await wireOf({ judge_provider: 'anthropic' })).toMatchObject({ value: 'anthropic-messages' })
    expect(await wireOf({ judge_provider: 'openai_compat' })).toMatchObject({ value: 'openai-chat' })
    expect(await wireOf({ judge_wire: 'openai-responses' })).toMatchObject({ value: 'openai-responses' })
  })

  it.each([
    [{ enabled: 'yes' }, 'enabled'],
    [{ judge_evidence: 2 }, 'judge_evidence'],
    [{ judge_provider: 'hal' }, 'judge_provider'],
    [{ judge_wire: 'anthropic-messages' }, 'judge_wire'],
    [{ judge_endpoint_url: 'ftp://judge', judge_model: 'm' }, 'judge_endpoint_url'],
    [{ judge_endpoint_url: 'http://judge/?key=1', judge_model: 'm' }, 'judge_endpoint_url'],
    [{ judge_endpoint_url: `http://judge/${'x'.repeat(2048)}`, judge_model: 'm' }, 'judge_endpoint_url'],
    [{ judge_endpoint_url: 'http://judge' }, 'judge_model'],
    [{ judge_model: 'm' }, 'judge_endpoint_url'],
    [{ judge_timeout_ms: 999 }, 'judge_timeout_ms'],
    [{ judge_timeout_ms: 120001 }, 'judge_timeout_ms'],
    [{ judge_profile: 'lenient' }, 'judge_profile'],
    [{ judge_evidence_facts: 'role,mood' }, 'judge_evidence_facts'],
    [{ judge_escalate_from: 6 }, 'judge_escalate_from'],
    [{ judge_precedent_n: 11 }, 'judge_precedent_n'],
    [{ judge_consistency_samples: 2 }, 'judge_consistency_samples'],
    [{ judge_prompt_budget_tokens: 511 }, 'judge_prompt_budget_tokens'],
  ])('refuses %j and keeps what was', async (given, field) => {
    const { call, entries } = await daemon()
    const before = entries().length
    expect((await call('ADMIN', 'PUT', path, { judge_precedent_n: 2, ...given })).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field,
    })
    expect((await call('ADMIN', 'GET', path)).body.overridden).toBe(false)
    expect(entries().length).toBe(before)
  })

  it('shows nothing of what stands before the host of the address, and stores it sealed', async () => {
    const { app, call, entries } = await daemon()
    const given = { ...judge, judge_endpoint_url: 'https://me:sk-hush@judge.example/v1/' }
    const { text } = await call('ADMIN', 'PUT', path, given)
    expect(JSON.parse(text).judge_endpoint_url.value).toBe('https://***@judge.example/v1')
    const stored = JSON.stringify(app.db.prepare('SELECT * FROM keeper_settings').all())
    expect(text + stored + JSON.stringify(entries())).not.toContain('sk-hush')
  })

  it('keeps no such secret without an encryption key', async () => {
    const { call } = await daemon({ withVault: false })
    const given = { ...judge, judge_endpoint_url: 'https://sk-hush@judge.example' }
    const { text } = await call('ADMIN', 'PUT', path, given)
    expect(JSON.parse(text)).toMatchObject({ status: 503, code: 'unavailable' })
    expect(text).not.toContain('sk-hush')
    expect((await call('ADMIN', 'PUT', path, judge)).status).toBe(200)
  })
})

it('keeper.resetConfig goes back to what the configuration says', async () => {
  const { call, entries } = await daemon({ config: { keeperUrl: 'http://localhost:11434', keeperModel: 'qwen3' } })
  await call('ADMIN', 'PUT', path, { enabled: false, judge_model: 'other', judge_endpoint_url: 'http://other' })
  const { status, body } = await call('ADMIN', 'DELETE', path)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    enabled: { value: true, source: 'env' },
    judge_model: { value: 'qwen3', source: 'env' },
    overridden: false,
    updated_at: null,
  })
  expect(entries().at(-1)).toMatchObject({ payload: { rule: 'keeper_runtime_config', overridden: false } })
})
