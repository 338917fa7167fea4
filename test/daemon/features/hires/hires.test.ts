import { beforeEach, describe, expect, it, vi } from 'vitest'
import { builtInTemplates } from '#contract/crew-templates'
import type { AutonomyLevel } from '#contract/policies'
import { fixedClock } from '#test'
import { expireHires } from '../../../../daemon/features/agents/hires/outcomes.ts'
import { deliveryOf } from '../../../../daemon/features/credentials/delivery/service.ts'
import { builtIn as templateOf } from '../../../../daemon/features/crew-templates/built-in.ts'
import { workplace } from '../../../support/runs.ts'

const minute = 60_000
const body = { crew_slug: 'backend', template_slug: 'security-audit', reason: 'review the login' }

async function place(level: AutonomyLevel = 'trusted') {
  const clock = fixedClock()
  const it = await workplace({ clock })
  if (level !== 'guided') {
    const policy = { autonomy_level: level, behavior_mode: 'warn', reason: 'a test' }
    expect((await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, policy)).status).toBe(200)
  }
  const heard: { type: string; payload: unknown }[] = []
  it.app.bus.on('broadcast', ({ type, payload }) => void heard.push({ type, payload }))
  return {
    ...it,
    clock,
    heard: (type: string) => heard.filter((one) => one.type === type).map(({ payload }) => payload),
    hire: (more: object = {}, who: 'MANAGER' | 'OWNER' = 'MANAGER') =>
      it.call(who, 'POST', '/agents/hire', { ...body, ...more }),
    rehire: (id: string, more: object = {}) =>
      it.call('MANAGER', 'POST', `/agents/${id}/rehire`, { reason: 'more of it', ...more }),
    approve: (id: string) => it.call('MANAGER', 'POST', `/agents/${id}/approve-hire`),
    agent: async (id: string) => (await it.call('OWNER', 'GET', `/agents/${id}`)).body,
    sweep: (minutes: number) => {
      clock.advance(minutes * minute)
      return it.app.writeNow(() => expireHires(it.app, 100))
    },
    audits: (action: string) => it.entries().filter(({ payload }) => payload?.['action'] === action),
    types: (start: string) =>
      it
        .entries()
        .map(({ entry_type }) => entry_type)
        .filter((type) => type.startsWith(start)),
  }
}

const login = (name: string, more: object = {}) => ({
  name,
  type: 'API_KEY',
  provider: 'ANTHROPIC',
  value: `sk-ant-${name}`,
  ...more,
})

