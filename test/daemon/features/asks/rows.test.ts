import { afterEach, describe, expect, it, vi } from 'vitest'
import type { App } from '#kernel/app'
import { queries } from '../../../../daemon/features/asks/sessions/queries.ts'
import { leaveSession, sessionOfRun } from '../../../../daemon/features/asks/sessions/service.ts'
import { type AskPlace, act, asked, askPlace } from '../../../support/asks.ts'

afterEach(() => void vi.useRealTimers())

/** An agent that has asked, and whose program does not end. */
async function lingering(it: AskPlace) {
  const { run_id } = await it.send(await it.openChat(), 'Work')
  const program = await it.runtime.program()
  it.runtime.obedient = false
  const { body } = await it.ask({ runId: run_id })
  const { inbox_item_id: item } = body as { inbox_item_id: string }
  return { run_id, program, item }
}
const statusOf = (it: AskPlace, run: string) => sessionOfRun(it.app, run)!.status
const actsOf = (it: AskPlace) => it.entries().filter(({ payload }) => payload?.['action'] === 'inbox_acted')

describe('two questions', () => {
  it('are answered, left and delivered each by itself', async () => {
    const it = await askPlace()
    const [one, other] = [await asked(it, { question: 'One?' }), await asked(it, { question: 'Two?' })]
    const { ofItem, ofRun, waiting, setStatus, deliver } = queries(it.app.db)
    const write = <T>(change: () => T): T => it.app.writeNow(change)
    expect([ofRun.get(one.run_id)!.question, ofRun.get(other.run_id)!.question]).toEqual(['One?', 'Two?'])
    expect(ofItem.get(it.workspace, one.item)!.run_id).toBe(one.run_id)
    expect([ofItem.get('w', one.item), ofItem.get(it.workspace, 'none'), waiting.all('w')]).toEqual([
      undefined,
      undefined,
      [],
    ])
    expect(waiting.all(it.workspace)).toHaveLength(2)
    write(() => setStatus.run('idle', one.session))
    expect([ofItem.get(it.workspace, one.item), waiting.all(it.workspace).length]).toEqual([undefined, 1])
    const delivery = { id: 'd1', workspace: it.workspace, item: other.item, session: other.session, now: it.app.now() }
    const hand = (id: string) => write(() => deliver.get({ ...delivery, id, run: other.run_id, comment: 'm1' }))
    expect([hand('d1'), hand('d2')]).toEqual([{ id: 'd1' }, undefined])
  })

  it('are withdrawn with their run, by who ended it; what waits for nobody stays as it is', async () => {
    const it = await askPlace()
    const [one, other] = [await asked(it), await asked(it)]
    const settled = (item: string) =>
      it.app.db.prepare('SELECT state, settled_by_user_id AS by FROM decisions WHERE item_id = ?').get(item)
    it.app.writeNow(() => {
      leaveSession(it.app, one.run_id, 'idle', 'cada')
      leaveSession(it.app, 'none', 'idle', 'cada')
    })
    expect([settled(one.item), settled(other.item)]).toEqual([
      { state: 'withdrawn', by: 'cada' },
      { state: 'open', by: null },
    ])
    expect(sessionOfRun(it.app, one.run_id)!.status).toBe('idle')
    it.app.writeNow(() => leaveSession(it.app, one.run_id, 'running', null))
    expect([sessionOfRun(it.app, one.run_id)!.status, settled(one.item)]).toEqual([
      'running',
      { state: 'withdrawn', by: 'cada' },
    ])
  })
})

describe('an agent', () => {
  it('asks once while its program is still being ended, whatever it says', async () => {
    const it = await askPlace()
    const { run_id, program, item } = await lingering(it)
    const again = await it.ask({ runId: run_id, body: { question: 'Something else?' } })
    expect(again).toMatchObject({ status: 202, body: { status: 'parked', inbox_item_id: item } })
    it.runtime.finish(program)
  })

  it('asks for no run of another, nor in one of no chat', async () => {
    const it = await askPlace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    await it.runtime.program()
    const agent_id = await it.mate('bob')
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const place = { workspace_id: it.workspace, crew_id: it.crewId, agent_id }
    expect(
      await it.call(null, 'POST', '/internal/sessions/park', { ...place, run_id, question: 'Mine?' }, token),
    ).toMatchObject({ status: 409, body: { code: 'run_gone', source_id: run_id } })
    it.app.db.prepare('UPDATE runs SET chat_id = NULL WHERE id = ?').run(run_id)
    expect(await it.ask({ runId: run_id })).toMatchObject({
      status: 409,
      body: { code: 'run_gone', detail: expect.stringContaining('belongs to no chat') },
    })
    expect(await it.ask({ runId: run_id, body: { question: ' ' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field: 'question' },
    })
  })

  it('works again once its next program is started, and waits for nobody as soon as somebody has decided', async () => {
    const it = await askPlace()
    const { run_id, item, next } = await asked(it)
    await act(it, item, { action: 'answer', input: 'The red one' })
    await next()
    expect(statusOf(it, run_id)).toBe('running')
    expect(actsOf(it)).toMatchObject([
      {
        actor_type: 'user',
        actor_id: it.person('OWNER').userId,
        trace_id: run_id,
        payload: { entity_id: item, metadata: { question: 'Which one?', input: 'The red one', run_id } },
      },
    ])
    expect((await it.call('OWNER', 'GET', `/decisions/${item}`)).body.state).toBe('decided')
  })
})

describe('a question that is dismissed while the program still ends', () => {
  it('is dismissed once, and its run is told to end', async () => {
    const it = await askPlace()
    const { run_id, program, item } = await lingering(it)
    expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'resolved' })).status).toBe(200)
    expect(statusOf(it, run_id)).toBe('idle')
    await it.call('OWNER', 'DELETE', '/inbox')
    expect(actsOf(it)).toHaveLength(1)
    expect(actsOf(it)[0]!.payload!['metadata']).not.toHaveProperty('input')
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(it.entries().filter(({ entry_type }) => entry_type === 'run.cancelled')).toHaveLength(1)
  })
})

