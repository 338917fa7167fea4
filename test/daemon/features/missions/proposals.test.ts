import { describe, expect, it } from 'vitest'
import { askedInRoom, type Delegating } from '../../../support/delegating.ts'
import { crewWithLead, pathOf, says, shown, states } from '../../../support/missions.ts'

const tasks = [
  { id: 'look', title: 'Look', description: 'Look at it', agent: 'bob' },
  { id: 2, title: 'Join', depends_on: ['look'] },
]

/** The LEAD is at work in a chat. */
async function atWork(level = 'full') {
  const it = await crewWithLead({ level })
  const { run_id } = await it.send(it.chat, 'Relaunch it all')
  await it.started(run_id)
  return { it, lead: { agent: it.agentId, run: run_id } }
}

const propose = (it: Delegating, by: { agent: string; run: string }, body: object = {}) =>
  it.ask(by, '/missions', { title: 'Relaunch', tasks, ...body }) as Promise<{
    status: number
    body: { id: string; status: string; approval_id?: string; detail?: string; code?: string; field?: string }
  }>

describe('a mission that the LEAD makes', () => {
  it('begins at once where the crew may do all', async () => {
    const { it, lead } = await atWork()
    const { status, body } = await propose(it, lead, { description: 'All of it' })
    expect([status, body.status]).toEqual([201, 'IN_PROGRESS'])
    const mission = await shown(it, body.id)
    expect(mission).toMatchObject({
      title: 'Relaunch',
      description: 'All of it',
      lead_agent_id: it.agentId,
      created_by: { type: 'agent', id: it.agentId },
    })
    expect(mission.tasks).toMatchObject([
      { title: 'Look', description: 'Look at it', assigned_agent_id: it.bob, status: 'IN_PROGRESS' },
      { title: 'Join', assigned_agent_id: null, status: 'PENDING', depends_on: JSON.stringify([mission.tasks[0].id]) },
    ])
    const entry = it.entries().find(({ entry_type }) => entry_type === 'mission.created')!
    expect(entry).toMatchObject({ actor_type: 'agent', actor_id: it.agentId, mission_id: body.id })
    await says(it, body.id, 'Look', 'Seen')
    expect((await states(it, body.id))['Join']).toBe('IN_PROGRESS')
  })

  it('waits for people where the crew is strict: approved it begins', async () => {
    const { it, lead } = await atWork('strict')
    const { body } = await propose(it, lead)
    expect(body).toMatchObject({ status: 'PLANNING', approval_id: expect.any(String) })
    await it.call('OWNER', 'POST', `/approvals/${body.approval_id}/decide`, { status: 'approved' })
    await it.settled()
    expect((await shown(it, body.id)).status).toBe('IN_PROGRESS')
  })

  it('is cancelled where people do not approve it', async () => {
    const { it, lead } = await atWork('strict')
    const { body } = await propose(it, lead)
    const denied = { status: 'denied', comment: 'Too early' }
    await it.call('OWNER', 'POST', `/approvals/${body.approval_id}/decide`, denied)
    await it.settled()
    expect(await shown(it, body.id)).toMatchObject({
      status: 'CANCELLED',
      error_message: 'People did not approve the plan: Too early',
    })
  })

  it.each([
    ['more than 16 tasks', { tasks: Array.from({ length: 17 }, (_, id) => ({ id, title: 'T' })) }, /at most 16/],
    ['an agent of nowhere', { tasks: [{ id: 'a', title: 'A', agent: 'eve' }] }, /"eve", who is not in the crew/],
    ['a cycle', { tasks: [{ id: 'a', title: 'A', depends_on: ['a'] }] }, /depends on itself/],
    ['what is no task', { tasks: [{ id: 'a', title: 'A', depends_on: ['b'] }] }, /no task of the plan/],
    [
      'two of an id',
      {
        tasks: [
          { id: 'a', title: 'A' },
          { id: 'a', title: 'B' },
        ],
      },
      /same id/,
    ],
    ['no title', { title: ' ' }, /title/],
  ])('is refused with %s, and nothing is left of it', async (_, body, detail) => {
    const { it, lead } = await atWork()
    const answer = await propose(it, lead, body)
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatch(detail)
    expect((await it.call('OWNER', 'GET', '/missions')).body).toEqual([])
  })

  it('is one of six at most, however many ask at once', async () => {
    const { it, lead } = await atWork('strict')
    const all = await Promise.all(Array.from({ length: 9 }, () => propose(it, lead)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(6)
    expect(all.filter(({ body }) => body.code === 'rate_limited')).toHaveLength(3)
    const [first] = all.filter(({ status }) => status === 201)
    await it.call('OWNER', 'PATCH', pathOf(it, first!.body.id), { status: 'CANCELLED' })
    expect((await propose(it, lead)).status).toBe(201)
  })

  it('is for the LEAD alone', async () => {
    const { it } = await atWork()
    const { run_id } = await it.send(await it.openChat(it.bob), 'Work')
    await it.started(run_id)
    expect((await propose(it, { agent: it.bob, run: run_id })).body.code).toBe('not_the_lead')
  })

  it('begins from no task of a mission, and from no private room', async () => {
    const { it, lead } = await atWork()
    const { body } = await propose(it, lead, { tasks: [{ id: 'a', title: 'Join' }] })
    const { run_id } = await it.shown((await shown(it, body.id)).tasks[0].assignment_id)
    await it.started(run_id)
    expect(await propose(it, { agent: it.agentId, run: run_id })).toMatchObject({
      status: 409,
      body: { code: 'mission_refused', detail: expect.stringContaining('task of a mission') },
    })
    const { run } = await askedInRoom(it)
    expect((await propose(it, { agent: it.agentId, run })).body.detail).toContain('private room')
  })
})

it('the LEAD that plans anew is told why people refused its last plan', async () => {
  const it = await crewWithLead({ level: 'strict' })
  const made = await it.call('OWNER', 'POST', `/crews/${it.crewId}/missions`, {
    title: 'Go',
    lead_agent_id: it.agentId,
  })
  const path = pathOf(it, made.body.id)
  const plan = async () => (await it.call('OWNER', 'POST', `${path}/plan`, { start: true })).body.run_id
  await it.says(await plan(), '```json\n{"tasks": [{"id": "a", "title": "A"}]}\n```')
  await it.settled()
  const { approval_id } = await shown(it, made.body.id)
  await it.call('OWNER', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied', comment: 'Too few tasks' })
  await it.settled()
  expect((await it.started(await plan())).spec.stdin).toContain('Too few tasks')
})
