import { describe, expect, it } from 'vitest'
import { noRuns } from '#kernel/absent'
import { problem } from '#kernel/problem'
import { raise } from '../../../daemon/features/inbox/service.ts'
import { endRun } from '../../../daemon/features/runs/endings/service.ts'
import {
  findRun,
  parkRun,
  type Run,
  runsOfCrew,
  wishCancel,
  workingOfCrew,
} from '../../../daemon/features/runs/service.ts'
import { adapterOf } from '../../../daemon/runtime/adapters/index.ts'
import { agentKey } from '../../../daemon/runtime/agent-keys.ts'
import { briefRun } from '../../../daemon/runtime/runs/brief.ts'
import { type AskPlace, act, asked, askPlace } from '../../support/asks.ts'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import { attachRuns } from '../../support/runs.ts'

const messagesOf = async (it: AskPlace, chat: string) =>
  (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages
const itemOf = async (it: AskPlace, item: string) => (await it.call('OWNER', 'GET', `/inbox/${item}`)).body
const runOf = async (it: AskPlace, id: string) => (await it.call('OWNER', 'GET', `/runs/${id}`)).body
const statusOf = async (it: AskPlace) => (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.status
const typesOf = (it: AskPlace, run: string) =>
  it
    .entries()
    .filter(({ trace_id }) => trace_id === run)
    .map(({ entry_type }) => entry_type)
const terminals = (it: AskPlace, run: string) =>
  typesOf(it, run).filter((type) => /^run\.(completed|failed|cancelled|timeout)$/.test(type))
const phaseOf = (it: AskPlace, run: string) =>
  it.app.db.prepare('SELECT phase, attempt, worked_ms FROM runs WHERE id = ?').get(run) as object
const sessionOf = (it: AskPlace, run: string) =>
  it.app.db.prepare('SELECT * FROM agent_sessions WHERE run_id = ?').get(run) as Record<string, unknown> & {
    status: string
  }

function watch(it: AskPlace, chat: string) {
  const frames: { seq: number; type: string; content?: string; metadata?: Record<string, unknown> }[] = []
  const { replay } = it.app.runs.watch(chat, 0, {
    frame: ({ seq, body }) => frames.push({ seq, ...JSON.parse(body) }),
    closed: () => undefined,
  })
  frames.unshift(...replay.map(({ seq, body }) => ({ seq, ...JSON.parse(body) })))
  return frames
}

describe('an agent that asks a human', () => {
  it('parks: program gone, run still RUNNING, session, card and entry in place', async () => {
    const it = await askPlace()
    const { run_id, item, session, chat } = await asked(it, {
      question: 'Postgres or SQLite?',
      context: 'Both would do.',
    })
    expect(it.runtime.ended).toEqual([run_id])
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parked', attempt: 0 })
    expect(await runOf(it, run_id)).toMatchObject({
      status: 'RUNNING',
      finished_at: null,
      parked_at: new Date(it.clock()).toISOString(),
      inbox_item_id: item,
    })
    expect(await statusOf(it)).toBe('IDLE')
    const seq = it.app.db.prepare('SELECT max(seq) AS seq FROM journal WHERE doc LIKE \'%"run.parked"%\'').get() as {
      seq: number
    }
    expect(sessionOf(it, run_id)).toMatchObject({
      id: session,
      status: 'awaiting_input',
      agent_id: it.agentId,
      chat_id: chat,
      mission_id: null,
      question: 'Postgres or SQLite?',
      inbox_item_id: item,
      journal_cursor: seq.seq,
      cli_resume_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(await itemOf(it, item)).toMatchObject({
      kind: 'run_needs_human',
      state: 'unread',
      blocking: true,
      priority: 'high',
      attention_class: 'input',
      target_user_id: it.person('OWNER').userId,
      sender_type: 'agent',
      sender_id: it.agentId,
      title: 'Agent ada asks: Postgres or SQLite?',
      body_md: 'Postgres or SQLite?\n\nBoth would do.',
      actions: [{ id: 'answer' }, { id: 'take_over', irreversible: true }, { id: 'dismiss', irreversible: true }],
      payload: {
        who_can_act: [`user:${it.person('OWNER').userId}`],
        context: { run: run_id, chat },
        question: 'Postgres or SQLite?',
      },
    })
    expect((await it.call('OWNER', 'GET', '/inbox')).body).toMatchObject({
      decision_count: 1,
      active_by_kind: { run_needs_human: 1 },
    })
    const types = typesOf(it, run_id).filter((type) => type !== 'run.session_init')
    expect(types).toEqual([
      'chat.user_message',
      'run.started',
      'exec.command',
      'run.parked',
      'exec.command',
      'chat.agent_response',
    ])
  })

  it('has said its question in the chat, and the stream tells that it waits', async () => {
    const it = await askPlace()
    const { chat, run_id, item } = await asked(it)
    const [, said] = await messagesOf(it, chat)
    expect(said).toMatchObject({
      role: 'assistant',
      content: 'I look.\n\nWhich one?',
      parts: [
        { type: 'text', content: 'I look.' },
        { type: 'text', content: 'Which one?' },
      ],
      metadata: { run_id, status: 'PARKED', inbox_item_id: item },
    })
    expect(watch(it, chat).slice(-3)).toMatchObject([
      { type: 'text', content: '\n\nWhich one?' },
      { type: 'status', content: 'Waiting for an answer' },
      { type: 'done', metadata: { trace_id: run_id, parked: true, inbox_item_id: item } },
    ])
    expect((await it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'More' })).body).toMatchObject({
      status: 409,
      code: 'chat_busy',
      run_id,
      inbox_item_id: item,
    })
  })

  it('goes on with the answer as the same run, and ends once', async () => {
    const it = await askPlace()
    const { chat, run_id, item, session, program, next } = await asked(it, { question: 'Postgres or SQLite?' })
    it.clock.advance(3_600_000)
    const { status, body, text } = await act(it, item, { action: 'answer', input: '  SQLite, please. ' })
    expect(status, text).toBe(200)
    expect(body).toMatchObject({
      id: item,
      state: 'resolved',
      action: 'answer',
      receipt: {
        action: 'answer',
        acted_by: it.person('OWNER').userId,
        inbox_item_id: item,
        session_id: session,
        source_run_id: run_id,
        run_id,
        dispatch_state: 'dispatched',
      },
    })
    const second = await next()
    expect(second.spec).toMatchObject({
      runId: `${run_id}-1`,
      stdin: expect.stringMatching(/^You asked:\nPostgres or SQLite\?\n\nThe OWNER answers:\nSQLite, please\.\n/),
    })
    const sessionFlag = (spec: { argv: string[] }, name: string) =>
      spec.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1]
    expect(sessionFlag(second.spec, 'resume')).toBe(sessionFlag(program.spec, 'session-id'))
    expect(second.spec.env['CLAUDE_CONFIG_DIR']).toBe(program.spec.env['CLAUDE_CONFIG_DIR'])
    expect(await statusOf(it)).toBe('RUNNING')
    expect(await runOf(it, run_id)).not.toHaveProperty('parked_at')
    it.runtime.print(second, init, says('Then SQLite.'), result())
    it.runtime.finish(second)
    await it.runs.ended(run_id)
    const messages = await messagesOf(it, chat)
    expect(messages.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ['user', 'Work'],
      ['assistant', 'I look.\n\nPostgres or SQLite?'],
      ['user', 'SQLite, please.'],
      ['assistant', 'Then SQLite.'],
    ])
    expect(messages[2]).toMatchObject({ id: body.receipt.comment_id, author_user_id: it.person('OWNER').userId })
    expect(terminals(it, run_id)).toEqual(['run.completed'])
    expect(typesOf(it, run_id).slice(5)).toEqual([
      'exec.command',
      'chat.agent_response',
      'chat.user_message',
      'run.resumed',
      'audit.entity_updated',
      'exec.command',
      'exec.command',
      'chat.agent_response',
      'run.completed',
    ])
    expect(await runOf(it, run_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await statusOf(it)).toBe('IDLE')
    expect(sessionOf(it, run_id).status).toBe('idle')
    expect(await itemOf(it, item)).toMatchObject({
      state: 'resolved',
      resolved_action: 'answer',
      payload: { receipt: body.receipt },
    })
    const receipt = it.entries().find(({ id }) => id === body.receipt.event_id)!
    expect(receipt).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { action: 'inbox_acted', entity_id: item },
    })
    expect(it.runtime.discarded).toEqual([run_id, `${run_id}-1`])
  })

  it('numbers the frames of the chat through', async () => {
    const it = await askPlace()
    const { chat, run_id, item, next } = await asked(it)
    const frames = watch(it, chat)
    await act(it, item, { action: 'answer', input: 'This one' })
    const second = await next()
    it.runtime.print(second, init, says('Good.'), result())
    it.runtime.finish(second)
    await it.runs.ended(run_id)
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n + 1))
    expect(frames.filter(({ type }) => type === 'done').map(({ metadata }) => metadata)).toEqual([
      { trace_id: run_id, parked: true, inbox_item_id: item },
      { trace_id: run_id },
    ])
    expect(frames.filter(({ type }) => type === 'user_message').map(({ content }) => content)).toEqual([
      'Work',
      'This one',
    ])
  })

  it('may ask again and again; waiting costs no time of the run, and what was spent adds up', async () => {
    const it = await askPlace()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { timeout_seconds: 600 })
    const { chat, run_id, program, item } = await asked(it)
    expect(program.spec.timeoutSeconds).toBe(600)
    it.clock.advance(86_400_000)
    await act(it, item, { action: 'answer', input: 'One' })
    const second = await it.runtime.program(1)
    expect(second.spec.timeoutSeconds).toBe(600)
    it.runtime.print(second, init, calls('t1', 'Bash'), gets('t1', 'ok'), result())
    it.clock.advance(200_000)
    const again = (await it.ask({ runId: `${run_id}-1`, body: { question: 'And now?' } })).body as {
      inbox_item_id: string
    }
    expect(again.inbox_item_id).not.toBe(item)
    await it.runs.ended(run_id)
    expect((await messagesOf(it, chat)).at(-1)).toMatchObject({ content: 'And now?', tool_summary: 'Bash' })
    await act(it, again.inbox_item_id, { action: 'answer', input: 'Two' })
    const third = await it.runtime.program(2)
    expect(third.spec).toMatchObject({ runId: `${run_id}-2`, timeoutSeconds: 400 })
    it.runtime.print(third, init, says('Done.'), result())
    it.runtime.finish(third)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toEqual(['run.completed'])
    const end = it.entries().find(({ entry_type }) => entry_type === 'run.completed')!
    expect(end.payload).toMatchObject({ metadata: { input_tokens: 60, output_tokens: 24, total_cost_usd: 0.5 } })
    expect(it.runtime.discarded).toEqual([run_id, `${run_id}-1`, `${run_id}-2`])
  })

  it('is asked once for the same call, and while it waits', async () => {
    const it = await askPlace()
    const { run_id, item, next } = await asked(it)
    expect((await it.ask({ runId: run_id, body: { question: 'Something else?' } })).body).toMatchObject({
      status: 'parked',
      inbox_item_id: item,
    })
    const call = sessionOf(it, run_id)['call_id'] as string
    await act(it, item, { action: 'answer', input: 'This one' })
    await next()
    // A daemon that was restarted is asked again what it has answered.
    expect(await it.ask({ id: call, runId: run_id })).toMatchObject({
      status: 202,
      body: { status: 'parked', inbox_item_id: item },
    })
    expect(phaseOf(it, run_id)).toMatchObject({ attempt: 1 })
    expect(typesOf(it, run_id).filter((type) => type === 'run.parked')).toHaveLength(1)
  })

  it.each([
    ['the whole question, up to 120 characters', 'x'.repeat(120), 'x'.repeat(120)],
    ['its first 119 characters', `a${'x'.repeat(120)}`, `a${'x'.repeat(118)}…`],
    ['whole characters of it', '💡'.repeat(121), `${'💡'.repeat(119)}…`],
    ['one line', ' Which \n\tone?\u0007 ', 'Which one?'],
  ])('has %s in the title of its card', async (_, question, title) => {
    const it = await askPlace()
    const { item } = await asked(it, { question })
    expect((await itemOf(it, item)).title).toBe(`Agent ada asks: ${title}`)
  })

  it('shows nobody its key', async () => {
    const it = await askPlace()
    const key = agentKey(it.app, it.agentId)
    const { item, chat } = await asked(it, { question: `May I use ${key}?`, context: `It is ${key}` })
    expect(JSON.stringify([await itemOf(it, item), await messagesOf(it, chat), it.entries()])).not.toContain(key)
  })

  it('gives its place to others while it waits', async () => {
    const it = await askPlace({ config: { maxConcurrentRuns: 1 } })
    const { run_id, item } = await asked(it)
    const other = await it.openChat()
    const { run_id: second } = await it.send(other, 'Meanwhile')
    const program = await it.runtime.program(1)
    expect((await act(it, item, { action: 'answer', input: 'This one' })).body.receipt).toMatchObject({
      dispatch_state: 'queued',
    })
    expect(it.runtime.programs.size).toBe(2)
    it.runtime.print(program, init, says('Done.'), result())
    it.runtime.finish(program)
    await it.runs.ended(second)
    expect((await it.runtime.program(2)).spec.runId).toBe(`${run_id}-1`)
  })

  it('goes on from the chat when its client has lost its session', async () => {
    const it = await askPlace()
    const { run_id, item, next, chat } = await asked(it, { question: 'Which?' })
    await act(it, item, { action: 'answer', input: 'That' })
    const second = await next()
    it.runtime.finish(second, { kind: 'exit', code: 1, timedOut: false }, 'No conversation found with session ID: x')
    const third = await it.runtime.program(2)
    expect(third.spec.runId).toBe(`${run_id}-2`)
    expect(third.spec.argv.join(' ')).not.toContain('--resume')
    expect(third.spec.stdin).toMatch(/Work[\s\S]*I look\.\n\nWhich\?[\s\S]*The OWNER answers:\nThat/)
    it.runtime.print(third, init, says('So be it.'), result())
    it.runtime.finish(third)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toEqual(['run.completed'])
    expect((await messagesOf(it, chat)).at(-1).content).toBe('So be it.')
  })

  it.each([
    ['nothing', {}, 'missing_field'],
    ['no text', { question: '' }, 'invalid_field'],
    ['blanks', { question: ' \n ' }, 'invalid_field'],
    ['4001 characters', { question: 'x'.repeat(4001) }, 'invalid_field'],
    ['a number', { question: 1 }, 'invalid_field'],
    ['a list', [], 'invalid_json'],
  ])('is refused for %s', async (_, body, code) => {
    const it = await askPlace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    await it.runtime.program()
    expect(await it.ask({ runId: run_id, body })).toMatchObject({ status: 400, body: { code } })
    expect(it.runtime.ended).toEqual([])
    expect((await it.call('OWNER', 'GET', '/inbox')).body.rows).toEqual([])
    expect(await runOf(it, run_id)).toMatchObject({ status: 'RUNNING' })
  })

  it('is refused when its run is over, unknown, or cannot be told', async () => {
    const it = await askPlace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    const program = await it.runtime.program()
    await it.send(await it.openChat(), 'Work')
    await it.runtime.program(1)
    expect(await it.ask({})).toMatchObject({ status: 409, body: { code: 'run_gone' } })
    expect(await it.ask({ runId: 'unknown' })).toMatchObject({ status: 409, body: { code: 'run_gone' } })
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await it.ask({ runId: run_id })).toMatchObject({
      status: 409,
      body: { code: 'run_gone', source_id: run_id },
    })
  })

  it('asks those who lead when who began the run may not decide', async () => {
    const it = await askPlace()
    const { item } = await asked(it, { who: it.person('VIEWER') })
    expect(await itemOf(it, item)).toMatchObject({ target_role: 'MANAGER', payload: { who_can_act: ['role:MANAGER'] } })
    expect((await act(it, item, { action: 'dismiss' }, 'MEMBER')).status).toBe(404)
    expect((await act(it, item, { action: 'dismiss' }, 'VIEWER')).status).toBe(403)
    expect((await act(it, item, { action: 'dismiss' }, 'MANAGER')).status).toBe(200)
  })
})

