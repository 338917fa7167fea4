import { beforeAll, describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { approval } from '../../../../daemon/features/approvals/kind.ts'
import { openRequests, type Request, requestApproval } from '../../../../daemon/features/approvals/service.ts'
import { settle } from '../../../../daemon/features/decisions/service.ts'

let place: TestDaemon
let cards = 0
beforeAll(async () => {
  place = await daemon({ shared: true })
})

const request = (more: Partial<Request> = {}) =>
  place.app.writeNow(() =>
    requestApproval(place.app, {
      workspace: place.workspace,
      by: 'a1',
      kind: 'custom',
      reason: 'Buy more disk',
      payload: {},
      card: { title: 'More disk?' },
      now: place.app.now(),
      ...more,
    }),
  )
const show = async (id: string) => (await place.call('VIEWER', 'GET', `/approvals/${id}`)).body
const card = async (source: string) => (await place.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${source}`)).body
const entryOf = (id: string) => place.entries().findLast(({ payload }) => payload?.['approval_id'] === id)!
const decide = (id: string, body: object) => place.call('ADMIN', 'POST', `/approvals/${id}/decide`, body)
const listed = async (query: string): Promise<string[]> =>
  (await place.call('VIEWER', 'GET', `/approvals?${query}`)).body.rows.map(({ id }: { id: string }) => id)

describe('a request for approval', () => {
  it('without a crew or an agent of its own is about who asks', async () => {
    const id = request()
    expect(await show(id)).toMatchObject({
      crew_id: null,
      agent_id: null,
      requested_by: 'a1',
      CrewID: '',
      AgentID: '',
      payload: {},
      timeout_at: '2026-01-08T00:00:00Z',
    })
    const entry = entryOf(id)
    expect(entry).toMatchObject({
      entry_type: 'approval.requested',
      agent_id: 'a1',
      actor_type: 'agent',
      actor_id: 'a1',
      refs: { approval_id: id },
      payload: { kind: 'custom', asked: 'More disk?', reason: 'Buy more disk' },
    })
    expect(Object.keys(entry.payload!).sort()).toEqual(['approval_id', 'asked', 'kind', 'reason'])
    expect(entry).not.toHaveProperty('crew_id')
    expect((await card(id)).payload).toEqual({ kind: 'custom', approval_id: id })
  })

  it('says what is held back, for whom and how long, and its card stands for that', async () => {
    const target = `thing-${++cards}`
    const held = { target: 'agent', target_id: target, policy_action: 'agent_create', size: 3 }
    const id = request({ crew: 'k1', agent: 'a2', payload: held, seconds: 60 })
    expect(await show(id)).toMatchObject({ crew_id: 'k1', agent_id: 'a2', timeout_at: '2026-01-01T00:01:00Z' })
    expect((await card(target)).payload).toEqual({ kind: 'custom', ...held, approval_id: id, crew_id: 'k1' })
    const { payload, ...entry } = entryOf(id)
    expect(entry).toMatchObject({ crew_id: 'k1', agent_id: 'a2', actor_id: 'a1' })
    expect(payload).toMatchObject({ target: 'agent', target_id: target, policy_action: 'agent_create' })
    expect(payload).not.toHaveProperty('size')
  })

  it('keeps its comment to itself, and none that is blank', async () => {
    const [one, other, blank] = [request(), request(), request()]
    await decide(one, { status: 'denied', comment: 'Too dear' })
    await decide(blank, { status: 'approved', comment: '  ' })
    expect(await show(one)).toMatchObject({ status: 'denied', comment: 'Too dear' })
    expect(entryOf(one)).toMatchObject({ entry_type: 'approval.denied', payload: { comment: 'Too dear' } })
    expect(entryOf(blank).payload).not.toHaveProperty('comment')
    expect([(await show(other)).comment, (await show(blank)).comment]).toEqual([null, null])
  })

  it('is cancelled for a reason or for none', async () => {
    const [one, other] = [request(), request()]
    const cancel = (id: string, body: object) => place.call('ADMIN', 'POST', `/approvals/${id}/cancel`, body)
    expect((await cancel(one, { reason: 'Found some' })).status).toBe(200)
    expect((await cancel(other, {})).status).toBe(200)
    const by = place.person('ADMIN').userId
    expect(entryOf(one)).toMatchObject({
      entry_type: 'approval.cancelled',
      payload: { reason: 'Found some', cancelled_by: by },
    })
    expect(entryOf(other).payload).not.toHaveProperty('reason')
  })

  it('says of one that is withdrawn with its subject why', () => {
    const id = request()
    place.app.writeNow(() =>
      settle(place.app, id, {
        state: 'withdrawn',
        actor: null,
        now: place.app.now(),
        comment: 'The crew is gone',
        orphaned: true,
      }),
    )
    const { entry_type, payload, summary } = entryOf(id)
    expect([entry_type, payload!['reason']]).toEqual(['approval.cancelled', 'The crew is gone'])
    expect(payload).not.toHaveProperty('cancelled_by')
    expect(summary).toMatch(/^The request .* was withdrawn: The crew is gone/)
  })
})

it('open requests are counted by who asks, in their workspace', () => {
  request({ by: 'a9' })
  const settled = request({ by: 'a9' })
  request({ by: 'a8' })
  const count = (workspace: string, by: string) => openRequests(place.app, workspace, by)
  expect(count(place.workspace, 'a9')).toBe(2)
  place.app.writeNow(() =>
    settle(place.app, settled, { state: 'decided', outcome: 'approved', actor: null, now: place.app.now() }),
  )
  expect([count(place.workspace, 'a9'), count('other', 'a9')]).toEqual([1, 0])
})

it('the list has each status by itself, and all', async () => {
  const it = await daemon()
  const before = place
  place = it
  try {
    const [open, approved, denied] = [request(), request(), request()]
    await decide(approved, { status: 'approved' })
    await decide(denied, { status: 'denied' })
    const all = await listed('status=all')
    expect([...all].sort()).toEqual([open, approved, denied].sort())
    expect([await listed(''), await listed('status=approved'), await listed('status=denied')]).toEqual([
      [open],
      [approved],
      [denied],
    ])
    expect([await listed('status=timeout'), await listed('status=cancelled')]).toEqual([[], []])
    expect(await listed('status=all&limit=2')).toEqual(all.slice(0, 2))
    expect((await it.call('VIEWER', 'GET', '/approvals?status=all')).body).toMatchObject({ status: '', count: 3 })
    expect((await it.call('VIEWER', 'GET', '/approvals')).body).toMatchObject({ status: 'pending', count: 1 })
    const [withdrawn, late] = [request(), request({ seconds: 60 })]
    await it.call('ADMIN', 'POST', `/approvals/${withdrawn}/cancel`, {})
    it.clock.advance(60_000)
    expect([await listed('status=cancelled'), await listed('status=timeout')]).toEqual([[withdrawn], [late]])
    for (const status of ['all', 'pending', 'denied'])
      expect((await it.call(it.stranger(), 'GET', `/approvals?status=${status}`)).body.rows).toEqual([])
  } finally {
    place = before
  }
})

it('the list has fifty at a time unless more are asked for, and two hundred at most', async () => {
  const it = await daemon()
  const before = place
  place = it
  const one = request()
  place = before
  for (const table of ['decisions', 'approvals']) {
    const columns = (it.app.db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
    const copied = columns.map((name) => (name === 'id' || name === 'item_id' ? `${name} || n` : name))
    it.app.db
      .prepare(
        `INSERT INTO ${table} (${columns})
          SELECT ${copied} FROM ${table}, (SELECT value AS n FROM json_each(@numbers)) WHERE id = @one`,
      )
      .run({ one, numbers: JSON.stringify(Array.from({ length: 200 }, (_, n) => n)) })
  }
  const length = async (query: string) => (await it.call('VIEWER', 'GET', `/approvals?${query}`)).body.count
  expect([await length(''), await length('limit=200'), await length('limit=201')]).toEqual([50, 200, 200])
})

describe('what is decided too late', () => {
  const late = async (id: string) => (await decide(id, { status: 'approved' })).body.detail

  it('hears who decided how and when, or that its time was over', async () => {
    const at = place.app.now()
    const [approved, withdrawn] = [request(), request()]
    await decide(approved, { status: 'approved' })
    expect(await late(approved)).toBe(`The ADMIN: approved at ${at}`)
    place.app.writeNow(() => settle(place.app, withdrawn, { state: 'withdrawn', actor: null, now: at }))
    expect(await late(withdrawn)).toBe(`Muster: cancelled at ${at}`)
  })

  it('has run out when it is shown, or when it is decided', async () => {
    const it = await daemon()
    const before = place
    place = it
    const [shown, decided] = [request({ seconds: 60 }), request({ seconds: 60 })]
    it.clock.advance(60_000)
    expect(await late(decided)).toBe('The time to decide was over at 2026-01-01T00:01:00Z')
    expect((await show(shown)).status).toBe('timeout')
    place = before
  })
})

it('people have seven days, and ADMINs decide', () => {
  const { name, card, role, seconds, operation, expired, orphaned } = approval
  expect({ name, card, role, seconds, operation, expired, orphaned }).toEqual({
    name: 'approval',
    card: 'waitpoint',
    role: 'ADMIN',
    seconds: 604_800,
    operation: 'approvals.decide',
    expired: 'timed_out',
    orphaned: true,
  })
  const row = { id: 'x1' } as never
  expect(approval.actions!(place.app, row)).toEqual([
    { id: 'approve', label: 'Approve' },
    { id: 'deny', label: 'Deny' },
  ])
  expect(approval.params(row, place.app)).toEqual({ approvalId: 'x1' })
  const text = { member: 'comment', required: false }
  expect(approval.choices(place.app, row)).toEqual([
    { id: 'approve', label: 'Approve', means: 'approve', body: { status: 'approved' }, text },
    { id: 'deny', label: 'Deny', means: 'deny', body: { status: 'denied' }, text },
  ])
})
