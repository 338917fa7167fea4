import { describe, expect, it } from 'vitest'
import { addPerson, type Person } from '#test'
import { delegating } from '../../support/delegating.ts'
import { issuesOf } from '../../support/issues.ts'
import { pathOf as at, crewWithLead, mission, shown, start, states, task } from '../../support/missions.ts'

/** Requests to a listening server, each over a connection of its own. */
function outside({ base }: { base: string }) {
  return async (who: Person, method: string, path: string, body?: object) => {
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${who.token}`,
        'x-workspace-id': who.workspace,
        connection: 'close',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : undefined }
  }
}

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('from outside', () => {
  it('one of ten people who review an issue at once does, and the others learn where it may go', async () => {
    const it = issuesOf(await delegating({ began: false }))
    const ask = outside(it)
    const identifier = await it.open()
    for (const status of ['IN_PROGRESS', 'REVIEW']) await it.change(identifier, { status })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ask(it.person(n % 2 ? 'MANAGER' : 'ADMIN'), 'POST', `${it.path}/${identifier}/review`, {
          action: n % 2 ? 'approve' : 'request_changes',
          comment: `Reviewer ${n}`,
        }),
      ),
    )
    expect(statuses(answers)).toEqual([200, ...Array(9).fill(409)])
    const { status, comment_count } = await it.read(identifier)
    for (const { body } of answers.filter((one) => one.status === 409))
      expect(body).toMatchObject({ code: 'transition_refused', detail: expect.stringContaining(`is ${status}`) })
    expect(comment_count).toBe(1)
    const actions = (await it.events(identifier)).map(([action]: string[]) => action as string)
    expect(actions.filter((action: string) => action.startsWith('review_'))).toHaveLength(1)
  })

  it('an issue that ten people start at once has one run', async () => {
    const it = issuesOf(await delegating({ began: false }))
    const ask = outside(it)
    const identifier = await it.given()
    const path = `${it.path}/${identifier}/start`
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(it.person('MANAGER'), 'POST', path)))
    expect(statuses(answers)).toEqual([200, ...Array(9).fill(409)])
    for (const { body } of answers.filter((one) => one.status === 409)) expect(body.code).toBe('transition_refused')
    expect(await it.runsOf(identifier)).toHaveLength(1)
    await it.stop(identifier)
  })

  it('an issue is given neither to a member who left nor to a deleted agent', async () => {
    const it = issuesOf(await delegating({ began: false }))
    const ask = outside(it)
    const identifier = await it.open()
    const leaver = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === leaver.userId)
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.cleo}`)).status).toBe(200)
    for (const [assignee_type, assignee_id] of [
      ['user', leaver.userId],
      ['agent', it.cleo],
      ['agent', leaver.userId],
    ]) {
      const given = { assignee_type, assignee_id }
      const refused = { status: 400, body: { code: 'invalid_field' } }
      const owner = it.person('OWNER')
      expect(await ask(owner, 'PATCH', `${it.path}/${identifier}`, given)).toMatchObject(refused)
      const created = await ask(owner, 'POST', it.path, { title: 'x', ...given })
      expect(created).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'assignee_id' } })
    }
    expect(await it.read(identifier)).toMatchObject({ assignee_id: null })
  })

  it('a task never depends on one of another mission, and of edits that close a ring one is refused', async () => {
    const it = await crewWithLead()
    const ask = outside(it)
    const owner = it.person('OWNER')
    const tasks = ['a', 'b', 'c'].map((key) => ({ key, title: key }))
    const [id, other] = [await mission(it, tasks), await mission(it, tasks)]
    const [a, b, c] = [await task(it, id, 'a'), await task(it, id, 'b'), await task(it, id, 'c')]
    const foreign = await task(it, other, 'a')
    const depend = (of: string, on: string) =>
      ask(owner, 'PATCH', `${at(it, id)}/tasks/${of}`, { depends_on: JSON.stringify([on]) })
    const [alien, absent] = [await depend(a.id, foreign.id), await depend(a.id, 'none')]
    expect([alien.status, absent.status]).toEqual([404, 404])
    expect(alien.body.detail.replace(foreign.id, 'none')).toBe(absent.body.detail)
    const ring = await Promise.all([depend(a.id, b.id), depend(b.id, c.id), depend(c.id, a.id)])
    expect(statuses(ring)).toEqual([200, 200, 400])
    expect(ring.find(({ status }) => status === 400)!.body.code).toBe('task_cycle')
    expect((await ask(owner, 'POST', `${at(it, id)}/start`)).status).toBe(200)
  })

  it('a crew that is deleted takes its running missions along, with the runs of its agents', async () => {
    const it = await crewWithLead()
    const ask = outside(it)
    const id = await mission(it, [
      { key: 'a', title: 'Look', assigned_agent_id: it.bob },
      { key: 'b', title: 'Build', depends_on: ['a'] },
    ])
    await start(it, id)
    const { run_id } = await it.shown((await task(it, id, 'Look')).assignment_id)
    const program = await it.started(run_id)
    const gone = await ask(it.person('OWNER'), 'DELETE', `/crews/${it.crewId}?confirm=true`)
    expect(gone.status).toBeLessThan(300)
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    await it.runs.ended(run_id)
    await it.settled()
    const rows = (sql: string) => it.app.db.prepare(sql).pluck().all()
    expect(rows('SELECT status FROM missions')).toEqual(['CANCELLED'])
    // What had not begun stays as it was.
    expect(rows('SELECT status FROM mission_tasks ORDER BY task_order')).toEqual(['CANCELLED', 'PENDING'])
    expect(rows("SELECT count(*) FROM assignments WHERE status IN ('PENDING', 'QUEUED', 'RUNNING')")).toEqual([0])
    expect(rows("SELECT count(*) FROM runs WHERE phase <> 'ended'")).toEqual([0])
    expect((await ask(it.person('OWNER'), 'GET', at(it, id))).status).toBe(404)
  })

  it.each([
    ['is no JSON', 'Let us just begin.', 'no JSON'],
    ['names an agent who is not there', JSON.stringify({ tasks: [{ id: 'a', title: 'Look', agent: 'zoe' }] }), 'zoe'],
    [
      'has 500 tasks',
      JSON.stringify({ tasks: Array.from({ length: 500 }, (_, n) => ({ id: `t${n}`, title: 'Look', agent: 'ada' })) }),
      '500 tasks',
    ],
  ])(
    'a plan of the LEAD that %s changes no task, and a person begins the mission all the same',
    async (_, words, why) => {
      const it = await crewWithLead()
      const ask = outside(it)
      const owner = it.person('OWNER')
      const id = await mission(it, [{ key: 'a', title: 'Old' }])
      expect((await ask(owner, 'POST', `${at(it, id)}/plan`, { start: true })).status).toBe(202)
      const planning = it.app.db.prepare<[string], string>('SELECT plan_run_id FROM missions WHERE id = ?').pluck()
      for (let tries = 0; tries < 3; tries++) {
        await it.says(planning.get(id)!, words)
        await it.settled()
      }
      expect((await ask(owner, 'GET', at(it, id))).body).toMatchObject({
        status: 'PLANNING',
        planning: false,
        error_message: expect.stringContaining(why),
      })
      expect(await states(it, id)).toEqual({ Old: 'PENDING' })
      expect((await ask(owner, 'POST', `${at(it, id)}/start`)).status).toBe(200)
      expect(await shown(it, id)).toMatchObject({ status: 'IN_PROGRESS', error_message: null })
    },
  )
})
