import { describe, expect, it } from 'vitest'
import { addPerson, daemon, type Person, type TestDaemon } from '#test'

type Who = Parameters<TestDaemon['call']>[0]

async function tracker() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web-team' })).body.id as string
  const path = `/crews/${crew}/issues`
  const open = async (body: object = {}, who: Who = 'MANAGER') =>
    (await it.call(who, 'POST', path, { title: 'Fix it', ...body })).body
  const change = (identifier: string, body: object, who: Who = 'MANAGER') =>
    it.call(who, 'PATCH', `${path}/${identifier}`, body)
  const read = async (identifier: string) => (await it.call('VIEWER', 'GET', `/issues/${identifier}`)).body
  const list = async (query = '') => {
    const { status, body, text } = await it.call('VIEWER', 'GET', `/issues${query}`)
    expect(status, text).toBe(200)
    return body.map(({ identifier }: { identifier: string }) => identifier)
  }
  const move = async (identifier: string, ...statuses: string[]) => {
    for (const status of statuses) expect((await change(identifier, { status })).status).toBe(200)
  }
  const agent = async (slug: string) =>
    (await it.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crew })).body.id as string
  const events = async (identifier: string) =>
    (await it.call('VIEWER', 'GET', `${path}/${identifier}/activity`)).body.map(
      ({ action, details }: { action: string; details: string | null }) => [action, details],
    )
  return { ...it, crew, path, open, change, read, list, move, agent, events }
}

