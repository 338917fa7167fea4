import { expect, it } from 'vitest'
import { sweep } from '../../../../daemon/features/assignments/jobs.ts'
import { type Delegating, delegating } from '../../../support/delegating.ts'

const idOf = ({ body }: { body: unknown }) => (body as { assignment_id: string }).assignment_id
const ends = (it: Delegating) =>
  it
    .entries()
    .filter(({ entry_type }) => /^assignment\.(completed|failed|cancelled)$/.test(entry_type))
    .map(({ entry_type, summary, payload }) => [entry_type, payload?.['error_message'] ?? null, summary])

it('is cancelled by a MANAGER with what it delegated in turn, once', async () => {
  const it = await delegating()
  const outer = idOf(await it.assign('bob', 'one'))
  const inner = idOf(await it.assign('cleo', 'two', { agent: it.bob, run: (await it.shown(outer)).run_id }))
  await it.started((await it.shown(inner)).run_id)
  expect((await it.call('MEMBER', 'POST', `/assignments/${outer}/cancel`)).status).toBe(403)
  const { status, body } = await it.call('MANAGER', 'POST', `/assignments/${outer}/cancel`)
  expect([status, body]).toEqual([202, { id: outer, status: 'RUNNING' }])
  for (const id of [outer, inner]) await it.runs.ended((await it.shown(id)).run_id)
  await it.settled()
  await it.runs.ended((await it.shown(inner)).run_id)
  expect([(await it.shown(outer)).state, (await it.shown(inner)).state]).toEqual(['CANCELLED', 'CANCELLED'])
  expect(ends(it)).toEqual([
    [
      'assignment.cancelled',
      'Cancelled by The MANAGER',
      'What Agent ada gave to Agent bob was cancelled: "Cancelled by The MANAGER"',
    ],
    [
      'assignment.cancelled',
      'Cancelled by The MANAGER',
      'What Agent bob gave to Agent cleo was cancelled: "Cancelled by The MANAGER"',
    ],
  ])
  const again = await it.call('MANAGER', 'POST', `/assignments/${outer}/cancel`)
  expect([again.status, again.body.code, again.body.detail]).toEqual([409, 'assignment_ended', 'It is over: CANCELLED'])
})

it('is cancelled at once while it waits for a place', async () => {
  const it = await delegating({ most: 1 })
  await it.assign('bob', 'one')
  const id = idOf(await it.assign('bob', 'two'))
  expect((await it.call('OWNER', 'POST', `/assignments/${id}/cancel`)).body).toEqual({ id, status: 'CANCELLED' })
})

it('ends with the asking run when that is cancelled, unless it has ended; nobody is told then', async () => {
  const it = await delegating({ most: 2 })
  const [done, going, waits] = [
    idOf(await it.assign('bob', 'one')),
    idOf(await it.assign('cleo', 'two')),
    idOf(await it.assign('cleo', 'three')),
  ]
  await it.says((await it.shown(done)).run_id, 'Done')
  await it.settled()
  const last = (await it.shown(waits)).run_id
  await it.started(last)
  expect((await it.call('OWNER', 'POST', `/runs/${it.runId}/cancel`)).status).toBe(202)
  await it.runs.ended(it.runId)
  await it.settled()
  for (const id of [going, waits]) await it.runs.ended((await it.shown(id)).run_id)
  await it.settled()
  const states = await Promise.all([done, going, waits].map(async (id) => (await it.shown(id)).state))
  expect(states).toEqual(['COMPLETED', 'CANCELLED', 'CANCELLED'])
  expect((await it.call('OWNER', 'GET', '/runs?status=RUNNING')).body.data).toEqual([])
})

it('ends with the asking run although the daemon is killed before it can be cancelled', async () => {
  const it = await delegating()
  const outer = idOf(await it.assign('bob', 'one'))
  const inner = idOf(await it.assign('cleo', 'two', { agent: it.bob, run: (await it.shown(outer)).run_id }))
  const runs = [(await it.shown(outer)).run_id, (await it.shown(inner)).run_id]
  for (const run of runs) await it.started(run)
  const { wires } = it.app.reactor
  it.app.reactor.connect(wires.filter(({ feature, phase }) => feature !== 'assignments' || phase === 'on'))
  await it.call('OWNER', 'POST', `/runs/${it.runId}/cancel`)
  await it.runs.ended(it.runId)
  expect([(await it.shown(outer)).state, (await it.shown(inner)).state]).toEqual(['RUNNING', 'RUNNING'])
  await sweep(it.app)
  await it.runs.ended(runs[0]!)
  await sweep(it.app)
  await it.runs.ended(runs[1]!)
  expect([(await it.shown(outer)).state, (await it.shown(inner)).state]).toEqual(['CANCELLED', 'CANCELLED'])
})

