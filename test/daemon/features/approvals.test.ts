import { describe, expect, it } from 'vitest'
import { requestApproval } from '../../../daemon/features/approvals/service.ts'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarListener } from '../../../daemon/runtime/types.ts'
import { workplace } from '../../support/runs.ts'

const week = 7 * 86_400_000

/** A crew whose agent ada leads it and may ask for others. */
async function setUp(level = 'guided') {
  const it = await workplace()
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
  await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, {
    autonomy_level: level,
    behavior_mode: 'warn',
    reason: 'a test',
  })
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  const propose = (more: object = {}, agentId = it.agentId): Promise<SidecarAnswer> => {
    const body = { name: 'Bob', slug: 'bob', system_prompt: 'You test.', reason: 'Somebody has to test', ...more }
    return listener!(it.crewId, { id: 'c', agentId, runId: null, route: '/agents', body }, new AbortController().signal)
  }
  const held = async (more: object = {}) => (await propose(more)).body as { id: string; approval_id: string }
  return {
    ...it,
    propose,
    held,
    decide: (id: string, body: object, who: 'ADMIN' | 'OWNER' | 'MANAGER' = 'ADMIN') =>
      it.call(who, 'POST', `/approvals/${id}/decide`, body),
    agent: async (id: string) => (await it.call('OWNER', 'GET', `/agents/${id}`)).body,
    approval: async (id: string) => (await it.call('VIEWER', 'GET', `/approvals/${id}`)).body,
    card: async (id: string) => (await it.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body,
    /** The last entry about a request. */
    told: () => it.entries().findLast(({ entry_type }) => entry_type.startsWith('approval.'))!,
    types: () =>
      it
        .entries()
        .map(({ entry_type }) => entry_type)
        .filter((type) => type.startsWith('approval.')),
  }
}

describe('an agent that its LEAD wants', () => {
  it.each(['guided', 'trusted'])('is held for review in a crew that is %s', async (level) => {
    const it = await setUp(level)
    const { status, body } = await it.propose()
    const { id, approval_id } = body as { id: string; approval_id: string }
    expect([status, body]).toEqual([
      202,
      { id, slug: 'bob', crew_id: it.crewId, status: 'PENDING_REVIEW', approval_id },
    ])
    expect(await it.agent(id)).toMatchObject({
      status: 'PENDING_REVIEW',
      agent_role: 'AGENT',
      created_by_user_id: it.person('OWNER').userId,
    })
    expect(await it.approval(approval_id)).toMatchObject({
      kind: 'autonomy_gate',
      status: 'pending',
      crew_id: it.crewId,
      agent_id: id,
      requested_by: it.agentId,
      reason: 'Somebody has to test',
      timeout_at: '2026-01-08T00:00:00Z',
      decided_by: null,
      payload: { target: 'agent', target_id: id, autonomy_level: level, policy_action: 'agent_create' },
    })
    expect(await it.card(id)).toMatchObject({
      target_role: 'ADMIN',
      priority: 'high',
      blocking: true,
      payload: { kind: 'autonomy_gate', approval_id, crew_id: it.crewId },
    })
    expect((await it.call('OWNER', 'POST', `/agents/${id}/chats`, {})).status).toBe(201)
    expect(it.entries().find(({ payload }) => payload?.['entity_id'] === id)).toMatchObject({
      entry_type: 'audit.entity_created',
      summary: 'Agent Bob was created by Agent ada and waits for approval',
      payload: { policy_action: 'agent_create', policy_verdict: 'ask', autonomy_level: level },
    })
    expect(it.entries().filter(({ entry_type }) => entry_type === 'approval.requested')).toMatchObject([
      {
        actor_type: 'agent',
        actor_id: it.agentId,
        agent_id: id,
        summary: 'Agent ada asks for approval: "Agent ada wants a new agent: Bob"',
      },
    ])
  })

  it('is refused in a crew that is strict', async () => {
    const it = await setUp('strict')
    expect(await it.propose()).toMatchObject({
      status: 403,
      body: {
        error: expect.any(String),
        reason: 'autonomy_level',
        crew_id: it.crewId,
        autonomy_level: 'strict',
        policy_action: 'agent_create',
      },
    })
    expect((await it.call('OWNER', 'GET', '/agents')).body).toHaveLength(1)
  })

  it('is there at once in a crew that is full, with a notice', async () => {
    const it = await setUp('full')
    const { status, body } = await it.propose()
    const { id } = body as { id: string }
    expect([status, body]).toEqual([201, { id, slug: 'bob', crew_id: it.crewId, status: 'IDLE' }])
    expect((await it.call('MANAGER', 'GET', `/inbox/ibx_message_${id}`)).body).toMatchObject({
      blocking: false,
      title: 'Agent ada created the agent Bob',
    })
    expect(it.types()).toEqual([])
  })

  it('takes a LEAD, a free slug and an end', async () => {
    const it = await setUp()
    const mate = await it.mate('cyd')
    expect(await it.propose({}, mate)).toMatchObject({ status: 403, body: { code: 'not_the_lead' } })
    expect(await it.propose({ slug: 'cyd' })).toMatchObject({ status: 409, body: { code: 'slug_taken' } })
    expect(await it.propose({ slug: 'No!' })).toMatchObject({ status: 400 })
    for (let n = 0; n < 20; n++) expect((await it.propose({ slug: `bob-${n}` })).status).toBe(202)
    expect(await it.propose()).toMatchObject({ status: 429 })
  })
})