describe('an issue', () => {
  it('begins in the backlog, numbered within its prefix', async () => {
    const it = await tracker()
    const first = await it.open({ description: 'It is **broken**' })
    expect(first).toMatchObject({
      identifier: 'WEB-1',
      number: 1,
      title: 'Fix it',
      description: 'It is **broken**',
      status: 'BACKLOG',
      priority: 'none',
      assignee_type: null,
      assignee_name: null,
      work_mode: 'agent',
      labels: [],
      sub_issues_count: 0,
      comment_count: 0,
      lead_agent_id: null,
      authored_via: 'user_api',
      crew_slug: 'web-team',
      mission_type: 'issue',
      created_by: { type: 'user', id: it.person('MANAGER').userId, name: 'The MANAGER' },
      completed_at: null,
    })
    expect((await it.open()).identifier).toBe('WEB-2')
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Web 2', slug: 'web-two' })).body.id
    expect((await it.call('OWNER', 'POST', `/crews/${other}/issues`, { title: 'x' })).body.identifier).toBe('WEB-3')
    await it.call('OWNER', 'PATCH', `/crews/${other}`, { issue_prefix: 'OPS' })
    expect((await it.call('OWNER', 'POST', `/crews/${other}/issues`, { title: 'x' })).body.identifier).toBe('OPS-1')
    expect(await it.read('WEB-1')).toEqual(first)
    expect(await it.read(first.id)).toEqual(first)
  })

  it('gets a number of its own when many are opened at once', async () => {
    const it = await tracker()
    const made = await Promise.all(Array.from({ length: 20 }, () => it.open()))
    expect(new Set(made.map(({ identifier }) => identifier)).size).toBe(20)
    expect(Math.max(...made.map(({ number }) => number))).toBe(20)
  })

  it('is opened by members who were given that', async () => {
    const it = await tracker()
    expect((await it.call('MEMBER', 'POST', it.path, { title: 'x' })).status).toBe(403)
    const { userId } = it.person('MEMBER')
    const path = `/workspaces/${it.workspace}/members/${userId}/capabilities`
    expect((await it.call('OWNER', 'PATCH', path, { set: ['issue.create'] })).status).toBe(200)
    expect((await it.call('MEMBER', 'POST', it.path, { title: 'x' })).status).toBe(201)
  })

  it.each([
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['estimate', { estimate: -1 }],
    ['due_date', { due_date: '2026-02-30' }],
    ['project_id', { project_id: 'none' }],
    ['milestone_id', { milestone_id: 'none' }],
    ['parent_issue_id', { parent_issue_id: 'WEB-99' }],
    ['labels', { labels: ['none'] }],
    ['assignee_id', { assignee_type: 'agent', assignee_id: 'none' }],
    ['assignee_id', { assignee_type: 'user' }],
  ])('takes no %s such as %j, and no number is used up', async (field, body) => {
    const it = await tracker()
    const refused = await it.call('OWNER', 'POST', it.path, { title: 'x', ...body })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field } })
    expect((await it.open()).number).toBe(1)
  })

  it('goes on without what is deleted', async () => {
    const it = await tracker()
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const milestone = (await it.call('OWNER', 'POST', `/projects/${project}/milestones`, { name: 'Beta' })).body.id
    const label = (await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })).body.id
    const assignee = { assignee_type: 'agent', assignee_id: await it.agent('ada') }
    const { identifier } = await it.open({ milestone_id: milestone, labels: [label], ...assignee })
    expect(await it.read(identifier)).toMatchObject({
      project_id: project,
      project_name: 'Relaunch',
      milestone_id: milestone,
      labels: [{ id: label, name: 'bug', color: '#123', label_group: null }],
      assignee_name: 'ada',
    })
    expect((await it.call('OWNER', 'GET', `/projects/${project}`)).body).toMatchObject({ issue_count: 1, progress: 0 })
    for (const path of [`/labels/${label}`, `/milestones/${milestone}`])
      expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect(await it.read(identifier)).toMatchObject({ project_id: project, milestone_id: null, labels: [] })
    await it.call('OWNER', 'DELETE', `/projects/${project}`)
    await it.call('OWNER', 'DELETE', `/agents/${assignee.assignee_id}`)
    expect(await it.read(identifier)).toMatchObject({ project_id: null, assignee_id: null, assignee_type: null })
  })

  it('is given to nobody once its member has left', async () => {
    const it = await tracker()
    const leaver: Person = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    const { identifier } = await it.open({ assignee_type: 'user', assignee_id: leaver.userId })
    expect((await it.read(identifier)).assignee_name).toBe('The MEMBER')
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === leaver.userId)
    const other = await it.open({ assignee_type: 'agent', assignee_id: await it.agent('ada') })
    const told: string[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => {
      if (type === 'mission.updated') told.push((payload as { identifier: string }).identifier)
    })
    await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
    expect((await it.read(identifier)).assignee_id).toBe(null)
    await it.call('OWNER', 'DELETE', `/agents/${other.assignee_id}`)
    expect(told).toEqual([identifier, other.identifier])
    const newest = async (name: string) => (await it.call('VIEWER', 'GET', `${it.path}/${name}/activity`)).body[0]
    expect(await newest(identifier)).toMatchObject({ action: 'assignee_changed', details: 'The MEMBER → nobody' })
    expect(await newest(other.identifier)).toMatchObject({ action: 'assignee_changed', details: 'ada → nobody' })
  })

  it('leaves its milestone behind when it moves to another project', async () => {
    const it = await tracker()
    const project = async (name: string) => (await it.call('OWNER', 'POST', '/projects', { name })).body.id
    const [one, two] = [await project('One'), await project('Two')]
    const milestone = (await it.call('OWNER', 'POST', `/projects/${one}/milestones`, { name: 'Beta' })).body.id
    const { identifier } = await it.open({ milestone_id: milestone })
    expect((await it.change(identifier, { project_id: two })).body).toMatchObject({
      project_id: two,
      milestone_id: null,
    })
    const wrong = await it.change(identifier, { milestone_id: milestone })
    expect(wrong).toMatchObject({ status: 400, body: { field: 'milestone_id' } })
    const cleared = await it.change(identifier, { project_id: '', estimate: null, due_date: '' })
    expect(cleared.body).toMatchObject({ project_id: null, estimate: null, due_date: null })
  })

  it('stands below another, never below itself', async () => {
    const it = await tracker()
    const [a, b, c] = [await it.open(), await it.open(), await it.open()]
    await it.change(b.identifier, { parent_issue_id: a.identifier })
    await it.change(c.identifier, { parent_issue_id: b.id })
    for (const parent of [a, b, c])
      expect(await it.change(a.identifier, { parent_issue_id: parent.identifier })).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', field: 'parent_issue_id' },
      })
    expect((await it.read(a.identifier)).sub_issues_count).toBe(1)
    const below = (await it.call('VIEWER', 'GET', `${it.path}/${a.identifier}/subtasks`)).body
    expect(below).toMatchObject([{ identifier: b.identifier }])
    await it.change(c.identifier, { parent_issue_id: '' })
    expect((await it.read(c.identifier)).parent_issue_id).toBe(null)
  })
})

