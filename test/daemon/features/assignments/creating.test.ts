import { expect, it } from 'vitest'
import { desiredCrew } from '../../../../daemon/features/crews/containers/service.ts'
import { sidecarConfig } from '../../../../daemon/runtime/sidecar-config.ts'
import { type Delegating, delegating } from '../../../support/delegating.ts'

const types = (it: Delegating) =>
  it
    .entries()
    .filter(({ entry_type }) => /^assignment\./.test(entry_type))
    .map(({ entry_type, summary }) => [entry_type, summary])

it('gives work to a mate, whose run begins at once', async () => {
  const it = await delegating()
  const { status, body } = await it.assign('bob')
  expect([status, body]).toEqual([201, { assignment_id: expect.any(String), status: 'RUNNING' }])
  const { assignment_id: id } = body as { assignment_id: string }
  const shown = await it.shown(id)
  expect(shown).toMatchObject({
    status: 'RUNNING',
    state: 'RUNNING',
    crew_id: it.crewId,
    chat_id: it.chat,
    assigned_by_slug: 'ada',
    assigned_to_slug: 'bob',
    task: 'Count the files',
    depth: 1,
    parent_assignment_id: null,
    parent_run_id: it.runId,
    chain_origin: it.runId,
    result_summary: null,
    finished_at: null,
  })
  const run = (await it.call('OWNER', 'GET', `/runs/${shown.run_id}`)).body
  expect(run).toMatchObject({ trigger_type: 'ASSIGNMENT', agent_slug: 'bob', status: 'RUNNING', chat_id: null })
  const { spec } = await it.started(shown.run_id)
  expect(spec.argv.join('\n') + String(spec.stdin)).toContain('Count the files')
  expect(types(it)).toEqual([
    ['assignment.created', 'Agent ada gave work to Agent bob: "Count the files"'],
    ['assignment.running', 'Agent bob works on what Agent ada gave it: "Count the files"'],
  ])
})

it('tells the chat and the workspace', async () => {
  const it = await delegating()
  const heard: [string, string, unknown][] = []
  it.app.bus.on('broadcast', ({ channel, type, payload }) => {
    if (type.startsWith('assignment')) heard.push([channel.split(':')[0]!, type, payload])
  })
  const { body } = await it.assign('bob')
  const { assignment_id: id } = body as { assignment_id: string }
  const { run_id } = await it.shown(id)
  await it.says(run_id, '42 files')
  const said = { id, target: 'bob', task: 'Count the files', from: 'ada', depth: 1 }
  expect(heard.filter(([channel]) => channel === 'session')).toEqual([
    ['session', 'assignment_created', { ...said, status: 'PENDING' }],
    ['session', 'assignment_running', { ...said, status: 'RUNNING', run_id }],
    ['session', 'assignment_completed', { ...said, status: 'COMPLETED', run_id, result: '42 files' }],
  ])
  expect(new Set(heard.filter(([channel]) => channel === 'workspace').map(([, type]) => type))).toEqual(
    new Set(['assignment.updated', 'assignment_created', 'assignment_running', 'assignment_completed']),
  )
})

it('is the same assignment when the same call comes again', async () => {
  const it = await delegating()
  const body = { target: 'bob', task: 'x' }
  const call = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, run_id: it.runId, call_id: 'c1' }
  const token = { 'x-internal-token': it.app.internalTokens.ofWorkspace(it.workspace) }
  const once = await it.call(null, 'POST', '/internal/assignments', { ...call, ...body }, token)
  const again = await it.call(null, 'POST', '/internal/assignments', { ...call, ...body }, token)
  expect([once.status, again.status]).toEqual([201, 201])
  expect(again.body.assignment_id).toBe(once.body.assignment_id)
  for (const other of [{ task: 'y' }, { target: 'cleo' }]) {
    const refused = await it.call(null, 'POST', '/internal/assignments', { ...call, ...body, ...other }, token)
    expect(refused).toMatchObject({ status: 409, body: { code: 'client_id_taken', field: 'call_id' } })
  }
})

