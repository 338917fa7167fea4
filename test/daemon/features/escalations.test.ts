import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Answer, closing, type Person, type TestDaemon } from '#test'
import { deliveryOf, knownSecrets } from '../../../daemon/features/credentials/delivery/service.ts'
import { watchDeadlines } from '../../../daemon/features/decisions/deadlines.ts'
import { staleBrowser } from '../../support/browser.ts'
import { workplace } from '../../support/runs.ts'

const week = 7 * 86_400_000
const value = 'ghp_offered_by_an_agent_4711'
const secret = { type: 'CREDENTIAL', metadata: { name: 'deploy-key', type: 'SECRET', provider: 'GITHUB', value } }

interface Asked {
  escalation_id: string
}

/** A crew with the agent ada, who can ask. */
async function setUp(options: Parameters<typeof workplace>[0] = {}) {
  const it = await workplace(options)
  const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const internal = (method: string, path: string, body?: unknown, headers: Record<string, string> = token) =>
    it.call(null, method, `/internal${path}`, body, headers)
  const create = (more: object = {}): Promise<Answer> =>
    internal('POST', '/escalations', {
      workspace_id: it.workspace,
      crew_id: it.crewId,
      from_slug: 'ada',
      reason: 'May I delete the cache?',
      ...more,
    })
  const ask = async (more: object = {}): Promise<string> => {
    const { status, body, text } = await create(more)
    expect(status, text).toBe(201)
    return (body as Asked).escalation_id
  }
  return {
    ...it,
    internal,
    create,
    ask,
    wait: (id: string) => internal('GET', `/escalations/${id}/wait`),
    resolve: (
      id: string,
      body: object = { resolution: 'Yes.' },
      who: Person | 'MANAGER' | 'OWNER' | 'MEMBER' | 'ADMIN' = 'MANAGER',
    ) => it.call(who, 'PATCH', `/escalations/${id}/resolve`, body),
    show: async (id: string) => (await it.call('VIEWER', 'GET', `/escalations/${id}`)).body,
    card: async (id: string) => (await it.call('OWNER', 'GET', `/inbox/ibx_escalation_${id}`)).body,
    told: it.entries,
    broadcasts: listenTo(it),
  }
}

function listenTo({ app }: TestDaemon) {
  const heard: { channel: string; type: string; payload: unknown }[] = []
  app.bus.on('broadcast', (message) => void heard.push(message))
  return (type: string) => heard.filter((it) => it.type === type)
}

const questions = (it: TestDaemon) => it.entries().filter(({ entry_type }) => entry_type === 'peer.escalation')

afterEach(() => void vi.useRealTimers())

describe('an offered secret', () => {
  it.each(['approve', 'reject'])(
    'asks for the second factor again before somebody decides to %s it',
    async (action) => {
      const it = await setUp()
      const id = await it.ask({ reason: 'Keep this', ...secret })
      const web = await staleBrowser(it, it.person('OWNER'))
      const decide = () => web.call('PATCH', `/escalations/${id}/resolve`, { resolution: 'Yes.', action })
      expect((await decide()).body).toMatchObject({ status: 403, code: 'step_up_required' })
      expect(await it.show(id)).toMatchObject({ status: 'PENDING' })
      it.app.db.prepare('UPDATE user_sessions SET factor_at = ?').run(it.app.now())
      expect((await decide()).status).toBe(200)
    },
  )
})

