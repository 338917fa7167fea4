import { beforeAll, describe, expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { daemon, type Person, type TestDaemon } from '#test'
import { listings } from '../../../../daemon/features/inbox/queries.ts'
import {
  amendPayload,
  handOver,
  type Mode,
  type Raise,
  raise,
  release,
  settle,
} from '../../../../daemon/features/inbox/service.ts'

interface Raised {
  source_id: string
}

let place: TestDaemon
let app: App
let count = 0
beforeAll(async () => {
  place = await daemon({ shared: true })
  app = place.app
})

/** Raises a message for the whole workspace, unless stated. */
const put = (workspace: string, source: string, more: Partial<Raise> & { mode?: Mode } = {}) => {
  const { mode, ...given } = more
  const it = {
    workspace,
    kind: 'message',
    source,
    target: 'workspace',
    title: source,
    now: app.now(),
    ...given,
  } as const
  return app.writeNow(() => raise(app, it, mode))
}
const patch = (who: Person | 'OWNER' | 'MEMBER', id: string, body: object) =>
  place.call(who, 'PATCH', `/inbox/${id}`, body)
const show = async (who: Person | 'OWNER' | 'MEMBER', id: string) => (await place.call(who, 'GET', `/inbox/${id}`)).body
const list = async (who: Person, query = '') => (await place.call(who, 'GET', `/inbox${query}`)).body
const hear = () => {
  const heard: unknown[] = []
  app.bus.on('broadcast', (message) => void heard.push(message))
  return heard
}
/** Another workspace of somebody. */
async function secondOf(person: Person): Promise<Person> {
  const slug = `second-${++count}`
  return { ...person, workspace: (await place.call(person, 'POST', '/workspaces', { name: slug, slug })).body.id }
}

describe('what happens to one item', () => {
  const end = (workspace: string, id: string, more: object = {}) =>
    app.writeNow(() => settle(app, { workspace, id, action: 'approved', by: null, now: app.now(), ...more }))

  it.each<[string, (id: string, source: string) => unknown]>([
    ['read', (id) => patch('MEMBER', id, { state: 'read' })],
    ['marked unread', (id) => patch('OWNER', id, { state: 'unread' })],
    ['resolved', (id) => patch('OWNER', id, { state: 'resolved' })],
    ['raised again', (_, source) => put(place.workspace, source, { mode: 'upsert', title: 'Again' })],
    ['settled', (id) => end(place.workspace, id, { release: true })],
    ['released', (id) => app.writeNow(() => release(app, place.workspace, id))],
    ['amended', (id) => app.writeNow(() => amendPayload(app, place.workspace, id, { y: 2 }))],
  ])('when it is %s happens to no other, of the workspace or of another', async (_, change) => {
    const stranger = place.stranger()
    const decides = { operation: 'escalations.resolve', params: {}, choices: [], resolves: 'go' }
    const source = `one-${++count}`
    const id = `ibx_message_${source}`
    // Theirs come first, so that a statement that is not bound to the workspace would meet them.
    for (const { who, workspace } of [
      { who: stranger, workspace: stranger.workspace },
      { who: 'OWNER' as const, workspace: place.workspace },
    ]) {
      for (const it of [source, `${source}-settled`]) put(workspace, it, { decides, payload: { x: 1 } })
      for (const it of [id, `${id}-settled`]) await patch(who, it, { state: 'read' })
      await patch(who, `${id}-settled`, { state: 'resolved' })
    }
    for (const workspace of [stranger.workspace, place.workspace]) put(workspace, `${source}-fresh`, { decides })
    app.db.prepare('UPDATE inbox_items SET read_at = NULL WHERE id = ?').run(id)
    const others = () => [
      app.db.prepare('SELECT * FROM inbox_items WHERE NOT (id = ? AND workspace_id = ?)').all(id, place.workspace),
      app.db
        .prepare(
          `SELECT r.* FROM inbox_item_reads r JOIN inbox_items i ON i.seq = r.item
            WHERE NOT (i.id = ? AND i.workspace_id = ?)`,
        )
        .all(id, place.workspace),
    ]
    const before = others()
    await change(id, source)
    expect(others()).toEqual(before)
  })
})

it('an item says all that it was raised with, and no more', async () => {
  const who = place.stranger()
  const sender = { type: 'agent', id: 'a1', name: 'Ada' } as const
  const more = { priority: 'urgent', blocking: true, thread: 't1', attention: 'review', run: 'r1', body: 'B' } as const
  const all = await show(who, put(who.workspace, 'all', { ...more, sender, payload: { x: 1 } }))
  expect(all).toMatchObject({
    title: 'all',
    body_md: 'B',
    priority: 'urgent',
    blocking: true,
    sender_type: 'agent',
    sender_id: 'a1',
    sender_name: 'Ada',
    thread_key: 't1',
    attention_class: 'review',
    run_id: 'r1',
    payload: { x: 1 },
  })
  const at = '2026-01-01T00:00:00Z'
  expect(await show(who, put(who.workspace, 'bare'))).toEqual({
    id: 'ibx_message_bare',
    workspace_id: who.workspace,
    kind: 'message',
    source_id: 'bare',
    title: 'bare',
    state: 'unread',
    priority: 'medium',
    blocking: false,
    created_at: at,
    updated_at: at,
  })
})

it('lists are read in the order of their index: nothing is sorted for a page', () => {
  const values = { workspace: '', user: '', audiences: '[]', kind: null, limit: 1, offset: 0 }
  for (const [name, { source }] of Object.entries(listings(app.db))) {
    const plan = app.db.prepare(`EXPLAIN QUERY PLAN ${source}`).all(values) as { detail: string }[]
    expect(
      plan.map(({ detail }) => detail).filter((detail) => detail.includes('TEMP B-TREE')),
      name,
    ).toEqual([])
  }
})

it('an item joins the open one of its thread only where that is asked for', () => {
  const { workspace } = place.stranger()
  const ids = (['thread', 'insert', 'upsert', 'thread'] as const).map((mode, n) =>
    put(workspace, `joins-${n}`, { thread: 't', mode }),
  )
  expect(ids).toEqual(['ibx_message_joins-0', 'ibx_message_joins-1', 'ibx_message_joins-2', 'ibx_message_joins-0'])
})

it('each role has a list of its own', async () => {
  put(place.workspace, 'for-all')
  for (const role of ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN', 'OWNER'] as const)
    expect((await list(place.person(role), '?limit=-1')).rows.map(({ source_id }: Raised) => source_id)).toContain(
      'for-all',
    )
})

it('an item that is not there is missed by the name that the path gives it', async () =>
  expect(await show('OWNER', 'none')).toMatchObject({ code: 'not_found', field: 'itemId' }))

it('counts are those of one workspace, whatever its people have read in another', async () => {
  const here = place.stranger()
  const there = await secondOf(here)
  put(here.workspace, 'a')
  for (const source of ['b', 'c']) await patch(there, put(there.workspace, source), { state: 'read' })
  put(there.workspace, 'd')
  expect(await list(here, '?state=resolved')).toEqual({
    rows: [],
    count: 0,
    has_more: false,
    unread_count: 1,
    active_by_kind: { message: 1 },
    decision_count: 0,
  })
  expect(await list(there, '?state=resolved')).toMatchObject({ unread_count: 1, active_by_kind: { message: 3 } })
})

it('whether a second person decides is what the workspace of the item asks for', async () => {
  const here = place.stranger()
  const there = await secondOf(here)
  app.db.prepare('UPDATE workspaces SET require_second_approver = 1 WHERE id = ?').run(there.workspace)
  const decides = { operation: 'escalations.resolve', params: {}, choices: [], guarded: true }
  const asks = async (who: Person) => show(who, put(who.workspace, 'guarded', { kind: 'escalation', decides }))
  const told = (required: boolean) => ({
    second_approver_required: required,
    second_approver_by_workspace: required,
    second_approver_by_tier: false,
  })
  expect([await asks(here), await asks(there)]).toMatchObject([told(false), told(true)])
  expect(await show(here, put(here.workspace, 'plain'))).not.toHaveProperty('second_approver_required')
})

describe('marking an item', () => {
  it('as resolved is recorded under its title; reading it is nobody else’s business', async () => {
    const id = put(place.workspace, 'noted', { title: 'Look at this' })
    const entries = place.entries().length
    for (const state of ['read', 'unread']) expect((await patch('MEMBER', id, { state })).status).toBe(200)
    expect(place.entries()).toHaveLength(entries)
    await patch('MEMBER', id, { state: 'resolved' })
    expect(place.entries().slice(entries)).toMatchObject([
      {
        entry_type: 'audit.entity_updated',
        actor_id: place.person('MEMBER').userId,
        payload: { entity_id: id, name: 'Look at this', metadata: { ids: [id], state: 'resolved' } },
      },
    ])
  })

  it('as resolved leaves a question that was decided as it was decided', async () => {
    const id = put(place.workspace, 'decided', { kind: 'run_needs_human', blocking: true })
    await patch('OWNER', id, { state: 'resolved', resolved_action: 'answer' })
    const [before, entries] = [await show('OWNER', id), place.entries().length]
    place.clock.advance(1000)
    expect((await patch('MEMBER', id, { state: 'resolved', resolved_action: 'again' })).status).toBe(200)
    expect([await show('OWNER', id), place.entries().length]).toEqual([before, entries])
    expect(before).toMatchObject({ resolved_action: 'answer', resolved_by_user_id: place.person('OWNER').userId })
  })
})

it('open questions to who may decide no more go to those who lead, in that workspace alone', () => {
  const [user, other] = [place.person('MEMBER').userId, place.person('ADMIN').userId]
  const { workspace } = place
  const elsewhere = place.stranger().workspace
  const ask = (at: string, source: string, more: Partial<Raise> = {}) =>
    put(at, source, { kind: 'run_needs_human', target: { user }, payload: { question: '?' }, ...more })
  const id = ask(workspace, 'open')
  const settled = ask(workspace, 'settled')
  app.writeNow(() => settle(app, { workspace, id: settled, action: 'answer', by: user, now: app.now() }))
  ask(workspace, 'theirs', { target: { user: other } })
  ask(workspace, 'note', { kind: 'message' })
  ask(elsewhere, 'open')
  const heard = hear()
  app.writeNow(() => handOver(app, workspace, user))
  expect(heard).toEqual([
    { channel: `workspace:${workspace}`, type: 'inbox.updated', payload: { id, state: 'unread' } },
  ])
  const audiences = app.db
    .prepare('SELECT workspace_id, source_id, audience FROM inbox_items WHERE audience LIKE ? OR audience = ?')
    .raw()
    .all('user:%', 'role:MANAGER')
  expect(audiences).toEqual([
    [workspace, 'open', 'role:MANAGER'],
    [workspace, 'settled', `user:${user}`],
    [workspace, 'theirs', `user:${other}`],
    [workspace, 'note', `user:${user}`],
    [elsewhere, 'open', `user:${user}`],
  ])
  const { payload_json } = app.db.prepare('SELECT payload_json FROM inbox_items WHERE id = ?').get(id) as {
    payload_json: string
  }
  expect(JSON.parse(payload_json)).toEqual({ question: '?', who_can_act: ['role:MANAGER'] })
})
