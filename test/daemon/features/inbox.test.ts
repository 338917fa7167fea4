import { describe, expect, it } from 'vitest'
import type { Role } from '#contract/roles'
import { addPerson, daemon, type Person, type TestDaemon } from '#test'
import {
  amendPayload,
  itemId,
  type Mode,
  type Raise,
  raise,
  release,
  settle,
} from '../../../daemon/features/inbox/service.ts'

type Draft = Partial<Raise> & { source: string; mode?: Mode }

/** Raises an item for the whole workspace, unless stated. */
const put = ({ app, workspace }: TestDaemon, { mode, ...it }: Draft) =>
  app.writeNow(() =>
    raise(
      app,
      { workspace, kind: 'message', target: 'workspace', title: `Item ${it.source}`, now: app.now(), ...it },
      mode,
    ),
  )

const rows = async ({ call }: TestDaemon, who: Person | Role, query = '') =>
  (await call(who, 'GET', `/inbox${query}`)).body
const sources = async (it: TestDaemon, who: Person | Role, query = '') =>
  (await rows(it, who, query)).rows.map((row: { source_id: string }) => row.source_id)
const patch = ({ call }: TestDaemon, who: Person | Role, id: string, state: string, more = {}) =>
  call(who, 'PATCH', `/inbox/${id}`, { state, ...more })
/** How something is decided elsewhere. */
const decides = (id: string) => ({
  operation: 'escalations.resolve',
  params: { escalationId: id },
  choices: [],
  hint: `PATCH /api/v1/escalations/${id}/resolve`,
})

/** What the counts should be, counted by hand. */
function counted({ app, workspace }: TestDaemon, who: Person, roles: Role[]) {
  const audiences = ['all', `user:${who.userId}`, ...roles.map((role) => `role:${role}`)]
  const active = app.db
    .prepare<[string, string], { kind: string; blocking: number; unread: number }>(
      `SELECT i.kind, i.blocking, NOT EXISTS (SELECT 1 FROM inbox_item_reads r
        WHERE r.item = i.seq AND r.user_id = ?) AS unread
       FROM inbox_items i WHERE i.workspace_id = ? AND i.resolved_at IS NULL
       AND i.audience IN (${audiences.map((it) => `'${it}'`).join()})`,
    )
    .all(who.userId, workspace)
  const kinds = [...new Set(active.map(({ kind }) => kind))].sort()
  return {
    unread_count: active.filter(({ unread }) => unread).length,
    ...(kinds.length && {
      active_by_kind: Object.fromEntries(kinds.map((kind) => [kind, active.filter((it) => it.kind === kind).length])),
    }),
    decision_count: active.filter(({ blocking }) => blocking).length,
  }
}

