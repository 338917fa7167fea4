import { getEventListeners } from 'node:events'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { requestApproval } from '../../../../daemon/features/approvals/service.ts'
import { settle as settleDecision } from '../../../../daemon/features/decisions/service.ts'
import { escalation } from '../../../../daemon/features/escalations/kind.ts'
import { queries } from '../../../../daemon/features/escalations/queries.ts'
import { findBound } from '../../../../daemon/features/escalations/service.ts'
import { sealResolution, waitForAnswer } from '../../../../daemon/features/escalations/waiting.ts'
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
const hear = () => {
  const heard: { type: string }[] = []
  place.app.bus.on('broadcast', (message) => void heard.push(message))
  return (begins: string) => heard.filter(({ type }) => type.startsWith(begins))
}
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

  it('keeps what else it says of itself', async () => {
    const id = await ask({ metadata: { pull: 7 }, agent_id: place.agentId, from_slug: undefined })
    expect(await show(id)).toMatchObject({ metadata: '{"pull":7}', from_slug: 'ada' })
    await settle(id, { resolution: '' })
  })

  it('tells its context, link and chat', async () => {
    const chat_id = await place.openChat()
    const heard = hear()
    const link = 'https://a.example/pull/7'
    const id = await ask({ context: 'It is large', type: 'LINK', metadata: { url: link }, chat_id })
    expect(await show(id)).toMatchObject({ type: 'LINK', context: 'It is large', metadata: link, chat_id })
    const shown = await card(id)
    expect(shown.body_md ?? shown.body).toBe(`May I?\n\nIt is large\n\n<${link}>`)
    expect(shown.payload).toMatchObject({ chat_id, escalation_type: 'LINK' })
    expect(entryOf(id)).toMatchObject({ payload: { context: 'It is large' }, refs: { escalation_id: id, chat_id } })
    await settle(id, { resolution: 'Yes' })
    expect(entryOf(id)).toMatchObject({ severity: 'notice', payload: { resolution: 'Yes', action: 'approve' } })
    const told = { id, crew_id: place.crewId, from_slug: 'ada', agent_slug: 'ada' }
    const [asked, answered] = [
      { ...told, reason: 'May I?' },
      { ...told, action: 'approve' },
    ]
    expect(heard('escalation')).toEqual([
      { channel: `workspace:${place.workspace}`, type: 'escalation.created', payload: asked },
      { channel: `session:${chat_id}`, type: 'escalation_created', payload: asked },
      { channel: `workspace:${place.workspace}`, type: 'escalation.resolved', payload: answered },
      { channel: `session:${chat_id}`, type: 'escalation_resolved', payload: answered },
    ])
  })

  it('of no chat is told to the workspace alone', async () => {
    const heard = hear()
    const id = await ask()
    await place.call('MANAGER', 'POST', `/escalations/${id}/cancel`, { reason: 'Not now' })
    const channel = `workspace:${place.workspace}`
    const payload = { id, crew_id: place.crewId, from_slug: 'ada', agent_slug: 'ada' }
    expect(heard('escalation')).toEqual([
      { channel, type: 'escalation.created', payload: { ...payload, reason: 'May I?' } },
      { channel, type: 'escalation.cancelled', payload },
    ])
    expect(entryOf(id)).toMatchObject({ severity: 'notice', payload: { cancel_reason: 'Not now' } })
  })

  it('is offered to be approved, rejected or redirected', async () => {
    const id = await ask()
    expect((await card(id)).actions).toEqual([
      { id: 'approve', label: 'Approve' },
      { id: 'reject', label: 'Reject' },
      { id: 'redirect', label: 'Redirect' },
    ])
    await settle(id, { resolution: '' })
  })

  it('is told who settled it before, how and when', async () => {
    const late = async (id: string) => (await settle(id, { resolution: '' })).body.detail
    const decided = async (body: object) => {
      const id = await ask()
      await settle(id, { resolution: 'x', ...body })
      return late(id)
    }
    const at = place.app.now()
    expect(await decided({})).toBe(`The MANAGER approved it at ${at}`)
    expect(await decided({ action: 'reject' })).toBe(`The MANAGER rejected it at ${at}`)
    expect(await decided({ action: 'redirect', redirect_to: 'bob' })).toBe(`The MANAGER redirected it at ${at}`)
    const settled = await ask()
    await settle(settled, { resolution: '' })
    expect((await place.call('MANAGER', 'POST', `/escalations/${settled}/cancel`)).body).toMatchObject({
      code: 'escalation_settled',
      settled: { status: 'RESOLVED', action: 'approve', resolved_by: 'The MANAGER', resolved_at: at },
    })
    await place.mate('cyd')
    const orphan = await ask({ from_slug: 'cyd' })
    const { id: cyd } = place.app.db.prepare("SELECT id FROM agents WHERE slug = 'cyd'").get() as { id: string }
    await place.call('OWNER', 'DELETE', `/agents/${cyd}`)
    expect(await late(orphan)).toBe(`Muster withdrew it at ${at}`)
    expect((await create({ from_slug: 'cyd' })).body).toMatchObject({ code: 'not_found', field: 'from_slug' })
  })

  it.each<[string, object, string, string]>([
    ['of nobody', { from_slug: undefined }, 'missing_field', 'from_slug'],
    ['of an agent that is not there', { from_slug: 'eve' }, 'not_found', 'from_slug'],
    ['of an id that is not there', { agent_id: 'none' }, 'not_found', 'agent_id'],
    ['that is blank', { reason: ' ' }, 'missing_field', 'reason'],
    ['with a link that is none', { type: 'LINK', metadata: 'http://a' }, 'invalid_field', 'metadata'],
    ['of a chat that is not its own', { chat_id: 'none' }, 'not_found', 'chat_id'],
    ['under the call of another agent', { from_slug: 'bob', call_id: 'call-7' }, 'not_found', 'call_id'],
  ])('%s is refused', async (_, more, code, field) => {
    const known = await ask({ call_id: 'call-7' })
    expect((await create(more)).body).toMatchObject({ code, field })
    place.app.db.prepare("UPDATE escalations SET call_id = NULL WHERE call_id = 'call-7'").run()
    await settle(known, { resolution: '' })
  })

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