describe('a decision', () => {
  it('waits twenty seconds for the program that asked to be gone, and no longer', async () => {
    const it = await askPlace()
    const { program, item } = await lingering(it)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let answered = false
    const acting = act(it, item, { action: 'answer', input: 'The red one' })
    void acting.then(() => {
      answered = true
    })
    const before = vi.getTimerCount()
    while (vi.getTimerCount() === before) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(19_999)
    for (let n = 0; n < 5; n++) await new Promise(setImmediate)
    expect(answered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await acting).body).toMatchObject({ status: 503, code: 'unavailable' })
    vi.useRealTimers()
    it.runtime.finish(program)
  })

  it('that comes too late hears what was decided, as far as that is known', async () => {
    const it = await askPlace()
    const { item } = await asked(it)
    await act(it, item, { action: 'dismiss' })
    const late = async () => (await act(it, item, { action: 'dismiss' })).body.detail
    expect(await late()).toBe('This was settled before: dismiss')
    it.app.db.prepare('UPDATE inbox_items SET resolved_action = NULL WHERE id = ?').run(item)
    expect(await late()).toBe('This was settled before: resolved')
  })
})

describe('an answer', () => {
  it('that waits for its turn is given already: deleting the card does not dismiss it', async () => {
    const it = await askPlace({ config: { maxConcurrentRuns: 1 } })
    const { run_id, item } = await asked(it)
    await it.send(await it.openChat(), 'Meanwhile')
    await it.runtime.program(1)
    await act(it, item, { action: 'answer', input: 'This one' })
    expect(statusOf(it, run_id)).toBe('idle')
    await it.call('OWNER', 'DELETE', '/inbox')
    expect(actsOf(it)).toHaveLength(1)
  })

  it('reaches the agent with the question and where to go on', async () => {
    const it = await askPlace()
    const { item, next } = await asked(it, { question: 'Which one?' })
    await act(it, item, { action: 'answer', input: 'The red one' })
    expect((await next()).spec.stdin).toBe(
      'You asked:\nWhich one?\n\nThe OWNER answers:\nThe red one\n\nGo on from where you stopped to ask.',
    )
  })

  it.each<[string, (app: App, agent: string) => unknown, string]>([
    [
      'waits for review',
      ({ db }, id) => db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(id),
      'The agent waits for review',
    ],
    [
      'is deleted',
      ({ db, now }, id) => db.prepare('UPDATE agents SET deleted_at = ? WHERE id = ?').run(now(), id),
      'The agent is deleted',
    ],
    [
      'has left its crew',
      ({ db }, id) => db.prepare('UPDATE agents SET crew_id = NULL WHERE id = ?').run(id),
      'The agent has left the crew in which it asked',
    ],
  ])('does not reach an agent that %s: it is kept, and the card stays open', async (_, change, detail) => {
    const it = await askPlace()
    const { chat, run_id, item } = await asked(it)
    change(it.app, it.agentId)
    const { status, body } = await act(it, item, { action: 'answer', input: 'The red one' })
    expect([status, body.code, body.detail, body.dispatch_state]).toEqual([
      409,
      'answer_undeliverable',
      detail,
      'undeliverable',
    ])
    const kept = it.app.db.prepare('SELECT content FROM chat_messages WHERE chat_id = ? ORDER BY seq DESC').pluck()
    expect(kept.get(chat)).toBe('The red one')
    expect(it.app.db.prepare('SELECT phase FROM runs WHERE id = ?').pluck().get(run_id)).toBe('parked')
    expect(it.app.db.prepare('SELECT resolved_at FROM inbox_items WHERE id = ?').pluck().get(item)).toBeNull()
  })

  it.each<[object, string]>([
    [{ action: 'answer' }, 'missing_field'],
    [{ action: 'answer', input: '  ' }, 'missing_field'],
    [{ action: 'answer', input: 'x'.repeat(8001) }, 'invalid_field'],
  ])('%j is none', async (body, code) => {
    const it = await askPlace()
    const { item } = await asked(it)
    expect((await act(it, item, body)).body).toMatchObject({ code, field: 'input' })
  })
})
