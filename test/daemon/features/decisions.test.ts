import { afterEach, describe, expect, it, vi } from 'vitest'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { migrate, openDatabase } from '#kernel/store/db'
import { closing, daemon, migrations, type TestDaemon } from '#test'
import { requestApproval } from '../../../daemon/features/approvals/service.ts'
import { watchDeadlines } from '../../../daemon/features/decisions/deadlines.ts'
import { declareKind, expireDue, type Kind, open, settle } from '../../../daemon/features/decisions/service.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { type AskPlace, asked, askPlace } from '../../support/asks.ts'
import { cliFor } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { openSockets } from '../../support/live.ts'

afterEach(() => void vi.useRealTimers())

const ofTest: Kind = declareKind({
  name: 'made_up',
  card: 'waitpoint',
  role: 'MANAGER',
  seconds: 60,
  operation: 'approvals.decide',
  params: ({ id }) => ({ approvalId: id }),
  choices: () => [
    { id: 'hire', label: 'Hire', body: { status: 'approved' } },
    { id: 'wait', label: 'Not yet', body: { status: 'denied' }, text: { member: 'comment', required: true } },
  ],
  hint: () => 'Hire somebody',
  expired: 'timed_out',
  orphaned: true,
  fact: (_, { id, asked: what, workspace_id, outcome }) =>
    fact(
      outcome === 'cancelled' ? 'approval.orphaned' : 'approval.granted',
      { approval_id: id, kind: 'made_up', asked: what, reason: 'its crew was deleted' },
      { workspace_id, actor_type: 'system' },
    ),
})

type Place = AskPlace
const seconds = 60

const hire = ({ app, workspace }: TestDaemon, crew?: string) =>
  app.writeNow(
    () =>
      open(app, ofTest, {
        workspace,
        asked: 'Hire Bob?',
        crew: crew ?? null,
        run: 'run-1',
        card: { title: 'Hire Bob?', body: 'He can cook.' },
        now: app.now(),
      }).id,
  )

/** One of each kind, open. */
const openers: Record<string, (it: Place) => Promise<string> | string> = {
  async escalation(it) {
    const headers = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'May I?' }
    return (await it.call(null, 'POST', '/internal/escalations', body, headers)).body.escalation_id
  },
  approval: (it) =>
    it.app.writeNow(() =>
      requestApproval(it.app, {
        workspace: it.workspace,
        crew: it.crewId,
        by: it.agentId,
        kind: 'custom',
        reason: 'Buy more disk',
        payload: {},
        seconds,
        card: { title: 'More disk?' },
        now: it.app.now(),
      }),
    ),
  waitpoint: (it) =>
    it.app.writeNow(() =>
      openWaitpoint(it.app, {
        workspace: it.workspace,
        crew: it.crewId,
        kind: 'approval',
        prompt: 'Go on?',
        seconds,
        now: it.app.now(),
      }),
    ).id,
  made_up: (it) => hire(it, it.crewId),
}

const comment = { member: 'comment', required: false }
const resolution = { member: 'resolution', required: false }
const goesOn = { effect: 'The agent goes on.' }
/** How people decide each kind. */
const offers: Record<string, object[]> = {
  escalation: [
    { id: 'answer', label: 'Answer', ...goesOn, body: { action: 'approve' }, text: { ...resolution, required: true } },
    {
      id: 'approve',
      label: 'Approve',
      means: 'approve',
      ...goesOn,
      body: { action: 'approve', resolution: 'Approved.' },
      text: resolution,
    },
    {
      id: 'reject',
      label: 'Deny',
      means: 'deny',
      ...goesOn,
      body: { action: 'reject', resolution: 'Denied.' },
      text: resolution,
    },
  ],
  approval: [
    { id: 'approve', label: 'Approve', means: 'approve', body: { status: 'approved' }, text: comment },
    { id: 'deny', label: 'Deny', means: 'deny', body: { status: 'denied' }, text: comment },
  ],
  waitpoint: [
    { id: 'approve', label: 'Approve', means: 'approve', body: { approved: true }, text: comment },
    { id: 'deny', label: 'Deny', means: 'deny', body: { approved: false }, text: comment },
  ],
  made_up: [
    { id: 'hire', label: 'Hire', body: { status: 'approved' } },
    { id: 'wait', label: 'Not yet', body: { status: 'denied' }, text: { member: 'comment', required: true } },
  ],
}