describe('a hire, by the autonomy of the crew', () => {
  it('is refused in a crew that is strict', async () => {
    const it = await place('strict')
    const { status, body: refused } = await it.hire()
    expect([status, refused]).toEqual([
      403,
      expect.objectContaining({
        code: 'policy_refused',
        error: expect.any(String),
        reason: 'autonomy_level',
        crew_id: it.crewId,
        autonomy_level: 'strict',
      }),
    ])
    expect((await it.call('OWNER', 'GET', '/agents?ephemeral=1')).body).toEqual([])
  })

  it('waits for people in a crew that is guided', async () => {
    const it = await place('guided')
    const { status, body: held } = await it.hire()
    expect([status, held]).toEqual([
      202,
      {
        id: held.id,
        crew_id: it.crewId,
        workspace_id: it.workspace,
        slug: expect.stringMatching(/^security-audit-eph-[0-9a-f]{6}$/),
        name: 'Security audit',
        status: 'PENDING_REVIEW',
        ephemeral: true,
        expires_at: '2026-01-01T00:30:00Z',
        expired_at: null,
        parent_lead_id: null,
        hire_reason: '[2026-01-01T00:00:00Z] hire: review the login',
        pending_review: true,
        inbox_item_id: `ibx_waitpoint_${held.id}`,
        approval_id: expect.any(String),
        decision: 'inbox_approve',
      },
    ])
    expect((await it.call('VIEWER', 'GET', `/inbox/ibx_waitpoint_${held.id}`)).body).toMatchObject({
      kind: 'waitpoint',
      source_id: held.id,
      blocking: true,
      priority: 'high',
      state: 'unread',
      payload: { kind: 'hire', agent_id: held.id, crew_id: it.crewId, agent_name: 'Security audit' },
    })
    expect((await it.call('VIEWER', 'GET', `/approvals/${held.approval_id}`)).body).toMatchObject({
      Kind: 'ephemeral_hire',
      Status: 'pending',
      AgentID: held.id,
      RequestedBy: it.person('MANAGER').userId,
      TimeoutAt: '2026-01-01T00:30:00Z',
    })
  })

  it.each([
    ['trusted', 'auto_log_journal'],
    ['full', 'auto_journal'],
  ] as const)('is live at once in a crew that is %s', async (level, decision) => {
    const it = await place(level)
    const { status, body: hired } = await it.hire({ ttl_minutes: 90, model: 'claude-sonnet-4-6' })
    expect([status, hired]).toEqual([
      201,
      expect.objectContaining({ status: 'IDLE', decision, pending_review: false, expires_at: '2026-01-01T01:30:00Z' }),
    ])
    expect(Object.keys(hired)).not.toContain('approval_id')
    expect((await it.call('OWNER', 'GET', '/inbox')).body.rows).toEqual([])
    expect(await it.agent(hired.id)).toMatchObject({
      agent_role: 'AGENT',
      cli_adapter: 'CLAUDE_CODE',
      llm_provider: 'ANTHROPIC',
      llm_model: 'claude-sonnet-4-6',
      tool_profile: 'CODING',
      memory_enabled: true,
      ephemeral: true,
      system_prompt: templateOf('security-audit')!.agents[0]!.system_prompt,
      created_by_user_id: it.person('MANAGER').userId,
    })
    expect(it.heard('agent.hired')).toEqual([
      { id: hired.id, crew_id: it.crewId, name: 'Security audit', slug: hired.slug, ephemeral: 'true' },
    ])
    expect(it.audits('agent.hired')).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        severity: 'notice',
        actor_type: 'user',
        payload: {
          entity_type: 'agent',
          entity_id: hired.id,
          metadata: {
            crew_id: it.crewId,
            crew_slug: 'backend',
            template_slug: 'security-audit',
            ttl_minutes: 90,
            reason: 'review the login',
            model: 'claude-sonnet-4-6',
            parent_lead: null,
            decision,
            autonomy_level: level,
            pending_review: false,
          },
        },
      },
    ])
  })
})