describe('who sees what', () => {
  it('is decided by target: the workspace, a role and those above, one user', async () => {
    const it = await daemon()
    const [owner, member, viewer] = [it.person('OWNER'), it.person('MEMBER'), it.person('VIEWER')]
    put(it, { source: 'all' })
    put(it, { source: 'managers', target: { role: 'MANAGER' } })
    put(it, { source: 'owners', target: { role: 'OWNER' } })
    put(it, { source: 'member', target: { user: member.userId } })
    expect(
      [
        await sources(it, owner),
        await sources(it, 'MANAGER'),
        await sources(it, member),
        await sources(it, viewer),
      ].map((list) => list.sort()),
    ).toEqual([['all', 'managers', 'owners'], ['all', 'managers'], ['all', 'member'], ['all']])
    const hidden = 'ibx_message_owners'
    for (const [who, id] of [
      [member, hidden],
      [it.stranger(), hidden],
      [member, 'ibx_message_none'],
    ] as const) {
      expect((await it.call(who, 'GET', `/inbox/${id}`)).body).toMatchObject({ status: 404, code: 'not_found' })
      expect((await patch(it, who, id, 'read')).body).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect((await rows(it, member)).unread_count).toBe(2)
    expect(
      (await rows(it, owner, '?kind=message')).rows.find((row: { source_id: string }) => row.source_id === 'managers'),
    ).toMatchObject({
      target_role: 'MANAGER',
    })
  })
})

describe('the list', () => {
  it('is newest first, in windows, and says whether there is more', async () => {
    const it = await daemon()
    for (const source of ['a', 'b', 'c', 'd']) {
      it.clock.advance(1000)
      put(it, { source, target: source === 'c' ? { role: 'MEMBER' } : 'workspace' })
    }
    expect(await sources(it, 'MEMBER')).toEqual(['d', 'c', 'b', 'a'])
    const { rows: page, has_more, count } = await rows(it, 'MEMBER', '?limit=2&offset=1')
    expect([page.map((row: { source_id: string }) => row.source_id), has_more, count]).toEqual([['c', 'b'], true, 2])
    expect((await rows(it, 'MEMBER', '?limit=2&offset=2')).has_more).toBe(false)
    expect((await rows(it, 'MEMBER', '?limit=-1')).rows).toHaveLength(4)
  })

  it('filters by state and kind, and refuses others', async () => {
    const it = await daemon()
    for (const source of ['unread', 'read', 'resolved']) put(it, { source })
    put(it, { source: 'other', kind: 'failed_run' })
    await patch(it, 'MEMBER', 'ibx_message_read', 'read')
    await patch(it, 'MEMBER', 'ibx_message_resolved', 'resolved')
    const states = async (state: string) => (await sources(it, 'MEMBER', `?kind=message&state=${state}`)).sort()
    expect([
      await states('unread'),
      await states('read'),
      await states('resolved'),
      await states('active'),
      await states('all'),
    ]).toEqual([['unread'], ['read'], ['resolved'], ['read', 'unread'], ['read', 'resolved', 'unread']])
    for (const query of ['state=x', 'kind=x', 'state=read&state=unread'])
      expect((await it.call('MEMBER', 'GET', `/inbox?${query}`)).status, query).toBe(400)
  })

  it('counts everything that is visible and open, whatever the filters', async () => {
    const it = await daemon()
    expect(await rows(it, 'MEMBER')).toEqual({
      rows: [],
      count: 0,
      has_more: false,
      unread_count: 0,
      decision_count: 0,
    })
    put(it, { source: 'a', blocking: true, kind: 'run_needs_human' })
    put(it, { source: 'b' })
    put(it, { source: 'c', target: { role: 'OWNER' }, blocking: true, kind: 'waitpoint' })
    expect(await rows(it, 'MEMBER', '?state=resolved&limit=1')).toMatchObject({
      rows: [],
      unread_count: 2,
      active_by_kind: { message: 1, run_needs_human: 1 },
      decision_count: 1,
    })
    expect((await it.call('OWNER', 'GET', '/inbox/count')).body).toEqual({ unread_count: 3 })
  })

  it('has exact counts after any sequence of changes', async () => {
    const it = await daemon()
    const people = { OWNER: it.person('OWNER'), MEMBER: it.person('MEMBER') }
    let seed = 42
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return (seed >>> 12) % below
    }
    const targets: Raise['target'][] = [
      'workspace',
      { role: 'OWNER' },
      { role: 'MEMBER' },
      { user: people.MEMBER.userId },
    ]
    for (let step = 0; step < 300; step++) {
      const source = String(random(25))
      const id = `ibx_message_${source}`
      const act = random(8)
      if (act < 3)
        put(it, {
          source,
          target: targets[random(4)]!,
          blocking: random(2) === 1,
          mode: random(2) ? 'upsert' : 'insert',
        })
      else if (act < 7) await patch(it, random(2) ? 'OWNER' : 'MEMBER', id, ['read', 'unread', 'resolved'][random(3)]!)
      else
        it.app.writeNow(() =>
          settle(it.app, {
            workspace: it.workspace,
            id: itemId('message', source),
            action: 'approved',
            by: null,
            now: it.app.now(),
          }),
        )
      if (step % 10) continue
      expect(await rows(it, 'OWNER')).toMatchObject(
        counted(it, people.OWNER, ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN', 'OWNER']),
      )
      expect(await rows(it, 'MEMBER')).toMatchObject(counted(it, people.MEMBER, ['VIEWER', 'MEMBER']))
    }
    expect(it.app.db.prepare('SELECT sum(active) FROM inbox_read_counts').pluck().get()).toBeGreaterThan(0)
    await it.call('ADMIN', 'DELETE', '/inbox')
    expect(await rows(it, 'OWNER')).toMatchObject({ unread_count: 0, decision_count: 0 })
    expect(it.app.db.prepare('SELECT sum(active) FROM inbox_read_counts').pluck().get()).toBe(0)
  })
})

describe('an item', () => {
  it('Inbox item: any -> read for the caller only on PATCH state=read', async () => {
    const it = await daemon()
    put(it, {
      source: 'a',
      sender: { type: 'system', name: 'Muster' },
      payload: { x: 1 },
      body: '**Hello**',
      actions: [{ id: 'ok', label: 'OK' }],
    })
    expect((await patch(it, 'MEMBER', 'ibx_message_a', 'read')).body).toEqual({ id: 'ibx_message_a', state: 'read' })
    it.clock.advance(5000)
    await patch(it, 'VIEWER', 'ibx_message_a', 'read')
    const { body } = await it.call('OWNER', 'GET', '/inbox/ibx_message_a')
    expect(body).toMatchObject({
      state: 'unread',
      read_at: '2026-01-01T00:00:00Z',
      payload: { x: 1 },
      body_md: '**Hello**',
      sender_name: 'Muster',
      actions: [{ id: 'ok', label: 'OK' }],
    })
    expect((await it.call('MEMBER', 'GET', '/inbox/ibx_message_a')).body.state).toBe('read')
    expect(body).not.toHaveProperty('source_missing')
  })

  it('Inbox item: any -> resolved for everybody on PATCH state=resolved', async () => {
    const it = await daemon()
    put(it, { source: 'a' })
    const heard: unknown[] = []
    it.app.bus.on('broadcast', (message) => heard.push(message))
    await patch(it, 'MEMBER', 'ibx_message_a', 'resolved', { resolved_action: 'done' })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_message_a')).body).toMatchObject({
      state: 'resolved',
      resolved_action: 'done',
      resolved_by_user_id: it.person('MEMBER').userId,
      resolved_at: it.app.now(),
    })
    expect(heard).toEqual([
      {
        channel: `workspace:${it.workspace}`,
        type: 'inbox.updated',
        payload: { id: 'ibx_message_a', state: 'resolved' },
      },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { entity_type: 'inbox_item', entity_id: 'ibx_message_a' },
    })
    await patch(it, 'OWNER', 'ibx_message_a', 'resolved', { resolved_action: 'again' })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_message_a')).body.resolved_action).toBe('again')
  })

  it('Inbox item: any -> unread for the caller on PATCH state=unread', async () => {
    const it = await daemon()
    put(it, { source: 'a' })
    for (const who of ['OWNER', 'MEMBER'] as const) await patch(it, who, 'ibx_message_a', 'read')
    await patch(it, 'OWNER', 'ibx_message_a', 'resolved')
    await patch(it, 'OWNER', 'ibx_message_a', 'unread')
    const { body } = await it.call('OWNER', 'GET', '/inbox/ibx_message_a')
    expect([body.state, 'read_at' in body, 'resolved_at' in body]).toEqual(['unread', false, false])
    expect((await it.call('MEMBER', 'GET', '/inbox/ibx_message_a')).body.state).toBe('read')
  })

  it('Inbox item: waitpoint or escalation with live source -> unchanged on PATCH state other than read', async () => {
    const it = await daemon()
    put(it, { source: 'live', kind: 'escalation', decides: decides('live') })
    put(it, { source: 'gone', kind: 'escalation' })
    for (const state of ['resolved', 'unread']) {
      const { body } = await patch(it, 'OWNER', 'ibx_escalation_live', state)
      expect(body).toMatchObject({
        status: 409,
        code: 'source_managed',
        kind: 'escalation',
        error: expect.stringContaining('/api/v1/escalations/live/resolve'),
      })
    }
    expect((await patch(it, 'OWNER', 'ibx_escalation_live', 'read')).status).toBe(200)
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_escalation_live')).body).toMatchObject({
      state: 'read',
      source_missing: false,
    })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_escalation_gone')).body.source_missing).toBe(true)
    expect((await patch(it, 'OWNER', 'ibx_escalation_gone', 'resolved')).status).toBe(200)
  })

  it('Inbox item: resolved or read -> unread for everyone when its source raises it again', async () => {
    const it = await daemon()
    put(it, { source: 'a', mode: 'upsert' })
    await patch(it, 'OWNER', 'ibx_message_a', 'read')
    await patch(it, 'MEMBER', 'ibx_message_a', 'resolved')
    it.clock.advance(1000)
    put(it, { source: 'a', title: 'Again', mode: 'upsert' })
    for (const who of ['OWNER', 'MEMBER'] as const)
      expect((await it.call(who, 'GET', '/inbox/ibx_message_a')).body).toMatchObject({
        state: 'unread',
        title: 'Again',
        created_at: '2026-01-01T00:00:01Z',
      })
    put(it, { source: 'a', title: 'Ignored', mode: 'insert' })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_message_a')).body.title).toBe('Again')
  })

  it('is raised once: a repeat changes nothing, unless it says so, and nobody hears of it', async () => {
    const it = await daemon()
    put(it, { source: 'a' })
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ payload }) => heard.push(payload))
    expect(put(it, { source: 'a', title: 'Ignored' })).toBe('ibx_message_a')
    expect(heard).toEqual([])
    put(it, { source: 'a', title: 'Again', mode: 'upsert', says: { why: 'news' } })
    expect(heard).toEqual([{ id: 'ibx_message_a', state: 'unread', why: 'news' }])
    expect((await rows(it, 'OWNER')).rows).toMatchObject([{ title: 'Again' }])
  })

  it('is settled once by what it is about, and everybody hears of it', async () => {
    const it = await daemon()
    const heard: unknown[] = []
    put(it, { source: 'a', kind: 'escalation', decides: decides('a') })
    it.app.bus.on('broadcast', (message) => heard.push(message))
    const by = it.person('ADMIN').userId
    const end = (source: string, action: string, more: { release?: boolean } = {}) =>
      it.app.writeNow(() =>
        settle(it.app, {
          workspace: it.workspace,
          id: itemId('escalation', source),
          action,
          by,
          now: it.app.now(),
          ...more,
        }),
      )
    end('none', 'approved')
    expect(heard).toEqual([])
    end('a', 'approved')
    end('a', 'rejected')
    expect(heard).toEqual([
      {
        channel: `workspace:${it.workspace}`,
        type: 'inbox.updated',
        payload: { id: 'ibx_escalation_a', state: 'resolved' },
      },
    ])
    const shown = async () => (await it.call('OWNER', 'GET', '/inbox/ibx_escalation_a')).body
    expect(await shown()).toMatchObject({
      state: 'resolved',
      resolved_action: 'approved',
      resolved_by_user_id: by,
      source_missing: false,
    })
    end('a', 'rejected', { release: true })
    expect(await shown()).toMatchObject({ resolved_action: 'approved', source_missing: true })
  })

  it('of which nothing is left to decide can be put away', async () => {
    const it = await daemon()
    put(it, { source: 'a', kind: 'escalation', decides: decides('a') })
    it.app.writeNow(() => release(it.app, it.workspace, 'ibx_escalation_a'))
    expect((await patch(it, 'OWNER', 'ibx_escalation_a', 'resolved')).status).toBe(200)
  })

  it('keeps what its payload says when more is added', async () => {
    const it = await daemon()
    put(it, { source: 'a', payload: { x: 1, y: 1 } })
    put(it, { source: 'b', payload: { x: 9 } })
    it.app.writeNow(() => {
      amendPayload(it.app, it.workspace, 'ibx_message_a', { y: 2, z: 3 })
      amendPayload(it.app, it.workspace, 'ibx_message_none', { y: 2 })
    })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_message_a')).body.payload).toEqual({ x: 1, y: 2, z: 3 })
    expect((await it.call('OWNER', 'GET', '/inbox/ibx_message_b')).body.payload).toEqual({ x: 9 })
  })

  it('joins the open item of its thread', async () => {
    const it = await daemon()
    put(it, { source: 'a', thread: 't', mode: 'thread' })
    put(it, { source: 'b', thread: 't', title: 'Second', mode: 'thread' })
    expect((await rows(it, 'OWNER')).rows).toMatchObject([{ source_id: 'a', title: 'Second', thread_key: 't' }])
    await patch(it, 'OWNER', 'ibx_message_a', 'resolved')
    put(it, { source: 'c', thread: 't', mode: 'thread' })
    expect((await sources(it, 'OWNER')).sort()).toEqual(['a', 'c'])
  })

  it('is its own in each workspace', async () => {
    const it = await daemon()
    const other = it.stranger()
    put(it, { source: 'same' })
    expect(() =>
      it.app.writeNow(() =>
        raise(it.app, {
          workspace: other.workspace,
          kind: 'message',
          source: 'same',
          target: 'workspace',
          title: 'x',
          now: it.app.now(),
        }),
      ),
    ).not.toThrow()
    expect([await sources(it, 'OWNER'), await sources(it, other)]).toEqual([['same'], ['same']])
    put(it, { source: 'first', thread: 't', mode: 'thread' })
    const theirs = { workspace: other.workspace, kind: 'message', target: 'workspace', title: 'x' } as const
    it.app.writeNow(() => raise(it.app, { ...theirs, source: 'second', thread: 't', now: it.app.now() }, 'thread'))
    expect((await sources(it, other)).sort()).toEqual(['same', 'second'])
  })

  it('refuses states that there are not', async () => {
    const it = await daemon()
    put(it, { source: 'a' })
    for (const body of [{}, { state: 'open' }, { state: 5 }, { state: 'read', resolved_action: 5 }])
      expect((await it.call('OWNER', 'PATCH', '/inbox/ibx_message_a', body)).status).toBe(400)
  })
})

