import { describe, expect, it } from 'vitest'
import { sweep } from '../../../../daemon/features/assignments/jobs.ts'
import { budgetOf } from '../../../../daemon/features/assignments/rules.ts'
import { type Delegating, delegating } from '../../../support/delegating.ts'

const idOf = ({ body }: { body: unknown }) => (body as { assignment_id: string }).assignment_id
const states = async (it: Delegating, ids: string[]) => Promise.all(ids.map(async (id) => (await it.shown(id)).state))
const queued = async (it: Delegating) => (await it.call('OWNER', 'GET', '/agents/crews-status')).body.queued

describe('the budget of a crew', () => {
  it.each([
    [null, 4096, 2],
    [null, 2047, 1],
    [null, 6, 1],
    [null, 16_384, 8],
    [5, 2048, 5],
    [1, 65_536, 1],
  ])('of %s with %d MB is %d', (most, memory, budget) => expect(budgetOf(most, memory)).toBe(budget))
})

it('keeps what is above the budget in line, and begins it in its order as places become free', async () => {
  const it = await delegating({ most: 1 })
  const ids = []
  for (const task of ['one', 'two', 'three']) ids.push(idOf(await it.assign('bob', task)))
  expect(await states(it, ids)).toEqual(['RUNNING', 'QUEUED', 'QUEUED'])
  expect(await queued(it)).toBe(2)
  expect((await it.call('OWNER', 'GET', `/agents/${it.bob}/inbox`)).body.assignments_open).toBe(3)
  await it.says((await it.shown(ids[0]!)).run_id, 'Done')
  await it.settled()
  expect(await states(it, ids)).toEqual(['COMPLETED', 'RUNNING', 'QUEUED'])
  await it.says((await it.shown(ids[1]!)).run_id, 'Done')
  await it.settled()
  expect(await states(it, ids)).toEqual(['COMPLETED', 'COMPLETED', 'RUNNING'])
  expect(await queued(it)).toBe(0)
})

it('tells the workspace of what is queued and what is no more', async () => {
  const it = await delegating({ most: 1 })
  const heard: string[] = []
  it.app.bus.on('broadcast', ({ type }) => {
    if (/queued$/.test(type)) heard.push(type)
  })
  const first = idOf(await it.assign('bob'))
  expect(heard).toEqual([])
  await it.assign('cleo')
  expect(heard).toEqual(['assignment_queued', 'assignment_queued'])
  await it.says((await it.shown(first)).run_id, 'Done')
  await it.settled()
  expect(heard).toEqual(['assignment_queued', 'assignment_queued', 'assignment_unqueued'])
  const entry = it.entries().find(({ entry_type }) => entry_type === 'assignment.queued')
  expect(entry?.summary).toBe('What Agent ada gave to Agent cleo waits for a place in the crew: "Count the files"')
})

it('moves when the agent with the only place is killed, and when it is deleted', async () => {
  const it = await delegating({ most: 1, quiet: true })
  const [one, two, three] = [
    idOf(await it.assign('bob', 'one')),
    idOf(await it.assign('cleo', 'two')),
    idOf(await it.assign('bob', 'three')),
  ]
  const { run_id } = await it.shown(one)
  it.runtime.finish(await it.started(run_id), { kind: 'signal', signal: 'SIGKILL' })
  await it.runs.ended(run_id)
  await it.settled()
  expect(await it.shown(one)).toMatchObject({
    state: 'FAILED',
    error_message: expect.any(String),
    result_summary: null,
  })
  expect(await states(it, [two, three])).toEqual(['RUNNING', 'QUEUED'])
  await it.started((await it.shown(two)).run_id)
  expect((await it.call('OWNER', 'DELETE', `/agents/${it.cleo}`)).status).toBe(200)
  await it.runs.ended((await it.shown(two)).run_id)
  await it.settled()
  expect(await states(it, [two, three])).toEqual(['CANCELLED', 'RUNNING'])
})

it('begins nothing for an agent that may not work any more, and goes on with the next', async () => {
  const it = await delegating({ most: 1 })
  const ids = []
  for (const target of ['bob', 'cleo', 'bob']) ids.push(idOf(await it.assign(target)))
  it.app.db.prepare("UPDATE agents SET expired_at = '2026-01-01T00:00:00Z' WHERE id = ?").run(it.cleo)
  await it.says((await it.shown(ids[0]!)).run_id, 'Done')
  await it.settled()
  expect(await states(it, ids)).toEqual(['COMPLETED', 'FAILED', 'RUNNING'])
})

describe('the sweeper', () => {
  it('begins what waits with a free place, and says so', async () => {
    const it = await delegating({ most: 1 })
    const ids = []
    for (const task of ['one', 'two', 'three']) ids.push(idOf(await it.assign('bob', task)))
    await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { max_concurrent_agents: 2 })
    await sweep(it.app)
    expect(await states(it, ids)).toEqual(['RUNNING', 'RUNNING', 'QUEUED'])
    const pumped = () => it.entries().filter(({ entry_type }) => entry_type === 'queue.sweeper_pumped')
    const entry = pumped()[0]!
    expect([entry.entry_type, entry.severity, entry.payload, entry.summary]).toEqual([
      'queue.sweeper_pumped',
      'notice',
      { started: 1, queued: 1 },
      '1 assignment that waited in crew backend was started; 1 left',
    ])
    await sweep(it.app)
    expect(pumped()).toHaveLength(1)
  })

  it('ends what has no living run, and what was at work for too long', async () => {
    const it = await delegating({ quiet: true })
    const [lost, late, fine] = [
      idOf(await it.assign('bob', 'lost')),
      idOf(await it.assign('bob', 'late')),
      idOf(await it.assign('bob', 'waits')),
    ]
    it.app.db.prepare('UPDATE assignments SET run_id = ? WHERE id = ?').run('cgone', lost)
    await sweep(it.app)
    await it.settled()
    expect(await it.shown(lost)).toMatchObject({ state: 'FAILED', error_message: 'Its run is gone' })
    expect(await states(it, [late, fine])).toEqual(['RUNNING', 'RUNNING'])
    const run = (await it.shown(late)).run_id
    await it.started(run)
    it.app.db.prepare('UPDATE assignments SET running_at = ? WHERE id = ?').run('2026-01-01T00:00:00Z', fine)
    it.app.db.prepare('UPDATE assignments SET running_at = ? WHERE id = ?').run('2025-12-31T22:00:00Z', late)
    await sweep(it.app)
    expect(await states(it, [late])).toEqual(['RUNNING'])
    it.clock.advance(1000)
    await sweep(it.app)
    await it.runs.ended(run)
    expect(await it.shown(late)).toMatchObject({
      state: 'FAILED',
      error_message: 'It was at work for longer than it may',
    })
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('CANCELLED')
  })

  it('gives an agent a quarter of an hour more than its own timeout where that is more than two hours', async () => {
    const it = await delegating({ quiet: true })
    await it.call('OWNER', 'PATCH', `/agents/${it.bob}`, { timeout_seconds: 3 * 3600 })
    const [patient, late] = [idOf(await it.assign('bob')), idOf(await it.assign('cleo'))]
    const began = new Date(it.clock() - (3 * 3600 + 15 * 60) * 1000).toISOString().replace('.000', '')
    for (const id of [patient, late])
      it.app.db.prepare('UPDATE assignments SET running_at = ? WHERE id = ?').run(began, id)
    await sweep(it.app)
    expect(await states(it, [patient, late])).toEqual(['RUNNING', 'FAILED'])
    it.clock.advance(1000)
    await sweep(it.app)
    expect(await states(it, [patient])).toEqual(['FAILED'])
  })
})