describe('what a hire takes', () => {
  it.each([
    ['both names of the crew', { crew_id: 'x' }, 400, 'crew_slug'],
    ['no crew', { crew_slug: null }, 400, 'crew_id'],
    ['no reason', { reason: ' \n ' }, 400, 'reason'],
    ['no template', { template_slug: undefined }, 400, 'template_slug'],
    ['an unknown crew', { crew_slug: 'nobody' }, 404, undefined],
    ['an unknown template', { template_slug: 'toString' }, 404, 'template_slug'],
    ['a model that is not there', { model: 'claude-none' }, 400, 'model'],
    ['an unknown lead', { parent_lead_id: 'x' }, 400, 'parent_lead_id'],
    ['a time in fractions', { ttl_minutes: 1.5 }, 400, 'ttl_minutes'],
  ])('is refused with %s', async (_, more, status, field) => {
    const it = await place()
    const refused = await it.hire(more)
    expect([refused.status, refused.body.field]).toEqual([status, field])
    expect(it.audits('agent.hired')).toEqual([])
  })

  it.each([
    [undefined, '2026-01-01T00:30:00Z'],
    [null, '2026-01-01T00:30:00Z'],
    [0, '2026-01-01T00:30:00Z'],
    [-5, '2026-01-01T00:30:00Z'],
    [1, '2026-01-01T00:01:00Z'],
    [1440, '2026-01-02T00:00:00Z'],
    [99_999, '2026-01-02T00:00:00Z'],
  ])('lasts, for %s minutes, until %s', async (ttl_minutes, until) => {
    expect((await (await place()).hire({ ttl_minutes })).body.expires_at).toBe(until)
  })

  it('takes the LEAD of that crew, and no other agent, as the one that it works for', async () => {
    const it = await place()
    expect((await it.hire({ parent_lead_id: it.agentId })).body.field).toBe('parent_lead_id')
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
    expect((await it.hire({ parent_lead_id: it.agentId })).body.parent_lead_id).toBe(it.agentId)
    await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    expect((await it.hire({ crew_slug: 'other', parent_lead_id: it.agentId })).status).toBe(400)
  })

  it.each([
    ['claude-sonnet-4-6', 'CLAUDE_CODE', 'ANTHROPIC'],
    ['gpt-4o', 'CODEX_CLI', 'OPENAI'],
    ['o3-mini', 'CODEX_CLI', 'OPENAI'],
    ['gemini-1.5-pro', 'GEMINI_CLI', 'GOOGLE'],
    ['sonnet', 'CLAUDE_CODE', 'ANTHROPIC'],
  ])('runs %s with %s', async (model, cli_adapter, llm_provider) => {
    const it = await place()
    const { id } = (await it.hire({ model })).body
    expect(await it.agent(id)).toMatchObject({ cli_adapter, llm_provider, llm_model: model })
  })

  it.each(builtInTemplates)('knows the template %s', async (slug) => {
    const template = templateOf(slug)!
    expect(template.name.length).toBeGreaterThan(2)
    expect(template.agents[0]!.system_prompt.length).toBeGreaterThan(500)
    expect(template.agents[0]!.system_prompt.length).toBeLessThan(4000)
  })

  it('is for MANAGERs and above', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    for (const [path, sent] of [
      ['/agents/hire', body],
      [`/agents/${id}/rehire`, { reason: 'x' }],
      [`/agents/${id}/approve-hire`, undefined],
    ] as const)
      for (const who of ['VIEWER', 'MEMBER'] as const)
        expect((await it.call(who, 'POST', path, sent)).body.code, path).toBe('insufficient_role')
  })
})

describe('the quota of a crew', () => {
  it('is never exceeded by a hundred hires at once', async () => {
    const it = await place()
    const answers = await Promise.all(Array.from({ length: 100 }, () => it.hire()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body: told } of refused)
      expect([status, told]).toEqual([
        429,
        expect.objectContaining({
          code: 'hire_quota',
          reason: expect.any(String),
          crew_id: it.crewId,
          live: 10,
          max: 10,
        }),
      ])
    expect((await it.call('OWNER', 'GET', '/agents?ephemeral=1&limit=500')).body).toHaveLength(10)
  })

  it('counts no ghosts, and ghosts that are hired again', async () => {
    const it = await place()
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_ephemeral_agents: 1 })
    const { id } = (await it.hire()).body
    expect((await it.hire()).status).toBe(429)
    expect(it.sweep(30)).toBe(1)
    expect((await it.hire()).status).toBe(201)
    expect((await it.rehire(id)).body).toMatchObject({ code: 'hire_quota', live: 1, max: 1 })
  })

  it('takes no second place for an agent that stays longer', async () => {
    const it = await place()
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_ephemeral_agents: 1 })
    const { id } = (await it.hire()).body
    expect((await it.rehire(id, { ttl_minutes: 60 })).status).toBe(200)
  })

  it('counts who waits for review, and nobody who was deleted', async () => {
    const it = await place('guided')
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_ephemeral_agents: 1 })
    const { id } = (await it.hire()).body
    expect((await it.hire()).body).toMatchObject({ code: 'hire_quota', live: 1, max: 1 })
    expect((await it.call('OWNER', 'DELETE', `/agents/${id}`)).status).toBe(200)
    expect((await it.hire()).status).toBe(202)
  })

  it('of 0 lets nobody in', async () => {
    const it = await place()
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_ephemeral_agents: 0 })
    expect((await it.hire()).body).toMatchObject({ code: 'hire_quota', live: 0, max: 0 })
  })
})

