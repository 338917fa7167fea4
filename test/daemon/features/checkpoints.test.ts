import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'

async function issueIn(it: TestDaemon) {
  const crew = (await it.call('MANAGER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const issue = (await it.call('MANAGER', 'POST', `/crews/${crew.id}/issues`, { title: 'Rewrite' })).body
  return { crew, issue, path: `/missions/${issue.id}` }
}

const types = async (it: TestDaemon, query: string) => (await it.call('OWNER', 'GET', `/journal?${query}`)).body.entries

describe('checkpoints', () => {
  it('hold what the mission and its crew are then', async () => {
    const it = await daemon()
    const { crew, issue, path } = await issueIn(it)
    const ada = (await it.call('MANAGER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
    await it.call('MANAGER', 'POST', '/agents', { name: 'Bo', slug: 'bo', crew_id: crew.id })
    await it.call('MANAGER', 'PUT', `/agents/${ada.id}/persona`, { content: 'I am Ada' })
    task(it, issue.id, 'open', 'PENDING')
    task(it, issue.id, 'over', 'COMPLETED')
    assignment(it, crew, ada.id, issue.id)
    const { status, body } = await it.call('MANAGER', 'POST', `${path}/checkpoints`, { label: 'before' })
    expect(status).toBe(201)
    const [newest] = await types(it, `mission_id=${issue.id}&exclude_entry_type=checkpoint.created`)
    expect(body).toEqual({
      id: expect.stringMatching(/^cp_[0-9a-f]{16}$/),
      workspace_id: issue.workspace_id,
      crew_id: crew.id,
      mission_id: issue.id,
      label: 'before',
      journal_cursor: newest.id,
      state: {
        agent_memory: { [ada.id]: expect.stringMatching(/^[0-9a-f]{64}$/) },
        pending_tasks: ['open'],
        open_assignments: ['running'],
      },
      created_by: it.person('MANAGER').userId,
      created_by_name: expect.any(String),
      created_at: '2026-01-01T00:00:00Z',
    })
    expect((await it.call('VIEWER', 'GET', `/checkpoints/${body.id}`)).body).toEqual(body)
    const [entry] = await types(it, 'entry_type=checkpoint.created')
    expect(entry).toMatchObject({ severity: 'info', mission_id: issue.id, actor_id: it.person('MANAGER').userId })
    expect(entry.payload).toMatchObject({ checkpoint_id: body.id, journal_cursor: newest.id, mission_id: issue.id })
  })

  it('have another digest once an agent remembers something else', async () => {
    const it = await daemon()
    const { crew, path } = await issueIn(it)
    const ada = (await it.call('MANAGER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
    const digest = async () => (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body.state.agent_memory[ada.id]
    await it.call('MANAGER', 'PUT', `/agents/${ada.id}/persona`, { content: 'one' })
    const [first, same] = [await digest(), await digest()]
    await it.call('MANAGER', 'PUT', `/agents/${ada.id}/persona`, { content: 'two' })
    expect(same).toBe(first)
    expect(await digest()).not.toBe(first)
  })

  it('are listed newest first, 50 of them unless asked for up to 200', async () => {
    const it = await daemon()
    const { issue, path } = await issueIn(it)
    for (let n = 1; n <= 51; n++) await it.call('MANAGER', 'POST', `${path}/checkpoints`, { label: `n${n}` })
    const { body } = await it.call('VIEWER', 'GET', `${path}/checkpoints`)
    expect(body).toMatchObject({ mission_id: issue.id, count: 50 })
    expect(body.checkpoints[0].label).toBe('n51')
    for (const [query, count] of [
      ['200', 51],
      ['1', 1],
      ['0', 50],
      ['x', 50],
      ['-3', 50],
    ] as const)
      expect((await it.call('VIEWER', 'GET', `${path}/checkpoints?limit=${query}`)).body.count).toBe(count)
  })

  it('leave out the label and the container that there is not', async () => {
    const it = await daemon()
    const { path } = await issueIn(it)
    for (const body of [undefined, {}, { label: '' }]) {
      const made = await it.call('MANAGER', 'POST', `${path}/checkpoints`, body)
      expect(made.status).toBe(201)
      for (const member of ['label', 'fork_of']) expect(made.body).not.toHaveProperty(member)
      expect(Object.keys(made.body.state)).toEqual(['agent_memory', 'pending_tasks', 'open_assignments'])
    }
  })

  it('name the container of the crew', async () => {
    const it = await daemon()
    const { crew, path } = await issueIn(it)
    it.app.db.prepare("UPDATE crew_containers SET container_id = 'box-1' WHERE crew_id = ?").run(crew.id)
    const { state } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    expect(state.crew_container_id).toBe('box-1')
  })

  it('are not found where there are none', async () => {
    const it = await daemon()
    expect((await it.call('VIEWER', 'GET', '/missions/none/checkpoints')).status).toBe(404)
    expect((await it.call('MANAGER', 'POST', '/missions/none/checkpoints')).status).toBe(404)
    for (const [method, tail] of [
      ['GET', ''],
      ['POST', '/restore'],
      ['POST', '/fork'],
      ['DELETE', ''],
    ] as const)
      expect((await it.call('MANAGER', method, `/checkpoints/cp_${'0'.repeat(16)}${tail}`)).status).toBe(404)
  })

  it('need an entry to begin from', async () => {
    const it = await daemon()
    const { crew } = await issueIn(it)
    it.app.db
      .prepare(
        `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, status, priority,
          work_mode, sort_order, created_by_type, created_at, updated_at)
         VALUES ('mis_1', ?, ?, 'orchestration', 0, '', 'Silent', 'PLANNING', 'none', 'agent', 0, 'user', 'x', 'x')`,
      )
      .run(crew.workspace_id, crew.id)
    const refused = await it.call('MANAGER', 'POST', '/missions/mis_1/checkpoints')
    expect(refused).toMatchObject({ status: 409, body: { code: 'nothing_to_anchor' } })
  })

  it.each(['{', '[]', '{"label":7}', '{"label":"a\\nb"}'])('refuse the body %s', async (payload) => {
    const it = await daemon()
    const { path } = await issueIn(it)
    expect((await it.call('MANAGER', 'POST', `${path}/checkpoints`, payload)).status).toBe(400)
  })

  it('say what has happened since, and change nothing', async () => {
    const it = await daemon()
    const { crew, issue, path } = await issueIn(it)
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    const restore = () => it.call('MANAGER', 'POST', `/checkpoints/${id}/restore`)
    const { status, body } = await restore()
    expect({ status, since: body.warn_divergence }).toEqual({ status: 200, since: [] })
    await it.call('MANAGER', 'PATCH', `/crews/${crew.id}/issues/${issue.identifier}`, { status: 'TODO' })
    const [moved] = await types(it, `entry_type=mission.status_change&mission_id=${issue.id}`)
    expect((await restore()).body).toMatchObject({ journal_cursor: body.journal_cursor, warn_divergence: [moved.id] })
    const [entry] = await types(it, 'entry_type=checkpoint.restored')
    expect(entry).toMatchObject({ severity: 'info', payload: { checkpoint_id: id, divergence_count: 1 } })
    const after = await it.call('VIEWER', 'GET', `/crews/${crew.id}/issues/${issue.identifier}`)
    expect(after.body.status).toBe('TODO')
  })

  it('warn where the entry that they begin from is gone', async () => {
    const it = await daemon()
    const { path } = await issueIn(it)
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    it.app.db.prepare("UPDATE checkpoints SET journal_cursor = 'j_gone'").run()
    const { status, body } = await it.call('MANAGER', 'POST', `/checkpoints/${id}/restore`)
    expect({ status, since: body.warn_divergence }).toEqual({ status: 200, since: [expect.stringMatching(/is gone/)] })
  })

  it('begin a new mission with plan and tasks, each to be done again', async () => {
    const it = await daemon()
    const { issue, path } = await issueIn(it)
    it.app.db.prepare("UPDATE missions SET description = 'why', plan = 'how'").run()
    task(it, issue.id, 'one', 'COMPLETED')
    task(it, issue.id, 'two', 'FAILED', ['one'])
    const { id, journal_cursor } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    const { status, body } = await it.call('MANAGER', 'POST', `/checkpoints/${id}/fork`)
    expect(status).toBe(201)
    expect(body.new_mission_id).toMatch(/^mis_[0-9a-f]{16}$/)
    expect(it.app.db.prepare('SELECT * FROM missions WHERE id = ?').get(body.new_mission_id)).toMatchObject({
      mission_type: 'orchestration',
      status: 'PLANNING',
      title: 'Fork: Rewrite',
      description: 'why',
      plan: 'how',
      identifier: '',
    })
    const tasks = it.app.db
      .prepare<[string], { id: string; title: string; status: string; depends_on: string }>(
        'SELECT id, title, status, depends_on FROM mission_tasks WHERE mission_id = ? ORDER BY title',
      )
      .all(body.new_mission_id)
    expect(tasks.map(({ title, status }) => [title, status])).toEqual([
      ['one', 'PENDING'],
      ['two', 'PENDING'],
    ])
    expect(tasks.map(({ id }) => id)).not.toContain('one')
    expect(JSON.parse(tasks[1]!.depends_on)).toEqual([tasks[0]!.id])
    const fork = (await it.call('VIEWER', 'GET', `/checkpoints/${body.new_checkpoint_id}`)).body
    expect(fork).toMatchObject({ fork_of: id, label: `fork of ${id}`, journal_cursor, mission_id: body.new_mission_id })
    const [entry] = await types(it, 'entry_type=fork.created')
    expect(entry).toMatchObject({
      severity: 'notice',
      payload: {
        parent_mission: issue.id,
        new_mission: body.new_mission_id,
        fork_of: id,
        new_checkpoint_id: body.new_checkpoint_id,
        journal_cursor,
      },
    })
  })

  it('fork under a label, for the person who asks, and the entry that they begin from may be gone', async () => {
    const it = await daemon()
    const { path } = await issueIn(it)
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    it.app.db.prepare("UPDATE checkpoints SET journal_cursor = 'j_gone'").run()
    const forked = await it.call('ADMIN', 'POST', `/checkpoints/${id}/fork`, { label: 'second try' })
    expect(forked.status).toBe(201)
    const admin = it.person('ADMIN').userId
    expect((await it.call('VIEWER', 'GET', `/checkpoints/${forked.body.new_checkpoint_id}`)).body).toMatchObject({
      label: 'second try',
      created_by: admin,
      fork_of: id,
    })
    expect((await types(it, 'entry_type=fork.created'))[0].actor_id).toBe(admin)
    for (const body of ['{', '[]', '{"label":7}'])
      expect((await it.call('ADMIN', 'POST', `/checkpoints/${id}/fork`, body)).status).toBe(400)
  })

  it('fork by the address of their mission too, and of no other', async () => {
    const it = await daemon()
    const { crew, path } = await issueIn(it)
    const other = (await it.call('MANAGER', 'POST', `/crews/${crew.id}/issues`, { title: 'Other' })).body
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    const body = { checkpoint_id: id, label: 'again' }
    const forked = await it.call('MANAGER', 'POST', `${path}/fork`, body)
    expect(forked.status).toBe(201)
    expect((await it.call('VIEWER', 'GET', `/checkpoints/${forked.body.new_checkpoint_id}`)).body.label).toBe('again')
    expect((await it.call('MANAGER', 'POST', `/missions/${other.id}/fork`, body)).status).toBe(404)
    expect((await it.call('MANAGER', 'POST', `${path}/fork`, {})).status).toBe(400)
  })

  it('leave their forks when they are deleted', async () => {
    const it = await daemon()
    const { path } = await issueIn(it)
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    const forked = (await it.call('MANAGER', 'POST', `/checkpoints/${id}/fork`)).body
    expect((await it.call('MANAGER', 'DELETE', `/checkpoints/${id}`)).status).toBe(204)
    expect((await it.call('MANAGER', 'DELETE', `/checkpoints/${id}`)).status).toBe(404)
    const left = await it.call('VIEWER', 'GET', `/checkpoints/${forked.new_checkpoint_id}`)
    expect(left.status).toBe(200)
    expect(left.body).not.toHaveProperty('fork_of')
  })

  it('are gone with the issue that they are of', async () => {
    const it = await daemon()
    const { crew, issue, path } = await issueIn(it)
    const { id } = (await it.call('MANAGER', 'POST', `${path}/checkpoints`)).body
    expect((await it.call('MANAGER', 'DELETE', `/crews/${crew.id}/issues/${issue.identifier}`)).status).toBe(204)
    expect((await it.call('VIEWER', 'GET', `/checkpoints/${id}`)).status).toBe(404)
  })
})

function task(it: TestDaemon, mission: string, id: string, status: string, depends: string[] = []): void {
  it.app.db
    .prepare(
      `INSERT INTO mission_tasks (id, mission_id, title, status, task_order, depends_on, max_iterations, created_at,
        updated_at) VALUES (?, ?, ?, ?, 0, ?, 3, 'x', 'x')`,
    )
    .run(id, mission, id, status, JSON.stringify(depends))
}

function assignment(it: TestDaemon, crew: { id: string; workspace_id: string }, agent: string, mission: string): void {
  it.app.db
    .prepare(
      `INSERT INTO assignments (id, workspace_id, crew_id, mission_id, assigned_by_id, assigned_to_id, task, status,
        group_id, depth, parent_run_id, chain_origin, created_at)
       VALUES ('running', ?, ?, ?, ?, ?, 'x', 'RUNNING', 'g', 1, 'r', 'r', 'x')`,
    )
    .run(crew.workspace_id, crew.id, mission, agent, agent)
}