/** Written from the specification of issues: what may follow what. */
const ways: Record<string, string[]> = {
  BACKLOG: ['TODO', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE'],
  TODO: ['BACKLOG', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE'],
  IN_PROGRESS: ['TODO', 'REVIEW', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE'],
  REVIEW: ['TODO', 'IN_PROGRESS', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE'],
  DONE: ['BACKLOG'],
  FAILED: ['BACKLOG', 'TODO', 'IN_PROGRESS'],
  CANCELLED: ['BACKLOG', 'TODO'],
  DUPLICATE: [],
}

describe('from each status', () => {
  it.each(Object.entries(ways))('%s to %j and nowhere else', async (from, allowed) => {
    const it = await tracker()
    const { id, identifier } = await it.open()
    const put = it.app.db.prepare('UPDATE missions SET status = ? WHERE id = ?')
    for (const to of Object.keys(ways)) {
      it.app.writeNow(() => put.run(from, id))
      const answer = await it.change(identifier, { status: to })
      if (to === from || allowed.includes(to)) expect([to, answer.status, answer.body.status]).toEqual([to, 200, to])
      else {
        expect([to, answer.status, answer.body.code]).toEqual([to, 409, 'transition_refused'])
        for (const way of allowed) expect(answer.body.detail).toContain(way)
      }
    }
  })

  it('DONE has a time, which leaving it takes away', async () => {
    const it = await tracker()
    const { identifier } = await it.open()
    await it.move(identifier, 'IN_PROGRESS', 'DONE')
    expect((await it.read(identifier)).completed_at).toBe('2026-01-01T00:00:00Z')
    await it.move(identifier, 'BACKLOG')
    expect((await it.read(identifier)).completed_at).toBe(null)
    expect((await it.open({ status: 'DONE' })).completed_at).toBe('2026-01-01T00:00:00Z')
  })

  it('BACKLOG and CANCELLED may be deleted, with all that was said', async () => {
    const it = await tracker()
    const { id, identifier } = await it.open()
    const child = await it.open({ parent_issue_id: id })
    await it.call('MANAGER', 'POST', `${it.path}/${identifier}/comments`, { body: 'Why?' })
    await it.move(identifier, 'TODO')
    const path = `${it.path}/${identifier}`
    expect(await it.call('MANAGER', 'DELETE', path)).toMatchObject({
      status: 409,
      body: {
        code: 'transition_refused',
        detail:
          'WEB-1 is TODO; from there it may go to BACKLOG, IN_PROGRESS, CANCELLED, DUPLICATE. An issue is deleted ' +
          'from BACKLOG or CANCELLED',
      },
    })
    await it.move(identifier, 'CANCELLED')
    expect((await it.call('MANAGER', 'DELETE', path)).status).toBe(204)
    expect((await it.call('MANAGER', 'GET', path)).status).toBe(404)
    expect((await it.read(child.identifier)).parent_issue_id).toBe(null)
    const left = ['mission_comments', 'mission_activity'].map((table) =>
      it.app.db.prepare(`SELECT count(*) FROM ${table} WHERE mission_id = ?`).pluck().get(id),
    )
    expect(left).toEqual([0, 0])
    expect((await it.open()).identifier).toBe('WEB-3')
  })
})

describe('a list of issues', () => {
  it('is of one workspace, newest first, and chosen by what issues are', async () => {
    const it = await tracker()
    const label = (await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })).body.id
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const ada = await it.agent('ada')
    await it.open({ title: 'Login 100% broken', priority: 'urgent', labels: [label], due_date: '2026-03-01' })
    await it.open({
      title: 'Log_in page',
      priority: 'low',
      project_id: project,
      due_date: '2026-02-01',
      sort_order: -1,
    })
    await it.open({ title: 'Docs', assignee_type: 'agent', assignee_id: ada })
    await it.move('WEB-3', 'TODO')
    expect(await it.list()).toEqual(['WEB-3', 'WEB-2', 'WEB-1'])
    expect(await it.list('?status=TODO')).toEqual(['WEB-3'])
    expect(await it.list('?status=BACKLOG,TODO&priority=urgent,low')).toEqual(['WEB-2', 'WEB-1'])
    expect(await it.list(`?project_id=${project}`)).toEqual(['WEB-2'])
    expect(await it.list(`?assignee_id=${ada}`)).toEqual(['WEB-3'])
    expect(await it.list('?label=BUG')).toEqual(['WEB-1'])
    expect(await it.list(`?label=bug&assignee_id=${ada}`)).toEqual([])
    await it.call('OWNER', 'PATCH', `${it.path}/WEB-2`, { labels: [label] })
    expect(await it.list(`?label=bug&project_id=${project}`)).toEqual(['WEB-2'])
    await it.call('OWNER', 'PATCH', `${it.path}/WEB-2`, { labels: [] })
    expect(await it.list('?search=log')).toEqual(['WEB-2', 'WEB-1'])
    expect(await it.list('?search=0%25')).toEqual(['WEB-1'])
    expect(await it.list('?search=log_')).toEqual(['WEB-2'])
    expect(await it.list(`?crew_id=${it.crew}&limit=1&offset=1`)).toEqual(['WEB-2'])
    expect(await it.list('?crew_id=other')).toEqual([])
    expect(await it.list('?sort=priority')).toEqual(['WEB-1', 'WEB-2', 'WEB-3'])
    expect(await it.list('?sort=due_date')).toEqual(['WEB-2', 'WEB-1', 'WEB-3'])
    expect(await it.list('?sort=sort_order')).toEqual(['WEB-2', 'WEB-3', 'WEB-1'])
    expect(await it.list('?mission_type=issue&status=TODO')).toEqual(['WEB-3'])
    expect(await it.list('?mission_type=orchestration')).toEqual([])
    expect((await it.call('VIEWER', 'GET', `${it.path}?mission_type=orchestration`)).body).toEqual([])
    expect((await it.call(it.stranger(), 'GET', '/issues')).body).toEqual([])
    const ofCrew = (await it.call('VIEWER', 'GET', `${it.path}?status=TODO`)).body
    expect(ofCrew).toMatchObject([{ identifier: 'WEB-3' }])
  })

  const wrong = ['status=OPEN', 'status=TODO,', 'priority=normal', 'sort=title', 'mission_type=task']
  it.each(wrong)('refuses %s', async (query) => {
    const it = await tracker()
    const refused = await it.call('VIEWER', 'GET', `/issues?${query}`)
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field: query.split('=')[0] } })
  })
})

