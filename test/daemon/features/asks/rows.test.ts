import { describe, expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { queries } from '../../../../daemon/features/asks/sessions/queries.ts'
import { leaveSession, sessionOfRun } from '../../../../daemon/features/asks/sessions/service.ts'
import { act, asked, askPlace } from '../../../support/asks.ts'

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

describe('an answer', () => {
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
  ])('%j is none', async (body, code) => {
    const it = await askPlace()
    const { item } = await asked(it)
    expect((await act(it, item, body)).body).toMatchObject({ code, field: 'input' })
  })
})