describe('many items at once', () => {
  const bulk = ({ call }: TestDaemon, who: Role, ids: string[], state: string) =>
    call(who, 'POST', '/inbox/bulk', { ids, state })

  it('are moved, skipped and not found, each by the rule for one', async () => {
    const it = await daemon()
    put(it, { source: 'plain' })
    put(it, { source: 'blocking', blocking: true, kind: 'run_needs_human' })
    put(it, { source: 'live', kind: 'escalation', decides: decides('live') })
    put(it, { source: 'gone', kind: 'escalation' })
    put(it, { source: 'hidden', target: { role: 'OWNER' } })
    const ids = [
      'ibx_message_plain',
      'ibx_message_plain',
      'ibx_run_needs_human_blocking',
      'ibx_escalation_live',
      'ibx_escalation_gone',
      'ibx_message_hidden',
      'none',
    ]
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ payload }) => heard.push(payload))
    expect((await bulk(it, 'MEMBER', ids, 'resolved')).body).toEqual({
      updated: 2,
      skipped: 2,
      skipped_ids: ['ibx_run_needs_human_blocking', 'ibx_escalation_live'],
      not_found: ['ibx_message_hidden', 'none'],
      state: 'resolved',
    })
    expect(heard).toEqual([{ bulk: 'true', state: 'resolved' }])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: it.person('MEMBER').userId,
      payload: {
        entity_type: 'inbox_item',
        entity_id: 'ibx_message_plain',
        metadata: { ids: ['ibx_message_plain', 'ibx_escalation_gone'], state: 'resolved' },
      },
    })
    const count = it.entries().length
    expect((await bulk(it, 'MEMBER', ids, 'resolved')).body.updated).toBe(2)
    expect((await bulk(it, 'MEMBER', ids, 'unread')).body).toMatchObject({
      updated: 2,
      skipped_ids: ['ibx_escalation_live', 'ibx_escalation_gone'],
    })
    expect((await bulk(it, 'MEMBER', ids, 'read')).body).toMatchObject({ updated: 4, skipped: 0 })
    expect(it.entries()).toHaveLength(count)
    heard.length = 0
    expect((await bulk(it, 'MEMBER', ['none'], 'read')).body).toMatchObject({ updated: 0, not_found: ['none'] })
    expect(heard).toEqual([])
  })

  it.each([[[]], [Array.from({ length: 501 }, (_, n) => String(n))], [['x'.repeat(300)]]])(
    'are at least one and at most 500',
    async (ids) => {
      const it = await daemon()
      expect((await bulk(it, 'OWNER', ids, 'read')).status).toBe(400)
    },
  )

  it('takes 500', async () => {
    const it = await daemon()
    const ids = Array.from({ length: 500 }, (_, n) => String(n))
    for (const source of ids) put(it, { source })
    expect(
      (
        await bulk(
          it,
          'OWNER',
          ids.map((id) => `ibx_message_${id}`),
          'resolved',
        )
      ).body.updated,
    ).toBe(500)
    expect((await rows(it, 'OWNER')).unread_count).toBe(0)
  })
})