const shown = async (it: Place, id: string) => (await it.call('OWNER', 'GET', `/decisions/${id}`)).body
const cardOf = async (it: Place, id: string) =>
  (await it.call('OWNER', 'GET', `/inbox/${(await shown(it, id)).item_id}`)).body
const decided = (app: App, id: string, outcome: string) =>
  app.writeNow(() => settle(app, id, { state: 'decided', outcome, actor: null, now: app.now() }))
const ends = (it: Place) =>
  it
    .entries()
    .filter(
      ({ entry_type, payload }) =>
        /^approval\.(granted|denied|timeout|cancelled)$/.test(entry_type) ||
        (entry_type === 'peer.escalation' && payload?.['state'] !== 'pending'),
    )

describe.each(Object.keys(openers))('what waits for people: %s', (kind) => {
  const yes = kind === 'escalation' ? 'approve' : 'approved'
  const no = kind === 'escalation' ? 'reject' : 'denied'

  it('says on its card how it is decided, and tells the timer when its time is over', async () => {
    const it = await askPlace()
    const deadlines: string[] = []
    it.app.bus.on('due', (at) => deadlines.push(at))
    const id = await openers[kind]!(it)
    const { decides, deadline_at } = await shown(it, id)
    expect(decides.choices).toEqual(offers[kind])
    const card = await cardOf(it, id)
    expect(card).toMatchObject({ blocking: true, attention_class: 'decision', priority: 'high' })
    expect(card.decides).toEqual({ ...decides, ...(card.decides.hint && { hint: card.decides.hint }) })
    expect(deadlines).toEqual([deadline_at])
  })

  it('is decided once: the first one wins, and nothing happens for the second', async () => {
    const it = await askPlace()
    const id = await openers[kind]!(it)
    expect(decided(it.app, id, yes)).toMatchObject({ state: 'decided', outcome: yes })
    const before = it.entries().length
    expect(decided(it.app, id, no)).toBeNull()
    expect(await shown(it, id)).toMatchObject({ id, kind, state: 'decided' })
    expect(await cardOf(it, id)).toMatchObject({ state: 'resolved', resolved_action: yes })
    expect([it.entries().length, ends(it).length]).toEqual([before, 1])
  })

  it('runs out before a decision that comes too late, and is decided before its time is over', async () => {
    const it = await askPlace()
    const [late, early] = [await openers[kind]!(it), await openers[kind]!(it)]
    decided(it.app, early, yes)
    it.clock.advance(7 * 86_400_000)
    expect(it.app.writeNow(() => expireDue(it.app, 10))).toBe(1)
    expect(decided(it.app, late, yes)).toBeNull()
    expect((await shown(it, late)).state).toBe('expired')
    expect((await cardOf(it, late)).resolved_action).toBe(kind === 'escalation' ? 'expired' : 'timed_out')
    expect((await shown(it, early)).state).toBe('decided')
    expect(ends(it)).toHaveLength(2)
  })

  it('is withdrawn with its crew, in the same change, unless it was decided', async () => {
    const it = await askPlace()
    const [left, settled] = [await openers[kind]!(it), await openers[kind]!(it)]
    decided(it.app, settled, yes)
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(200)
    expect([(await shown(it, left)).state, (await shown(it, settled)).state]).toEqual(['withdrawn', 'decided'])
    expect((await cardOf(it, left)).resolved_action).toBe('cancelled')
    expect(decided(it.app, left, yes)).toBeNull()
    expect(ends(it)).toHaveLength(2)
  })

  it('is still open when the deletion of its crew fails', async () => {
    const it = await askPlace()
    const id = await openers[kind]!(it)
    it.app.db.exec("CREATE TRIGGER broken BEFORE UPDATE ON inbox_items BEGIN SELECT raise(ABORT, 'disk'); END")
    it.app.log.level = 'silent'
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(500)
    expect((await shown(it, id)).state).toBe('open')
    expect((await it.call('OWNER', 'GET', `/crews/${it.crewId}`)).status).toBe(200)
  })

  it('is shown by its own id and that of its item, to its workspace alone', async () => {
    const it = await askPlace()
    const id = await openers[kind]!(it)
    const { item_id } = await shown(it, id)
    expect((await shown(it, item_id)).id).toBe(id)
    for (const name of [id, item_id, 'none'])
      expect((await it.call(name === 'none' ? 'OWNER' : it.stranger(), 'GET', `/decisions/${name}`)).status).toBe(404)
  })
})