describe('Approval', () => {
  it('Approval: pending -> approved on decide', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    expect((await it.decide(approval_id, { status: 'approved', comment: 'Welcome' })).body).toEqual({
      status: 'approved',
      decided_by: it.person('ADMIN').userId,
    })
    expect((await it.agent(id)).status).toBe('IDLE')
    expect(await it.card(id)).toMatchObject({ state: 'resolved', resolved_action: 'approved', source_missing: true })
    expect(await it.approval(approval_id)).toMatchObject({
      status: 'approved',
      decision_comment: 'Welcome',
      comment: 'Welcome',
      decided_at: it.app.now(),
    })
    expect(it.types()).toEqual(['approval.requested', 'approval.granted'])
    expect(it.told()).toMatchObject({
      summary: `${it.person('ADMIN').email} approved: "Agent ada wants a new agent: Bob", saying "Welcome"`,
      actor_type: 'user',
      payload: { approval_id, kind: 'autonomy_gate', comment: 'Welcome' },
    })
  })

  it('Approval: pending -> denied on decide', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    expect((await it.decide(approval_id, { status: 'denied' })).status).toBe(200)
    expect((await it.agent(id)).status).toBe(404)
    expect(await it.card(id)).toMatchObject({ state: 'resolved', resolved_action: 'denied' })
    expect((await it.propose()).status).toBe(202)
  })

  it('Approval: pending -> cancelled on cancel', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    const { status, body } = await it.call('ADMIN', 'POST', `/approvals/${approval_id}/cancel`, { reason: 'Not now' })
    expect([status, body]).toEqual([200, { status: 'cancelled', cancelled_by: it.person('ADMIN').userId }])
    expect((await it.agent(id)).status).toBe(404)
    expect(it.told()).toMatchObject({
      summary: `${it.person('ADMIN').email} withdrew the request "Agent ada wants a new agent: Bob", saying "Not now"`,
      entry_type: 'approval.cancelled',
      payload: { reason: 'Not now', cancelled_by: it.person('ADMIN').userId },
    })
  })

  it('Approval: pending -> timeout on the end of seven days', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    it.clock.advance(week)
    expect((await it.decide(approval_id, { status: 'approved' })).body).toMatchObject({
      status: 409,
      code: 'approval_settled',
      settled: { status: 'timeout' },
    })
    expect(await it.approval(approval_id)).toMatchObject({ status: 'timeout', decided_by: null })
    expect((await it.agent(id)).status).toBe(404)
    expect(await it.card(id)).toMatchObject({ state: 'resolved', resolved_action: 'timed_out' })
    expect(it.told()).toMatchObject({
      summary: 'Nobody decided in time: "Agent ada wants a new agent: Bob"',
      entry_type: 'approval.timeout',
      severity: 'warn',
      actor_type: 'system',
    })
  })

  it('is told in both spellings that clients read', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    const [row] = (await it.call('VIEWER', 'GET', '/approvals?status=pending&limit=50')).body.rows
    expect(row).toMatchObject({
      id: approval_id,
      ID: approval_id,
      WorkspaceID: it.workspace,
      CrewID: it.crewId,
      AgentID: row.agent_id ?? '',
      MissionID: '',
      requested_by: it.agentId,
      RequestedBy: it.agentId,
      kind: 'autonomy_gate',
      Kind: 'autonomy_gate',
      Reason: row.reason,
      payload: { target_id: id },
      Payload: row.payload,
      Status: 'pending',
      decided_by: null,
      DecidedBy: '',
      DecidedAt: null,
      DecisionComment: '',
      TimeoutAt: row.timeout_at,
      CreatedAt: row.created_at,
      TimeoutSecs: 0,
    })
    it.app.db.prepare('UPDATE approvals SET requested_by = NULL').run()
    const unknown = await it.approval(approval_id)
    expect(unknown).not.toHaveProperty('requested_by')
    expect(unknown.RequestedBy).toBe('')
    await it.decide(approval_id, { status: 'approved', comment: 'Welcome' })
    expect(await it.approval(approval_id)).toMatchObject({
      DecidedBy: it.person('ADMIN').userId,
      DecidedAt: '2026-01-01T00:00:00Z',
      DecisionComment: 'Welcome',
      comment: 'Welcome',
    })
  })

  it('times out on a read as well', async () => {
    const it = await setUp()
    const { approval_id } = await it.held()
    it.clock.advance(week)
    expect((await it.call('VIEWER', 'GET', '/approvals')).body).toEqual({ rows: [], status: 'pending', count: 0 })
    expect((await it.approval(approval_id)).status).toBe('timeout')
  })

  it('is withdrawn when what it is about goes', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    await it.call('OWNER', 'DELETE', `/agents/${id}`)
    expect((await it.approval(approval_id)).status).toBe('cancelled')
    expect(await it.card(id)).toMatchObject({ resolved_action: 'cancelled' })
    expect(it.told()).toMatchObject({
      entry_type: 'approval.cancelled',
      summary: 'The request "Agent ada wants a new agent: Bob" was withdrawn: The agent is gone',
    })
  })
})