describe('a question of an agent', () => {
  it('stands before the managers, in the journal and in the list, and can be counted', async () => {
    const it = await setUp()
    const id = await it.ask({ context: 'It has 4 GB.' })
    expect(await it.card(id)).toMatchObject({
      kind: 'escalation',
      state: 'unread',
      blocking: true,
      priority: 'high',
      target_role: 'MANAGER',
      sender_type: 'agent',
      title: 'Agent ada asks: May I delete the cache?',
      actions: [{ id: 'approve' }, { id: 'reject' }, { id: 'redirect' }],
      payload: { crew_id: it.crewId, reason: 'May I delete the cache?', escalation_type: 'TEXT' },
      source_missing: false,
    })
    expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/escalations`)).body).toEqual([
      expect.objectContaining({
        id,
        status: 'PENDING',
        type: 'TEXT',
        from_slug: 'ada',
        context: 'It has 4 GB.',
        resolution: null,
        resolved_by: null,
      }),
    ])
    expect((await it.call('VIEWER', 'GET', '/escalations/pending-count')).body).toEqual({ count: 1 })
    expect(questions(it)).toMatchObject([
      {
        severity: 'warn',
        actor_type: 'agent',
        actor_id: it.agentId,
        crew_id: it.crewId,
        payload: { state: 'pending', from_slug: 'ada' },
        refs: { escalation_id: id },
      },
    ])
    expect(it.broadcasts('escalation.created')).toMatchObject([
      { channel: `workspace:${it.workspace}`, payload: { id, crew_id: it.crewId, from_slug: 'ada' } },
    ])
  })

  it.each([
    ['reason', 400, { reason: ' ' }],
    ['reason', 400, { reason: undefined }],
    ['reason', 400, { reason: 'x'.repeat(4001) }],
    ['type', 400, { type: 'QUIZ' }],
    ['metadata', 400, { type: 'LINK', metadata: 'http://example.com' }],
    ['metadata', 400, { type: 'LINK', metadata: 'https://user:pw@example.com' }],
    ['metadata', 400, { type: 'LINK' }],
    ['metadata', 400, { type: 'CREDENTIAL', metadata: `{"value":"${value}` }],
    ['metadata.value', 400, { type: 'CREDENTIAL', metadata: { name: 'x' } }],
    [
      'metadata.provider',
      400,
      { type: 'CREDENTIAL', metadata: { name: 'x', type: 'API_KEY', provider: 'NONE', value } },
    ],
    ['from_slug', 404, { from_slug: 'nobody' }],
    ['agent_id', 404, { from_slug: undefined, agent_id: 'cnone00000000000000000000' }],
    ['from_slug', 400, { from_slug: undefined }],
    ['chat_id', 404, { chat_id: 'another' }],
  ])('is refused for a bad %s with %i, without repeating it: %#', async (field, status, more) => {
    const it = await setUp()
    const answer = await it.create(more)
    expect(answer.body).toMatchObject({ status, field })
    expect(answer.text).not.toContain(value)
    expect(questions(it)).toEqual([])
  })

  it('is one question however often its call comes, and nobody else’s', async () => {
    const it = await setUp()
    await it.mate('bob')
    const id = await it.ask({ call_id: 'call-1' })
    expect(await it.ask({ call_id: 'call-1' })).toBe(id)
    expect(questions(it)).toHaveLength(1)
    expect((await it.create({ call_id: 'call-1', from_slug: 'bob' })).status).toBe(404)
  })

  it('belongs to the crew of the token', async () => {
    const it = await setUp()
    const id = await it.ask()
    const other = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, 'another') }
    expect((await it.internal('GET', `/escalations/${id}/wait`, undefined, other)).status).toBe(404)
    const stranger = it.stranger()
    for (const [method, path] of [
      ['GET', `/escalations/${id}`],
      ['PATCH', `/escalations/${id}/resolve`],
      ['POST', `/escalations/${id}/cancel`],
      ['GET', `/crews/${it.crewId}/escalations`],
    ] as const)
      expect(
        (await it.call(stranger, method, path, method === 'GET' ? undefined : { resolution: 'x' })).body,
      ).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('is one of at most twenty that are open', async () => {
    const it = await setUp()
    for (let n = 0; n < 20; n++) await it.ask()
    expect((await it.create()).body).toMatchObject({ status: 429, code: 'rate_limited' })
    await it.mate('bob')
    await it.ask({ from_slug: 'bob' })
  })
})

describe('Escalation', () => {
  it('Escalation: PENDING -> RESOLVED on resolve', async () => {
    const it = await setUp()
    const id = await it.ask()
    expect((await it.resolve(id)).body).toEqual({
      id,
      status: 'RESOLVED',
      action: 'approve',
      agent_still_waiting: true,
    })
    expect(await it.show(id)).toMatchObject({
      status: 'RESOLVED',
      resolution: 'Yes.',
      action: 'approve',
      resolved_by: 'user',
      resolved_by_user_id: it.person('MANAGER').userId,
    })
    expect(await it.card(id)).toMatchObject({
      state: 'resolved',
      resolved_action: 'approve',
      resolved_by_user_id: it.person('MANAGER').userId,
    })
    expect(questions(it).at(-1)).toMatchObject({
      severity: 'notice',
      payload: { state: 'resolved', resolution: 'Yes.', agent_still_waiting: true },
    })
    expect(it.broadcasts('escalation.resolved')).toMatchObject([
      { payload: { id, crew_id: it.crewId, from_slug: 'ada', action: 'approve' } },
    ])
    expect((await it.wait(id)).body).toEqual({ status: 'RESOLVED', resolution: 'Yes.', action: 'approve' })
  })

  it('Escalation: PENDING -> CANCELLED on cancel', async () => {
    const it = await setUp()
    const id = await it.ask()
    expect((await it.call('MANAGER', 'POST', `/escalations/${id}/cancel`)).body).toEqual({ id, status: 'CANCELLED' })
    expect(await it.card(id)).toMatchObject({ state: 'resolved', resolved_action: 'cancelled' })
    expect(it.broadcasts('escalation.cancelled')).toHaveLength(1)
    expect((await it.wait(id)).body).toMatchObject({
      status: 'CANCELLED',
      resolution: '',
      agent_action: 'continued_with_warning',
      still_open: false,
    })
    expect((await it.resolve(id)).body).toMatchObject({
      status: 409,
      code: 'escalation_settled',
      error: expect.stringContaining('The MANAGER withdrew it'),
    })
  })

  it('Escalation: PENDING -> EXPIRED on the end of seven days', async () => {
    const it = await setUp()
    const id = await it.ask()
    it.clock.advance(week)
    expect((await it.resolve(id)).body).toMatchObject({
      status: 409,
      detail: 'The time to answer was over at 2026-01-08T00:00:00Z',
      settled: { status: 'EXPIRED' },
    })
    expect(await it.show(id)).toMatchObject({ status: 'EXPIRED', resolved_by: 'system', resolution: null })
    expect(await it.card(id)).toMatchObject({ state: 'resolved', resolved_action: 'expired' })
    expect(questions(it).at(-1)).toMatchObject({
      severity: 'warn',
      actor_type: 'system',
      payload: { state: 'expired' },
    })
    expect(it.broadcasts('escalation.expired')).toHaveLength(1)
  })

  it('expires on a read, and on a sweep by an ADMIN, once', async () => {
    const it = await setUp()
    const [id] = [await it.ask(), await it.ask()]
    it.clock.advance(week)
    expect((await it.call('ADMIN', 'POST', '/escalations/sweep-expired')).body).toEqual({ expired: 2 })
    expect((await it.call('ADMIN', 'POST', '/escalations/sweep-expired')).body).toEqual({ expired: 0 })
    const later = await it.ask()
    it.clock.advance(week)
    expect((await it.call('VIEWER', 'GET', '/escalations/pending-count')).body).toEqual({ count: 0 })
    expect([await it.show(id), await it.show(later)].map(({ status }) => status)).toEqual(['EXPIRED', 'EXPIRED'])
    expect(questions(it).filter(({ payload }) => payload?.['state'] === 'expired')).toHaveLength(3)
  })

  it.each(['list', 'question'])('has expired in a %s that is read at that time', async (what) => {
    const it = await setUp()
    const id = await it.ask()
    it.clock.advance(week)
    const path = what === 'list' ? `/crews/${it.crewId}/escalations?status=all` : `/escalations/${id}`
    const { body } = await it.call('VIEWER', 'GET', path)
    expect([body].flat()).toMatchObject([{ id, status: 'EXPIRED' }])
  })

  it('expires by itself, at its time', async () => {
    const it = await setUp()
    const id = await it.ask()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closing(watchDeadlines(it.app))
    while (vi.getTimerCount() === 0) await it.app.write(() => undefined)
    it.clock.advance(week)
    vi.advanceTimersByTime(86_400_000)
    vi.useRealTimers()
    await expect.poll(() => questions(it).at(-1)?.payload?.['state']).toBe('expired')
    expect(await it.card(id)).toMatchObject({ resolved_action: 'expired' })
  })

  it('ends with its agent', async () => {
    const it = await setUp()
    const id = await it.ask(secret)
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    expect((await it.show(id)).status).toBe('CANCELLED')
    expect(knownSecrets(it.app, it.workspace)).toEqual([])
  })
})

describe('the journal', () => {
  const told = (it: TestDaemon) => questions(it).at(-1)!.summary

  it('tells who asked, who answered, and what was said', async () => {
    const it = await setUp()
    const { email } = it.person('MANAGER')
    await it.mate('bob')
    const id = await it.ask({ reason: 'Which port?' })
    expect(told(it)).toBe('Agent ada asks: "Which port?"')
    await it.resolve(id, { resolution: '8080' })
    expect(told(it)).toBe(`${email} answered Agent ada's question: "8080"`)
    await it.resolve(await it.ask({ reason: 'Delete it?' }), { resolution: 'Not today', action: 'reject' })
    expect(told(it)).toBe(`${email} rejected Agent ada's question "Delete it?": "Not today"`)
    const third = await it.ask({ reason: 'Who knows?' })
    await it.resolve(third, { resolution: 'Bob', action: 'redirect', redirect_to: 'bob' })
    expect(told(it)).toBe(`${email} told Agent ada to ask agent Agent bob instead: "Who knows?"`)
    await it.call('MANAGER', 'POST', `/escalations/${await it.ask({ reason: 'Twice?' })}/cancel`, {})
    expect(told(it)).toBe(`${email} withdrew Agent ada's question: "Twice?"`)
    await it.ask({ reason: 'Anybody?' })
    it.clock.advance(week)
    await it.call('ADMIN', 'POST', '/escalations/sweep-expired')
    expect(told(it)).toBe('Nobody answered Agent ada in time: "Anybody?"')
    await it.ask({ reason: 'Still?' })
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    expect(told(it)).toBe(`Agent ada's question was withdrawn (The agent is gone): "Still?"`)
  })
})

describe('deciding', () => {
  it('takes a MANAGER, of the workspace or of the crew', async () => {
    const it = await setUp()
    const id = await it.ask()
    expect((await it.resolve(id, { resolution: 'Yes.' }, 'MEMBER')).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
    })
    const member = it.person('MEMBER')
    expect(
      (await it.call('OWNER', 'POST', `/crews/${it.crewId}/members`, { user_id: member.userId, role: 'MANAGER' }))
        .status,
    ).toBe(201)
    expect((await it.resolve(id, { resolution: 'Yes.' }, member)).status).toBe(200)
    expect((await it.call(member, 'POST', '/escalations/sweep-expired')).status).toBe(403)
  })

  it('is done once: the second one hears what happened', async () => {
    const it = await setUp()
    const id = await it.ask()
    const answers = await Promise.all([
      it.resolve(id),
      it.resolve(id, { resolution: 'No.', action: 'reject' }, 'ADMIN'),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: 'escalation_settled',
      detail: expect.stringMatching(/^The (MANAGER approved|ADMIN rejected) it at 2026-01-01T00:00:00Z$/),
      settled: { status: 'RESOLVED' },
    })
    expect(questions(it).filter(({ payload }) => payload?.['state'] === 'resolved')).toHaveLength(1)
    expect(it.broadcasts('escalation.resolved')).toHaveLength(1)
  })

  it('redirects to another agent of the crew', async () => {
    const it = await setUp()
    await it.mate('bob')
    await it.call('OWNER', 'POST', '/agents', { name: 'Free', slug: 'free' })
    const id = await it.ask()
    const redirect = (redirect_to?: string) =>
      it.resolve(id, { resolution: 'Ask them.', action: 'redirect', redirect_to })
    for (const target of [undefined, '', 'ada', 'free', 'nobody'])
      expect((await redirect(target)).body).toMatchObject({ status: 400, field: 'redirect_to' })
    expect((await it.resolve(id, { resolution: 'Yes.', redirect_to: 'bob' })).body).toMatchObject({
      status: 400,
      field: 'redirect_to',
    })
    expect((await redirect('bob')).status).toBe(200)
    expect((await it.wait(id)).body).toEqual({
      status: 'RESOLVED',
      resolution: 'Ask them.',
      action: 'redirect',
      redirect_to: 'bob',
    })
  })

  it('is undone as a whole when it fails in the middle', async () => {
    const it = await setUp({ quiet: true })
    const id = await it.ask(secret)
    const before = it.entries().length
    it.app.db.exec("CREATE TRIGGER broken BEFORE UPDATE ON inbox_items BEGIN SELECT raise(ABORT, 'disk'); END")
    expect((await it.resolve(id)).status).toBe(500)
    it.app.db.exec('DROP TRIGGER broken')
    expect([await it.show(id), (await it.card(id)).state, it.entries().length]).toMatchObject([
      { status: 'PENDING' },
      'unread',
      before,
    ])
    expect((await it.resolve(id)).status).toBe(200)
  })
})