it('a question of an agent is shown to whom it is for; for others there is none', async () => {
  const it = await askPlace()
  const { item } = await asked(it)
  const { id } = await shown(it, item)
  const answer = async (role: 'VIEWER' | 'MEMBER' | 'MANAGER' | 'ADMIN', name: string) => {
    const { status, body } = await it.call(role, 'GET', `/decisions/${name}`)
    return { status, ...body, instance: undefined }
  }
  for (const role of ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN'] as const) {
    const absent = await answer(role, 'none')
    expect(absent).toMatchObject({ status: 404, code: 'not_found' })
    for (const name of [id, item]) expect(await answer(role, name)).toEqual(absent)
  }
})

it('what is due is ended of one kind or of one workspace, where only that is asked for', async () => {
  const it = await askPlace()
  for (const kind of ['approval', 'waitpoint', 'made_up']) await openers[kind]!(it)
  it.clock.advance(60_000)
  const ended = (of: Parameters<typeof expireDue>[2]) => it.app.writeNow(() => expireDue(it.app, 10, of))
  expect([ended({ workspace: it.stranger().workspace }), ended({ kind: ofTest }), ended({ kind: ofTest })]).toEqual([
    0, 1, 0,
  ])
  expect([ended({ workspace: it.workspace }), ended({})]).toEqual([2, 0])
})

it('an agent asks for a run of its own, and for none of another', async () => {
  const it = await askPlace()
  const { run_id, chat } = await asked(it)
  await it.call('OWNER', 'POST', '/agents', { name: 'Bob', slug: 'bob', crew_id: it.crewId })
  const headers = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const place = { workspace_id: it.workspace, crew_id: it.crewId, reason: 'May I?', run_id }
  const ask = async (from_slug: string) =>
    (await it.call(null, 'POST', '/internal/escalations', { ...place, from_slug }, headers)).body.escalation_id
  const runOf = async (slug: string) => {
    const id = await ask(slug)
    const { trace_id } = it.entries().findLast(({ refs }) => refs?.['escalation_id'] === id)!
    return [(await shown(it, id)).run_id, (await cardOf(it, id)).payload.run_id, trace_id]
  }
  expect([await runOf('ada'), await runOf('bob')]).toEqual([
    [run_id, run_id, run_id],
    [null, undefined, undefined],
  ])
  const stored = it.app.db.prepare('SELECT chat_id FROM escalations ORDER BY rowid').pluck().all()
  expect(stored).toEqual([chat, null])
})

it('what is deleted of one kind leaves the others of the crew open', async () => {
  const it = await askPlace()
  const [question, ...others] = await Promise.all(Object.values(openers).map((opener) => opener(it)))
  const { item_id } = await shown(it, question!)
  expect((await it.call('ADMIN', 'DELETE', `/crews/${it.crewId}/escalations`)).body).toEqual({ deleted: 1 })
  expect((await it.call('OWNER', 'GET', `/decisions/${question}`)).status).toBe(404)
  expect((await it.call('OWNER', 'GET', `/inbox/${item_id}`)).body.source_missing).toBe(true)
  expect(await Promise.all(others.map(async (id) => (await shown(it, id)).state))).toEqual(['open', 'open', 'open'])
})

describe('the timer', () => {
  it('ends what is due at its time, and withdraws what an older version left open', async () => {
    const it = await askPlace()
    const [due, left] = [await openers['waitpoint']!(it), await openers['approval']!(it)]
    it.app.db.prepare("UPDATE decisions SET crew_id = 'gone' WHERE id = ?").run(due)
    it.app.db.prepare('UPDATE crews SET deleted_at = ? WHERE id = ?').run(it.app.now(), it.crewId)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closing(watchDeadlines(it.app))
    while (vi.getTimerCount() === 0) await it.app.write(() => undefined)
    expect((await shown(it, left)).state).toBe('withdrawn')
    it.clock.advance(60_000)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    await expect.poll(() => ends(it).at(-1)?.entry_type).toBe('approval.timeout')
  })
})

