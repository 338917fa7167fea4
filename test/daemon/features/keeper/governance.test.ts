import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const path = '/admin/keeper/governance'

describe('keeper.governance', () => {
  it('shows what holds where nobody set anything', async () => {
    const { call } = await daemon()
    expect((await call('ADMIN', 'GET', path)).body).toEqual({
      configured: false,
      enabled: false,
      security_contact_user_id: '',
      deny_notify_min_risk: 7,
      watch_spec: '',
      watch_presets: [],
      require_second_approver: false,
      auto_lease_seconds: 0,
      monitor_tool_calls: false,
      gov_model_provider: '',
      gov_model_id: '',
      gov_model_credential_id: '',
      effective_second_approver: {
        min_security_level: 0,
        min_security_level_label: '',
        source: 'none',
        tier_floor_security_level: 4,
        tier_floor_label: 'L4 · critical',
      },
    })
  })

  it('says from which level on two people decide, and why', async () => {
    const { call } = await daemon()
    const rule = async () => (await call('ADMIN', 'GET', path)).body.effective_second_approver
    await call('ADMIN', 'PUT', '/admin/keeper/config', { enabled: true })
    expect(await rule()).toMatchObject({
      min_security_level: 4,
      min_security_level_label: 'L4 · critical',
      source: 'tier',
    })
    await call('ADMIN', 'PUT', path, { require_second_approver: true })
    expect(await rule()).toMatchObject({
      min_security_level: 1,
      min_security_level_label: 'L1 · low',
      source: 'workspace',
    })
  })
})

describe('keeper.setGovernance', () => {
  it('sets what is named, of the own workspace alone', async () => {
    const { call, entries, person, stranger } = await daemon()
    const contact = person('ADMIN').userId
    const first = await call('ADMIN', 'PUT', path, {
      enabled: true,
      watch_presets: ['egress', 'egress'],
      watch_spec: ' x ',
    })
    expect(first.status).toBe(200)
    const { body } = await call('OWNER', 'PUT', path, { security_contact_user_id: contact, auto_lease_seconds: 60 })
    expect(body).toMatchObject({
      configured: true,
      enabled: true,
      watch_presets: ['egress'],
      watch_spec: 'x',
      security_contact_user_id: contact,
      auto_lease_seconds: 60,
    })
    expect(entries().at(-1)).toMatchObject({
      entry_type: 'keeper.decision',
      payload: {
        rule: 'keeper_governance',
        changes: { security_contact_user_id: { from: '', to: contact }, auto_lease_seconds: { from: 0, to: 60 } },
      },
    })
    expect((await call(stranger(), 'GET', path)).body.configured).toBe(false)
  })

  it('records nothing when nothing changes', async () => {
    const { call, entries } = await daemon()
    await call('ADMIN', 'PUT', path, { enabled: true })
    const before = entries().length
    expect((await call('ADMIN', 'PUT', path, { enabled: true })).status).toBe(200)
    expect(entries().length).toBe(before)
  })

  it('is one setting with that of the workspace: any ADMIN asks for two people, an OWNER takes it back', async () => {
    const { call, workspace } = await daemon()
    await call('ADMIN', 'PUT', path, { require_second_approver: true })
    expect((await call('OWNER', 'GET', `/workspaces/${workspace}`)).body.require_second_approver).toBe(true)
    expect((await call('ADMIN', 'PUT', path, { require_second_approver: false })).body).toMatchObject({
      status: 403,
      field: 'require_second_approver',
    })
    expect((await call('OWNER', 'PUT', path, { require_second_approver: false })).body).toMatchObject({
      require_second_approver: false,
    })
  })

  it('warns where only one person may decide', async () => {
    const { call, stranger } = await daemon()
    const { body } = await call(stranger(), 'PUT', path, { require_second_approver: true })
    expect(body.warning).toMatch(/Only one member may decide/)
  })

  it.each([
    [{ security_contact_user_id: 'cnobody' }, 'security_contact_user_id'],
    [{ deny_notify_min_risk: 0 }, 'deny_notify_min_risk'],
    [{ deny_notify_min_risk: 11 }, 'deny_notify_min_risk'],
    [{ watch_spec: 'x'.repeat(4097) }, 'watch_spec'],
    [{ watch_presets: ['all'] }, 'watch_presets'],
    [{ auto_lease_seconds: 59 }, 'auto_lease_seconds'],
    [{ auto_lease_seconds: 2_592_001 }, 'auto_lease_seconds'],
    [{ gov_model_provider: 'ollama' }, 'gov_model_id'],
    [{ gov_model_id: 'm' }, 'gov_model_provider'],
    [{ gov_model_credential_id: 'c1' }, 'gov_model_provider'],
    [{ gov_model_provider: 'anthropic', gov_model_id: 'm', gov_model_credential_id: 'c1' }, 'gov_model_credential_id'],
  ])('refuses %j', async (body, field) => {
    const { call } = await daemon()
    const answer = (await call('ADMIN', 'PUT', path, body)).body
    expect(answer).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(answer.field).toContain(field)
    expect((await call('ADMIN', 'GET', path)).body.configured).toBe(false)
  })

  it('takes no MANAGER for a security contact', async () => {
    const { call, person } = await daemon()
    const body = { security_contact_user_id: person('MANAGER').userId }
    expect((await call('ADMIN', 'PUT', path, body)).body).toMatchObject({ field: 'security_contact_user_id' })
  })
})

it('what is no member of the governance is neither stored nor told', async () => {
  const { call, entries } = await daemon()
  expect((await call('ADMIN', 'PUT', path, { enabled: true, '-1': 'x' })).status).toBe(200)
  const told = entries().find(({ entry_type }) => entry_type === 'keeper.decision')
  expect(told?.payload?.['changes']).toEqual({ enabled: { from: false, to: true } })
})

it('calls of tools are judged once somebody is named who judges them, which a warning says', async () => {
  const { call } = await daemon()
  expect((await call('ADMIN', 'PUT', path, { monitor_tool_calls: true })).body).toMatchObject({
    monitor_tool_calls: true,
    warning: expect.stringContaining('nobody is named'),
  })
})