describe('waiting', () => {
  /** As the agent's side does it: over a real connection. */
  const open = async (it: Awaited<ReturnType<typeof setUp>>, id: string) => {
    const arrived = once(it.http.server, 'request')
    const out = request(`${it.base}/api/v1/internal/escalations/${id}/wait`, {
      headers: { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) },
    })
    const answer = new Promise<unknown>((resolve, reject) => {
      out.on('response', async (reply) => {
        let text = ''
        for await (const chunk of reply) text += chunk
        resolve(JSON.parse(text))
      })
      out.on('error', reject)
    })
    answer.catch(() => undefined)
    out.end()
    await arrived
    return { answer, hangUp: () => out.destroy() }
  }

  it('ends at the moment of the answer', async () => {
    const it = await setUp()
    const id = await it.ask()
    const waiting = it.wait(id)
    await it.resolve(id, { resolution: 'No.', action: 'reject' })
    expect((await waiting).body).toEqual({ status: 'RESOLVED', resolution: 'No.', action: 'reject' })
  })

  it('ends after 300 seconds: the agent goes on, the question stays', async () => {
    const it = await setUp()
    const { body } = await it.create()
    expect(Date.parse(body.deadline_at) - it.clock()).toBe(300_000)
    expect([body.timeout_seconds, Date.parse(body.answer_deadline_at) - it.clock()]).toEqual([300, week])
    it.clock.advance(300_000)
    const id = body.escalation_id
    expect((await it.wait(id)).body).toMatchObject({
      status: 'UNANSWERED',
      resolution: '',
      action: '',
      agent_action: 'continued_with_warning',
      still_open: true,
    })
    expect(await it.show(id)).toMatchObject({ status: 'PENDING', agent_gave_up_at: '2026-01-01T00:05:00Z' })
    expect(await it.card(id)).toMatchObject({ state: 'unread' })
    expect((await it.resolve(id)).body).toEqual({
      id,
      status: 'RESOLVED',
      action: 'approve',
      agent_still_waiting: false,
      agent_gave_up_at: '2026-01-01T00:05:00Z',
      note: expect.stringContaining('went on'),
    })
  })

  it('ends when the agent goes away, and goes on when the same call comes again', async () => {
    const it = await setUp()
    const id = await it.ask({ call_id: 'call-1' })
    const [first, second] = [await open(it, id), await open(it, id)]
    first.hangUp()
    await first.answer.catch(() => undefined)
    expect((await it.show(id)).agent_gave_up_at).toBeNull()
    second.hangUp()
    await expect.poll(async () => (await it.show(id)).agent_gave_up_at).not.toBeNull()
    expect(await it.ask({ call_id: 'call-1' })).toBe(id)
    expect((await it.show(id)).agent_gave_up_at).toBeNull()
    const third = await open(it, id)
    await it.resolve(id)
    expect(await third.answer).toMatchObject({ status: 'RESOLVED' })
  })

  it('ends when the daemon stops, without a word about the agent', async () => {
    const it = await setUp()
    const id = await it.ask()
    const waiting = it.wait(id)
    await it.show(id)
    it.app.stopping.abort()
    expect((await waiting).body).toMatchObject({ status: 503, code: 'unavailable' })
    expect((await it.show(id)).agent_gave_up_at).toBeNull()
  })
})

