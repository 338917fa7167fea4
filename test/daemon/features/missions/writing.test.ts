import { describe, expect, it } from 'vitest'
import type { Delegating } from '../../../support/delegating.ts'
import { pathOf as at, crewWithLead, mission, says, shown, start, states, task } from '../../../support/missions.ts'

const refusal = { status: 409, body: { code: 'mission_refused' } }
const patch = (it: Delegating, id: string, body: object) => it.call('OWNER', 'PATCH', at(it, id), body)
const add = (it: Delegating, id: string, body: object) => it.call('OWNER', 'POST', `${at(it, id)}/tasks`, body)
const change = (it: Delegating, id: string, taskId: string, body: object) =>
  it.call('OWNER', 'PATCH', `${at(it, id)}/tasks/${taskId}`, body)

describe('missions', () => {
  it('are led by a LEAD of their crew', async () => {
    const it = await crewWithLead()
    const make = (lead_agent_id: string) =>
      it.call('OWNER', 'POST', `/crews/${it.crewId}/missions`, { title: 'x', lead_agent_id })
    expect(await make(it.bob)).toMatchObject({ status: 404, body: { field: 'lead_agent_id' } })
    expect((await make(it.agentId)).status).toBe(201)
  })

  it('are listed with issues, newest first, and tasks where wanted', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Look' }])
    const issue = (await it.call('OWNER', 'POST', `/crews/${it.crewId}/issues`, { title: 'Crash' })).body
    const list = async (query = '') => (await it.call('VIEWER', 'GET', `/missions${query}`)).body
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([issue.id, id])
    expect((await list('?mission_type=orchestration'))[0]).not.toHaveProperty('tasks')
    const [full] = await list('?include_tasks=true&mission_type=orchestration')
    expect(full.tasks).toMatchObject([{ title: 'Look', depends_on: '[]', needs_review: false, token_count: null }])
    expect(full.task_stats).toEqual({
      total: 1,
      pending: 1,
      blocked: 0,
      in_progress: 0,
      completed: 0,
      failed: 0,
      skipped: 0,
      awaiting_approval: 0,
    })
    expect((await list('?status=completed')).length).toBe(0)
    expect((await list('?limit=100000')).length).toBe(2)
  })

  it('name the ways that there are from where they are', async () => {
    const it = await crewWithLead()
    const id = await mission(it)
    expect(await patch(it, id, { status: 'COMPLETED' })).toMatchObject({
      ...refusal,
      body: { detail: 'The mission is PLANNING; from there it may go to IN_PROGRESS, CANCELLED' },
    })
    expect(await start(it, id)).toMatchObject({ status: 409, body: { code: 'mission_empty' } })
    const refused = async (answer: Promise<{ status: number; body: { code: string; detail: string } }>) => {
      expect(await answer).toMatchObject(refusal)
      return (await answer).body.detail
    }
    for (const what of ['restart', 'resume'])
      expect(await refused(it.call('OWNER', 'POST', `${at(it, id)}/${what}`))).toMatch(
        /^The mission is PLANNING; from there it may go to IN_PROGRESS, CANCELLED/,
      )
    await patch(it, id, { status: 'CANCELLED' })
    const wrong = [
      add(it, id, { title: 'x' }),
      start(it, id),
      it.call('OWNER', 'POST', `${at(it, id)}/resume`),
      it.call('OWNER', 'POST', `${at(it, id)}/plan`),
      patch(it, id, { status: 'COMPLETED' }),
    ]
    for (const answer of wrong)
      expect(await refused(answer)).toMatch(/^The mission is CANCELLED; from there it may go to PLANNING/)
    expect((await it.call('OWNER', 'POST', `${at(it, id)}/restart`)).body).toEqual({ id, status: 'PLANNING' })
  })

  it('are deleted with their tasks, from PLANNING and CANCELLED', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Look' }])
    await start(it, id)
    expect(await it.call('OWNER', 'DELETE', at(it, id))).toMatchObject(refusal)
    await patch(it, id, { status: 'CANCELLED' })
    expect((await it.call('OWNER', 'DELETE', at(it, id))).status).toBe(204)
    expect((await it.call('OWNER', 'GET', at(it, id))).status).toBe(404)
    expect(it.app.db.prepare('SELECT count(*) FROM mission_tasks').pluck().get()).toBe(0)
  })

  it('are copied with their tasks, and taken back to the beginning', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [
      { key: 'a', title: 'Look', assigned_agent_id: it.bob },
      { key: 'b', title: 'Build', depends_on: ['a'], approval_required: true },
    ])
    await start(it, id)
    await says(it, id, 'Look', 'Seen')
    await patch(it, id, { status: 'CANCELLED' })
    const copy = (await it.call('OWNER', 'POST', `${at(it, id)}/clone`)).body
    const made = await shown(it, copy.id)
    const [look, build] = made.tasks
    expect(made).toMatchObject({ status: 'PLANNING', title: 'Copy of Relaunch' })
    expect(look).toMatchObject({ title: 'Look', status: 'PENDING', assigned_agent_id: it.bob, result_summary: null })
    expect(build).toMatchObject({ depends_on: JSON.stringify([look.id]), approval_required: true })
    await it.call('OWNER', 'POST', `${at(it, id)}/restart`)
    expect((await shown(it, id)).tasks).toMatchObject([
      { status: 'PENDING', iteration: 0, result_summary: null, started_at: null },
      { status: 'PENDING' },
    ])
  })

  it('begin from a step plan, with agents by their role', async () => {
    const it = await crewWithLead()
    await it.call('OWNER', 'PATCH', `/agents/${it.bob}`, { role_title: 'Painter' })
    const steps = [
      { id: 'a', title: 'Look' },
      { id: 'b', title: 'Paint', agent_role: 'painter', depends_on: ['a'], max_iterations: 2 },
    ]
    const plan = await it.call('OWNER', 'POST', '/templates', { name: 'Walls', template_json: { steps } })
    const { tasks } = await shown(
      it,
      await mission(it, undefined, { tasks: undefined, workflow_template: plan.body.id }),
    )
    expect(tasks).toMatchObject([
      { title: 'Look', assigned_agent_id: null, max_iterations: 3 },
      { title: 'Paint', assigned_agent_id: it.bob, max_iterations: 2, depends_on: JSON.stringify([tasks[0].id]) },
    ])
    const body = { title: 'x', lead_agent_id: it.agentId, workflow_template: 'nothing' }
    expect((await it.call('OWNER', 'POST', `/crews/${it.crewId}/missions`, body)).status).toBe(404)
  })

  it('are cancelled with their crew', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Look' }])
    await start(it, id)
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}?confirm=true`)).status).toBeLessThan(300)
    expect(it.app.db.prepare('SELECT status FROM missions WHERE id = ?').pluck().get(id)).toBe('CANCELLED')
  })

  it('are counted', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Look' }])
    await start(it, id)
    await says(it, id, 'Look', 'Seen')
    await mission(it)
    expect((await it.call('VIEWER', 'GET', '/mission-metrics')).body).toMatchObject({
      total_missions: 2,
      active_missions: 1,
      completed_24h: 1,
      failed_24h: 0,
      tasks_completed_24h: 1,
      tasks_failed_24h: 0,
      total_tokens_24h: expect.any(Number),
    })
  })
})

describe('tasks', () => {
  it('depend on tasks of the same mission, without a cycle', async () => {
    const it = await crewWithLead()
    const [id, other] = [await mission(it), await mission(it)]
    const a = (await add(it, id, { title: 'a' })).body
    const b = (await add(it, id, { title: 'b', depends_on: [a.id] })).body
    const foreign = (await add(it, other, { title: 'c' })).body
    expect(await add(it, id, { title: 'd', depends_on: [foreign.id] })).toMatchObject({ status: 404 })
    expect(await change(it, id, a.id, { depends_on: [b.id] })).toMatchObject({
      status: 400,
      body: { code: 'task_cycle', detail: expect.stringContaining('depend on itself') },
    })
    expect(await change(it, id, a.id, { depends_on: '[]' })).toMatchObject({ status: 200 })
    for (const depends_on of ['{', 'null', '[1]', [1], [null], [{}], [[]], [true], Array(101).fill(b.id), {}, 1])
      expect(await change(it, id, a.id, { depends_on })).toMatchObject({ status: 400 })
    const both = await Promise.all([
      change(it, id, b.id, { depends_on: JSON.stringify([a.id]) }),
      change(it, id, a.id, { depends_on: JSON.stringify([b.id]) }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('are at most 100, and named well', async () => {
    const it = await crewWithLead()
    const many = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, title: `Task ${at}` }))
    const id = await mission(it, many)
    expect(await add(it, id, { title: 'One more' })).toMatchObject({ status: 409, body: { code: 'mission_full' } })
    for (const title of ['', '   ', '\u200b', 'a\nb', 'a'.repeat(201)])
      expect((await add(it, await mission(it), { title })).status).toBe(400)
  })

  it('are left out, and tried again where the mission failed', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [
      { key: 'a', title: 'Look', max_iterations: 1, assigned_agent_id: it.bob },
      { key: 'b', title: 'Build', depends_on: ['a'] },
    ])
    await start(it, id)
    const look = await task(it, id, 'Look')
    expect(await change(it, id, look.id, { status: 'SKIPPED' })).toMatchObject({
      status: 409,
      body: { code: 'task_refused' },
    })
    expect(await change(it, id, look.id, { title: 'x' })).toMatchObject({ body: { code: 'task_refused' } })
    await it.call('OWNER', 'POST', `/assignments/${look.assignment_id}/cancel`)
    const { run_id } = await it.shown(look.assignment_id)
    it.runtime.finish(await it.started(run_id), { kind: 'signal', signal: 'SIGTERM' })
    await it.runs.ended(run_id)
    await it.settled()
    expect(await shown(it, id)).toMatchObject({ status: 'FAILED' })
    expect(await states(it, id)).toEqual({ Look: 'CANCELLED', Build: 'BLOCKED' })
    expect((await change(it, id, look.id, { status: 'SKIPPED' })).body).toMatchObject({ status: 'SKIPPED' })
    expect(await shown(it, id)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await states(it, id)).toEqual({ Look: 'SKIPPED', Build: 'IN_PROGRESS' })
  })

  /** What people may make of a task in each status. */
  const ways: Record<string, string[]> = {
    PENDING: ['SKIPPED'],
    BLOCKED: ['PENDING', 'SKIPPED'],
    IN_PROGRESS: [],
    AWAITING_APPROVAL: ['SKIPPED'],
    COMPLETED: [],
    FAILED: ['PENDING', 'SKIPPED'],
    SKIPPED: ['PENDING'],
    CANCELLED: ['PENDING', 'SKIPPED'],
  }
  it.each(Object.entries(ways))('are taken from %s to %j and nowhere else, and say so', async (from, allowed) => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Look' }])
    const look = await task(it, id, 'Look')
    const put = it.app.db.prepare('UPDATE mission_tasks SET status = ? WHERE id = ?')
    for (const status of ['PENDING', 'SKIPPED']) {
      it.app.writeNow(() => put.run(from, look.id))
      const answer = await change(it, id, look.id, { status })
      if (status === from || allowed.includes(status)) expect(answer).toMatchObject({ status: 200, body: { status } })
      else {
        expect(answer).toMatchObject({ status: 409, body: { code: 'task_refused', field: 'status' } })
        for (const way of [`"Look" is ${from}`, ...allowed]) expect(answer.body.detail).toContain(way)
      }
    }
  })

  it('are deleted in PLANNING alone, and nothing depends on them any more', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [
      { key: 'a', title: 'Look' },
      { key: 'b', title: 'Build', depends_on: ['a'] },
    ])
    const remove = async (title: string) =>
      it.call('OWNER', 'DELETE', `${at(it, id)}/tasks/${(await task(it, id, title)).id}`)
    expect((await remove('Look')).status).toBe(204)
    expect(await task(it, id, 'Build')).toMatchObject({ depends_on: '[]' })
    await start(it, id)
    expect(await remove('Build')).toMatchObject(refusal)
  })
})