describe('deciding', () => {
  it('takes an ADMIN, and belongs to the workspace', async () => {
    const it = await setUp()
    const { approval_id } = await it.held()
    expect((await it.decide(approval_id, { status: 'approved' }, 'MANAGER')).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
    })
    const stranger = it.stranger()
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/decide'],
      ['POST', '/cancel'],
    ] as const)
      expect(
        (
          await it.call(
            stranger,
            method,
            `/approvals/${approval_id}${path}`,
            method === 'POST' ? { status: 'approved' } : undefined,
          )
        ).status,
      ).toBe(404)
    expect((await it.decide(approval_id, { status: 'maybe' })).status).toBe(400)
    expect((await it.decide(approval_id, {})).status).toBe(400)
  })

  it('is done once: the second one hears what happened', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    const answers = await Promise.all([
      it.decide(approval_id, { status: 'approved' }),
      it.decide(approval_id, { status: 'denied' }, 'OWNER'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const winner = answers[0]!.status === 200 ? 'approved' : 'denied'
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: 'approval_settled',
      settled: { status: winner },
    })
    expect((await it.agent(id)).status).toBe(winner === 'approved' ? 'IDLE' : 404)
  })

  it('does not happen without its effect, nor the effect without it', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    it.app.db.prepare("UPDATE agents SET status = 'IDLE' WHERE id = ?").run(id)
    const before = it.entries().length
    expect((await it.decide(approval_id, { status: 'approved' })).body).toMatchObject({
      status: 409,
      code: 'approval_undecidable',
    })
    expect([(await it.approval(approval_id)).status, it.entries().length]).toEqual(['pending', before])
    expect(await it.card(id)).toMatchObject({ state: 'unread', source_missing: false })
  })

  it('undoes the effect when the rest fails', async () => {
    const it = await setUp()
    const { id, approval_id } = await it.held()
    it.app.db.exec("CREATE TRIGGER broken BEFORE UPDATE ON inbox_items BEGIN SELECT raise(ABORT, 'disk'); END")
    it.app.log.level = 'silent'
    expect((await it.decide(approval_id, { status: 'approved' })).status).toBe(500)
    expect([(await it.agent(id)).status, (await it.approval(approval_id)).status]).toEqual([
      'PENDING_REVIEW',
      'pending',
    ])
  })
})

describe('requests of other features', () => {
  it('are decided without an effect here, by a card of their own', async () => {
    const it = await setUp()
    const ask = () =>
      requestApproval(it.app, {
        workspace: it.workspace,
        crew: it.crewId,
        by: it.agentId,
        kind: 'destructive_op',
        reason: 'rm -rf /cache',
        payload: { command: 'rm -rf /cache' },
        seconds: 3600,
        card: { title: 'Delete the cache?' },
        now: it.app.now(),
      })
    const [first, second] = [it.app.writeNow(ask), it.app.writeNow(ask)]
    expect(await it.card(first)).toMatchObject({
      title: 'Delete the cache?',
      payload: { kind: 'destructive_op', command: 'rm -rf /cache', approval_id: first },
    })
    expect((await it.decide(first, { status: 'approved' })).status).toBe(200)
    it.clock.advance(3_600_000)
    const list = async (query: string) => (await it.call('VIEWER', 'GET', `/approvals${query}`)).body
    expect(await list('?status=all')).toMatchObject({ status: '', count: 2 })
    expect((await list('?status=timeout')).rows).toMatchObject([
      { id: second, kind: 'destructive_op', status: 'timeout' },
    ])
    expect(await list('?status=all&limit=1')).toMatchObject({ count: 1 })
    expect((await it.call('VIEWER', 'GET', '/approvals?status=new')).status).toBe(400)
  })
})