describe('Inbox item (run_needs_human): open -> resolved on POST act', () => {
  it.each(['take_over', 'dismiss'])('%s cancels the parked run and leaves the session idle', async (action) => {
    const it = await askPlace()
    const { chat, run_id, item, session } = await asked(it)
    const { status, body } = await act(it, item, { action })
    expect(status).toBe(200)
    expect(body.receipt).toMatchObject({ action, session_id: session, source_run_id: run_id })
    expect(Object.keys(body.receipt)).not.toEqual(expect.arrayContaining(['comment_id']))
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
    const run = await runOf(it, run_id)
    expect(run).toMatchObject({ status: 'CANCELLED' })
    expect(run).not.toHaveProperty('inbox_item_id')
    expect(sessionOf(it, run_id).status).toBe('idle')
    expect(await itemOf(it, item)).toMatchObject({
      state: 'resolved',
      resolved_action: action,
      resolved_by_user_id: it.person('OWNER').userId,
    })
    expect(it.entries().find(({ entry_type }) => entry_type === 'run.cancelled')).toMatchObject({
      actor_type: 'user',
      actor_id: it.person('OWNER').userId,
    })
    await it.send(chat, 'I do it myself: what did you find?')
  })

  it('takes a decision that comes before the program is gone', async () => {
    const it = await askPlace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    const program = await it.runtime.program()
    it.runtime.obedient = false
    const { body } = await it.ask({ runId: run_id })
    const { inbox_item_id: item } = body as { inbox_item_id: string }
    const acting = act(it, item, { action: 'answer', input: 'That' })
    await it.runtime.asked(1)
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parking' })
    it.runtime.print(program, init, says('Last words.'))
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    expect((await acting).status).toBe(200)
    const contents = (await messagesOf(it, chat)).map(({ content }: { content: string }) => content)
    expect(contents).toEqual(['Work', 'Last words.\n\nWhich one?', 'That'])
    expect((await it.runtime.program(1)).spec.runId).toBe(`${run_id}-1`)
  })

  it('takes no answer while the program does not end', async () => {
    const it = await askPlace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program()
    it.runtime.obedient = false
    const { body } = await it.ask({ runId: run_id })
    // In place of the twenty seconds after which the wait for the program is given up.
    it.app.runs = { ...noRuns, ended: async () => undefined }
    const { inbox_item_id: item } = body as { inbox_item_id: string }
    expect((await act(it, item, { action: 'answer', input: 'That' })).body).toMatchObject({
      status: 503,
      code: 'unavailable',
    })
    it.app.runs = it.runs
    expect(await itemOf(it, item)).toMatchObject({ state: 'unread' })
    it.runtime.finish(program)
  })

  it('is settled when the agent is stopped while its program is still being ended', async () => {
    const it = await askPlace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program()
    it.runtime.obedient = false
    const { body } = await it.ask({ runId: run_id })
    await it.runtime.asked(1)
    const stopping = it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)
    await it.app.idle()
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    expect((await stopping).body.status).toBe('stopped')
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
    expect(await itemOf(it, (body as { inbox_item_id: string }).inbox_item_id)).toMatchObject({
      state: 'resolved',
      resolved_action: 'cancelled',
    })
  })

  it('is dismissed by marking its card resolved', async () => {
    const it = await askPlace()
    const { item, run_id } = await asked(it, { question: 'Which port?' })
    expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'resolved' })).body).toEqual({
      id: item,
      state: 'resolved',
    })
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
    expect(sessionOf(it, run_id).status).toBe('idle')
    const by = it.person('OWNER')
    expect(await itemOf(it, item)).toMatchObject({
      state: 'resolved',
      resolved_action: 'dismiss',
      resolved_by_user_id: by.userId,
      payload: { receipt: { action: 'dismiss', acted_by: by.userId, source_run_id: run_id } },
    })
    const summaries = it.entries().map(({ summary }) => summary)
    expect(summaries).toContain(`${by.email} dismissed Agent ada's question: "Which port?"`)
    expect(summaries).toContain(`${by.email} marked "Agent ada asks: Which port?" as resolved`)
  })

  it('stays as it was answered when its card is marked as resolved afterwards', async () => {
    const it = await askPlace()
    const { item } = await asked(it)
    expect((await act(it, item, { action: 'answer', input: '8080' })).status).toBe(200)
    expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'resolved' })).status).toBe(200)
    await it.call('OWNER', 'POST', '/inbox/bulk', { ids: [item], state: 'resolved' })
    expect(await itemOf(it, item)).toMatchObject({ state: 'resolved', resolved_action: 'answer' })
    expect(it.entries().filter(({ entry_type }) => entry_type === 'inbox_item.updated')).toEqual([])
  })

  it('is dismissed by marking its card resolved, whatever the caller calls that', async () => {
    const it = await askPlace()
    const { item, run_id } = await asked(it)
    await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'resolved', resolved_action: 'answer' })
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
    expect((await itemOf(it, item)).resolved_action).toBe('dismiss')
  })

  it.each(['', '?kind=run_needs_human'])('is dismissed when its card is deleted: DELETE /inbox%s', async (query) => {
    const it = await askPlace()
    const { run_id } = await asked(it, { question: 'Which port?' })
    expect((await it.call('OWNER', 'DELETE', `/inbox${query}`)).body).toEqual({ deleted: 1 })
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
    expect(sessionOf(it, run_id).status).toBe('idle')
    const by = it.person('OWNER').email
    expect(it.entries().map(({ summary }) => summary)).toContain(`${by} dismissed Agent ada's question: "Which port?"`)
  })

  it('stays when cards of another kind are deleted', async () => {
    const it = await askPlace()
    const { run_id } = await asked(it)
    await it.call('OWNER', 'DELETE', '/inbox?kind=escalation')
    expect(terminals(it, run_id)).toEqual([])
    expect(sessionOf(it, run_id).status).toBe('awaiting_input')
  })

  it('is dismissed so too while its program is still being ended', async () => {
    const it = await askPlace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    await it.runtime.program(0)
    const { body } = await it.ask({ runId: run_id })
    const { inbox_item_id: item } = body as { inbox_item_id: string }
    expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'resolved' })).status).toBe(200)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
  })

  it('is decided once, however many decide', async () => {
    const it = await askPlace()
    const { run_id, item } = await asked(it, { who: it.person('VIEWER') })
    const deciders = ['OWNER', 'ADMIN', 'MANAGER', 'OWNER', 'ADMIN', 'MANAGER'] as const
    const replies = await Promise.all(
      deciders.map((who, n) =>
        it.call(
          who,
          'POST',
          `/inbox/${item}/act`,
          n % 2 ? { action: 'answer', input: `Answer ${n}` } : { action: 'dismiss' },
        ),
      ),
    )
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies.filter((_, n) => n !== winner)) {
      expect(status).toBe(409)
      expect(body).toMatchObject({
        code: 'already_acted',
        resolved_action: replies[winner]!.body.action,
        resolved_by_user_id: it.person(deciders[winner]!).userId,
      })
    }
    expect(typesOf(it, run_id).filter((type) => type === 'run.resumed' || type === 'run.cancelled')).toHaveLength(1)
    expect(it.app.db.prepare('SELECT count(*) AS count FROM answer_deliveries').get()).toEqual({
      count: replies[winner]!.body.action === 'answer' ? 1 : 0,
    })
  })

  it('delivers an answer once, however many answer', async () => {
    const it = await askPlace()
    const { chat, run_id, item } = await asked(it)
    const replies = await Promise.all(
      [1, 2, 3, 4].map((n) => act(it, item, { action: 'answer', input: `Answer ${n}` })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    await it.runtime.program(1)
    expect((await messagesOf(it, chat)).filter(({ role }: { role: string }) => role === 'user')).toHaveLength(2)
    expect(phaseOf(it, run_id)).toMatchObject({ attempt: 1 })
  })

  it.each([
    ['an answer without a text', { action: 'answer' }, 400, 'missing_field'],
    ['an answer of blanks', { action: 'answer', input: '   ' }, 400, 'missing_field'],
    ['an answer of 8001 characters', { action: 'answer', input: 'x'.repeat(8001) }, 400, 'invalid_field'],
    ['a number', { action: 'answer', input: 7 }, 400, 'invalid_field'],
    ['an unknown action', { action: 'approve' }, 400, 'invalid_field'],
    ['nothing', {}, 400, 'missing_field'],
    ['more than 64 KiB', { action: 'answer', input: 'x'.repeat(70_000) }, 400, 'body_over_limit'],
  ])('is refused for %s', async (_, body, status, code) => {
    const it = await askPlace()
    const { item, run_id } = await asked(it)
    expect((await act(it, item, body)).body).toMatchObject({ status, code })
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parked' })
  })

  it('takes 8000 characters, however many bytes they have', async () => {
    const it = await askPlace()
    const { item } = await asked(it)
    expect((await act(it, item, { action: 'answer', input: '💡'.repeat(8000) })).status).toBe(200)
  })

  it('is invisible to others: members, strangers, viewers may not', async () => {
    const it = await askPlace()
    const { item } = await asked(it)
    for (const who of ['MEMBER', 'MANAGER'] as const)
      expect((await act(it, item, { action: 'dismiss' }, who)).body).toMatchObject({ status: 404 })
    expect((await act(it, item, { action: 'dismiss' }, it.stranger())).status).toBe(404)
    expect((await act(it, item, { action: 'dismiss' }, 'VIEWER')).status).toBe(403)
    expect((await act(it, 'ibx_run_needs_human_none', { action: 'dismiss' })).status).toBe(404)
  })

  it('says what kind an item of another kind is', async () => {
    const it = await askPlace()
    const id = it.app.writeNow(() =>
      raise(it.app, {
        workspace: it.workspace,
        kind: 'message',
        source: 'x',
        target: 'workspace',
        title: 'T',
        now: it.app.now(),
      }),
    )
    expect((await act(it, id, { action: 'dismiss' })).body).toMatchObject({
      status: 409,
      code: 'not_actionable',
      kind: 'message',
    })
  })

  it.each(['answer', 'take_over', 'dismiss'])(
    'stays settled after %s, whoever marks its card unread',
    async (action) => {
      const it = await askPlace()
      const { item } = await asked(it)
      expect((await act(it, item, { action, ...(action === 'answer' && { input: 'That' }) })).status).toBe(200)
      expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'unread' })).body).toMatchObject({
        status: 409,
        code: 'source_managed',
        kind: 'run_needs_human',
        error: `This question is settled (${action}) and stays so`,
      })
      expect((await it.call('OWNER', 'POST', '/inbox/bulk', { ids: [item], state: 'unread' })).body).toMatchObject({
        updated: 0,
        skipped_ids: [item],
      })
      expect(await itemOf(it, item)).toMatchObject({ state: 'resolved', resolved_action: action })
      expect((await it.call('OWNER', 'GET', '/inbox')).body).toMatchObject({ decision_count: 0, unread_count: 0 })
      expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state: 'read' })).status).toBe(200)
    },
  )

  it('may be marked unread while it is open', async () => {
    const it = await askPlace()
    const { item } = await asked(it)
    for (const state of ['read', 'unread'])
      expect((await it.call('OWNER', 'PATCH', `/inbox/${item}`, { state })).body).toEqual({ id: item, state })
    expect((await act(it, item, { action: 'dismiss' })).status).toBe(200)
  })

  it('says that the run is gone when nothing waits behind the card', async () => {
    const it = await askPlace()
    const id = it.app.writeNow(() =>
      raise(it.app, {
        workspace: it.workspace,
        kind: 'run_needs_human',
        source: 'gone',
        target: 'workspace',
        title: 'T',
        now: it.app.now(),
      }),
    )
    expect((await act(it, id, { action: 'answer', input: 'That' })).body).toMatchObject({
      status: 409,
      code: 'run_gone',
      source_id: 'gone',
    })
  })

  it('keeps an answer that cannot be delivered, and stays open', async () => {
    const it = await askPlace()
    const { chat, run_id, item } = await asked(it)
    it.app.runs = noRuns
    const { body } = await act(it, item, { action: 'answer', input: 'That' })
    expect(body).toMatchObject({
      status: 409,
      code: 'answer_undeliverable',
      dispatch_state: 'undeliverable',
      detail: 'This server runs no agents',
    })
    expect((await messagesOf(it, chat)).at(-1)).toMatchObject({ id: body.comment_id, content: 'That' })
    expect(await itemOf(it, item)).toMatchObject({ state: 'unread' })
    it.app.runs = it.runs
    expect((await act(it, item, { action: 'answer', input: 'That, again' })).status).toBe(200)
    expect((await it.runtime.program(1)).spec.runId).toBe(`${run_id}-1`)
  })
})

