import { describe, expect, it } from 'vitest'
import { agentAtWork } from '../../../support/agent-at-work.ts'

async function place() {
  const it = await agentAtWork()
  const ops = (await it.call('OWNER', 'POST', '/crews', { name: 'Operations', slug: 'ops' })).body.id as string
  const connect = (body: object = {}) =>
    it.call('MANAGER', 'POST', '/crew-connections', { from_crew_id: it.crewId, to_crew_id: ops, ...body })
  const send = (body: object = {}) =>
    it.ask('/crew-messages', { to_crew: 'ops', body: 'The build is red', ...body }, { runId: it.runId })
  const list = async (query = '') => (await it.call('VIEWER', 'GET', `/crew-messages${query}`)).body
  return { ...it, ops, connect, send, list }
}

describe('a message to another crew', () => {
  it('is stored, journaled, told and listed', async () => {
    const it = await place()
    await it.connect()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', (message) => heard.push(message))
    const sent = await it.send({ body: ' The build is red\nSince noon ' })
    const message = {
      id: expect.any(String),
      from_crew_id: it.crewId,
      from_crew_slug: 'backend',
      to_crew_id: it.ops,
      to_crew_slug: 'ops',
      from_agent_slug: 'ada',
      from_agent_name: 'Agent ada',
      run_id: it.runId,
      body: 'The build is red\nSince noon',
      created_at: '2026-01-01T00:00:00Z',
    }
    expect([sent.status, sent.body]).toEqual([201, message])
    const { id } = sent.body as { id: string }
    const ends = { from_crew_id: it.crewId, from_crew_slug: 'backend', to_crew_id: it.ops, to_crew_slug: 'ops' }
    expect(heard).toEqual([
      { channel: `workspace:${it.workspace}`, type: 'crew_message.created', payload: { id, ...ends } },
    ])
    const { entry_type, summary, agent_id, crew_id, trace_id, payload } = it.entries().at(-1)!
    expect([entry_type, summary, agent_id, crew_id, trace_id]).toEqual([
      'message.broadcast',
      'Agent ada told crew ops: "The build is red…"',
      it.agentId,
      it.crewId,
      it.runId,
    ])
    expect(payload).toEqual({ message_id: id, ...ends, body: message.body })
    expect(await it.list()).toEqual([message])
    expect(await it.list(`?crew_id=${it.ops}`)).toEqual([message])
  })

  it('is read by the agents of both crews, newest first', async () => {
    const it = await place()
    await it.connect()
    for (const body of ['one', 'two', 'three']) await it.send({ body })
    const read = async (body: object) =>
      ((await it.ask('/crew-messages/list', body)).body as { messages: { body: string }[] }).messages.map(
        (message) => message.body,
      )
    expect([await read({}), await read({ limit: 2 })]).toEqual([
      ['three', 'two', 'one'],
      ['three', 'two'],
    ])
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.ops) }
    const cy = (await it.call('OWNER', 'POST', '/agents', { name: 'Cy', slug: 'cy', crew_id: it.ops })).body.id
    const there = { workspace_id: it.workspace, crew_id: it.ops, agent_id: cy }
    const answer = await it.call(null, 'POST', '/internal/crew-messages/list', there, token)
    expect(answer.body.messages).toHaveLength(3)
    const third = (await it.call('OWNER', 'POST', '/crews', { name: 'Lab', slug: 'lab' })).body.id
    expect(await it.list(`?crew_id=${third}`)).toEqual([])
  })

  it('needs a connection that goes that way and is approved', async () => {
    const it = await place()
    expect(await it.send()).toMatchObject({ status: 403, body: { code: 'crews_not_connected', field: 'to_crew' } })
    await it.connect({ from_crew_id: it.ops, to_crew_id: it.crewId, direction: 'unidirectional' })
    expect((await it.send()).status).toBe(403)
    await it.connect({ direction: 'unidirectional' })
    expect((await it.send()).status).toBe(201)
    it.app.db.prepare("UPDATE crew_connections SET status = 'PENDING_REVIEW'").run()
    expect((await it.send()).status).toBe(403)
  })

  it.each([
    ['to no crew', { to_crew: 'nowhere' }, 404],
    ['to its own crew', { to_crew: 'backend' }, 400],
    ['without words', { body: ' \n' }, 400],
    ['that nobody sees', { body: '\u200b' }, 400],
    ['that is too long', { body: 'x'.repeat(16_001) }, 400],
  ])('%s is refused', async (_, body, status) => {
    const it = await place()
    await it.connect()
    const before = it.entries().length
    expect((await it.send(body)).status).toBe(status)
    expect([await it.list(), it.entries().length]).toEqual([[], before])
  })

  it('of 16,000 characters is taken, and cut in the journal', async () => {
    const it = await place()
    await it.connect()
    expect((await it.send({ body: 'x'.repeat(16_000) })).status).toBe(201)
    expect(String(it.entries().at(-1)!.payload?.['body'])).toHaveLength(8000)
  })

  it('is kept as one of the newest thousand to a crew', async () => {
    const it = await place()
    await it.connect()
    it.app.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO crew_messages (id, workspace_id, from_crew_id, to_crew_id, from_agent_id, body, created_at)
         SELECT 'm' || i, ?, ?, ?, ?, 'x', 'x' FROM n`,
      )
      .run(it.workspace, it.crewId, it.ops, it.agentId)
    await it.send({ body: 'newest' })
    const ids = it.app.db.prepare<[], string>('SELECT id FROM crew_messages ORDER BY rowid').pluck().all()
    expect([ids.length, ids[0]]).toEqual([1000, 'm2'])
  })
})

it('the list is of the workspace alone', async () => {
  const it = await place()
  await it.connect()
  await it.send()
  const other = it.stranger()
  expect((await it.call(other, 'GET', '/crew-messages')).body).toEqual([])
  expect(await it.call(other, 'GET', `/crew-messages?crew_id=${it.ops}`)).toMatchObject({ status: 404 })
})

it('a token of the workspace opens no crew of another one', async () => {
  const it = await place()
  await it.connect()
  await it.send()
  const other = it.stranger()
  const token = { 'x-internal-token': it.app.internalTokens.ofWorkspace(other.workspace) }
  const who = { workspace_id: other.workspace, crew_id: it.crewId, agent_id: it.agentId, run_id: it.runId }
  const calls = [
    ['/internal/crew-messages/list', {}],
    ['/internal/crew-messages', { to_crew: 'ops', body: 'x' }],
    ['/internal/crew-connections/list', {}],
    ['/internal/crew-connections', { to_crew: 'ops' }],
    ['/internal/queries', { target: 'ada', question: 'x' }],
    ['/internal/standup', {}],
  ] as const
  for (const [path, body] of calls) {
    const { status, body: answer } = await it.call(null, 'POST', path, { ...who, ...body }, token)
    expect([path, status, answer.code]).toEqual([path, 404, 'not_found'])
  }
})
