import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { daemon, type TestDaemon } from '#test'
import { question } from '../../../../daemon/features/asks/kind.ts'
import { watchDeadlines } from '../../../../daemon/features/decisions/deadlines.ts'
import { kindOf } from '../../../../daemon/features/decisions/kinds.ts'
import {
  withdrawOfAgent,
  withdrawOfCrew,
  withdrawOfWorkspace,
  withdrawOrphans,
} from '../../../../daemon/features/decisions/orphans.ts'
import {
  declareKind,
  forget,
  isOpen,
  type Kind,
  nextDeadline,
  type Opening,
  open,
  openOf,
  settle,
  settleDue,
  withdrawOfKind,
} from '../../../../daemon/features/decisions/service.ts'

const plain: Kind = {
  name: 'plain',
  card: 'waitpoint',
  role: 'ADMIN',
  seconds: 60,
  operation: 'approvals.decide',
  params: ({ id }) => ({ approvalId: id }),
  choices: () => [{ id: 'go', label: 'Go' }],
  expired: 'timed_out',
  orphaned: true,
  fact: () => null,
}
declareKind(plain)
/** What was called, in its order. */
const calls: unknown[] = []
const told = declareKind({
  ...plain,
  name: 'told',
  ended: (_, { id, state }, { comment }) => void calls.push(['ended', id, state, comment]),
  fact(_, { id, asked, workspace_id }, { comment, orphaned }) {
    calls.push(['fact', id, comment, orphaned])
    return fact('approval.granted', { approval_id: id, kind: 'told', asked }, { workspace_id, actor_type: 'system' })
  },
})
const kept = declareKind({ ...plain, name: 'kept', orphaned: false })
const endless = declareKind({ ...plain, name: 'endless', seconds: null, expired: 'expired', lasting: true })
const rich = declareKind({
  ...plain,
  name: 'rich',
  actions: () => [{ id: 'go', label: 'Go' }],
  resolves: 'go',
  hint: () => 'Elsewhere',
  guarded: () => true,
})

let place: TestDaemon
let app: App
beforeAll(async () => {
  place = await daemon({ shared: true })
  app = place.app
})
afterEach(() => void vi.useRealTimers())

const ask = (kind: Kind, more: Partial<Opening> = {}) =>
  app.writeNow(() =>
    open(app, kind, {
      workspace: place.workspace,
      asked: 'Go on?',
      card: { title: 'Go on?' },
      now: app.now(),
      ...more,
    }),
  )
const cardOf = (id: string) =>
  app.db.prepare<[string], Record<string, unknown>>('SELECT * FROM inbox_items WHERE id = ?').get(id)!
const rowOf = (id: string) =>
  app.db.prepare<[string], Record<string, unknown>>('SELECT * FROM decisions WHERE id = ?').get(id)!
const later = (seconds: number) => new Date(app.clock() + seconds * 1000).toISOString().slice(0, 19)

describe('a decision', () => {
  it('is stored with what it concerns, and its card says how it is made', () => {
    const row = ask(plain, { crew: 'k1', agent: 'a1', run: 'r1' })
    expect(row).toMatchObject({
      kind: 'plain',
      item_id: `ibx_waitpoint_${row.id}`,
      asked: 'Go on?',
      crew_id: 'k1',
      agent_id: 'a1',
      run_id: 'r1',
      state: 'open',
      outcome: null,
    })
    expect(row.deadline_at).toMatch(later(60))
    const card = cardOf(row.item_id)
    expect(card).toMatchObject({
      audience: 'role:ADMIN',
      priority: 'high',
      blocking: 1,
      attention_class: 'decision',
      payload_json: null,
      actions_json: null,
      run_id: 'r1',
    })
    expect(JSON.parse(card['decides_json'] as string)).toEqual({
      operation: 'approvals.decide',
      params: { approvalId: row.id },
      choices: [{ id: 'go', label: 'Go', body: {} }],
    })
  })

  it('takes id, source, target and time of the opener, whose card knows the deadline', () => {
    const payload = (deadline: string | null) => ({ until: deadline })
    const row = ask(plain, {
      id: 'd1',
      seconds: 5,
      card: { title: 'T', source: 's1', target: { user: 'cada' }, attention: 'input', payload },
    })
    expect(row).toMatchObject({ id: 'd1', item_id: 'ibx_waitpoint_s1', crew_id: null, agent_id: null, run_id: null })
    expect(row.deadline_at).toMatch(later(5))
    const card = cardOf('ibx_waitpoint_s1')
    expect(card).toMatchObject({ audience: 'user:cada', attention_class: 'input', source_id: 's1', run_id: null })
    expect(JSON.parse(card['payload_json'] as string)).toEqual({ until: row.deadline_at })
  })

  it('offers what its kind offers beside the choices', () => {
    const card = cardOf(ask(rich).item_id)
    expect(JSON.parse(card['actions_json'] as string)).toEqual([{ id: 'go', label: 'Go' }])
    expect(JSON.parse(card['decides_json'] as string)).toMatchObject({
      hint: 'Elsewhere',
      resolves: 'go',
      guarded: true,
    })
  })

  it('tells the timer its deadline once it is stored, if it has one', () => {
    const due: string[] = []
    const listen = (at: string) => void due.push(at)
    app.bus.on('due', listen)
    const { deadline_at } = ask(plain)
    expect(ask(endless).deadline_at).toBeNull()
    app.bus.off('due', listen)
    expect(due).toEqual([deadline_at])
  })

  it('of a kind that nobody declared has no end', () =>
    expect(() => kindOf({ kind: 'none' })).toThrow('The kind of decision "none" is not declared'))
})

