import { describe, expect, it } from 'vitest'
import { addPerson, type Person } from '#test'
import { type AskPlace, act, askPlace } from '../../../support/asks.ts'
import { calls, gets, init, result, says } from '../../../support/claude-lines.ts'
import { attachRuns } from '../../../support/runs.ts'

interface Place extends AskPlace {
  room: string
  grace: Person
}

/** A channel of the owner and a colleague with the agent ada. */
async function channel(): Promise<Place> {
  const it = await askPlace()
  const grace = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  it.app.db.prepare("UPDATE users SET full_name = 'Grace Hopper' WHERE id = ?").run(grace.userId)
  const body = { kind: 'channel', title: 'Build', agent_id: it.agentId, member_ids: [grace.userId], client_id: 'c' }
  const { status, body: room } = await it.call('OWNER', 'POST', '/conversations', body)
  expect(status).toBe(201)
  return { ...it, room: room.id, grace }
}

let sent = 0
const say = (it: Place, content: string, who: Person | 'OWNER' = 'OWNER') =>
  it.call(who, 'POST', `/conversations/${it.room}/messages`, { content, client_id: `message ${++sent}` })

interface Told {
  author_type: string
  kind: string
  content: string
}
const told = async (it: Place): Promise<string[]> => {
  const { messages } = (await it.call('OWNER', 'GET', `/conversations/${it.room}/messages`)).body
  return messages.slice(1).map(({ author_type, kind, content }: Told) => `${author_type} ${kind}: ${content}`)
}
const runOf = async (it: Place): Promise<string | null> =>
  (await it.call('OWNER', 'GET', `/conversations/${it.room}`)).body.run_id

/** The n-th program says this and ends. */
async function answer(it: Place, n: number, text: string) {
  const run = (await runOf(it))!
  const program = await it.runtime.program(n)
  it.runtime.print(program, init, says(text), result())
  it.runtime.finish(program)
  await it.runs.ended(run)
  return program
}

const runsBegun = (it: Place) => it.entries().filter(({ entry_type }) => entry_type === 'run.started').length