describe('when the time is over', () => {
  it('the agent becomes a ghost that keeps its history', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const chat = await it.openChat(id)
    const { run_id } = await it.send(chat, 'Look at it')
    it.runtime.finish(await it.runtime.program(), { kind: 'exit', code: 0, timedOut: false })
    await it.app.runs.ended(run_id)
    expect(it.sweep(29)).toBe(0)
    expect(it.sweep(1)).toBe(1)
    expect(await it.agent(id)).toMatchObject({ expired_at: '2026-01-01T00:30:00Z', status: expect.any(String) })
    expect((await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages.length).toBeGreaterThan(0)
    expect((await it.call('OWNER', 'GET', `/agents/${id}/runs`)).status).toBe(200)
    expect(it.heard('agent.expired')).toEqual([
      { id, crew_id: it.crewId, name: 'Security audit', expired_at: '2026-01-01T00:30:00Z' },
    ])
    expect(it.audits('agent.expired')).toMatchObject([{ actor_type: 'system', payload: { entity_id: id } }])
    expect(it.sweep(30)).toBe(0)
  })

  it('an agent that works, or waits for an answer, stays until it is done', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const { run_id } = await it.send(await it.openChat(id), 'Work')
    expect(it.sweep(60)).toBe(0)
    it.app.db.prepare("UPDATE runs SET phase = 'parked' WHERE id = ?").run(run_id)
    it.app.db.prepare("UPDATE agents SET status = 'IDLE' WHERE id = ?").run(id)
    expect(it.sweep(0)).toBe(0)
    it.app.db.prepare("UPDATE runs SET phase = 'ended', ended_at = 1, outcome = 'COMPLETED' WHERE id = ?").run(run_id)
    expect(it.sweep(0)).toBe(1)
  })

  it('a ghost is sent nothing', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const chat = await it.openChat(id)
    it.sweep(30)
    expect((await it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'Hello?' })).body).toMatchObject({
      status: 409,
      code: 'agent_expired',
      reason: 'expired',
      agent_id: id,
    })
    expect((await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages).toEqual([])
  })

  it('a ghost is given no credential', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const value = { name: 'k', value: 'sk-ant-api03-k', type: 'API_KEY', provider: 'ANTHROPIC' }
    const credential = (await it.call('OWNER', 'POST', '/credentials', value)).body.id
    it.sweep(30)
    const given = await it.call('OWNER', 'POST', `/agents/${id}/credentials`, {
      credential_id: credential,
      env_var_name: 'KEY',
    })
    expect(given.body).toMatchObject({ status: 409, code: 'agent_expired', agent_id: id })
    expect((await it.call('OWNER', 'GET', `/agents/${id}/credentials`)).body).toEqual([])
  })

  it('comes after the live ones in the list, the newest ghost first', async () => {
    const it = await place()
    const ghosts = [(await it.hire()).body.slug, (await it.hire({ ttl_minutes: 40 })).body.slug]
    it.sweep(30)
    it.sweep(10)
    const live = (await it.hire()).body.slug
    const list = (await it.call('OWNER', 'GET', '/agents')).body.map(({ slug }: { slug: string }) => slug)
    expect(list).toEqual([live, 'ada', ghosts[1], ghosts[0]])
  })

  it('its open questions to people are withdrawn', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const inside = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const question = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: id, reason: 'May I?' }
    const asked = (await it.call(null, 'POST', '/internal/escalations', question, inside)).body
    it.sweep(30)
    expect((await it.call('OWNER', 'GET', `/escalations/${asked.escalation_id}`)).body.status).toBe('CANCELLED')
  })
})