describe('the end of a decision', () => {
  const person = { type: 'user', id: 'cada' } as never
  const end = (id: string, more: object) =>
    app.writeNow(() => settle(app, id, { state: 'decided', outcome: 'go', actor: null, now: app.now(), ...more }))

  it.each<[string, object, object]>([
    ['by a person', { actor: person }, { state: 'decided', outcome: 'go', settled_by_user_id: 'cada' }],
    ['by Muster', {}, { state: 'decided', outcome: 'go', settled_by_user_id: null }],
    ['by who is named', { by: 'cbob' }, { settled_by_user_id: 'cbob' }],
    ['by an agent', { actor: { type: 'agent', id: 'a1' } }, { settled_by_user_id: null }],
    ['at its deadline', { state: 'expired', outcome: undefined }, { state: 'expired', outcome: 'timed_out' }],
    ['by withdrawal', { state: 'withdrawn', outcome: undefined }, { state: 'withdrawn', outcome: 'cancelled' }],
  ])('%s is on record, on its card, and of no other', (_, more, stored) => {
    const [row, other] = [ask(plain), ask(plain)]
    expect(end(row.id, more)).toMatchObject(stored)
    expect(rowOf(row.id)).toMatchObject({ ...stored, settled_at: app.now() })
    const { outcome, settled_by_user_id } = rowOf(row.id)
    expect(cardOf(row.item_id)).toMatchObject({
      resolved_at: app.now(),
      resolved_action: outcome,
      resolved_by_user_id: settled_by_user_id,
    })
    expect(rowOf(other.id)['state']).toBe('open')
    expect(cardOf(other.item_id)['resolved_at']).toBeNull()
    expect(end(row.id, { outcome: 'again' })).toBeNull()
  })

  it('lets go of its card, unless only its source may ever decide that', () => {
    const [row, lasting] = [ask(plain), ask(endless)]
    for (const { id } of [row, lasting]) end(id, {})
    const decides = ({ item_id }: { item_id: string }) => cardOf(item_id)['decides_json']
    expect([decides(row), decides(lasting) === null]).toEqual([null, false])
  })

  it('comes at the deadline for who asks then', () => {
    const row = ask(plain)
    const at = (now: string) => app.writeNow(() => isOpen(app, row.id, now))
    expect(at(new Date(Date.parse(row.deadline_at!) - 1).toISOString())).toBe(true)
    expect(at(row.deadline_at!)).toBe(false)
    expect(rowOf(row.id)).toMatchObject({ state: 'expired', outcome: 'timed_out', settled_at: row.deadline_at })
    expect([at(row.deadline_at!), app.writeNow(() => isOpen(app, 'none', app.now()))]).toEqual([false, false])
    const { id } = ask(endless)
    expect(app.writeNow(() => isOpen(app, id, '9999'))).toBe(true)
  })
})

it('an end takes effect, and then is recorded', () => {
  const { id } = ask(told)
  calls.length = 0
  const entries = place.entries().length
  app.writeNow(() =>
    settle(app, id, { state: 'decided', outcome: 'go', actor: null, now: app.now(), comment: 'Because' }),
  )
  expect(calls).toEqual([
    ['ended', id, 'decided', 'Because'],
    ['fact', id, 'Because', undefined],
  ])
  expect(place.entries().slice(entries)).toMatchObject([
    { entry_type: 'approval.granted', payload: { approval_id: id } },
  ])
})