it('the timer is set no more once it is closed', async () => {
  const it = await askPlace()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const deadlines = watchDeadlines(it.app)
  await openers['waitpoint']!(it)
  while (vi.getTimerCount() === 0) await it.app.write(() => undefined)
  const due = new Date(it.app.clock() + 1000).toISOString()
  deadlines.close()
  it.app.bus.emit('due', due)
  await openers['approval']!(it)
  await it.app.write(() => undefined)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('a kind that only this test knows', () => {
  /** Answers the operation that its items name. */
  async function setUp() {
    const it = await daemon()
    const bodies: unknown[] = []
    it.http.addHook('preHandler', async (request, reply) => {
      const id = /\/approvals\/([^/]+)\/decide$/.exec(request.url)?.[1]
      if (!id) return
      bodies.push(request.body)
      decided(it.app, id, 'hired')
      return reply.serializer(JSON.stringify).send({ status: 'approved', decided_by: 'x' })
    })
    return { ...it, bodies, id: hire(it) }
  }

  it('is listed and shown in the inbox with what it offers, and managed where it comes from', async () => {
    const it = await setUp()
    const item = `ibx_waitpoint_${it.id}`
    const offered = {
      id: item,
      run_id: 'run-1',
      decides: {
        operation: 'approvals.decide',
        params: { approvalId: it.id },
        choices: [
          { id: 'hire', label: 'Hire', body: { status: 'approved' } },
          {
            id: 'wait',
            label: 'Not yet',
            body: { status: 'denied' },
            text: { member: 'comment', required: true },
          },
        ],
      },
    }
    const [listed] = (await it.call('MANAGER', 'GET', '/inbox')).body.rows
    expect(listed).toMatchObject(offered)
    expect(listed.decides).toEqual(offered.decides)
    expect((await it.call('MANAGER', 'GET', `/inbox/${item}`)).body).toMatchObject({
      ...offered,
      source_missing: false,
    })
    expect((await it.call('MANAGER', 'PATCH', `/inbox/${item}`, { state: 'resolved' })).body).toMatchObject({
      status: 409,
      code: 'source_managed',
      detail: 'Hire somebody',
    })
    decided(it.app, it.id, 'hired')
    const after = (await it.call('MANAGER', 'GET', `/inbox/${item}`)).body
    expect(after).toMatchObject({ state: 'resolved', resolved_action: 'hired', source_missing: true, run_id: 'run-1' })
    expect(after).not.toHaveProperty('decides')
  })

  it('is stored with what it concerns', async () => {
    const { app, workspace } = await daemon()
    const concerned = { crew: 'crew-1', agent: 'agent-1', run: 'run-1' }
    const card = { title: 'Hire Bob?' }
    const row = app.writeNow(() =>
      open(app, ofTest, { workspace, asked: 'Hire Bob?', ...concerned, card, now: app.now() }),
    )
    expect(row).toMatchObject({ crew_id: 'crew-1', agent_id: 'agent-1', run_id: 'run-1', state: 'open' })
  })

  it('is decided at a terminal by keys of its own', async () => {
    const it = await setUp()
    const muster = await cliFor(it, 'ADMIN')
    openSockets(it)
    const size = { cols: 80, rows: 20 }
    const terminal = muster.terminal(['inbox', '--undo', '0'], { ...size, env: { NO_COLOR: '1' } })
    const lines = await eventually(terminal, (rows) => rows.some((row) => row.includes('He can cook.')), size)
    expect(lines.at(-1)).toContain('1 hire  2 not yet')
    terminal.type('1')
    await eventually(terminal, (rows) => rows.some((row) => row.includes('Done (Hire): Hire Bob?')), size)
    expect(it.bodies).toEqual([{ status: 'approved' }])
  })

  it('says what it offers to who approves what is neither approved nor denied', async () => {
    const it = await setUp()
    const { run } = await cliFor(it, 'MANAGER')
    expect(await run('approve', it.id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is nothing to approve here. It offers: Hire, Not yet.'),
    })
    expect(await run('decisions', 'show', it.id, '--jq', '.state')).toMatchObject({ code: 0, stdout: 'open\n' })
    expect(it.bodies).toEqual([])
  })
})

describe('a question of a run', () => {
  it('is decided by its operation, also where people say no more than "deny"', async () => {
    const it = await askPlace()
    const { item, run_id } = await asked(it)
    expect((await it.call('OWNER', 'GET', `/inbox/${item}`)).body).toMatchObject({
      run_id,
      decides: { operation: 'inbox.act', params: { itemId: item } },
    })
    const { run } = await cliFor(it, 'OWNER')
    expect(await run('deny', item)).toMatchObject({ code: 0, stderr: expect.stringContaining('The run is ended.') })
    expect((await it.call('OWNER', 'GET', `/runs/${run_id}`)).body.status).toBe('CANCELLED')
  })
})

describe('rows of before', () => {
  it('are open, decided, expired and withdrawn as they were, and their items say how they are decided', () => {
    const db = openDatabase(':memory:')
    migrate(
      db,
      migrations.filter(({ name }) => name < '0018'),
      'now',
    )
    db.exec('PRAGMA foreign_keys = OFF')
    const escalation = db.prepare(
      `INSERT INTO escalations (id, workspace_id, crew_id, from_agent_id, type, reason, status, action, resolved_at,
        resolved_by_user_id, created_at, deadline_at, answer_deadline_at)
       VALUES (?, 'w', 'c', 'a', ?, 'Why?', ?, ?, ?, ?, 't0', 't1', 't2')`,
    )
    escalation.run('e1', 'TEXT', 'PENDING', null, null, null)
    escalation.run('e2', 'CREDENTIAL', 'RESOLVED', 'reject', 't3', 'u')
    escalation.run('e3', 'TEXT', 'EXPIRED', null, 't3', null)
    escalation.run('e4', 'TEXT', 'CANCELLED', null, 't3', null)
    const approval = db.prepare(
      `INSERT INTO approvals (id, workspace_id, kind, reason, payload_json, status, created_at, timeout_at)
       VALUES (?, 'w', 'autonomy_gate', 'Bob?', ?, ?, 't0', 't2')`,
    )
    approval.run('p1', '{"target_id":"bob"}', 'pending')
    approval.run('p2', '{}', 'approved')
    approval.run('p3', '{}', 'timeout')
    db.exec(
      `INSERT INTO waitpoints (id, workspace_id, token_hash, kind, prompt, status, timeout_at, created_at, run_id)
       VALUES ('k1', 'w', 'h', 'approval', 'Go on?', 'pending', 't2', 't0', 'r')`,
    )
    const item = db.prepare(
      `INSERT INTO inbox_items (id, workspace_id, kind, source_id, audience, title, priority, blocking, payload_json,
        created_at, updated_at) VALUES (?, 'w', ?, ?, 'all', 't', 'high', 1, ?, 't0', 't0')`,
    )
    item.run('ibx_escalation_e1', 'escalation', 'e1', '{"escalation_type":"TEXT","run_id":"r1"}')
    item.run('ibx_escalation_e2', 'escalation', 'e2', '{"escalation_type":"CREDENTIAL"}')
    item.run('ibx_waitpoint_bob', 'waitpoint', 'bob', '{"approval_id":"p1"}')
    item.run('ibx_waitpoint_p2', 'waitpoint', 'p2', '{"approval_id":"p2"}')
    item.run('ibx_waitpoint_k1', 'waitpoint', 'k1', '{"waitpoint_id":"k1","pipeline_run_id":"r"}')
    item.run('ibx_run_needs_human_q', 'run_needs_human', 'q', '{"context":{"run":"r2"}}')
    migrate(db, migrations, 'now')
    expect(db.prepare('SELECT id, kind, item_id, state, outcome, deadline_at FROM decisions').raw().all()).toEqual([
      ['e1', 'escalation', 'ibx_escalation_e1', 'open', null, 't2'],
      ['e2', 'escalation', 'ibx_escalation_e2', 'decided', 'reject', 't2'],
      ['e3', 'escalation', 'ibx_escalation_e3', 'expired', 'expired', 't2'],
      ['e4', 'escalation', 'ibx_escalation_e4', 'withdrawn', 'cancelled', 't2'],
      ['p1', 'approval', 'ibx_waitpoint_bob', 'open', null, 't2'],
      ['p2', 'approval', 'ibx_waitpoint_p2', 'decided', 'approved', 't2'],
      ['p3', 'approval', 'ibx_waitpoint_p3', 'expired', 'timed_out', 't2'],
      ['k1', 'waitpoint', 'ibx_waitpoint_k1', 'open', null, 't2'],
    ])
    const told = db.prepare(
      `SELECT id, run_id, decides_json ->> '$.operation', json_array_length(decides_json, '$.choices'),
        decides_json ->> '$.choices[#-1].id', decides_json ->> '$.guarded' FROM inbox_items ORDER BY seq`,
    )
    expect(told.raw().all()).toEqual([
      ['ibx_escalation_e1', 'r1', 'escalations.resolve', 3, 'reject', 0],
      ['ibx_escalation_e2', null, 'escalations.resolve', 2, 'reject', 1],
      ['ibx_waitpoint_bob', null, 'approvals.decide', 2, 'deny', null],
      ['ibx_waitpoint_p2', null, null, null, null, null],
      ['ibx_waitpoint_k1', 'r', 'waitpoints.approve', 2, 'deny', null],
      ['ibx_run_needs_human_q', 'r2', 'inbox.act', 3, 'dismiss', null],
    ])
    db.close()
  })
})
