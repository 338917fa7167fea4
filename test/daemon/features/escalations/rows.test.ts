import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { escalation } from '../../../../daemon/features/escalations/kind.ts'
import { queries } from '../../../../daemon/features/escalations/queries.ts'
import { waitForAnswer } from '../../../../daemon/features/escalations/waiting.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

let place: Workplace<FakeRuntime>
beforeAll(async () => {
  place = await workplace<FakeRuntime>({ shared: true } as object)
  await place.mate('bob')
})
afterEach(() => void vi.useRealTimers())

const internal = (body: object) =>
  place.call(null, 'POST', '/internal/escalations', body, {
    'x-internal-token': place.app.internalTokens.ofCrew(place.workspace, place.crewId),
  })
const create = (more: object = {}) =>
  internal({ workspace_id: place.workspace, crew_id: place.crewId, from_slug: 'ada', reason: 'May I?', ...more })
const ask = async (more: object = {}): Promise<string> => {
  const { status, body, text } = await create(more)
  expect(status, text).toBe(201)
  return body.escalation_id
}
const settle = (id: string, body: object) => place.call('MANAGER', 'PATCH', `/escalations/${id}/resolve`, body)
const show = async (id: string) => (await place.call('VIEWER', 'GET', `/escalations/${id}`)).body
const card = async (id: string) => (await place.call('OWNER', 'GET', `/inbox/ibx_escalation_${id}`)).body
const entryOf = (id: string) => place.entries().findLast(({ refs }) => refs?.['escalation_id'] === id)!

describe('a question of an agent', () => {
  it('is stored, shown and recorded with what was said, and no more', async () => {
    const id = await ask({ context: ' ', metadata: '' })
    expect(await show(id)).toMatchObject({ type: 'TEXT', context: null, metadata: null, chat_id: null })
    const shown = await card(id)
    expect([shown.title, shown.body_md ?? shown.body]).toEqual(['Agent ada asks: May I?', 'May I?'])
    expect(shown.payload).toEqual({ crew_id: place.crewId, reason: 'May I?', escalation_type: 'TEXT' })
    const { payload, severity, refs, trace_id } = entryOf(id)
    expect([severity, refs, trace_id]).toEqual(['warn', { escalation_id: id }, undefined])
    expect(payload).toEqual({
      state: 'pending',
      reason: 'May I?',
      escalation_type: 'TEXT',
      from_slug: 'ada',
      agent_still_waiting: true,
      autonomy_level: expect.any(String),
    })
    await settle(id, { resolution: '' })
  })

  it('tells its context, link and chat', async () => {
    const chat_id = await place.openChat()
    const link = 'https://a.example/pull/7'
    const id = await ask({ context: 'It is large', type: 'LINK', metadata: { url: link }, chat_id })
    expect(await show(id)).toMatchObject({ type: 'LINK', context: 'It is large', metadata: link, chat_id })
    const shown = await card(id)
    expect(shown.body_md ?? shown.body).toBe(`May I?\n\nIt is large\n\n<${link}>`)
    expect(shown.payload).toMatchObject({ chat_id, escalation_type: 'LINK' })
    expect(entryOf(id)).toMatchObject({ payload: { context: 'It is large' }, refs: { escalation_id: id, chat_id } })
    await settle(id, { resolution: 'Yes' })
    expect(entryOf(id)).toMatchObject({ severity: 'notice', payload: { resolution: 'Yes', action: 'approve' } })
  })

  it.each<[string, object, string, string]>([
    ['of nobody', { from_slug: undefined }, 'missing_field', 'from_slug'],
    ['of an agent that is not there', { from_slug: 'eve' }, 'not_found', 'from_slug'],
    ['of an id that is not there', { agent_id: 'none' }, 'not_found', 'agent_id'],
    ['that is blank', { reason: ' ' }, 'missing_field', 'reason'],
    ['with a link that is none', { type: 'LINK', metadata: 'http://a' }, 'invalid_field', 'metadata'],
    ['of a chat that is not its own', { chat_id: 'none' }, 'not_found', 'chat_id'],
  ])('%s is refused', async (_, more, code, field) => expect((await create(more)).body).toMatchObject({ code, field }))

  it('is answered of its own, and leaves others as they are', async () => {
    const [one, other] = [await ask(), await ask({ from_slug: 'bob' })]
    const before = await show(other)
    expect((await settle(one, { action: 'redirect', redirect_to: 'bob', resolution: 'Ask Bob' })).body.action).toBe(
      'redirect',
    )
    expect(await show(one)).toMatchObject({ redirect_to: 'bob', resolution: 'Ask Bob', action: 'redirect' })
    expect(entryOf(one).payload).toMatchObject({ redirect_to: 'bob', redirect_to_name: 'Agent bob' })
    expect(await show(other)).toEqual(before)
    await settle(other, { resolution: '' })
  })

  it.each<[object, string]>([
    [{ action: 'redirect', resolution: '' }, 'missing_field'],
    [{ action: 'redirect', redirect_to: 'ada', resolution: '' }, 'invalid_field'],
    [{ action: 'redirect', redirect_to: 'eve', resolution: '' }, 'invalid_field'],
    [{ action: 'approve', redirect_to: 'bob', resolution: '' }, 'invalid_field'],
  ])('is not redirected by %j', async (body, code) => {
    const id = await ask()
    expect((await settle(id, body)).body).toMatchObject({ code, field: 'redirect_to' })
    await settle(id, { resolution: '' })
  })
})