it.each([
  ['nobody', 404, 'not_found'],
  ['ada', 400, 'own_assignment'],
  ['eve', 403, 'crews_not_connected'],
  ['held', 409, 'agent_pending_review'],
  ['ghost', 409, 'agent_expired'],
  ['gone', 409, 'agent_deleted'],
  ['free', 409, 'agent_crewless'],
])('refuses %s with %d %s', async (target, status, code) => {
  const it = await delegating({ quiet: true })
  const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Frontend', slug: 'frontend' })).body.id
  await it.call('OWNER', 'POST', '/agents', { name: 'Eve', slug: 'eve', crew_id: other })
  await it.call('OWNER', 'POST', '/agents', { name: 'Free', slug: 'free' })
  const [held, ghost, gone] = [await it.mate('held'), await it.mate('ghost'), await it.mate('gone')]
  it.app.db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(held)
  it.app.db.prepare("UPDATE agents SET expired_at = '2026-01-01T00:00:00Z' WHERE id = ?").run(ghost)
  await it.call('OWNER', 'DELETE', `/agents/${gone}`)
  const answer = await it.assign(target)
  expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code])
  expect((await it.call('OWNER', 'GET', `/crews/${it.crewId}/assignments`)).body).toEqual([])
})

it('goes to an agent of a connected crew, whose places it takes', async () => {
  const it = await delegating({ most: 1, quiet: true })
  const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Frontend', slug: 'frontend' })).body.id
  await it.call('OWNER', 'POST', '/agents', { name: 'Eve', slug: 'eve', crew_id: other })
  await it.assign('bob')
  const connection = { from_crew_id: other, to_crew_id: it.crewId, direction: 'unidirectional' }
  await it.call('OWNER', 'POST', '/crew-connections', connection)
  expect((await it.assign('eve')).status).toBe(403)
  await it.call('OWNER', 'POST', '/crew-connections', { ...connection, direction: 'bidirectional' })
  expect((await it.assign('eve')).body).toMatchObject({ status: 'RUNNING' })
  expect((await it.call('OWNER', 'GET', `/crews/${other}/assignments`)).body).toHaveLength(1)
})

it('stays held to the allowed domains when a webhook began it all', async () => {
  const it = await delegating()
  it.app.db.prepare("UPDATE runs SET trigger_type = 'WEBHOOK' WHERE id = ?").run(it.runId)
  const restricted = () =>
    Object.values(sidecarConfig(it.app, desiredCrew(it.app, it.crewId)!).agents)
      .filter((agent) => agent.restricted)
      .map(({ slug }) => slug)
  expect(restricted()).toEqual(['ada'])
  const { body } = await it.assign('bob')
  const run = (await it.shown((body as { assignment_id: string }).assignment_id)).run_id
  expect(restricted()).toEqual(['ada', 'bob'])
  expect((await it.started(run)).spec.timeoutSeconds).toBe(600)
  await it.assign('cleo', 'Passed on', { agent: it.bob, run })
  await it.says(it.runId, 'Done')
  expect(restricted()).toEqual(['bob', 'cleo'])
})

it('refuses a crew in which the agent is not, an empty task, and a run that is over or of another agent', async () => {
  const it = await delegating({ quiet: true })
  const ada = { agent: it.agentId, run: it.runId }
  const code = async (answer: Promise<{ body: unknown }>) => ((await answer).body as { code: string }).code
  expect(await code(it.ask(ada, '/assign', { target: 'bob', task: 'x', crew: 'elsewhere' }))).toBe('not_found')
  expect((await it.ask(ada, '/assign', { target: '@bob', task: 'x', crew: 'backend' })).status).toBe(201)
  expect(await code(it.ask(ada, '/assign', { target: 'bob', task: ' \n' }))).toBe('invalid_field')
  expect(await code(it.ask({ agent: it.bob, run: it.runId }, '/assign', { target: 'cleo', task: 'x' }))).toBe(
    'run_gone',
  )
  await it.says(it.runId, 'Done')
  expect(await code(it.assign('bob'))).toBe('run_gone')
})

it('ends a loop of two agents at the depth, with an error that both learn of', async () => {
  const it = await delegating({ quiet: true })
  const first = (await it.assign('bob', 'Do it')).body as { assignment_id: string }
  const bob = { agent: it.bob, run: (await it.shown(first.assignment_id)).run_id }
  const second = (await it.assign('ada', 'No, you', bob)).body as { assignment_id: string }
  const ada = { agent: it.agentId, run: (await it.shown(second.assignment_id)).run_id }
  const refused = await it.assign('bob', 'No, you', ada)
  expect([refused.status, refused.body]).toEqual([
    403,
    expect.objectContaining({
      code: 'assignment_limit',
      setting: 'assignments.max_depth',
      limit: 2,
      target: 'bob',
      detail:
        'Work may be delegated 2 times in a row (assignments.max_depth): do the rest yourself, and say what is open',
    }),
  ])
  await it.says(ada.run, 'I could not')
  const told = await it.ask(bob, '/results', { assignment_id: second.assignment_id })
  expect(told.body).toMatchObject({
    status: 'COMPLETED',
    result: 'I could not',
    note:
      '@ada wanted to give work to @bob, which was refused. Work may be delegated 2 times in a row ' +
      '(assignments.max_depth)',
  })
  expect(types(it).at(-2)).toEqual([
    'assignment.refused',
    'Agent ada may not give work to Agent bob: the limit assignments.max_depth is 2',
  ])
})