describe('hiring again', () => {
  it('brings a ghost back, with its history of reasons', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    it.sweep(31)
    const { status, body: back } = await it.rehire(id, { ttl_minutes: 60, reason: 'two\nlines' })
    expect([status, back]).toEqual([
      200,
      expect.objectContaining({
        id,
        status: 'IDLE',
        expired_at: null,
        expires_at: '2026-01-01T01:31:00Z',
        hire_reason: '[2026-01-01T00:00:00Z] hire: review the login\n[2026-01-01T00:31:00Z] rehire: two lines',
        decision: 'auto_log_journal',
        pending_review: false,
      }),
    ])
    expect(await it.agent(id)).toMatchObject({ expired_at: null, expires_at: '2026-01-01T01:31:00Z' })
    expect(it.heard('agent.rehired')).toEqual([
      { id, crew_id: it.crewId, name: 'Security audit', expires_at: '2026-01-01T01:31:00Z' },
    ])
    expect(it.audits('agent.rehired')).toMatchObject([
      {
        entry_type: 'audit.entity_updated',
        payload: {
          metadata: {
            reason: 'two lines',
            ttl_minutes: 60,
            prior_expired_at: '2026-01-01T00:31:00Z',
            new_expires_at: '2026-01-01T01:31:00Z',
            was_ghost: true,
            crew_id: it.crewId,
            decision: 'auto_log_journal',
            autonomy_level: 'trusted',
          },
        },
      },
    ])
    expect((await it.send(await it.openChat(id), 'Go on')).run_id).toBeTypeOf('string')
  })

  it('gives a live agent more time, and never less', async () => {
    const it = await place()
    const { id } = (await it.hire({ ttl_minutes: 60 })).body
    expect((await it.rehire(id, { ttl_minutes: 5 })).body.expires_at).toBe('2026-01-01T01:00:00Z')
    expect((await it.rehire(id, { ttl_minutes: 90 })).body.expires_at).toBe('2026-01-01T01:30:00Z')
    expect(it.audits('agent.rehired')[0]?.payload).toMatchObject({ metadata: { was_ghost: false } })
  })

  it.each(['ERROR', 'IDLE'] as const)('leaves the status %s as it is', async (status) => {
    const it = await place()
    const { id } = (await it.hire()).body
    it.app.db.prepare('UPDATE agents SET status = ? WHERE id = ?').run(status, id)
    expect(it.sweep(30)).toBe(1)
    expect((await it.rehire(id)).body).toMatchObject({ status, expired_at: null })
    expect((await it.agent(id)).status).toBe(status)
  })

  it('is refused for agents that are there to stay, without a reason, and in a crew that is strict', async () => {
    const it = await place()
    expect((await it.rehire(it.agentId)).status).toBe(404)
    expect((await it.rehire('nobody')).status).toBe(404)
    const { id } = (await it.hire()).body
    expect((await it.rehire(id, { reason: ' ' })).body.field).toBe('reason')
    await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, { autonomy_level: 'strict', behavior_mode: 'warn' })
    expect((await it.rehire(id)).body).toMatchObject({ code: 'policy_refused', crew_id: it.crewId })
  })
})

