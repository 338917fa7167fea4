import { describe, expect, it } from 'vitest'
import { mayDelegate } from '../../../../daemon/features/crews/connections/service.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'

async function place(level: 'strict' | 'guided' | 'trusted' | 'full' = 'full') {
  const it = await agentAtWork()
  if (level !== 'full')
    await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, { autonomy_level: level, behavior_mode: 'warn' })
  const ops = (await it.call('OWNER', 'POST', '/crews', { name: 'Operations', slug: 'ops' })).body.id as string
  await it.call('OWNER', 'POST', '/agents', { name: 'Cy', slug: 'cy', role_title: 'Watches', crew_id: ops })
  const connect = (body: object = {}) => it.ask('/crew-connections', { to_crew: 'ops', ...body })
  const rows = async () => (await it.call('MANAGER', 'GET', '/crew-connections')).body
  const decide = (id: unknown, status: string) => it.call('ADMIN', 'POST', `/approvals/${id}/decide`, { status })
  return { ...it, ops, connect, rows, decide }
}

describe('a LEAD that asks for a connection', () => {
  it.each(['strict', 'guided', 'trusted', 'full'] as const)('waits for people in a crew that is %s', async (level) => {
    const it = await place(level)
    const { status, body } = await it.connect({ reason: 'They run the servers' })
    expect([status, body]).toEqual([
      202,
      {
        id: expect.any(String),
        to_crew: 'ops',
        direction: 'bidirectional',
        status: 'PENDING_REVIEW',
        approval_id: expect.any(String),
      },
    ])
    expect(await it.rows()).toMatchObject([
      { from_crew_slug: 'backend', to_crew_slug: 'ops', status: 'PENDING_REVIEW' },
    ])
    expect(mayDelegate(it.app, it.crewId, it.ops)).toBe(false)
    const [card] = (await it.call('ADMIN', 'GET', '/inbox?kind=waitpoint')).body.rows
    expect([card.title, card.body_md]).toEqual([
      'Agent ada wants crew backend connected with crew ops',
      'They run the servers\n\nCrews backend and ops could then hand work to each other.',
    ])
  })

  it('has it once it is approved', async () => {
    const it = await place()
    const { approval_id } = (await it.connect({ direction: 'unidirectional' })).body as { approval_id: string }
    expect((await it.decide(approval_id, 'approved')).status).toBe(200)
    expect(await it.rows()).toMatchObject([{ status: 'ACTIVE', direction: 'unidirectional' }])
    expect([mayDelegate(it.app, it.crewId, it.ops), mayDelegate(it.app, it.ops, it.crewId)]).toEqual([true, false])
  })

  it('has none when it is denied, or its agent is deleted', async () => {
    const it = await place()
    const first = (await it.connect()).body as { approval_id: string }
    await it.decide(first.approval_id, 'denied')
    expect(await it.rows()).toEqual([])
    expect(it.entries().findLast(({ payload }) => payload?.['entity_type'] === 'crew_connection')?.summary).toBe(
      'The connection of crews backend and ops was not approved',
    )
    await it.connect()
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    expect(await it.rows()).toEqual([])
  })

  it('is told of the one that there is, which stays as it is', async () => {
    const it = await place()
    const first = (await it.connect()).body as { id: string; approval_id: string }
    expect((await it.connect()).body).toEqual({
      id: first.id,
      to_crew: 'ops',
      direction: 'bidirectional',
      status: 'PENDING_REVIEW',
    })
    await it.call('MANAGER', 'POST', '/crew-connections', {
      from_crew_id: it.ops,
      to_crew_id: it.crewId,
      direction: 'unidirectional',
    })
    expect(await it.connect()).toMatchObject({ status: 201, body: { id: first.id, status: 'ACTIVE' } })
    expect(await it.rows()).toMatchObject([{ from_crew_slug: 'ops', direction: 'unidirectional' }])
    expect(await it.decide(first.approval_id, 'approved')).toMatchObject({ status: 409 })
  })

  it('is refused for a crew that is not there, its own, and for agents that do not lead', async () => {
    const it = await place()
    expect(await it.connect({ to_crew: 'nowhere' })).toMatchObject({ status: 404, body: { field: 'to_crew' } })
    expect(await it.connect({ to_crew: 'backend' })).toMatchObject({ status: 400 })
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'AGENT' })
    expect(await it.connect()).toMatchObject({ status: 403, body: { code: 'not_the_lead' } })
    expect(await it.rows()).toEqual([])
  })
})

it('an agent sees the crews that its own is connected with, and their agents', async () => {
  const it = await place()
  const seen = async () => (await it.ask('/crew-connections/list', {})).body
  expect(await seen()).toEqual({ crews: [] })
  await it.call('MANAGER', 'POST', '/crew-connections', {
    from_crew_id: it.ops,
    to_crew_id: it.crewId,
    direction: 'unidirectional',
  })
  const ops = {
    slug: 'ops',
    name: 'Operations',
    status: 'ACTIVE',
    agents: [{ slug: 'cy', name: 'Cy', role_title: 'Watches' }],
  }
  expect(await seen()).toEqual({ crews: [{ ...ops, may_send: false, may_receive: true }] })
  await it.call('MANAGER', 'POST', '/crew-connections', { from_crew_id: it.ops, to_crew_id: it.crewId })
  expect(await seen()).toEqual({ crews: [{ ...ops, may_send: true, may_receive: true }] })
})