describe('the purge', () => {
  it('takes all items of the workspace, or of a kind, and no others', async () => {
    const it = await daemon()
    const other = it.stranger()
    put(it, { source: 'a' })
    put(it, { source: 'b', target: { role: 'OWNER' }, kind: 'failed_run' })
    it.app.writeNow(() =>
      raise(it.app, {
        workspace: other.workspace,
        kind: 'message',
        source: 'theirs',
        target: 'workspace',
        title: 'x',
        now: it.app.now(),
      }),
    )
    await patch(it, 'OWNER', 'ibx_message_a', 'read')
    expect((await it.call('MANAGER', 'DELETE', '/inbox')).status).toBe(403)
    expect((await it.call('ADMIN', 'DELETE', '/inbox?kind=nonsense')).status).toBe(400)
    expect((await it.call('ADMIN', 'DELETE', '/inbox?kind=failed_run')).body).toEqual({ deleted: 1 })
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ payload }) => heard.push(payload))
    expect((await it.call('ADMIN', 'DELETE', '/inbox')).body).toEqual({ deleted: 1 })
    expect((await it.call('ADMIN', 'DELETE', '/inbox')).body).toEqual({ deleted: 0 })
    expect(heard).toEqual([{ purge: 'true' }])
    expect((await rows(it, other)).rows).toHaveLength(1)
    const purges = it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    expect(purges).toMatchObject([
      { payload: { entity_type: 'inbox_item', metadata: { deleted: 1, kind: 'failed_run' } } },
      { payload: { entity_type: 'inbox_item', metadata: { deleted: 1 } } },
    ])
  })
})

it('two people resolve one item: the later action stands, counted once', async () => {
  const it = await daemon()
  const other = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  put(it, { source: 'a' })
  await Promise.all([patch(it, 'OWNER', 'ibx_message_a', 'resolved'), patch(it, other, 'ibx_message_a', 'resolved')])
  expect(await rows(it, 'OWNER')).toMatchObject({ unread_count: 0, decision_count: 0 })
})