describe('the agent of a channel', () => {
  it('answers in the room when it is mentioned, and is told what was said', async () => {
    const it = await channel()
    await say(it, 'The build is red', it.grace)
    expect(runsBegun(it)).toBe(0)
    const heard: { type: string; payload: Record<string, unknown> }[] = []
    it.app.bus.on('broadcast', ({ channel, type, payload }) => {
      if (channel === `room:${it.room}`) heard.push({ type, payload: payload as Record<string, unknown> })
    })
    const { body } = await say(it, 'Why, @Ada?', it.grace)
    expect(body).toMatchObject({ seq: 3, kind: 'message' })
    const run = await runOf(it)
    const { spec } = await answer(it, 0, 'A test fails.')
    expect(spec.stdin).toContain('Grace Hopper: The build is red')
    expect(spec.stdin).toContain(
      'Grace Hopper mentions you in the channel "Build" and reads your answer there:\n\nWhy, @Ada?',
    )
    expect(await told(it)).toEqual([
      'user message: The build is red',
      'user message: Why, @Ada?',
      'agent message: A test fails.',
    ])
    expect(heard.map(({ type, payload }) => [type, payload['seq'] ?? payload['run_id']])).toEqual([
      ['room.message', 3],
      ['room.updated', run],
      ['room.message', 4],
      ['room.updated', null],
    ])
    expect((await it.call('OWNER', 'GET', `/conversations/${it.room}`)).body).toMatchObject({ unread_count: 3 })
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body).toMatchObject({
      status: 'COMPLETED',
      trigger_type: 'USER',
      chat_id: null,
    })
  })

  it.each([
    'nobody at all',
    'mail ada@example.com',
    '@adam knows',
    'run `@ada` in the shell',
    '```\n@ada\n```',
    '@bob is of another room',
  ])('is silent at %j', async (content) => {
    const it = await channel()
    await it.mate('bob')
    await say(it, content)
    expect([runsBegun(it), await runOf(it)]).toEqual([0, null])
  })

  it('is named by the link of a client, too', async () => {
    const it = await channel()
    await say(it, `Ask [@ada](muster:agent/${it.agentId})`)
    expect(runsBegun(it)).toBe(1)
  })

  it('works on one message at a time, and on the others in their order', async () => {
    const it = await channel()
    await Promise.all(['one', 'two', 'three'].map((word) => say(it, `@ada ${word}`)))
    expect(runsBegun(it)).toBe(1)
    for (const [n, word] of ['one', 'two', 'three'].entries()) {
      const { spec } = await answer(it, n, `answer ${word}`)
      expect(spec.stdin).toContain(`there:\n\n@ada ${word}`)
    }
    expect([runsBegun(it), await runOf(it)]).toEqual([3, null])
    expect((await told(it)).slice(3)).toEqual(['one', 'two', 'three'].map((word) => `agent message: answer ${word}`))
  })

  it('is told its own answers as its own', async () => {
    const it = await channel()
    await say(it, '@ada one')
    await answer(it, 0, 'First.')
    await say(it, '@ada two')
    const { spec } = await answer(it, 1, 'Second.')
    expect(spec.stdin).toContain('First.')
    expect(spec.stdin).not.toContain('Agent ada: First.')
  })

  it('answers once however often the message is sent, and the mention by itself begins nothing', async () => {
    const it = await channel()
    const body = { content: '@ada hello', client_id: 'once' }
    const path = `/conversations/${it.room}/messages`
    await Promise.all([1, 2, 3].map(() => it.call('OWNER', 'POST', path, body)))
    await answer(it, 0, 'I am @ada, and @ada I stay.')
    expect([runsBegun(it), await runOf(it)]).toEqual([1, null])
  })

  it('takes no more than 100 messages that wait', async () => {
    const it = await channel()
    for (let n = 0; n < 102; n++) await say(it, `@ada ${n}`)
    expect((await told(it)).at(-1)).toBe(
      'system notice: Agent ada does not answer this: 100 messages wait for it already',
    )
  })

  it('says what became of runs that failed, took too long or were cancelled, and goes on with the next', async () => {
    const it = await channel()
    await say(it, '@ada one')
    await say(it, '@ada two')
    await say(it, '@ada three')
    const run = (await runOf(it))!
    const first = await it.runtime.program(0)
    it.runtime.finish(first, { kind: 'exit', code: 3, timedOut: false }, 'broken')
    await it.runs.ended(run)
    const second = (await runOf(it))!
    const program = await it.runtime.program(1)
    it.runtime.print(program, init, says('Half an'))
    expect((await it.call('OWNER', 'POST', `/runs/${second}/cancel`)).status).toBe(202)
    await it.runs.ended(second)
    const third = (await runOf(it))!
    it.runtime.finish(await it.runtime.program(2), { kind: 'exit', code: 124, timedOut: true })
    await it.runs.ended(third)
    expect((await told(it)).slice(3)).toEqual([
      expect.stringMatching(/^system notice: Agent ada's run failed: .*broken/),
      'agent message: Half an',
      "system notice: Agent ada's run was cancelled by The OWNER",
      expect.stringMatching(/^system notice: Agent ada's run took too long/),
    ])
    expect(await runOf(it)).toBeNull()
  })

  it('says no more than a message holds; the log has all of it', async () => {
    const it = await channel()
    await say(it, '@ada go on')
    const run = (await runOf(it))!
    await answer(it, 0, `${'😀'.repeat(33_000)}end`)
    const { messages } = (await it.call('OWNER', 'GET', `/conversations/${it.room}/messages`)).body
    const { content } = messages.at(-1)
    expect([...content]).toHaveLength(32_000)
    expect(content).toMatch(/😀\n\n\(cut here; the log of the run has all of it\)$/u)
    expect((await it.call('OWNER', 'GET', `/runs/${run}/logs`)).text).toContain('😀end')
  })

  it('says so when it did much and said nothing', async () => {
    const it = await channel()
    await say(it, '@ada look')
    const run = (await runOf(it))!
    const program = await it.runtime.program(0)
    it.runtime.print(program, init, calls('t1', 'Bash'), gets('t1', 'ok'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect((await told(it)).at(-1)).toBe('agent notice: Agent ada said nothing')
  })

  it('goes on after a restart, also with what waited', async () => {
    const it = await channel()
    await say(it, '@ada one')
    await say(it, '@ada two')
    const run = (await runOf(it))!
    const program = await it.runtime.program(0)
    await it.runs.close()
    const runs = attachRuns(it, it.runtime)
    await runs.recover()
    it.runtime.print(program, init, says('One.'), result())
    it.runtime.finish(program)
    await runs.ended(run)
    const next = (await runOf(it))!
    const second = await it.runtime.program(1)
    it.runtime.print(second, init, says('Two.'), result())
    it.runtime.finish(second)
    await runs.ended(next)
    expect((await told(it)).slice(2)).toEqual(['agent message: One.', 'agent message: Two.'])
  })

  it('that cannot work says why, once, and what waits is dropped', async () => {
    const it = await channel()
    await say(it, '@ada one')
    await say(it, '@ada two')
    await say(it, '@ada three')
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: null })
    await answer(it, 0, 'One.')
    expect((await told(it)).slice(4)).toEqual([
      expect.stringMatching(/^system notice: Nobody answers: The agent belongs to no crew/),
    ])
    expect([runsBegun(it), await runOf(it)]).toEqual([1, null])
  })

  it('that is deleted leaves a notice; its run is cancelled, and nobody answers any more', async () => {
    const it = await channel()
    await say(it, '@ada one')
    await say(it, '@ada two')
    const run = (await runOf(it))!
    await it.runtime.program(0)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await it.runs.ended(run)
    await say(it, '@ada three')
    expect((await told(it)).slice(2)).toEqual([
      'system notice: The agent was deleted: nobody answers here any more',
      "system notice: Agent ada's run was cancelled by The OWNER",
      'user message: @ada three',
    ])
    expect((await it.call('OWNER', 'GET', `/conversations/${it.room}`)).body).toMatchObject({
      agent_id: it.agentId,
      agent: null,
      run_id: null,
    })
    expect(runsBegun(it)).toBe(1)
  })
})

describe('what an agent says in a room', () => {
  it('is for its members: the journal does not cite it, and the log is absent for others', async () => {
    const it = await channel()
    await say(it, '@ada tell me the plan')
    const run = (await runOf(it))!
    await answer(it, 0, 'Nobody may know.')
    const entries = JSON.stringify(it.entries())
    expect(entries).not.toMatch(/Nobody may know|tell me the plan/)
    const log = (who: Person | 'OWNER' | 'ADMIN') => it.call(who, 'GET', `/runs/${run}/logs`)
    expect((await log('OWNER')).text).toMatch(/tell me the plan[\s\S]*Nobody may know/)
    expect((await log(it.grace)).status).toBe(200)
    expect(await log('ADMIN')).toMatchObject({ status: 404 })
  })
})

describe('an agent that asks a person in a room', () => {
  const ask = async (it: Place) => {
    await say(it, '@ada build it', it.grace)
    const run = (await runOf(it))!
    const program = await it.runtime.program(0)
    it.runtime.print(program, init, says('I look.'))
    const { body } = await it.ask({ runId: run, body: { question: 'Postgres or SQLite?' } })
    await it.runs.ended(run)
    return { run, item: (body as { inbox_item_id: string }).inbox_item_id }
  }

  it('waits, says so, and goes on with the answer, which is said in the room', async () => {
    const it = await channel()
    const { run, item } = await ask(it)
    await say(it, '@ada another thing')
    expect(await runOf(it)).toBe(run)
    const card = (await it.call(it.grace, 'GET', `/inbox/${item}`)).body
    expect(card).toMatchObject({ title: 'Agent ada asks: Postgres or SQLite?' })
    expect((await act(it, item, { action: 'answer', input: 'SQLite' }, it.grace)).status).toBe(200)
    const program = await it.runtime.program(1)
    expect(program.spec.stdin).toMatch(/You asked:\nPostgres or SQLite\?\n\nGrace Hopper answers:\nSQLite\n/)
    it.runtime.print(program, init, says('Done.'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect((await told(it)).slice(1)).toEqual([
      'agent message: I look.\n\nPostgres or SQLite?',
      'system notice: Agent ada waits for an answer to its question in the inbox',
      'user message: @ada another thing',
      'user message: SQLite',
      'agent message: Done.',
    ])
    const next = (await runOf(it))!
    expect(next).not.toBe(run)
    expect((await it.runtime.program(2)).spec.stdin).toContain('there:\n\n@ada another thing')
  })

  it('may ask again in the same run, and in two rooms at once', async () => {
    const it = await channel()
    const { run, item } = await ask(it)
    const body = { kind: 'channel', title: 'Other', agent_id: it.agentId, client_id: 'other' }
    const other = { ...it, room: (await it.call(it.grace, 'POST', '/conversations', body)).body.id }
    await it.call(it.grace, 'POST', `/conversations/${other.room}/messages`, {
      content: '@ada you too',
      client_id: 'o',
    })
    const second = (await it.call(it.grace, 'GET', `/conversations/${other.room}`)).body.run_id
    it.runtime.print(await it.runtime.program(1), init, says('I look, too.'))
    const asked = await it.ask({ runId: second, body: { question: 'Which port?' } })
    await it.runs.ended(second)
    expect((await act(it, item, { action: 'answer', input: 'SQLite' }, it.grace)).status).toBe(200)
    it.runtime.print(await it.runtime.program(2), init, says('And now?'))
    const again = (await it.ask({ runId: run, body: { question: 'Which version?' } })).body as { inbox_item_id: string }
    await it.runs.ended(run)
    expect((await act(it, again.inbox_item_id, { action: 'answer', input: 'The last' }, it.grace)).status).toBe(200)
    expect((await it.runtime.program(3)).spec.stdin).toMatch(/You asked:\nWhich version\?[\s\S]*The last/)
    const { inbox_item_id } = asked.body as { inbox_item_id: string }
    expect((await act(it, inbox_item_id, { action: 'answer', input: '8080' }, it.grace)).status).toBe(200)
    expect((await it.runtime.program(4)).spec.stdin).toMatch(/You asked:\nWhich port\?[\s\S]*8080/)
  })

  it('may be dismissed: the run is cancelled, and the next message is answered', async () => {
    const it = await channel()
    const { run, item } = await ask(it)
    await say(it, '@ada another thing')
    expect((await act(it, item, { action: 'dismiss' }, it.grace)).status).toBe(200)
    expect((await told(it)).at(-1)).toBe("system notice: Agent ada's run was cancelled by Grace Hopper")
    expect(await runOf(it)).not.toBe(run)
  })
})