describe('the approval of a hire', () => {
  it('is given by approve-hire, without a body or a workspace', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    const { role, ...person } = it.person('MANAGER')
    const { status, body: done } = await it.call(
      { ...person, role, workspace: '' },
      'POST',
      `/agents/${id}/approve-hire`,
    )
    expect([status, done]).toEqual([200, { id, status: 'IDLE', crew_id: it.crewId }])
    expect(it.heard('agent.hire_approved')).toEqual([{ id, crew_id: it.crewId, name: 'Security audit' }])
    expect(it.heard('agent.status')).toMatchObject([{ agent_id: id, status: 'IDLE' }])
    expect(it.audits('agent.hire_approved')).toMatchObject([
      { entry_type: 'audit.entity_updated', actor_id: person.userId, payload: { metadata: { crew_id: it.crewId } } },
    ])
    expect((await it.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body).toMatchObject({
      state: 'resolved',
      resolved_action: 'approved',
    })
    expect((await it.call('OWNER', 'GET', `/approvals/${approval_id}`)).body.Status).toBe('approved')
    expect(
      (await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied' })).body,
    ).toMatchObject({ status: 409, code: 'approval_settled' })
  })

  it('is given by the approval as well; then approve-hire comes too late', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    const path = `/approvals/${approval_id}/decide`
    expect((await it.call('MANAGER', 'POST', path, { status: 'approved' })).status).toBe(403)
    expect((await it.call('ADMIN', 'POST', path, { status: 'approved' })).status).toBe(200)
    expect((await it.agent(id)).status).toBe('IDLE')
    expect((await it.approve(id)).body).toMatchObject({
      status: 409,
      code: 'hire_settled',
      error: expect.any(String),
      reason: 'not_pending',
      current_status: 'IDLE',
    })
  })

  it('is given once by two who approve at the same time', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    const answers = await Promise.all([
      it.approve(id),
      it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'approved' }),
      it.approve(id),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(it.audits('agent.hire_approved')).toHaveLength(1)
  })

  it('denied, leaves a ghost that is never live', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied' })
    expect(await it.agent(id)).toMatchObject({ status: 'PENDING_REVIEW', expired_at: '2026-01-01T00:00:00Z' })
    expect(it.audits('agent.hire_denied')).toHaveLength(1)
    expect((await it.approve(id)).body).toMatchObject({
      status: 409,
      reason: 'expired',
      current_status: 'PENDING_REVIEW',
    })
    const chat = await it.openChat(id)
    expect((await it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'x' })).body.code).toBe(
      'agent_expired',
    )
  })

  it('denied, can be asked for again by hiring again', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied' })
    const again = (await it.rehire(id)).body
    expect(again).toMatchObject({
      status: 'PENDING_REVIEW',
      pending_review: true,
      inbox_item_id: `ibx_waitpoint_${id}`,
    })
    expect(again.approval_id).not.toBe(approval_id)
    expect((await it.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body.state).toBe('unread')
    expect((await it.approve(id)).body.status).toBe('IDLE')
    expect((await it.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body.state).toBe('resolved')
  })

  it('withdrawn, ends the hire', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    expect((await it.call('ADMIN', 'POST', `/approvals/${approval_id}/cancel`, {})).status).toBe(200)
    expect((await it.agent(id)).expired_at).toBe('2026-01-01T00:00:00Z')
  })

  it('ends with the time of the hire', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    it.clock.advance(30 * minute)
    expect((await it.approve(id)).body).toMatchObject({ status: 409, reason: 'expired' })
    expect((await it.agent(id)).expired_at).toBe('2026-01-01T00:30:00Z')
    expect((await it.call('OWNER', 'GET', `/approvals/${approval_id}`)).body.Status).toBe('timeout')
  })

  it('waits longer when the agent is hired for longer', async () => {
    const it = await place('guided')
    const { id, approval_id } = (await it.hire()).body
    expect((await it.rehire(id, { ttl_minutes: 120 })).body).toMatchObject({ approval_id, pending_review: true })
    it.clock.advance(60 * minute)
    expect((await it.approve(id)).body.status).toBe('IDLE')
  })

  it.each([
    [{ 'content-type': 'application/json' }, ''],
    [{}, undefined],
  ])('is given whatever type the empty body has: %j', async (headers, sent) => {
    const it = await place('guided')
    const { id } = (await it.hire()).body
    const reply = await it.http.inject({
      method: 'POST',
      url: `/api/v1/agents/${id}/approve-hire`,
      headers: { host: 'localhost', authorization: `Bearer ${it.person('OWNER').token}`, ...headers },
      ...(sent !== undefined && { payload: sent }),
    })
    expect(reply.statusCode).toBe(200)
  })

  it('is nothing for agents that are there to stay', async () => {
    const it = await place()
    expect((await it.approve(it.agentId)).body).toMatchObject({
      status: 409,
      reason: 'permanent',
      current_status: 'IDLE',
    })
    expect((await it.approve('nobody')).status).toBe(404)
  })
})