describe('who was asked', () => {
  it.each([
    [
      'has left',
      (it: AskPlace, id: string) => it.call('MEMBER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`),
    ],
    [
      'may only look on now',
      (it: AskPlace, id: string) =>
        it.call('OWNER', 'PATCH', `/workspaces/${it.workspace}/members/${id}`, { role: 'VIEWER' }),
    ],
  ])('and %s leaves the question to those who lead', async (_, change) => {
    const it = await askPlace()
    const member = it.person('MEMBER')
    const { item, next } = await asked(it, { who: member })
    expect((await it.call('MANAGER', 'GET', `/inbox/${item}`)).status).toBe(404)
    const list = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as {
      id: string
      user_id: string
    }[]
    const { status, text } = await change(it, list.find(({ user_id }) => user_id === member.userId)!.id)
    expect(status, text).toBe(200)
    expect((await it.call('MANAGER', 'GET', `/inbox/${item}`)).body).toMatchObject({
      target_role: 'MANAGER',
      payload: { who_can_act: ['role:MANAGER'] },
    })
    expect((await it.call('MANAGER', 'GET', '/inbox')).body).toMatchObject({ decision_count: 1, unread_count: 1 })
    expect((await act(it, item, { action: 'answer', input: 'That' }, 'MANAGER')).status).toBe(200)
    await next()
  })
})

describe('an agent that has moved', () => {
  it('gets no answer to what it asked in its old crew; the run can be dismissed', async () => {
    const it = await askPlace()
    const { run_id, item } = await asked(it)
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Frontend', slug: 'frontend' })).body.id
    expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: other })).status).toBe(200)
    expect((await act(it, item, { action: 'answer', input: 'That' })).body).toMatchObject({
      code: 'answer_undeliverable',
      detail: 'The agent has left the crew in which it asked',
    })
    expect((await act(it, item, { action: 'dismiss' })).status).toBe(200)
    expect(terminals(it, run_id)).toEqual(['run.cancelled'])
  })
})