describe('an offered credential', () => {
  const offer = (metadata: object) => ask({ type: 'CREDENTIAL', reason: 'Keep this', metadata })

  it('is a secret of no provider unless it says so, and its card names it', async () => {
    const id = await offer({ name: 'plain', value: 'v-4711-plain' })
    expect(JSON.parse((await show(id)).metadata)).toEqual({ name: 'plain', type: 'SECRET', provider: 'NONE' })
    const shown = await card(id)
    expect(shown.body_md).toBe('Keep this\n\nOffers the credential plain.')
    expect(shown.actions).toEqual([
      { id: 'approve', label: 'Approve' },
      { id: 'reject', label: 'Reject' },
    ])
    expect(shown.decides.choices.map((it: { id: string }) => it.id)).toEqual(['approve', 'reject'])
    await settle(id, { resolution: '', action: 'reject' })
  })

  it('is of the type that it says', async () => {
    const id = await offer({ name: 'key', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-ant-api03-v-4711' })
    expect(JSON.parse((await show(id)).metadata)).toEqual({ name: 'key', type: 'API_KEY', provider: 'ANTHROPIC' })
    await settle(id, { resolution: '', action: 'reject' })
  })

  it('is approved or rejected, never redirected, and by no token without a key for the answer', async () => {
    const id = await offer({ name: 'other', value: 'v-4711-other' })
    expect((await settle(id, { resolution: '', action: 'redirect', redirect_to: 'bob' })).body).toMatchObject({
      code: 'invalid_field',
      field: 'action',
    })
    const row = queries(place.app.db).byId.get(id)!
    expect(() => sealResolution({ vault: null } as App, row, 'x')).toThrow(
      expect.objectContaining({ code: 'encryption_unavailable' }),
    )
    expect((await show(id)).status).toBe('PENDING')
    await settle(id, { resolution: '', action: 'reject' })
  })

  it('is recorded as refused to who made the agent, with what it is about', async () => {
    const second = (required: 0 | 1) =>
      place.app.db.prepare('UPDATE workspaces SET require_second_approver = ?').run(required)
    const id = await offer({ name: 'guarded', value: 'v-4711-guarded' })
    second(1)
    await place.call('OWNER', 'PATCH', `/escalations/${id}/resolve`, { resolution: 'x' })
    const { credential_id } = await show(id)
    expect(entryOf(id)).toMatchObject({
      entry_type: 'keeper.decision',
      agent_id: place.agentId,
      crew_id: place.crewId,
      actor_id: place.person('OWNER').userId,
      payload: { request_id: id, request_type: 'credential_escalation', credential_id, action: 'approve' },
      refs: { escalation_id: id, credential_id },
    })
    second(0)
    await settle(id, { resolution: '', action: 'reject' })
  })
})

describe('the agent’s side', () => {
  it('asks for a run of its own, which says the chat, and for none of another', async () => {
    const chat = await place.openChat()
    const { run_id } = await place.send(chat, 'Work')
    const [own, foreign] = [await ask({ run_id }), await ask({ run_id, from_slug: 'bob' })]
    const placeOf = async (id: string) => {
      const { payload } = await card(id)
      return [(await show(id)).chat_id, payload.chat_id, payload.run_id, entryOf(id).trace_id]
    }
    expect(await placeOf(own)).toEqual([chat, chat, run_id, run_id])
    expect(await placeOf(foreign)).toEqual([null, undefined, undefined, undefined])
    for (const id of [own, foreign]) await settle(id, { resolution: '' })
    await place.call('OWNER', 'POST', `/chats/${chat}/cancel`)
  })

  it('knows the questions of its own workspace, crew and agent, and no others', async () => {
    const id = await ask()
    const { workspace, crewId: crew, agentId: agent } = place
    const bound = (more: object) => () =>
      findBound(
        place.app,
        { bound: { workspace: null, crew: null, agent: null, ...more } } as Partial<Actor> as Actor,
        id,
      )
    for (const more of [{}, { workspace }, { workspace, crew }, { workspace, agent }, { workspace, crew, agent }])
      expect(bound(more)().id).toBe(id)
    const absent = expect.objectContaining({ code: 'not_found', field: 'escalationId' })
    for (const more of [
      { workspace: 'w' },
      { workspace, crew: 'k' },
      { workspace, agent: 'a' },
      { workspace: 'w', crew },
    ])
      expect(bound(more)).toThrow(absent)
    expect(() => findBound(place.app, {} as Actor, id)).toThrow(absent)
    const actor = { bound: { workspace, crew, agent } } as Partial<Actor> as Actor
    expect(() => findBound(place.app, actor, 'none')).toThrow(absent)
    await settle(id, { resolution: '' })
  })
})

describe('questions of another crew', () => {
  const path = (crew: string, query = '') => `/crews/${crew}/escalations${query}`

  it('are neither listed, counted nor deleted with those of one', async () => {
    const { id: crew_id } = (await place.call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body
    await place.call('OWNER', 'POST', '/agents', { name: 'Dan', slug: 'dan', crew_id })
    const token = { 'x-internal-token': place.app.internalTokens.ofCrew(place.workspace, crew_id) }
    const body = { workspace_id: place.workspace, crew_id, from_slug: 'dan', reason: 'And I?' }
    const other = (await place.call(null, 'POST', '/internal/escalations', body, token)).body.escalation_id
    const mine = await ask()
    const ids = async (query: string) =>
      (await place.call('VIEWER', 'GET', path(crew_id, query))).body.map(({ id }: { id: string }) => id)
    expect([await ids(''), await ids('?status=all'), await ids('?status=PENDING')]).toEqual([[other], [other], [other]])
    expect([await ids('?status=RESOLVED'), await ids('?status=EXPIRED'), await ids('?status=CANCELLED')]).toEqual([
      [],
      [],
      [],
    ])
    const count = async (who: Parameters<typeof place.call>[0]) =>
      (await place.call(who, 'GET', '/escalations/pending-count')).body.count
    const stranger = place.stranger()
    place.app.writeNow(() =>
      requestApproval(place.app, {
        workspace: place.workspace,
        by: place.agentId,
        kind: 'custom',
        reason: 'More',
        payload: {},
        card: { title: 'More?' },
        now: place.app.now(),
      }),
    )
    expect([await count('VIEWER'), await count(stranger)]).toEqual([2, 0])
    expect((await place.call(stranger, 'DELETE', path(crew_id))).body).toMatchObject({ code: 'not_found' })
    await settle(other, { resolution: '' })
    expect([await ids('?status=RESOLVED'), await ids('?status=PENDING')]).toEqual([[other], []])
    expect((await place.call('ADMIN', 'DELETE', path(crew_id))).body).toEqual({ deleted: 1 })
    expect((await place.call('VIEWER', 'GET', `/decisions/${other}`)).status).toBe(404)
    expect((await show(mine)).status).toBe('PENDING')
    expect(await count('VIEWER')).toBe(1)
    await settle(mine, { resolution: '' })
  })

  it('come fifty at a time unless more are asked for, and a hundred at most', async () => {
    const { id: crew_id } = (await place.call('OWNER', 'POST', '/crews', { name: 'Many', slug: 'many' })).body
    const one = await ask()
    for (const table of ['decisions', 'escalations']) {
      const columns = (place.app.db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
      const fresh: Record<string, string> = { id: "'many-' || n", item_id: "'i-' || n", crew_id: '@crew_id' }
      const copied = columns.map((name) => fresh[name] ?? name)
      place.app.db
        .prepare(
          `INSERT INTO ${table} (${columns})
            SELECT ${copied} FROM ${table}, (SELECT value AS n FROM json_each(@numbers)) WHERE id = @one`,
        )
        .run({ crew_id, one, numbers: JSON.stringify(Array.from({ length: 101 }, (_, n) => n)) })
    }
    const length = async (query: string) => (await place.call('VIEWER', 'GET', path(crew_id, query))).body.length
    expect([await length(''), await length('?limit=100'), await length('?limit=101')]).toEqual([50, 100, 100])
    place.app.db.prepare("DELETE FROM escalations WHERE id LIKE 'many-%'").run()
    place.app.db.prepare("DELETE FROM decisions WHERE id LIKE 'many-%'").run()
    await settle(one, { resolution: '' })
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
    expect([getEventListeners(signal, 'abort'), getEventListeners(gone.signal, 'abort')]).toEqual([[], []])
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
    const asked = place.entries().length
    place.clock.advance(299_999)
    await vi.advanceTimersByTimeAsync(299_999)
    expect([place.entries().length, vi.getTimerCount()]).toEqual([asked, 1])
    place.clock.advance(1)
    await vi.advanceTimersByTimeAsync(1)
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

describe('waiting that is over', () => {
  const { signal } = new AbortController()

  it('before it began ends at once', async () => {
    const id = await ask()
    expect(await waitForAnswer(place.app, id, AbortSignal.abort())).toBeNull()
    expect((await show(id)).agent_gave_up_at).toBe(place.app.now())
    await settle(id, { resolution: '' })
  })

  it('says nothing more where a decision came without words', async () => {
    const id = await ask()
    const { app } = place
    app.writeNow(() => settleDecision(app, id, { state: 'decided', outcome: 'reject', actor: null, now: app.now() }))
    expect(await waitForAnswer(app, id, signal)).toEqual({ status: 'RESOLVED', resolution: '', action: 'reject' })
  })

  it('is not held up by a full disk, and is on record as soon as there is room', async () => {
    const id = await ask()
    place.app.db.prepare("UPDATE escalations SET deadline_at = '2026' WHERE id = ?").run(id)
    const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    const writing = vi.spyOn(place.app, 'write').mockRejectedValueOnce(full)
    expect(await waitForAnswer(place.app, id, signal)).toMatchObject({ status: 'UNANSWERED', still_open: true })
    await expect.poll(() => entryOf(id).payload!['agent_still_waiting']).toBe(false)
    const other = await ask()
    place.app.db.prepare("UPDATE escalations SET deadline_at = '2026' WHERE id = ?").run(other)
    writing.mockRejectedValueOnce(new Error('broken'))
    await expect(waitForAnswer(place.app, other, signal)).rejects.toThrow('broken')
    writing.mockRestore()
    for (const it of [id, other]) await settle(it, { resolution: '' })
  })
})

it('is answered, approved or denied', async () => {
  const resolution = { member: 'resolution', required: false }
  const effect = 'The agent goes on.'
  const id = await ask()
  const text = { member: 'resolution', required: true }
  expect(escalation.choices(place.app, { id } as never)).toEqual([
    { id: 'answer', label: 'Answer', effect, body: { action: 'approve' }, text },
    {
      id: 'approve',
      label: 'Approve',
      means: 'approve',
      effect,
      body: { action: 'approve', resolution: 'Approved.' },
      text: resolution,
    },
    {
      id: 'reject',
      label: 'Deny',
      means: 'deny',
      effect,
      body: { action: 'reject', resolution: 'Denied.' },
      text: resolution,
    },
  ])
  await settle(id, { resolution: '' })
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
  expect(escalation.params({ id: 'x1' } as never, {} as never)).toEqual({ escalationId: 'x1' })
})