describe('the credentials of a hired agent', () => {
  const given = async (it: Awaited<ReturnType<typeof place>>, id: string) =>
    (await it.call('OWNER', 'GET', `/agents/${id}/credentials`)).body
      .filter(({ id }: { id: string }) => id)
      .map(({ credential_name, env_var_name, priority }: Record<string, unknown>) => [
        credential_name,
        env_var_name,
        priority,
      ])
  const keys = async (it: Awaited<ReturnType<typeof place>>) => {
    for (const one of [
      login('first'),
      login('second', { type: 'AI_CLI_TOKEN' }),
      login('expired', { token_expires_at: '2026-01-01T00:00:01Z' }),
      login('elsewhere', { provider: 'OPENAI' }),
      login('narrow', { scope: 'CREW', crew_ids: [it.crewId] }),
      login('secret', { type: 'SECRET', provider: 'NONE' }),
    ]) {
      expect((await it.call('OWNER', 'POST', '/credentials', one)).status).toBe(201)
      it.clock.advance(1000)
    }
  }
  const both = [
    ['first', 'ANTHROPIC_API_KEY', 0],
    ['second', 'CLAUDE_CODE_OAUTH_TOKEN', 1],
  ]

  it('are the active ones of the workspace for its model, oldest first', async () => {
    const it = await place()
    await keys(it)
    const { id } = (await it.hire()).body
    expect(await given(it, id)).toEqual(both)
    expect(it.entries().filter(({ payload }) => payload?.['entity_type'] === 'agent_credential')).toHaveLength(2)
  })

  it('are given once people approve it', async () => {
    const it = await place('guided')
    await keys(it)
    const { id } = (await it.hire()).body
    expect(await given(it, id)).toEqual([])
    await it.approve(id)
    expect(await given(it, id)).toEqual(both)
  })

  it('are lost by a ghost, and given again when it is hired again', async () => {
    const it = await place()
    await keys(it)
    const { id } = (await it.hire()).body
    expect(deliveryOf(it.app, id).models).not.toEqual([])
    it.sweep(30)
    expect(await given(it, id)).toEqual([])
    expect(deliveryOf(it.app, id)).toEqual({ models: [], secrets: [] })
    await it.rehire(id)
    expect(await given(it, id)).toEqual(both)
    await it.rehire(id)
    expect(await given(it, id)).toEqual(both)
  })

  it('are missed in the journal when there are none', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    expect(it.entries().filter(({ entry_type }) => entry_type.startsWith('credential.auto'))).toMatchObject([
      {
        entry_type: 'credential.auto_assign_empty',
        severity: 'warn',
        payload: { workspace_id: it.workspace, agent_id: id },
      },
    ])
  })

  it('never fail the hire: what fails stands in the journal, and the others are given', async () => {
    const it = await place()
    await keys(it)
    it.app.db.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON agent_credentials WHEN NEW.priority = 0
        BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    )
    const { status, body: hired } = await it.hire()
    expect(status).toBe(201)
    expect(await given(it, hired.id)).toEqual([both[1]])
    expect(it.entries().filter(({ entry_type }) => entry_type === 'credential.auto_assign_failed')).toMatchObject([
      { severity: 'warn', payload: { agent_id: hired.id, reason: 'insert', error: 'broken' } },
    ])
  })
})

describe('the sweep', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    return () => vi.useRealTimers()
  })

  it('runs every five minutes', async () => {
    const it = await place()
    const { id } = (await it.hire()).body
    const { expireHiresRegularly } = await import('../../../../daemon/features/agents/hires/jobs.ts')
    const job = expireHiresRegularly(it.app)
    await it.app.idle()
    it.clock.advance(30 * minute)
    await vi.advanceTimersByTimeAsync(299_999)
    expect((await it.agent(id)).expired_at).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(async () => expect((await it.agent(id)).expired_at).toBe('2026-01-01T00:30:00Z'))
    job.close()
  })
})