describe('what is deleted takes its open decisions with it, and says so', () => {
  const states = (...rows: { id: string }[]) => rows.map(({ id }) => rowOf(id)['state'])

  it.each<[string, () => { mine: Partial<Opening>; other: Partial<Opening>; remove: () => void }]>([
    ['agent', () => ({ mine: { agent: 'o1' }, other: { agent: 'o2' }, remove: () => withdrawOfAgent(app, 'o1') })],
    ['crew', () => ({ mine: { crew: 'o3' }, other: { crew: 'o4' }, remove: () => withdrawOfCrew(app, 'o3') })],
    [
      'workspace',
      () => {
        const { workspace } = place.stranger()
        return { mine: { workspace }, other: {}, remove: () => withdrawOfWorkspace(app, workspace) }
      },
    ],
  ])('an %s', (what, scene) => {
    const { mine, other, remove } = scene()
    const [open, foreign, stays] = [ask(told, mine), ask(told, other), ask(kept, mine)]
    calls.length = 0
    app.writeNow(remove)
    expect(states(open, foreign, stays)).toEqual(['withdrawn', 'open', 'open'])
    expect(calls).toEqual([
      ['ended', open.id, 'withdrawn', `The ${what} is gone`],
      ['fact', open.id, `The ${what} is gone`, true],
    ])
  })

  it('also what an older version left open', () => {
    const { workspace } = place.stranger()
    const [open, foreign] = [ask(told, { workspace }), ask(told)]
    app.db.prepare('UPDATE workspaces SET deleted_at = ? WHERE id = ?').run(app.now(), workspace)
    calls.length = 0
    app.writeNow(() => withdrawOrphans(app))
    expect(states(open, foreign)).toEqual(['withdrawn', 'open'])
    expect(calls.at(-1)).toEqual(['fact', open.id, 'The agent is gone', true])
  })
})

it('open decisions are counted by kind and agent', () => {
  for (const kind of [plain, plain, endless]) ask(kind, { agent: 'counted' })
  const settled = ask(plain, { agent: 'counted' })
  app.writeNow(() => settle(app, settled.id, { state: 'decided', outcome: 'go', actor: null, now: app.now() }))
  expect([openOf(app, plain, 'counted'), openOf(app, endless, 'counted'), openOf(app, plain, 'other')]).toEqual([
    2, 1, 0,
  ])
})

it('those of one kind and crew are withdrawn, or deleted without their cards', () => {
  const [mine, foreign, other] = [ask(plain, { crew: 'k7' }), ask(plain, { crew: 'k8' }), ask(rich, { crew: 'k7' })]
  app.writeNow(() => withdrawOfKind(app, plain, 'k7', { actor: null, comment: 'Gone', now: app.now() }))
  expect([mine, foreign, other].map(({ id }) => rowOf(id)['state'])).toEqual(['withdrawn', 'open', 'open'])
  const elsewhere = ask(rich, { crew: 'k8' })
  app.writeNow(() => forget(app, rich, 'k7'))
  expect(rowOf(elsewhere.id)['state']).toBe('open')
  expect([rowOf(mine.id)['state'], rowOf(foreign.id)['state'], rowOf(other.id)]).toEqual([
    'withdrawn',
    'open',
    undefined,
  ])
  expect(cardOf(other.item_id)).toMatchObject({ decides_json: null })
  expect(cardOf(foreign.item_id)['decides_json']).not.toBeNull()
})

it('what is due is expired before a read', async () => {
  const it = await daemon()
  const { id, deadline_at } = it.app.writeNow(() =>
    open(it.app, plain, { workspace: it.workspace, asked: '?', card: { title: '?' }, now: it.app.now() }),
  )
  const state = () => it.app.db.prepare('SELECT state FROM decisions WHERE id = ?').pluck().get(id)
  expect(nextDeadline(it.app)).toBe(deadline_at)
  it.clock.advance(59_000)
  await settleDue(it.app)
  expect(state()).toBe('open')
  it.clock.advance(1000)
  await settleDue(it.app)
  expect([state(), nextDeadline(it.app)]).toEqual(['expired', null])
})