describe('a parked run', () => {
  it('is not ended by its program, which may finish just as it asks', async () => {
    const it = await askPlace()
    it.runtime.obedient = false
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    const program = await it.runtime.program(0)
    it.runtime.print(program, init, says('I look.'))
    const { body } = await it.ask({ runId: run_id })
    it.runtime.print(program, result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(terminals(it, run_id)).toEqual([])
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parked' })
    expect(await itemOf(it, (body as { inbox_item_id: string }).inbox_item_id)).toMatchObject({
      state: 'unread',
      kind: 'run_needs_human',
    })
  })

  it('cannot be ended by what its program came to, before and after that is gone', async () => {
    const it = await askPlace()
    it.runtime.obedient = false
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program(0)
    await it.ask({ runId: run_id })
    const ending = {
      outcome: 'COMPLETED',
      agentStatus: 'IDLE',
      exitCode: 0,
      reason: null,
      metadata: {},
      message: null,
      command: null,
      lastFrame: 0,
    } as const
    const end = () => it.app.writeNow(() => endRun(it.app, run_id, ending))
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parking' })
    expect(end()).toBe(false)
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parked' })
    expect(end()).toBe(false)
    expect(terminals(it, run_id)).toEqual([])
  })

  it('cannot be made of one whose end is wished for', async () => {
    const it = await askPlace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    await it.runtime.program(0)
    it.app.writeNow(() => wishCancel(it.app, run_id, null))
    expect(it.app.writeNow(() => parkRun(it.app, run_id))).toBe(false)
  })

  it.each([
    ['cancelling its chat', 'POST', (_: AskPlace, chat: string) => `/chats/${chat}/cancel`],
    ['stopping the agent', 'POST', (it: AskPlace) => `/agents/${it.agentId}/stop`],
    ['deleting the agent', 'DELETE', (it: AskPlace) => `/agents/${it.agentId}`],
    ['stopping the crew', 'POST', (it: AskPlace) => `/crews/${it.crewId}/container-stop`],
    ['deleting the crew', 'DELETE', (it: AskPlace) => `/crews/${it.crewId}`],
  ] as const)('is cancelled once, its card settled, by %s', async (_, method, path) => {
    const it = await askPlace()
    const stop = async () => ({ state: 'stopped', notices: [], containerId: null })
    Object.assign(it.app.runtime, { stop })
    const { chat, run_id, item } = await asked(it)
    const { status, text } = await it.call('OWNER', method, path(it, chat))
    expect(status, text).toBeLessThan(300)
    await expect.poll(() => terminals(it, run_id)).toEqual(['run.cancelled'])
    expect(await itemOf(it, item)).toMatchObject({ state: 'resolved', resolved_action: 'cancelled' })
    expect(sessionOf(it, run_id).status).toBe('idle')
    expect(it.runtime.discarded).toEqual([run_id])
    expect((await act(it, item, { action: 'answer', input: 'Late' })).body).toMatchObject({
      code: 'already_acted',
      resolved_action: 'cancelled',
    })
  })

  it('does not hold up its crew', async () => {
    const it = await askPlace()
    await asked(it)
    expect(workingOfCrew(it.app, it.crewId)).toEqual([])
    expect(runsOfCrew(it.app, it.crewId)).toHaveLength(1)
  })

  it('is not lost when the daemon is restarted, and can be answered afterwards', async () => {
    const it = await askPlace()
    const { run_id, item, chat } = await asked(it)
    await it.runs.close()
    const runs = attachRuns(it, it.runtime)
    await runs.recover()
    await it.app.idle()
    expect(terminals(it, run_id)).toEqual([])
    await act(it, item, { action: 'answer', input: 'That' })
    const second = await it.runtime.program(1)
    it.runtime.print(second, init, says('Good.'), result())
    it.runtime.finish(second)
    await runs.ended(run_id)
    expect(terminals(it, run_id)).toEqual(['run.completed'])
    expect((await messagesOf(it, chat)).map(({ content }: { content: string }) => content)).toEqual([
      'Work',
      'I look.\n\nWhich one?',
      'That',
      'Good.',
    ])
  })

  it('whose program was still being ended at a restart is parked by the next daemon', async () => {
    const it = await askPlace()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Work')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    it.runtime.obedient = false
    const { body } = await it.ask({ runId: run_id })
    await it.runs.close()
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parking' })
    it.runtime.obedient = true
    const runs = attachRuns(it, it.runtime)
    await runs.recover()
    await runs.ended(run_id)
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'parked' })
    expect((await messagesOf(it, chat)).at(-1)).toMatchObject({ content: 'I look.\n\nWhich one?' })
    expect(
      (await act(it, (body as { inbox_item_id: string }).inbox_item_id, { action: 'answer', input: 'That' })).status,
    ).toBe(200)
    await it.runtime.program(1)
  })

  it('that was answered before a restart goes on after it', async () => {
    const it = await askPlace({ config: { maxConcurrentRuns: 1 } })
    const { run_id, item } = await asked(it)
    await it.send(await it.openChat(), 'Meanwhile')
    await it.runtime.program(1)
    await act(it, item, { action: 'answer', input: 'That' })
    await it.runs.close()
    expect(phaseOf(it, run_id)).toMatchObject({ phase: 'queued', attempt: 1 })
    const runs = attachRuns(it, it.runtime)
    await runs.recover()
    it.runtime.finish(await it.runtime.program(1))
    expect((await it.runtime.program(2)).spec.runId).toBe(`${run_id}-1`)
  })

  it('is started as it was told to when a daemon died over its start', async () => {
    const it = await askPlace()
    const brief = (run: Run) => briefRun({ app: it.app, runtime: it.runtime, adapterOf }, run)
    const flagOf = (run: Run) => brief(run).spec.argv.find((argument) => /^--(session-id|resume)=/.test(argument))
    const { run_id, item, next, program } = await asked(it)
    const first = program.spec.argv.find((argument) => argument.startsWith('--session-id='))!
    expect(flagOf({ ...findRun(it.app, run_id)!, phase: 'launching' })).toBe(first)
    await act(it, item, { action: 'answer', input: 'That' })
    await next()
    expect(flagOf({ ...findRun(it.app, run_id)!, phase: 'launching' })).toBe(first.replace('session-id', 'resume'))
  })

  it('fails when it cannot be started again', async () => {
    const it = await askPlace({ quiet: true })
    const { run_id, item } = await asked(it)
    it.runtime.refuseStart = problem('runtime_failed', { detail: 'no room' })
    await act(it, item, { action: 'answer', input: 'That' })
    await expect.poll(() => terminals(it, run_id)).toEqual(['run.failed'])
    expect(sessionOf(it, run_id).status).toBe('idle')
  })
})