it('goes on when the asking run fails, and is told in a turn of its own', async () => {
  const it = await delegating({ quiet: true })
  const id = idOf(await it.assign('bob'))
  it.runtime.finish(await it.started(it.runId), { kind: 'exit', code: 2, timedOut: false }, 'broken')
  await it.runs.ended(it.runId)
  await it.says((await it.shown(id)).run_id, '42')
  await it.settled()
  const { data } = (await it.call('OWNER', 'GET', '/runs?status=RUNNING')).body
  expect(data).toMatchObject([{ agent_slug: 'ada', chat_id: it.chat, metadata: { tags: ['assignment_results'] } }])
})

it.each([
  ['the agent that does it', (it: Delegating) => `/agents/${it.bob}`],
  ['the agent that gave it', (it: Delegating) => `/agents/${it.agentId}`],
  ['the crew', (it: Delegating) => `/crews/${it.crewId}`],
])('ends when %s is deleted', async (_, path) => {
  const it = await delegating({ most: 1 })
  const [one, two] = [idOf(await it.assign('bob', 'one')), idOf(await it.assign('bob', 'two'))]
  const run = (await it.shown(one)).run_id
  await it.started(run)
  expect((await it.call('OWNER', 'DELETE', path(it))).status).toBe(200)
  await it.runs.ended(run)
  await it.settled()
  const rows = it.app.db.prepare<[], { status: string }>('SELECT status FROM assignments ORDER BY seq').all()
  expect(rows.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
  expect([one, two]).toHaveLength(2)
})

it('is cancelled while it waits when a person stops the crew, which it would start again', async () => {
  const it = await delegating({ most: 1 })
  const [one, two] = [idOf(await it.assign('bob', 'one')), idOf(await it.assign('bob', 'two'))]
  Object.assign(it.app.runtime, { stop: async () => ({ state: 'stopped', notices: [], containerId: null }) })
  expect((await it.call('OWNER', 'POST', `/crews/${it.crewId}/container-stop`)).status).toBe(200)
  expect(await it.shown(two)).toMatchObject({ state: 'CANCELLED', error_message: 'The crew was stopped' })
  expect((await it.shown(one)).state).toBe('RUNNING')
})

it('withdraws the request to approve it', async () => {
  const it = await delegating({ level: 'strict' })
  const { assignment_id: id, approval_id } = (await it.assign('bob')).body as Record<string, string>
  await it.call('OWNER', 'POST', `/assignments/${id}/cancel`)
  await it.settled()
  expect((await it.call('OWNER', 'GET', `/approvals/${approval_id}`)).body).toMatchObject({ status: 'cancelled' })
  const late = await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'approved' })
  expect(late.status).toBe(409)
})

it('keeps its chat from being deleted until it is over', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  await it.says(it.runId, 'Asked')
  const remove = () => it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${it.chat}`)
  const refused = await remove()
  expect([refused.status, refused.body.code]).toEqual([409, 'assignments_open'])
  const run = (await it.shown(id)).run_id
  await it.started(run)
  await it.call('OWNER', 'POST', `/assignments/${id}/cancel`)
  await it.runs.ended(run)
  await it.settled()
  const [next] = (await it.call('OWNER', 'GET', '/runs?status=RUNNING')).body.data
  await it.says(next.id, 'Then not')
  expect((await remove()).status).toBe(204)
  expect(await it.shown(id)).toMatchObject({ chat_id: null, state: 'CANCELLED' })
})

it('is listed newest first, in states that existing clients know', async () => {
  const it = await delegating({ most: 1 })
  const [one, two, three] = [
    idOf(await it.assign('bob', 'one')),
    idOf(await it.assign('cleo', 'two')),
    idOf(await it.assign('cleo', 'three')),
  ]
  await it.call('OWNER', 'POST', `/assignments/${three}/cancel`)
  const { body } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/assignments`)
  expect(body.map(({ id, status, state }: Record<string, string>) => [id, status, state])).toEqual([
    [three, 'FAILED', 'CANCELLED'],
    [two, 'PENDING', 'QUEUED'],
    [one, 'RUNNING', 'RUNNING'],
  ])
  expect(body[2]).toMatchObject({
    task: 'one',
    assigned_by_name: 'Agent ada',
    assigned_by_slug: 'ada',
    assigned_to_name: 'Agent bob',
    assigned_to_slug: 'bob',
    result_summary: null,
    error_message: null,
    started_at: expect.any(String),
    finished_at: null,
    created_at: expect.any(String),
  })
  expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/assignments?limit=1`)).body).toHaveLength(1)
})
