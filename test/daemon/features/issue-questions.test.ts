import { describe, expect, it } from 'vitest'
import { act, askPlace } from '../../support/asks.ts'
import { init, says } from '../../support/claude-lines.ts'
import { issuesOf } from '../../support/issues.ts'

/** An issue whose agent has asked something and waits. */
async function asked(question = 'Postgres or SQLite?') {
  const at = await askPlace()
  const it = issuesOf(at)
  const begun = await it.started()
  it.runtime.print(begun.program, init, says('I look.'))
  const { body } = await at.ask({ runId: begun.run, body: { question } })
  await it.runs.ended(begun.run)
  const item = (body as { inbox_item_id: string }).inbox_item_id
  return { ...it, ...begun, item, act: (it: object, who?: Parameters<typeof act>[3]) => act(at, item, it, who) }
}

describe('a question about an issue', () => {
  it('waits for who opened it, and says what it is about', async () => {
    const it = await asked()
    const { id } = await it.read(it.identifier)
    const [card] = await it.inbox('MANAGER', 'run_needs_human')
    expect(card).toMatchObject({
      id: it.item,
      target_user_id: it.person('MANAGER').userId,
      thread_key: `issue:${id}`,
      blocking: true,
      payload: {
        who_can_act: [`user:${it.person('MANAGER').userId}`],
        context: { issue: it.identifier, mission_id: id, run: it.run, chat: it.chat },
      },
    })
    expect(JSON.stringify(card)).toContain('the issue is yours, in TODO')
    expect(await it.inbox('ADMIN', 'run_needs_human')).toEqual([])
    expect(await it.read(it.identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'awaiting_input' })
    expect((await it.events(it.identifier))[0]).toEqual(['run_parked', 'Postgres or SQLite?'])
  })

  it('is for those who lead where who opened it may not decide', async () => {
    const at = await askPlace()
    const it = issuesOf(at)
    const identifier = await it.given()
    at.app.writeNow(() => at.app.db.prepare("UPDATE missions SET created_by_id = 'cgone'").run())
    const run = (await it.start(identifier)).body.run_id
    it.runtime.print(await it.runtime.program(), init)
    await at.ask({ runId: run })
    expect((await it.inbox('MANAGER', 'run_needs_human'))[0]).toMatchObject({ target_role: 'MANAGER' })
  })

  it('is for the member who works on the issue', async () => {
    const at = await askPlace()
    const it = issuesOf(at)
    const member = it.person('MEMBER').userId
    const identifier = await it.open({ assignee_type: 'user', assignee_id: member })
    await it.say(identifier, '@ada, which one?', 'MANAGER')
    it.runtime.print(await it.runtime.program(), init)
    await at.ask({ runId: (await it.runsOf(identifier))[0].id })
    expect((await it.inbox('MEMBER', 'run_needs_human'))[0]).toMatchObject({ target_user_id: member })
  })

  it('is answered with a comment, and the run goes on', async () => {
    const it = await asked()
    const { status, body } = await it.act({ action: 'answer', input: 'SQLite, please' }, 'MANAGER')
    expect(status).toBe(200)
    expect((await it.comments(it.identifier)).at(-1)).toEqual(['user', 'The MANAGER', 'SQLite, please'])
    const activity = (await it.call('VIEWER', 'GET', `${it.path}/${it.identifier}/activity`)).body
    const [event] = activity
    expect(event).toMatchObject({ action: 'inbox_acted', details: 'answer' })
    const listed = (await it.call('VIEWER', 'GET', `${it.path}/${it.identifier}/comments`)).body
    expect(body.receipt).toMatchObject({ comment_id: listed[0].id, event_id: event.id, seq: activity.length })
    const next = await it.runtime.program(1)
    expect(next.spec.stdin).toContain('SQLite, please')
    expect(await it.read(it.identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'running' })
    await it.ends(it.run, next, 'SQLite it is.')
    expect(await it.read(it.identifier)).toMatchObject({ status: 'REVIEW', comment_count: 2 })
  })

  it('is told to clients that look when the agent stops and goes on', async () => {
    const at = await askPlace()
    const it = issuesOf(at)
    const { run, program } = await it.started()
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type }) => {
      if (type.startsWith('issue.') || type.startsWith('run.')) heard.push(type)
    })
    it.runtime.print(program, init)
    const { body } = await at.ask({ runId: run })
    await at.runs.ended(run)
    expect(heard.splice(0)).toEqual(['run.parked', 'issue.updated'])
    const { inbox_item_id } = body as { inbox_item_id: string }
    await act(at, inbox_item_id, { action: 'answer', input: 'That' }, 'MANAGER')
    expect(heard.slice(-2).sort()).toEqual(['issue.updated', 'run.resumed'])
  })

  it('is taken over: the issue is the caller’s, and nothing runs', async () => {
    const it = await asked()
    expect((await it.act({ action: 'take_over' }, 'MANAGER')).status).toBe(200)
    expect(await it.read(it.identifier)).toMatchObject({
      status: 'TODO',
      work_mode: 'human',
      assignee_type: 'user',
      assignee_id: it.person('MANAGER').userId,
      session_status: 'idle',
    })
    expect((await it.runsOf(it.identifier))[0]).toMatchObject({ status: 'CANCELLED' })
    expect(await it.events(it.identifier)).toContainEqual(['inbox_acted', 'take_over'])
    expect(await it.events(it.identifier)).toContainEqual(['assignee_changed', 'Agent ada → The MANAGER'])
    expect((await it.inbox('MANAGER', 'run_needs_human'))[0]).toMatchObject({
      state: 'resolved',
      resolved_action: 'take_over',
    })
    expect(await it.start(it.identifier)).toMatchObject({ status: 409 })
  })

  it('lets an agent work again once the issue is given to one', async () => {
    const it = await asked()
    await it.act({ action: 'take_over' }, 'MANAGER')
    const given = await it.change(it.identifier, { assignee_type: 'agent', assignee_id: it.agentId })
    expect(given.body).toMatchObject({ work_mode: 'agent' })
    expect((await it.start(it.identifier)).status).toBe(200)
  })

  it('is dismissed: the issue goes back to TODO', async () => {
    const it = await asked()
    expect((await it.act({ action: 'dismiss' }, 'MANAGER')).status).toBe(200)
    expect(await it.read(it.identifier)).toMatchObject({
      status: 'TODO',
      work_mode: 'agent',
      assignee_id: it.agentId,
      session_status: 'idle',
    })
    expect(await it.events(it.identifier)).toContainEqual(['inbox_acted', 'dismiss'])
  })

  it.each([
    ['stopped', (it: Awaited<ReturnType<typeof asked>>) => it.stop(it.identifier)],
    ['moved on', (it: Awaited<ReturnType<typeof asked>>) => it.change(it.identifier, { status: 'DONE' })],
  ])('is withdrawn when the issue is %s', async (_, end) => {
    const it = await asked()
    expect((await end(it)).status).toBe(200)
    expect((await it.inbox('MANAGER', 'run_needs_human'))[0]).toMatchObject({ state: 'resolved' })
    expect(await it.act({ action: 'answer', input: 'x' }, 'MANAGER')).toMatchObject({ status: 409 })
    expect(await it.read(it.identifier)).toMatchObject({ session_status: 'idle' })
  })

  it('is of the session of this agent and this issue, which the next question of both goes on in', async () => {
    const at = await askPlace()
    const it = issuesOf(at)
    const sessions: string[] = []
    const askOn = async (identifier: string) => {
      const count = it.runtime.programs.size
      const run = (await it.start(identifier)).body.run_id as string
      it.runtime.print(await it.runtime.program(count), init)
      const { body } = await at.ask({ runId: run, agentId: (await it.read(identifier)).assignee_id })
      await at.runs.ended(run)
      const { session_id, inbox_item_id } = body as { session_id: string; inbox_item_id: string }
      sessions.push(session_id)
      expect(await it.read(identifier)).toMatchObject({ session_status: 'awaiting_input' })
      expect((await act(at, inbox_item_id, { action: 'dismiss' }, 'MANAGER')).body.receipt).toMatchObject({
        session_id,
      })
      expect(await it.read(identifier)).toMatchObject({ status: 'TODO', session_status: 'idle' })
    }
    const [one, two] = [await it.given(), await it.given()]
    await askOn(one)
    await askOn(two)
    await it.change(one, { assignee_type: 'agent', assignee_id: await at.mate('bob') })
    await askOn(one)
    await it.change(one, { assignee_type: 'agent', assignee_id: at.agentId })
    await askOn(one)
    expect(new Set(sessions.slice(0, 3)).size).toBe(3)
    expect(sessions[3]).toBe(sessions[0])
  })

  it('goes with the issue when that is deleted', async () => {
    const it = await asked()
    await it.change(it.identifier, { status: 'CANCELLED' })
    expect((await it.call('MANAGER', 'DELETE', `${it.path}/${it.identifier}`)).status).toBe(204)
    expect((await it.inbox('MANAGER', 'run_needs_human'))[0]).toMatchObject({ state: 'resolved' })
  })

  it('of a chat says nothing of issues', async () => {
    const at = await askPlace()
    const { run_id } = await at.send(await at.openChat(), 'Work')
    at.runtime.print(await at.runtime.program(), init)
    await at.ask({ runId: run_id })
    const [card] = (await at.call('OWNER', 'GET', '/inbox?kind=run_needs_human')).body.rows
    expect(card.payload.context).toEqual({ run: run_id, chat: expect.any(String) })
    expect(JSON.stringify(card)).toContain('the chat is yours')
  })
})