it('counts the work that a question to another agent hangs from', async () => {
  const it = await delegating({ quiet: true, most: 4 })
  const first = (await it.assign('bob', 'Do it')).body as { assignment_id: string }
  const bob = { agent: it.bob, run: (await it.shown(first.assignment_id)).run_id }
  await it.started(bob.run)
  const answer = it.ask(bob, '/query', { target: 'cleo', question: 'Will you?' })
  const asked = async () => (await it.call('OWNER', 'GET', `/crews/${it.crewId}/peer-conversations`)).body
  await expect.poll(asked).toHaveLength(1)
  const cleo = { agent: it.cleo, run: (await asked())[0].run_id }
  await it.started(cleo.run)
  const second = (await it.assign('ada', 'You do it', cleo)).body as { assignment_id: string }
  const shown = await it.shown(second.assignment_id)
  expect(shown).toMatchObject({ depth: 2, parent_assignment_id: first.assignment_id, chat_id: it.chat })
  expect((await it.assign('bob', 'No, you', { agent: it.agentId, run: shown.run_id })).status).toBe(403)
  await it.says(cleo.run, 'I gave it to ada')
  expect((await answer).body).toMatchObject({ response: 'I gave it to ada' })
})

it('lets an agent delegate eight times for one request, follow-up turns included', async () => {
  const it = await delegating({ quiet: true, config: { maxAssignmentFanOut: 2 } })
  const first = (await it.assign('bob')).body as { assignment_id: string }
  await it.says(it.runId, 'I wait')
  await it.says((await it.shown(first.assignment_id)).run_id, 'Here it is')
  const follow = (await it.call('OWNER', 'GET', `/runs?agent_id=${it.agentId}&status=RUNNING`)).body.data[0].id
  const again = { agent: it.agentId, run: follow as string }
  expect((await it.assign('bob', 'Another', again)).status).toBe(201)
  const refused = await it.assign('cleo', 'A third', again)
  expect([refused.status, refused.body]).toEqual([
    403,
    expect.objectContaining({ code: 'assignment_limit', setting: 'assignments.max_fan_out', limit: 2 }),
  ])
})

it('is refused from the ninth for one request on where the server says nothing else', async () => {
  const it = await delegating({ quiet: true })
  for (let n = 1; n <= 8; n++) expect((await it.assign('bob', `Part ${n}`)).status).toBe(201)
  const refused = await it.assign('cleo', 'Part 9')
  expect([refused.status, refused.body]).toEqual([
    403,
    expect.objectContaining({ code: 'assignment_limit', setting: 'assignments.max_fan_out', limit: 8 }),
  ])
  expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/assignments`)).body).toHaveLength(8)
})

it('asks people at the level strict, and begins with their yes', async () => {
  const it = await delegating({ level: 'strict' })
  const { status, body } = await it.assign('bob')
  const { assignment_id: id, approval_id } = body as { assignment_id: string; approval_id: string }
  expect([status, body]).toEqual([
    202,
    { assignment_id: id, status: 'PENDING_REVIEW', approval_id: expect.any(String) },
  ])
  expect((await it.shown(id)).state).toBe('PENDING')
  expect((await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'approved' })).status).toBe(200)
  expect((await it.shown(id)).state).toBe('RUNNING')
})

it.each([['denied', { status: 'denied', comment: 'not now' }, 'People did not approve it: not now']])(
  'is cancelled when people have %s it',
  async (_, decision, error) => {
    const it = await delegating({ level: 'strict' })
    const { assignment_id: id, approval_id } = (await it.assign('bob')).body as Record<string, string>
    await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, decision)
    expect(await it.shown(id!)).toMatchObject({ state: 'CANCELLED', error_message: error })
  },
)

it.each([
  ['guided', 'info', 1],
  ['trusted', 'notice', 0],
  ['full', 'info', 0],
])('at the level %s is an entry of severity %s and %d items in the inbox', async (level, severity, items) => {
  const it = await delegating({ level })
  await it.assign('bob')
  await it.assign('cleo')
  const made = it.entries().filter(({ entry_type }) => entry_type === 'assignment.created')
  expect(made.map((entry) => entry.severity)).toEqual([severity, severity])
  const { body } = await it.call('OWNER', 'GET', '/inbox')
  const titles = body.rows.map(({ title }: { title: string }) => title)
  expect(titles).toEqual(items ? ['Agent ada gave work to Agent cleo, and to 1 before'] : [])
})
