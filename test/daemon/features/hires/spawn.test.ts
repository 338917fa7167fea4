import { describe, expect, it } from 'vitest'
import type { AutonomyLevel } from '#contract/policies'
import { agentAtWork } from '../../../support/agent-at-work.ts'

async function place(level: AutonomyLevel) {
  const it = await agentAtWork()
  const policy = { autonomy_level: level, behavior_mode: 'warn', reason: 'a test' }
  expect((await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, policy)).status).toBe(200)
  const spawn = (more: object = {}, as: object = {}) =>
    it.ask('/spawn', { template_slug: 'data-engineering', reason: 'move the logs', ...more }, as)
  return { ...it, spawn, agent: async (id: string) => (await it.call('OWNER', 'GET', `/agents/${id}`)).body }
}

describe('a LEAD that hires', () => {
  it('is refused in a crew that is strict', async () => {
    const it = await place('strict')
    expect(await it.spawn()).toMatchObject({
      status: 403,
      body: { code: 'policy_refused', crew_id: it.crewId, autonomy_level: 'strict', policy_action: 'ephemeral_spawn' },
    })
  })

  it('waits for people in a crew that is guided', async () => {
    const it = await place('guided')
    const { status, body } = await it.spawn({ ttl_minutes: 120 })
    const held = body as { id: string; approval_id: string; slug: string }
    expect([status, body]).toEqual([
      202,
      {
        id: held.id,
        slug: expect.stringMatching(/^data-engineering-eph-/),
        crew_id: it.crewId,
        status: 'PENDING_REVIEW',
        expires_at: expect.any(String),
        approval_id: expect.any(String),
      },
    ])
    expect(await it.agent(held.id)).toMatchObject({
      parent_lead_id: it.agentId,
      created_by_user_id: it.person('OWNER').userId,
      hire_reason: expect.stringContaining('hire: move the logs'),
    })
    expect((await it.call('VIEWER', 'GET', `/inbox/ibx_waitpoint_${held.id}`)).body).toMatchObject({
      title: 'Agent ada wants to hire an agent: Data engineering',
      sender_type: 'agent',
      sender_id: it.agentId,
    })
    expect((await it.call('MANAGER', 'POST', `/agents/${held.id}/approve-hire`)).body.status).toBe('IDLE')
    const { body: strict } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/policy/simulate?autonomy_level=strict`)
    expect(strict).toMatchObject({ by_action: [{ policy_action: 'ephemeral_spawn', granted: 1, verdict: 'refuse' }] })
  })

  it.each(['trusted', 'full'] as const)('is obeyed at once in a crew that is %s', async (level) => {
    const it = await place(level)
    const { status, body } = await it.spawn()
    expect([status, (body as { status: unknown }).status]).toEqual([201, 'IDLE'])
    expect(it.entries().find(({ payload }) => payload?.['action'] === 'agent.hired')).toMatchObject({
      actor_type: 'agent',
      actor_id: it.agentId,
      payload: { policy_action: 'ephemeral_spawn', autonomy_level: level },
    })
    const { body: strict } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/policy/simulate?autonomy_level=strict`)
    expect(strict.by_action).toMatchObject([{ policy_action: 'ephemeral_spawn', applied: 1 }])
  })

  it('is held to the quota, to templates that there are, and to a reason', async () => {
    const it = await place('trusted')
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_ephemeral_agents: 1 })
    expect(await it.spawn({ template_slug: 'nothing' })).toMatchObject({ status: 404 })
    expect(await it.spawn({ reason: ' ' })).toMatchObject({ status: 400, body: { field: 'reason' } })
    expect(await it.spawn({ reason: 'two\nlines' })).toMatchObject({ status: 400, body: { field: 'reason' } })
    expect(await it.spawn({ model: '--help' })).toMatchObject({ status: 400 })
    expect(await it.spawn()).toMatchObject({ status: 201 })
    expect(await it.spawn()).toMatchObject({ status: 429, body: { code: 'hire_quota', live: 1, max: 1 } })
  })

  it('must lead the crew', async () => {
    const it = await place('full')
    const mate = await it.mate('bob')
    expect(await it.spawn({}, { agentId: mate, runId: null })).toMatchObject({
      status: 403,
      body: { code: 'not_the_lead' },
    })
  })

  it('is not told of ghosts, and may not be one', async () => {
    const it = await place('full')
    const { id } = (await it.spawn()).body as { id: string }
    it.app.db.prepare("UPDATE agents SET expired_at = '2026-01-01T00:00:00Z' WHERE id = ?").run(id)
    await it.call('OWNER', 'PATCH', `/agents/${id}`, { agent_role: 'LEAD' })
    expect(await it.spawn({}, { agentId: id, runId: null })).toMatchObject({ body: { code: 'not_the_lead' } })
  })
})