describe('the timer', () => {
  it('follows the nearest deadline, and rests once it is closed', async () => {
    const it = await daemon()
    const put = (seconds: number) =>
      it.app.writeNow(() =>
        open(it.app, plain, { workspace: it.workspace, asked: '?', seconds, card: { title: '?' }, now: it.app.now() }),
      ).id
    const states = (...ids: string[]) =>
      ids.map((id) => it.app.db.prepare('SELECT state FROM decisions WHERE id = ?').pluck().get(id))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const timer = watchDeadlines(it.app)
    await it.app.write(() => undefined)
    await new Promise(setImmediate)
    const [far, near] = [put(50), put(10)]
    put(30)
    expect(vi.getTimerCount()).toBe(1)
    const pass = async (ms: number) => {
      it.clock.advance(ms)
      await vi.advanceTimersByTimeAsync(ms)
      await it.app.write(() => undefined)
      await new Promise(setImmediate)
    }
    await pass(9000)
    expect(states(far, near)).toEqual(['open', 'open'])
    await pass(1000)
    expect(states(far, near)).toEqual(['open', 'expired'])
    await pass(40_000)
    expect(states(far, near)).toEqual(['expired', 'expired'])
    const last = put(10)
    timer.close()
    expect([vi.getTimerCount(), it.app.bus.listenerCount('due')]).toEqual([0, 0])
    put(5)
    expect(vi.getTimerCount()).toBe(0)
    await pass(10_000)
    expect(states(last)).toEqual(['open'])
  })

  it('tries again after a minute where something is broken', async () => {
    const it = await daemon({ quiet: true })
    const { id } = it.app.writeNow(() =>
      open(it.app, plain, { workspace: it.workspace, asked: '?', card: { title: '?' }, now: it.app.now() }),
    )
    const state = () => it.app.db.prepare('SELECT state FROM decisions WHERE id = ?').pluck().get(id)
    it.clock.advance(60_000)
    it.app.db.exec("CREATE TRIGGER broken BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'broken'); END")
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const timer = watchDeadlines(it.app)
    while (vi.getTimerCount() === 0) await it.app.write(() => undefined)
    it.app.db.exec('DROP TRIGGER broken')
    const pass = async (ms: number) => {
      it.clock.advance(ms)
      await vi.advanceTimersByTimeAsync(ms)
      await it.app.write(() => undefined)
      await new Promise(setImmediate)
    }
    await pass(59_000)
    expect(state()).toBe('open')
    await pass(1000)
    expect(state()).toBe('expired')
    timer.close()
  })

  it('is not set by a sweep that ends when it is closed already', async () => {
    const it = await daemon()
    it.app.writeNow(() =>
      open(it.app, plain, { workspace: it.workspace, asked: '?', card: { title: '?' }, now: it.app.now() }),
    )
    const set = vi.spyOn(globalThis, 'setTimeout')
    watchDeadlines(it.app).close()
    await it.app.write(() => undefined)
    await new Promise(setImmediate)
    // The daemon's own timers are shorter than the minute until the deadline.
    expect(set.mock.calls.filter(([, ms]) => ms! > 10_000)).toEqual([])
  })
})

it('a read of a decision expires what is due, and says which name there is not', async () => {
  const it = await daemon()
  const { id } = it.app.writeNow(() =>
    open(it.app, plain, { workspace: it.workspace, asked: '?', card: { title: '?' }, now: it.app.now() }),
  )
  const read = async (name: string) => (await it.call('OWNER', 'GET', `/decisions/${name}`)).body
  expect((await read(id)).state).toBe('open')
  it.clock.advance(60_000)
  expect((await read(id)).state).toBe('expired')
  expect(await read('none')).toMatchObject({ code: 'not_found', field: 'decisionId' })
})

it('a question of a run is open until somebody acts on its card, or its run ends', () => {
  const { name, card, role, seconds, operation, resolves, orphaned } = question
  expect({ name, card, role, seconds, operation, resolves, orphaned }).toEqual({
    name: 'question',
    card: 'run_needs_human',
    role: 'MANAGER',
    seconds: null,
    operation: 'inbox.act',
    resolves: 'dismiss',
    orphaned: false,
  })
  const row = { item_id: 'i1' } as never
  expect(question.params(row, app)).toEqual({ itemId: 'i1' })
  const body = (action: string) => ({ action })
  expect(question.choices(app, row)).toEqual([
    {
      id: 'answer',
      label: 'Answer',
      effect: 'The agent goes on.',
      body: body('answer'),
      text: { member: 'input', required: true },
    },
    {
      id: 'take_over',
      label: 'Take over',
      effect: 'The run is ended; the chat is yours.',
      body: body('take_over'),
    },
    { id: 'dismiss', label: 'Dismiss', means: 'deny', effect: 'The run is ended.', body: body('dismiss') },
  ])
  expect(question.actions!(app, row).map(({ id, label, irreversible }) => [id, label, irreversible ?? false])).toEqual([
    ['answer', 'Answer', false],
    ['take_over', 'Take over', true],
    ['dismiss', 'Dismiss', true],
  ])
  expect(question.fact(app, row, {} as never)).toBeNull()
})