describe('what happens to an issue', () => {
  it('is kept with it, and told by the journal', async () => {
    const it = await tracker()
    const ada = await it.agent('ada')
    const { identifier } = await it.open()
    await it.change(identifier, { status: 'TODO', assignee_type: 'agent', assignee_id: ada, priority: 'high' })
    await it.call('MEMBER', 'POST', `${it.path}/${identifier}/comments`, { body: 'Which "one"?\nThis?' })
    expect(await it.events(identifier)).toEqual([
      ['commented', null],
      ['priority_changed', 'none → high'],
      ['assignee_changed', 'nobody → ada'],
      ['status_changed', 'BACKLOG → TODO'],
      ['created', null],
    ])
    const told = it.entries().filter(({ entry_type }) => entry_type.startsWith('mission.'))
    expect(told.map(({ entry_type, summary }) => [entry_type, summary])).toEqual([
      ['mission.created', 'The MANAGER opened issue WEB-1: "Fix it"'],
      ['mission.status_change', 'The MANAGER moved issue WEB-1 from BACKLOG to TODO'],
      ['mission.assigned', 'The MANAGER gave issue WEB-1 to ada'],
      ['mission.status_change', 'The MANAGER changed the priority of issue WEB-1'],
      ['mission.comment', `The MEMBER commented on issue WEB-1: "Which 'one'?…"`],
    ])
    expect(told[2]).toMatchObject({ agent_id: ada, crew_id: it.crew, mission_id: expect.any(String) })
  })

  it('is kept and told once when its labels or its project change, and not when they stay', async () => {
    const it = await tracker()
    const label = (await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })).body.id
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const { identifier } = await it.open()
    const told = () =>
      it
        .entries()
        .filter(({ entry_type }) => entry_type === 'mission.status_change')
        .map(({ summary, payload }) => [summary, payload?.['action']])
    const entry = ['The MANAGER changed issue WEB-1', 'changed']
    for (const [n, body] of [
      { labels: [label] },
      { project_id: project },
      { labels: [] },
      { project_id: '' },
    ].entries())
      for (const _ of ['first', 'again']) {
        expect((await it.change(identifier, body)).status).toBe(200)
        expect(told()).toEqual(Array.from({ length: n + 1 }, () => entry))
        expect((await it.events(identifier)).filter(([action]: string[]) => action === 'changed')).toHaveLength(n + 1)
      }
  })

  it('is told to clients, also to those that know only missions', async () => {
    const it = await tracker()
    const heard: [string, unknown][] = []
    it.app.bus.on('broadcast', ({ type, payload }) =>
      heard.push([type, (payload as { identifier?: string }).identifier]),
    )
    const { identifier } = await it.open()
    await it.change(identifier, { priority: 'low' })
    await it.call('MANAGER', 'DELETE', `${it.path}/${identifier}`)
    const each = ['issue.created', 'issue.updated', 'issue.deleted'].flatMap((type) => [type, 'mission.updated'])
    expect(heard).toEqual(each.map((type) => [type, 'WEB-1']))
  })

  it('changes several at once, or none', async () => {
    const it = await tracker()
    const [a, b] = [await it.open(), await it.open()]
    const bulk = (ids: string[], updates: object) => it.call('MANAGER', 'PATCH', '/issues/bulk', { ids, updates })
    expect((await bulk([a.id, b.id, a.id], { priority: 'high' })).body).toEqual({ updated: 2 })
    await it.move(b.identifier, 'IN_PROGRESS')
    expect(await bulk([a.id, b.id], { status: 'BACKLOG' })).toMatchObject({ status: 409 })
    expect(await bulk([a.id, 'none'], { status: 'TODO' })).toMatchObject({ status: 404 })
    expect(await bulk([a.id], {})).toMatchObject({ status: 400, body: { code: 'no_fields' } })
    expect(await it.read(a.identifier)).toMatchObject({ status: 'BACKLOG', priority: 'high' })
    expect((await bulk(Array(101).fill(a.id), { priority: 'low' })).status).toBe(400)
  })
})

