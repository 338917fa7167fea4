import { beforeAll, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { settle } from '../../../../daemon/features/decisions/service.ts'
import { waitpoint } from '../../../../daemon/features/waitpoints/kind.ts'
import { openWaitpoint } from '../../../../daemon/features/waitpoints/service.ts'

let place: TestDaemon
beforeAll(async () => {
  place = await daemon({ shared: true })
})
const openAt = (more: object = {}) =>
  place.app.writeNow(() =>
    openWaitpoint(place.app, {
      workspace: place.workspace,
      kind: 'approval',
      prompt: 'Go on?',
      now: place.app.now(),
      ...more,
    }),
  )
const row = (id: string) =>
  place.app.db.prepare<[string], Record<string, unknown>>('SELECT * FROM waitpoints WHERE id = ?').get(id)!
const card = async (id: string) => (await place.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body
const entryOf = (id: string) => place.entries().findLast(({ payload }) => payload?.['approval_id'] === id)!
const path = () => `/workspaces/${place.workspace}/pipelines/waitpoints`
const list = async (who: 'VIEWER' | 'MANAGER') => (await place.call(who, 'GET', path())).body
const approve = (id: string, body: object) => place.call('MANAGER', 'POST', `${path()}/${id}/approve`, body)

it('work that waits says what it belongs to', async () => {
  const { id } = openAt({ run: 'r1', step: 's1', crew: 'k1', seconds: 60, payload: { a: 1 } })
  expect(row(id)).toMatchObject({ run_id: 'r1', step_id: 's1', invoking_crew_id: 'k1', payload_json: '{"a":1}' })
  const { payload, sender_type, sender_id } = await card(id)
  expect([sender_type, sender_id]).toEqual(['pipeline', 'r1'])
  expect(payload).toEqual({
    waitpoint_id: id,
    timeout_at: '2026-01-01T00:01:00Z',
    pipeline_run_id: 'r1',
    step_id: 's1',
    invoking_crew_id: 'k1',
  })
  const entry = entryOf(id)
  expect(entry).toMatchObject({
    entry_type: 'approval.requested',
    actor_type: 'system',
    crew_id: 'k1',
    trace_id: 'r1',
    refs: { approval_id: id },
    payload: { kind: 'waitpoint', asked: 'Go on?' },
  })
  expect((await list('VIEWER')).find((it: { id: string }) => it.id === id)).toMatchObject({ invoking_crew_id: 'k1' })
})

it('work that belongs to nothing waits too, its title the first line', async () => {
  const { id } = openAt({ prompt: `${'x'.repeat(121)}\nmore` })
  expect(row(id)).toMatchObject({ run_id: null, step_id: null, invoking_crew_id: null, payload_json: null })
  const shown = await card(id)
  expect(shown.title).toBe('x'.repeat(120))
  expect([shown.sender_type, shown.sender_id]).toEqual(['pipeline', undefined])
  expect(shown.payload).toEqual({ waitpoint_id: id, timeout_at: '2026-01-02T00:00:00Z' })
  const entry = entryOf(id)
  expect([entry.crew_id, entry.trace_id]).toEqual([undefined, undefined])
  expect((await list('VIEWER')).find((it: { id: string }) => it.id === id)).not.toHaveProperty('invoking_crew_id')
})

it('the comment of a decision is kept with its work and its entry, unless it is blank', async () => {
  const [one, other] = [openAt(), openAt()]
  expect((await approve(one.id, { approved: true, comment: 'Fine' })).body).toEqual({ ok: true, approved: true })
  expect((await approve(other.id, { approved: false, comment: ' ' })).body).toEqual({ ok: true, approved: false })
  expect([row(one.id)['comment'], row(other.id)['comment']]).toEqual(['Fine', null])
  expect(entryOf(one.id)).toMatchObject({ entry_type: 'approval.granted', payload: { comment: 'Fine' } })
  expect(entryOf(other.id)).toMatchObject({ entry_type: 'approval.denied' })
  expect(entryOf(other.id).payload).not.toHaveProperty('comment')
  expect((await approve(one.id, { approved: false })).body).toMatchObject({
    code: 'approval_settled',
    settled: { status: 'approved', decided_at: '2026-01-01T00:00:00Z' },
  })
})

it('those who may decide are told where the token is taken, nobody else the token', async () => {
  const it = await daemon({ config: { publicUrl: 'https://muster.example//' } })
  const before = place
  place = it
  try {
    const { id, token } = openAt()
    expect(await list('MANAGER')).toMatchObject([
      { id, token, callback_url: `https://muster.example/api/v1/waitpoint-tokens/${token}` },
    ])
    const [seen] = await list('VIEWER')
    expect([seen.token, seen.callback_url]).toEqual([id, undefined])
    it.clock.advance(86_400_000)
    expect(await list('VIEWER')).toEqual([])
  } finally {
    place = before
  }
})

it('work that is withdrawn says why, if that is known', () => {
  const withdraw = (comment?: string) => {
    const { id } = openAt({ run: 'r1' })
    place.app.writeNow(() => settle(place.app, id, { state: 'withdrawn', actor: null, now: place.app.now(), comment }))
    return entryOf(id)
  }
  expect(withdraw('The crew is gone')).toMatchObject({
    entry_type: 'approval.cancelled',
    trace_id: 'r1',
    payload: { reason: 'The crew is gone', kind: 'waitpoint' },
  })
  expect(withdraw().payload).not.toHaveProperty('reason')
})

it('what nobody decides in time is recorded so', () => {
  const { id } = openAt()
  place.app.writeNow(() => settle(place.app, id, { state: 'expired', actor: null, now: place.app.now() }))
  expect(entryOf(id)).toMatchObject({ entry_type: 'approval.timeout', actor_type: 'system' })
  expect(row(id)['comment']).toBeNull()
})

it('a token is made of 32 random bytes where the server has no key, and shown to nobody then', async () => {
  const it = await daemon({ withVault: false })
  const before = place
  place = it
  try {
    const { id, token } = openAt()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await list('MANAGER')).toMatchObject([{ id, token: id }])
    expect((await list('MANAGER'))[0]).not.toHaveProperty('callback_url')
    expect((await approve(token, { approved: true })).body).toEqual({ ok: true, approved: true })
    expect((await approve('none', { approved: true })).body).toMatchObject({ code: 'not_found', field: 'token' })
  } finally {
    place = before
  }
})

it('people have a day, and MANAGERs decide', () => {
  const { name, card, role, seconds, operation, expired, orphaned } = waitpoint
  expect({ name, card, role, seconds, operation, expired, orphaned }).toEqual({
    name: 'waitpoint',
    card: 'waitpoint',
    role: 'MANAGER',
    seconds: 86_400,
    operation: 'waitpoints.approve',
    expired: 'timed_out',
    orphaned: true,
  })
  const text = { member: 'comment', required: false }
  expect(waitpoint.choices(place.app, {} as never)).toEqual([
    { id: 'approve', label: 'Approve', means: 'approve', body: { approved: true }, text },
    { id: 'deny', label: 'Deny', means: 'deny', body: { approved: false }, text },
  ])
  expect(waitpoint.params({ id: 'x1', workspace_id: 'w1' } as never, {} as never)).toEqual({
    workspaceId: 'w1',
    token: 'x1',
  })
})