describe('an offered credential', () => {
  const everything = (it: Awaited<ReturnType<typeof setUp>>) => [
    JSON.stringify(it.entries()),
    ...(it.app.db
      .prepare('SELECT quote(metadata) || quote(reason) || quote(context) || quote(resolution) AS t FROM escalations')
      .pluck()
      .all() as string[]),
    ...(it.app.db
      .prepare('SELECT quote(payload_json) || quote(title) || quote(body_md) AS t FROM inbox_items')
      .pluck()
      .all() as string[]),
    JSON.stringify(['created', 'resolved'].flatMap((event) => it.broadcasts(`escalation.${event}`))),
  ]

  it('is sealed at once, delivered to nobody, and its value shown nowhere', async () => {
    const it = await setUp()
    const id = await it.ask({
      ...secret,
      metadata: JSON.stringify(secret.metadata),
      reason: `Keep ${value} for me`,
      context: `It is ${value}`,
    })
    const shown = await it.show(id)
    expect(shown).toMatchObject({
      type: 'CREDENTIAL',
      reason: 'Keep [redacted] for me',
      second_approver_required: false,
      second_approver_by_tier: false,
    })
    expect(JSON.parse(shown.metadata)).toEqual({ name: 'deploy-key', type: 'SECRET', provider: 'GITHUB' })
    expect((await it.call('OWNER', 'GET', `/credentials/${shown.credential_id}`)).body).toMatchObject({
      status: 'PENDING_APPROVAL',
      name: 'deploy-key',
    })
    expect((await it.card(id)).payload).toMatchObject({
      has_pending_credential: true,
      credential_id: shown.credential_id,
    })
    expect(deliveryOf(it.app, it.agentId).secrets).toEqual([])
    expect(knownSecrets(it.app, it.workspace)).toEqual([value])
    expect(everything(it).join()).not.toContain(value)
  })

  it('is the agent’s once approved; what was answered is masked for people', async () => {
    const it = await setUp()
    const id = await it.ask(secret)
    expect((await it.resolve(id, { resolution: 'use the vault path kv/7' })).status).toBe(200)
    expect(deliveryOf(it.app, it.agentId).secrets).toMatchObject([{ name: 'DEPLOY_KEY', value }])
    expect((await it.show(id)).resolution).toBe('********')
    expect((await it.wait(id)).body.resolution).toBe('use the vault path kv/7')
    expect(everything(it).join()).not.toContain('kv/7')
    expect(everything(it).join()).not.toContain(value)
    const bob = await it.mate('bob')
    expect(deliveryOf(it.app, bob).secrets).toEqual([])
  })

  it.each([
    [
      'rejected',
      (it: Awaited<ReturnType<typeof setUp>>, id: string) => it.resolve(id, { resolution: 'No.', action: 'reject' }),
    ],
    [
      'cancelled',
      (it: Awaited<ReturnType<typeof setUp>>, id: string) =>
        it.call('MANAGER', 'POST', `/escalations/${id}/cancel`, { reason: 'later' }),
    ],
    [
      'expired',
      (it: Awaited<ReturnType<typeof setUp>>) => {
        it.clock.advance(week)
        return it.call('ADMIN', 'POST', '/escalations/sweep-expired')
      },
    ],
    [
      'deleted',
      (it: Awaited<ReturnType<typeof setUp>>) => it.call('ADMIN', 'DELETE', `/crews/${it.crewId}/escalations`),
    ],
  ])('is erased when it is %s', async (_, end) => {
    const it = await setUp()
    const id = await it.ask(secret)
    const { credential_id } = await it.show(id)
    expect((await end(it, id)).status).toBe(200)
    expect(
      it.app.db.prepare('SELECT status, encrypted_value FROM credentials WHERE id = ?').get(credential_id),
    ).toEqual({
      status: 'REJECTED',
      encrypted_value: null,
    })
    expect([knownSecrets(it.app, it.workspace), deliveryOf(it.app, it.agentId).secrets]).toEqual([[], []])
    // The name is free again.
    await it.ask(secret)
  })

  it('cannot be put to use past the decision', async () => {
    const it = await setUp()
    const { credential_id: id } = await it.show(await it.ask(secret))
    for (const [method, path, body] of [
      ['PATCH', `/credentials/${id}`, { value: 'other' }],
      ['PUT', `/credentials/${id}`, { name: 'other' }],
      ['POST', `/credentials/${id}/rotate`, { value: 'other' }],
      ['POST', `/credentials/${id}/test`, undefined],
      ['DELETE', `/credentials/${id}`, undefined],
      ['POST', `/agents/${it.agentId}/credentials`, { credential_id: id, env_var_name: 'X' }],
    ] as const)
      expect((await it.call('OWNER', method, path, body)).body, `${method} ${path}`).toMatchObject({
        status: 409,
        code: 'source_managed',
      })
  })

  it('has a free name, and needs a vault', async () => {
    const it = await setUp()
    await it.ask(secret)
    expect((await it.create(secret)).body).toMatchObject({ status: 409, code: 'name_taken', field: 'metadata.name' })
    const bare = await setUp({ withVault: false })
    expect((await bare.create(secret)).body).toMatchObject({ status: 503, code: 'encryption_unavailable' })
    expect(await bare.ask()).toBeTruthy()
  })

  it('is not decided by who made the agent, where the workspace asks for a second one', async () => {
    const it = await setUp()
    const set = (who: 'OWNER' | 'ADMIN') =>
      it.call(who, 'PATCH', `/workspaces/${it.workspace}`, { require_second_approver: true })
    expect((await set('ADMIN')).body).toMatchObject({ status: 403, field: 'require_second_approver' })
    expect((await set('OWNER')).body).toMatchObject({ require_second_approver: true })
    const [first, text] = [await it.ask(secret), await it.ask()]
    expect(await it.show(first)).toMatchObject({
      second_approver_required: true,
      second_approver_by_workspace: true,
      second_approver_by_tier: false,
    })
    expect(await it.card(first)).toMatchObject({ second_approver_required: true, second_approver_by_workspace: true })
    expect(await it.card(text)).not.toHaveProperty('second_approver_required')
    const listed = (await it.call('ADMIN', 'GET', '/inbox')).body.rows.find(
      ({ source_id }: { source_id: string }) => source_id === first,
    )
    expect(listed).toMatchObject({ second_approver_required: true })
    for (const action of ['approve', 'reject'])
      expect((await it.resolve(first, { resolution: 'x', action }, 'OWNER')).body).toMatchObject({
        status: 403,
        code: 'second_approver_required',
      })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'keeper.decision',
      severity: 'error',
      payload: { rule: 'second_approver', decision: 'DENY', action: 'reject', initiator_known: true },
      refs: { escalation_id: first },
    })
    expect((await it.show(first)).status).toBe('PENDING')
    expect((await it.resolve(text, { resolution: 'x' }, 'OWNER')).status).toBe(200)
    expect((await it.resolve(first, { resolution: 'x' }, 'ADMIN')).status).toBe(200)
    const unknown = await it.ask({ ...secret, metadata: { ...secret.metadata, name: 'other' } })
    it.app.db.prepare('UPDATE agents SET created_by_user_id = NULL').run()
    expect((await it.resolve(unknown, { resolution: 'x' }, 'ADMIN')).body).toMatchObject({
      status: 403,
      error: expect.stringContaining('not on record'),
    })
    expect(it.entries().at(-1)).toMatchObject({ entry_type: 'keeper.decision', payload: { initiator_known: false } })
  })
})