describe('a review', () => {
  it('approves, or sends back to whom it names', async () => {
    const it = await tracker()
    const ada = await it.agent('ada')
    const { identifier } = await it.open()
    const review = (body: object) => it.call('MANAGER', 'POST', `${it.path}/${identifier}/review`, body)
    expect(await review({ action: 'approve' })).toMatchObject({ status: 409, body: { code: 'transition_refused' } })
    await it.move(identifier, 'IN_PROGRESS', 'REVIEW')
    const unknown = await review({ action: 'request_changes', reassign_to: 'none' })
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    const back = await review({ action: 'request_changes', comment: 'Tests are missing', reassign_to: ada })
    expect(back).toMatchObject({ status: 200, body: { status: 'ok', action: 'request_changes' } })
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO', assignee_id: ada, comment_count: 1 })
    await it.move(identifier, 'IN_PROGRESS', 'REVIEW')
    expect((await review({ action: 'approve' })).status).toBe(200)
    expect((await it.read(identifier)).status).toBe('DONE')
    const actions = (await it.events(identifier)).map(([action]: [string]) => action)
    expect(actions).toEqual(expect.arrayContaining(['review_approved', 'review_changes_requested', 'commented']))
  })

  it.each(Object.entries(ways).filter(([from]) => from !== 'REVIEW'))(
    'is refused in %s, and says that the issue may go to %j',
    async (from, allowed) => {
      const it = await tracker()
      const { id, identifier } = await it.open()
      it.app.writeNow(() => it.app.db.prepare('UPDATE missions SET status = ? WHERE id = ?').run(from, id))
      for (const action of ['approve', 'request_changes']) {
        const refused = await it.call('MANAGER', 'POST', `${it.path}/${identifier}/review`, { action, comment: 'No' })
        expect(refused).toMatchObject({ status: 409, body: { code: 'transition_refused' } })
        for (const way of [from, ...allowed]) expect(refused.body.detail).toContain(way)
      }
      expect(await it.read(identifier)).toMatchObject({ status: from, comment_count: 0 })
    },
  )

  it('is made once when two people review at once', async () => {
    const it = await tracker()
    const { identifier } = await it.open()
    await it.move(identifier, 'IN_PROGRESS', 'REVIEW')
    const path = `${it.path}/${identifier}/review`
    const both = await Promise.all([
      it.call('MANAGER', 'POST', path, { action: 'approve' }),
      it.call('ADMIN', 'POST', path, { action: 'request_changes' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('comments', () => {
  it('are listed oldest first, with their authors', async () => {
    const it = await tracker()
    const { identifier } = await it.open()
    const path = `${it.path}/${identifier}/comments`
    for (const body of ['One', 'Two']) expect((await it.call('MEMBER', 'POST', path, { body })).status).toBe(201)
    expect((await it.call('VIEWER', 'GET', path)).body).toMatchObject([
      { body: 'One', author_type: 'user', author_name: 'The MEMBER' },
      { body: 'Two' },
    ])
    for (const body of ['', ' \n', '\u200b', 'a\0b', 'x'.repeat(20_001)])
      expect((await it.call('MEMBER', 'POST', path, { body })).status).toBe(400)
    expect((await it.call('VIEWER', 'POST', path, { body: 'x' })).status).toBe(403)
  })
})

describe('relations', () => {
  it('are seen from both ends, once for two issues', async () => {
    const it = await tracker()
    const [a, b] = [await it.open({ title: 'First' }), await it.open({ title: 'Second' })]
    const relate = (from: string, target_identifier: string, relation_type = 'blocks') =>
      it.call('MANAGER', 'POST', `${it.path}/${from}/relations`, { target_identifier, relation_type })
    const made = await relate(a.identifier, b.identifier)
    expect(made).toMatchObject({ status: 201, body: { status: 'ok' } })
    const seen = async (from: string) => (await it.call('VIEWER', 'GET', `${it.path}/${from}/relations`)).body
    const row = { id: made.body.id, source_id: a.id, target_id: b.id, relation_type: 'blocks' }
    expect(await seen('WEB-1')).toMatchObject([{ ...row, target_identifier: 'WEB-2', target_title: 'Second' }])
    expect(await seen('WEB-2')).toMatchObject([{ ...row, target_identifier: 'WEB-1', target_title: 'First' }])
    expect(await relate('WEB-2', 'WEB-1', 'relates_to')).toMatchObject({
      status: 409,
      body: { code: 'relation_exists' },
    })
    expect(await relate('WEB-1', 'WEB-1')).toMatchObject({ status: 400, body: { field: 'target_identifier' } })
    expect((await relate('WEB-1', 'WEB-9')).status).toBe(404)
    const gone = await it.call('MANAGER', 'DELETE', `/relations/${made.body.id}`)
    expect(gone).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await seen('WEB-2')).toEqual([])
    expect((await it.call('MANAGER', 'DELETE', `/relations/${made.body.id}`)).status).toBe(404)
  })

  it('of issues that wait for each other form no cycle, not even of two changes at once', async () => {
    const it = await tracker()
    for (const title of ['One', 'Two', 'Three', 'Four']) await it.open({ title })
    const relate = (from: number, to: number, relation_type: string) =>
      it.call('MANAGER', 'POST', `${it.path}/WEB-${from}/relations`, { target_identifier: `WEB-${to}`, relation_type })
    expect((await relate(1, 2, 'blocks')).status).toBe(201)
    const both = await Promise.all([relate(3, 2, 'blocked_by'), relate(3, 1, 'blocks')])
    expect(both.map(({ status }) => status)).toEqual([201, 400])
    expect(both[1]!.body).toMatchObject({
      field: 'target_identifier',
      detail: 'WEB-1 blocks WEB-3 already, by way of others',
    })
    expect((await relate(1, 3, 'blocked_by')).status).toBe(400)
    expect((await relate(1, 3, 'relates_to')).status).toBe(201)
    expect([(await relate(4, 3, 'duplicate_of')).status, (await relate(2, 4, 'duplicate_of')).status]).toEqual([
      201, 201,
    ])
  })
})

it('are gone with their crew, and count no more', async () => {
  const it = await tracker()
  const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
  const ops = (await it.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body.id
  const kept = (await it.call('OWNER', 'POST', `/crews/${ops}/issues`, { title: 'Kept', project_id: project })).body
  const gone = await it.open({ project_id: project, parent_issue_id: kept.id })
  const relation = { target_identifier: gone.identifier, relation_type: 'blocks' }
  await it.call('OWNER', 'POST', `/crews/${ops}/issues/${kept.identifier}/relations`, relation)
  await it.call('OWNER', 'DELETE', `/crews/${it.crew}`)
  expect(await it.list()).toEqual([kept.identifier])
  expect((await it.call('OWNER', 'GET', `/issues/${gone.identifier}`)).status).toBe(404)
  expect((await it.call('OWNER', 'GET', `${it.path}/${gone.identifier}`)).status).toBe(404)
  expect((await it.read(kept.identifier)).sub_issues_count).toBe(0)
  expect((await it.call('OWNER', 'GET', `/projects/${project}`)).body.issue_count).toBe(1)
  expect((await it.call('OWNER', 'GET', `/crews/${ops}/issues/${kept.identifier}/relations`)).body).toEqual([])
})