describe('rows', () => {
  const find = (id: string) => queries(place.app.db).byId.get(id)!
  const write = <T>(change: () => T): T => place.app.writeNow(change)
  const of = () => queries(place.app.db)

  it('of one question change alone: it is given up once while it is open, and taken up before its time', async () => {
    const [one, other] = [await ask(), await ask()]
    const untouched = find(other)
    expect(write(() => of().giveUp.get({ id: one, now: 't1' }))).toEqual({ id: one })
    expect(write(() => of().giveUp.get({ id: one, now: 't2' }))).toBeUndefined()
    expect([find(one).agent_gave_up_at, find(other)]).toEqual(['t1', untouched])
    write(() => of().comeBack.run({ id: one, now: find(one).deadline_at }))
    expect(find(one).agent_gave_up_at).toBe('t1')
    write(() => of().giveUp.get({ id: other, now: 't3' }))
    write(() => of().comeBack.run({ id: one, now: place.app.now() }))
    expect([find(one).agent_gave_up_at, find(other).agent_gave_up_at]).toEqual([null, 't3'])
    write(() => of().answer.run({ id: one, resolution: 'Yes', redirect_to: null }))
    expect([find(one).resolution, find(other).resolution]).toEqual(['Yes', null])
    for (const id of [one, other]) await settle(id, { resolution: '' })
    expect(write(() => of().giveUp.get({ id: one, now: 't4' }))).toBeUndefined()
    write(() => of().comeBack.run({ id: other, now: place.app.now() }))
    expect(find(other).agent_gave_up_at).toBe('t3')
  })

  it('of agents and chats are found in their own place alone', async () => {
    const { workspace, crewId: crew } = place
    const bySlug = (more: object) => of().agent.get({ workspace, crew, id: null, slug: 'bob', ...more } as never)
    expect(bySlug({})).toMatchObject({ slug: 'bob', name: 'Agent bob' })
    expect([bySlug({ workspace: 'w' }), bySlug({ crew: 'k' }), bySlug({ slug: 'eve' })]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(bySlug({ id: place.agentId, slug: null })).toMatchObject({ slug: 'ada' })
    const chat = await place.openChat()
    expect([
      of().chatOf.get(chat, place.agentId),
      of().chatOf.get(chat, 'a'),
      of().chatOf.get('c', place.agentId),
    ]).toEqual([{ id: chat }, undefined, undefined])
    const id = await ask({ call_id: 'call-9' })
    expect([of().ofCall.get('call-9')?.id, of().ofCall.get('call-8')]).toEqual([id, undefined])
    await settle(id, { resolution: '' })
  })
})

describe('waiting for an answer', () => {
  const { signal } = new AbortController()

  it('of what is deleted ends as withdrawn', async () => {
    const id = await ask()
    const waiting = waitForAnswer(place.app, id, signal)
    await place.call('ADMIN', 'DELETE', `/crews/${place.crewId}/escalations`)
    const over = { resolution: '', action: '', agent_action: 'continued_with_warning', still_open: false }
    expect(await waiting).toEqual({ status: 'CANCELLED', warning: 'The question was withdrawn.', ...over })
    expect(entryOf(id)).toMatchObject({ actor_type: 'user', payload: { state: 'cancelled', cancel_reason: 'Deleted' } })
    expect(entryOf(id).payload).not.toHaveProperty('auto_resolved')
  })

  it('leaves no timer behind when it is answered, or when nobody waits any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [one, other] = [await ask(), await ask()]
    const gone = new AbortController()
    const waiting = [waitForAnswer(place.app, one, signal), waitForAnswer(place.app, other, gone.signal)]
    expect(vi.getTimerCount()).toBe(2)
    await settle(one, { resolution: 'Yes' })
    gone.abort()
    expect(await Promise.all(waiting)).toEqual([{ status: 'RESOLVED', resolution: 'Yes', action: 'approve' }, null])
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    await settle(other, { resolution: '' })
  })

  it('ends with its time, and says so once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const id = await ask()
    const waiting = waitForAnswer(place.app, id, signal)
    expect(vi.getTimerCount()).toBe(1)
    place.clock.advance(300_000)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await waiting).toMatchObject({ status: 'UNANSWERED', still_open: true })
    const { payload, actor_type } = entryOf(id)
    expect([actor_type, payload!['agent_still_waiting'], payload!['agent_gave_up_at']]).toEqual([
      'system',
      false,
      place.app.now(),
    ])
    const before = place.entries().length
    expect(await waitForAnswer(place.app, id, signal)).toMatchObject({ status: 'UNANSWERED' })
    expect([place.entries().length, vi.getTimerCount()]).toEqual([before, 0])
    vi.useRealTimers()
    await settle(id, { resolution: '' })
  })
})

it('people have seven days, and MANAGERs answer', () => {
  const { name, card, role, seconds, operation, expired, orphaned, lasting } = escalation
  expect({ name, card, role, seconds, operation, expired, orphaned, lasting }).toEqual({
    name: 'escalation',
    card: 'escalation',
    role: 'MANAGER',
    seconds: 604_800,
    operation: 'escalations.resolve',
    expired: 'expired',
    orphaned: true,
    lasting: true,
  })
  expect(escalation.params({ id: 'x1' } as never)).toEqual({ escalationId: 'x1' })
})