describe('the list', () => {
  it('has only what existing clients know, PENDING and RESOLVED, unless more is asked for', async () => {
    const it = await setUp()
    const ids: string[] = []
    for (let n = 0; n < 4; n++) {
      if (n === 1) it.clock.advance(week)
      ids.push(await it.ask())
      it.clock.advance(1000)
    }
    await it.resolve(ids[1]!)
    expect((await it.call('OWNER', 'POST', `/escalations/${ids[2]}/cancel`)).status).toBe(200)
    const list = async (query: string) =>
      (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/escalations?${query}`)).body.map(
        ({ status }: { status: string }) => status,
      )
    expect(await list('limit=50')).toEqual(['PENDING', 'RESOLVED'])
    expect(await list('limit=1&offset=1')).toEqual(['RESOLVED'])
    expect(await list('status=all')).toEqual(['PENDING', 'CANCELLED', 'RESOLVED', 'EXPIRED'])
    expect([await list('status=EXPIRED'), await list('status=CANCELLED')]).toEqual([['EXPIRED'], ['CANCELLED']])
  })

  it('is newest first, by status, in windows of at most 100', async () => {
    const it = await setUp()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      it.clock.advance(1000)
      ids.unshift(await it.ask())
    }
    await it.resolve(ids[1]!)
    const list = async (query: string) =>
      (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/escalations${query}`)).body.map(
        ({ id }: { id: string }) => id,
      )
    expect(await list('')).toEqual(ids)
    expect(await list('?limit=1&offset=1')).toEqual([ids[1]])
    expect(await list('?status=PENDING')).toEqual([ids[0], ids[2]])
    expect(await list('?status=')).toEqual(ids)
    expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/escalations?status=NEW`)).status).toBe(400)
    const remove = async () => (await it.call('ADMIN', 'DELETE', `/crews/${it.crewId}/escalations`)).body
    expect(await remove()).toEqual({ deleted: 3 })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      crew_id: it.crewId,
      actor_id: it.person('ADMIN').userId,
      payload: { entity_type: 'escalation', metadata: { deleted: 3 } },
    })
    const count = it.entries().length
    expect(await remove()).toEqual({ deleted: 0 })
    expect(it.entries()).toHaveLength(count)
    expect(await list('')).toEqual([])
    expect((await it.card(ids[0]!)).source_missing).toBe(true)
  })
})
