import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { pathOf as at, crewWithLead, mission, says, shown, start, task } from '../../support/missions.ts'

async function tracker() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  const path = `/crews/${crew}/issues`
  const ada = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id as string
  const open = async (body: object = {}) =>
    (await it.call('MANAGER', 'POST', path, { title: 'Fix it', ...body })).body as { id: string; identifier: string }
  const read = async (identifier: string) => (await it.call('VIEWER', 'GET', `/issues/${identifier}`)).body
  const heard: [string, Record<string, unknown>][] = []
  it.app.bus.on('broadcast', ({ type, payload }) => heard.push([type, payload as Record<string, unknown>]))
  return { ...it, crew, path, ada, open, read, heard }
}

describe('existing clients', () => {
  it('take an issue from whoever has it with two empty texts', async () => {
    const it = await tracker()
    const { identifier } = await it.open({ assignee_type: 'agent', assignee_id: it.ada })
    const nobody = { assignee_type: '', assignee_id: '' }
    expect((await it.call('MANAGER', 'PATCH', `${it.path}/${identifier}`, nobody)).status).toBe(200)
    expect(await it.read(identifier)).toMatchObject({ assignee_type: null, assignee_id: null, assignee_name: null })
  })

  it('change status, assignee, project and labels of several issues, and are told of each', async () => {
    const it = await tracker()
    const label = (await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })).body.id
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const [one, two] = [await it.open(), await it.open()]
    it.heard.length = 0
    const updates = {
      status: 'TODO',
      priority: 'high',
      assignee_type: 'agent',
      assignee_id: it.ada,
      project_id: project,
      labels: [label],
    }
    const done = await it.call('MANAGER', 'PATCH', '/issues/bulk', { ids: [one.id, two.id], updates })
    expect(done).toMatchObject({ status: 200, body: { updated: 2 } })
    for (const { identifier } of [one, two])
      expect(await it.read(identifier)).toMatchObject({
        status: 'TODO',
        priority: 'high',
        assignee_id: it.ada,
        project_id: project,
        labels: [{ id: label }],
      })
    expect(it.heard.filter(([type]) => type === 'mission.updated').map(([, { id }]) => id)).toEqual([one.id, two.id])
    expect(it.heard.at(-1)).toEqual(['issues.bulk_updated', { ids: [one.id, two.id] }])
  })

  it('open an issue again from DONE and from CANCELLED', async () => {
    const it = await tracker()
    for (const ways of [['IN_PROGRESS', 'DONE'], ['CANCELLED']]) {
      const { identifier } = await it.open()
      for (const status of [...ways, 'BACKLOG'])
        expect((await it.call('MANAGER', 'PATCH', `${it.path}/${identifier}`, { status })).status).toBe(200)
      expect(await it.read(identifier)).toMatchObject({ status: 'BACKLOG', completed_at: null })
    }
  })

  it('read the reason of a refusal in either member', async () => {
    const it = await tracker()
    const { identifier } = await it.open()
    const path = `${it.path}/${identifier}`
    for (const refused of [
      await it.call('MANAGER', 'PATCH', path, { status: 'DONE' }),
      await it.call('MANAGER', 'POST', `${path}/start`),
      await it.call('MANAGER', 'POST', '/labels', { name: '' }),
      await it.call('MANAGER', 'POST', '/projects', {}),
      await it.call('MANAGER', 'DELETE', '/relations/none'),
      await it.call('MANAGER', 'POST', `/crews/${it.crew}/missions`, { title: 'x', lead_agent_id: 'none' }),
      await it.call('MANAGER', 'POST', '/templates', {}),
      await it.call('MANAGER', 'POST', '/triage-rules', {}),
    ]) {
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(refused.body.error).toBe(refused.body.detail)
      expect(refused.body.error).toEqual(expect.any(String))
    }
  })

  it('read lists as bare arrays, also where there is nothing', async () => {
    const it = await tracker()
    for (const path of ['/issues', '/labels', '/projects', '/missions', '/missions?limit=200', '/issues?limit=1000'])
      expect(await it.call('VIEWER', 'GET', path)).toMatchObject({ status: 200, body: [] })
  })

  it('read what was done of a milestone', async () => {
    const it = await tracker()
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const path = `/projects/${project}/milestones`
    const milestone_id = (await it.call('OWNER', 'POST', path, { name: 'Beta' })).body.id
    const [one] = [await it.open({ milestone_id }), await it.open({ milestone_id })]
    for (const status of ['IN_PROGRESS', 'DONE'])
      await it.call('MANAGER', 'PATCH', `${it.path}/${one.identifier}`, { status })
    expect((await it.call('VIEWER', 'GET', path)).body).toMatchObject([
      { id: milestone_id, project_id: project, issue_count: 2, done_count: 1 },
    ])
    expect((await it.call('VIEWER', 'GET', `/projects/${project}`)).body).toMatchObject({
      issue_count: 2,
      done_count: 1,
      progress: 50,
    })
  })

  it('list 50 events of an issue unless they ask for more', async () => {
    const it = await tracker()
    const { identifier } = await it.open()
    for (let n = 0; n < 55; n++) {
      const body = { priority: n % 2 ? 'low' : 'high' }
      await it.call('MANAGER', 'PATCH', `${it.path}/${identifier}`, body)
    }
    const count = async (query: string) =>
      (await it.call('VIEWER', 'GET', `${it.path}/${identifier}/activity${query}`)).body.length
    expect([await count(''), await count('?limit=100')]).toEqual([50, 56])
  })

  it('read of a mission who leads it, and are told of it and of each task', async () => {
    const it = await crewWithLead({ level: 'guided' })
    const heard: [string, object][] = []
    it.app.bus.on('broadcast', ({ channel, type, payload }) => {
      if (channel.startsWith('workspace:')) heard.push([type, payload])
    })
    const id = await mission(it, [{ key: 'a', title: 'Look', assigned_agent_id: it.bob }])
    expect((await start(it, id)).body).toEqual({ id, status: 'IN_PROGRESS' })
    const look = await task(it, id, 'Look')
    expect(look).toMatchObject({
      mission_id: id,
      agent_slug: 'bob',
      depends_on: '[]',
      output_path: null,
      evaluation_status: null,
      needs_review: false,
      approval_required: false,
      approval_status: null,
    })
    await says(it, id, 'Look', 'Seen')
    expect(await shown(it, id)).toMatchObject({
      mission_type: 'orchestration',
      lead_agent_id: it.agentId,
      lead_agent_name: expect.any(String),
      lead_agent_slug: 'ada',
      trace_id: expect.any(String),
      workflow_template: null,
      completed_at: null,
    })
    const of = (type: string) => heard.filter(([what]) => what === type).map(([, payload]) => payload)
    expect(of('mission.updated')).toEqual(
      expect.arrayContaining(
        ['PLANNING', 'IN_PROGRESS', 'REVIEW'].map((status) => ({ id, status, title: 'Relaunch' })),
      ),
    )
    expect(of('task.updated')).toEqual(
      expect.arrayContaining(
        ['IN_PROGRESS', 'COMPLETED'].map((status) => ({ id: look.id, status, title: 'Look', mission_id: id })),
      ),
    )
    await it.call('OWNER', 'PATCH', at(it, id), { status: 'COMPLETED' })
    expect((await shown(it, id)).completed_at).toEqual(expect.any(String))
    const copy = (await it.call('OWNER', 'POST', `${at(it, id)}/clone`)).body
    expect(copy).toEqual({ id: expect.any(String), status: 'PLANNING' })
  })
})
