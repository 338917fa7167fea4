import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

async function tracker(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  const ada = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id as string
  const rule = async (pattern: string, more: object = {}) => {
    const body = { name: pattern, pattern, match_type: 'contains', ...more }
    return (await it.call('MANAGER', 'POST', '/triage-rules', body)).body
  }
  const open = async (title: string, more: object = {}) =>
    (await it.call('MANAGER', 'POST', `/crews/${crew}/issues`, { title, ...more })).body.identifier as string
  const read = async (identifier: string) => (await it.call('VIEWER', 'GET', `/issues/${identifier}`)).body
  const process = async () => (await it.call('MANAGER', 'POST', '/triage/process', {})).body
  const rules = async () => (await it.call('VIEWER', 'GET', '/triage-rules')).body
  return { ...it, crew, ada, rule, open, read, process, rules }
}

describe('triage rules', () => {
  it('begin enabled, behind the others, with no match', async () => {
    const it = await tracker()
    expect(await it.rules()).toEqual([])
    expect(await it.rule('crash', { assignee_id: it.ada, labels_json: '["a"]' })).toEqual({
      id: expect.any(String),
      name: 'crash',
      pattern: 'crash',
      match_type: 'contains',
      crew_id: null,
      assignee_id: it.ada,
      project_id: null,
      priority: null,
      labels_json: '["a"]',
      position: 0,
      enabled: true,
      match_count: 0,
      created_at: '2026-01-01T00:00:00Z',
    })
    const second = await it.rule('docs')
    expect(second.position).toBe(1)
    await it.call('MANAGER', 'PATCH', `/triage-rules/${second.id}`, { position: 0 })
    expect((await it.rules()).map(({ name }: { name: string }) => name)).toEqual(['crash', 'docs'])
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ pattern: '' }, 'pattern'],
    [{ match_type: 'glob' }, 'match_type'],
    [{ match_type: 'regex', pattern: '(' }, 'pattern'],
    [{ match_type: 'regex', pattern: '(?=x)y' }, 'pattern'],
    [{ match_type: 'regex', pattern: '(a)\\1' }, 'pattern'],
    [{ priority: 'medium' }, 'priority'],
    [{ labels_json: '{}' }, 'labels_json'],
    [{ crew_id: 'none' }, 'crew_id'],
    [{ assignee_id: 'none' }, 'assignee_id'],
    [{ project_id: 'none' }, 'project_id'],
  ])('refuse %j', async (more, field) => {
    const it = await tracker()
    const body = { name: 'x', pattern: 'x', match_type: 'contains', ...more }
    const refused = await it.call('MANAGER', 'POST', '/triage-rules', body)
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field } })
  })

  it('stand behind the greatest position, and by their time where positions are the same', async () => {
    const it = await tracker()
    const { id } = await it.rule('first')
    await it.call('MANAGER', 'PATCH', `/triage-rules/${id}`, { position: 7 })
    const { id: second, position } = await it.rule('second')
    expect(position).toBe(8)
    it.clock.advance(1000)
    await it.call('MANAGER', 'PATCH', `/triage-rules/${(await it.rule('third')).id}`, { position: 7 })
    await it.call('MANAGER', 'PATCH', `/triage-rules/${second}`, { position: 0 })
    expect((await it.rules()).map(({ name }: { name: string }) => name)).toEqual(['second', 'first', 'third'])
  })

  it.each([
    ['{', 'invalid_json'],
    ['[]', 'invalid_json'],
    ['{"name":""}', 'invalid_field'],
    ['{"pattern":""}', 'invalid_field'],
    ['{"match_type":"glob"}', 'invalid_field'],
    ['{"position":1.5}', 'invalid_field'],
    ['{"position":-1}', 'invalid_field'],
    ['{"enabled":"yes"}', 'invalid_field'],
    ['{"crew_id":"none"}', 'invalid_field'],
    ['{"id":"mine"}', 'no_fields'],
  ])('refuse the change %s', async (body, code) => {
    const it = await tracker()
    const rule = await it.rule('crash')
    const refused = await it.call('MANAGER', 'PATCH', `/triage-rules/${rule.id}`, body)
    expect(refused).toMatchObject({ status: 400, body: { code } })
    expect(await it.rules()).toEqual([rule])
    expect((await it.call('MANAGER', 'PATCH', '/triage-rules/none', { name: 'x' })).status).toBe(404)
  })

  it('say which kinds of match there are', async () => {
    const it = await tracker()
    const body = { name: 'x', pattern: 'x', match_type: 'glob' }
    const { detail } = (await it.call('MANAGER', 'POST', '/triage-rules', body)).body
    for (const word of ['contains', 'regex', 'exact']) expect(detail).toContain(word)
  })

  it('are read again only where pattern and kind come together', async () => {
    const it = await tracker()
    const { id } = await it.rule('crash', { match_type: 'regex' })
    const change = (body: object) => it.call('MANAGER', 'PATCH', `/triage-rules/${id}`, body)
    expect((await change({ pattern: '(', match_type: 'regex' })).status).toBe(400)
    expect((await change({ pattern: '(' })).body).toMatchObject({ pattern: '(', match_type: 'regex' })
    expect(await change({})).toMatchObject({ status: 400, body: { code: 'no_fields' } })
  })

  it('clear what is left empty', async () => {
    const it = await tracker()
    const { id } = await it.rule('crash', { crew_id: it.crew, assignee_id: it.ada, priority: 'high' })
    const cleared = { crew_id: '', assignee_id: '', project_id: '', priority: '', enabled: false }
    expect((await it.call('MANAGER', 'PATCH', `/triage-rules/${id}`, cleared)).body).toMatchObject({
      crew_id: null,
      assignee_id: null,
      project_id: null,
      priority: null,
      enabled: false,
    })
  })

  it('go on without what is deleted', async () => {
    const it = await tracker()
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    await it.rule('crash', { crew_id: it.crew, assignee_id: it.ada, project_id: project })
    await it.call('OWNER', 'DELETE', `/projects/${project}`)
    await it.call('OWNER', 'DELETE', `/crews/${it.crew}`)
    expect(await it.rules()).toMatchObject([{ crew_id: null, assignee_id: null, project_id: null }])
  })

  it('are told to clients', async () => {
    const it = await tracker()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => heard.push([type, payload]))
    const { id } = await it.rule('crash')
    await it.call('MANAGER', 'PATCH', `/triage-rules/${id}`, { name: 'x' })
    await it.call('ADMIN', 'DELETE', `/triage-rules/${id}`)
    expect(heard).toEqual(['created', 'updated', 'deleted'].map((what) => [`triage_rule.${what}`, { id }]))
    expect((await it.call('ADMIN', 'DELETE', `/triage-rules/${id}`)).status).toBe(404)
  })

  it('are five hundred at most', async () => {
    const it = await tracker()
    const insert = it.app.db.prepare(
      `INSERT INTO triage_rules
        (id, workspace_id, name, pattern, match_type, position, enabled, match_count, created_at)
       VALUES (?, ?, 'x', 'x', 'exact', 0, 1, 0, 'x')`,
    )
    it.app.writeNow(() => {
      for (let n = 0; n < 500; n++) insert.run(`rule ${n}`, it.workspace)
    })
    const body = { name: 'x', pattern: 'x', match_type: 'exact' }
    const refused = await it.call('MANAGER', 'POST', '/triage-rules', body)
    expect(refused).toMatchObject({ status: 409, body: { code: 'triage_rules_full' } })
  })
})

describe('processing', () => {
  it('does what the first rule says that fits the title', async () => {
    const it = await tracker()
    const ops = (await it.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body.id
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    await it.rule('CRASH', { assignee_id: it.ada, priority: 'normal' })
    await it.rule('^OPS-\\d+', { match_type: 'regex', crew_id: ops, project_id: project })
    await it.rule('Docs', { match_type: 'exact', priority: 'low' })
    const disabled = await it.rule('nothing', { priority: 'urgent' })
    await it.call('MANAGER', 'PATCH', `/triage-rules/${disabled.id}`, { enabled: false })
    const [crash, ticket, docs] = [await it.open('A crash'), await it.open('OPS-7 crashless'), await it.open('Docs')]
    const [other, plain] = [await it.open('docs'), await it.open('nothing')]
    const heard: unknown[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => type === 'triage.processed' && heard.push(payload))
    expect(await it.process()).toEqual({ processed: 5, matched: 3 })
    expect(heard).toEqual([{ processed: '5', matched: '3' }])
    expect(await it.read(crash)).toMatchObject({ assignee_type: 'agent', assignee_id: it.ada, priority: 'medium' })
    expect(await it.read(ticket)).toMatchObject({ assignee_id: it.ada, priority: 'medium', crew_id: it.crew })
    expect(await it.read(docs)).toMatchObject({ assignee_id: null, priority: 'low' })
    for (const left of [other, plain]) expect(await it.read(left)).toMatchObject({ priority: 'none' })
    expect((await it.rules()).map(({ match_count }: { match_count: number }) => match_count)).toEqual([2, 0, 1, 0])
  })

  it('tells upper from lower case in regex and exact, and not in contains', async () => {
    const it = await tracker()
    for (const match_type of ['exact', 'regex', 'contains']) await it.rule('Crash', { name: match_type, match_type })
    for (const title of ['Crash', 'crash', 'A Crash', 'Crash ends']) await it.open(title)
    expect(await it.process()).toEqual({ processed: 4, matched: 4 })
    expect((await it.rules()).map((rule: { match_count: number }) => rule.match_count)).toEqual([1, 2, 1])
  })

  it('sets no labels, and nothing that the rule leaves open', async () => {
    const it = await tracker()
    const label = (await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })).body.id
    await it.rule('crash', { labels_json: JSON.stringify([label]) })
    const issue = await it.open('crash', { priority: 'high', description: 'why' })
    const before = await it.read(issue)
    expect(await it.process()).toEqual({ processed: 1, matched: 1 })
    expect(await it.read(issue)).toEqual(before)
  })

  it('looks at issues alone, not at missions', async () => {
    const it = await tracker()
    await it.rule('crash', { priority: 'high' })
    const issue = await it.open('crash')
    it.app.db.prepare("UPDATE missions SET mission_type = 'orchestration'").run()
    expect(await it.process()).toEqual({ processed: 0, matched: 0 })
    expect(it.app.db.prepare('SELECT priority FROM missions WHERE identifier = ?').pluck().get(issue)).toBe('none')
  })

  it('counts every match when two process at once', async () => {
    const it = await tracker()
    await it.rule('x')
    await Promise.all(Array.from({ length: 30 }, () => it.open('x')))
    const both = await Promise.all([it.process(), it.process()])
    expect(both).toEqual([1, 2].map(() => ({ processed: 30, matched: 30 })))
    expect(await it.rules()).toMatchObject([{ match_count: 60 }])
  })

  it('gives issues to another crew and project', async () => {
    const it = await tracker()
    const ops = (await it.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body.id
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    await it.rule('^OPS-\\d+', { match_type: 'regex', crew_id: ops, project_id: project })
    const ticket = await it.open('OPS-7 is down')
    expect(await it.process()).toEqual({ processed: 1, matched: 1 })
    expect(await it.read(ticket)).toMatchObject({ crew_id: ops, project_id: project, identifier: 'WEB-1' })
  })

  it('leaves alone what somebody works on, what has begun and what is part of another issue', async () => {
    const it = await tracker()
    await it.rule('x', { priority: 'urgent' })
    const parent = await it.open('y')
    await it.open('x', { parent_issue_id: parent })
    await it.open('x', { assignee_type: 'agent', assignee_id: it.ada })
    const begun = await it.open('x')
    await it.call('MANAGER', 'PATCH', `/crews/${it.crew}/issues/${begun}`, { status: 'TODO' })
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type }) => heard.push(type))
    expect(await it.process()).toEqual({ processed: 1, matched: 0 })
    expect(heard).toEqual([])
  })

  it('looks at nothing without a rule that is enabled', async () => {
    const it = await tracker()
    await it.open('x')
    expect(await it.process()).toEqual({ processed: 0, matched: 0 })
  })

  it('leaves out a rule that cannot be read', async () => {
    const it = await tracker({ quiet: true })
    const { id } = await it.rule('x', { match_type: 'regex', priority: 'urgent' })
    await it.call('MANAGER', 'PATCH', `/triage-rules/${id}`, { pattern: '(' })
    await it.rule('x', { priority: 'low' })
    const issue = await it.open('x')
    expect(await it.process()).toEqual({ processed: 1, matched: 1 })
    expect((await it.read(issue)).priority).toBe('low')
  })

  it('counts an effectless rule as a match, again and again', async () => {
    const it = await tracker()
    await it.rule('x')
    await it.open('x')
    for (let n = 0; n < 2; n++) expect(await it.process()).toEqual({ processed: 1, matched: 1 })
    expect(await it.rules()).toMatchObject([{ match_count: 2 }])
  })

  it('works through many issues in several changes', async () => {
    const it = await tracker()
    await it.rule('x', { assignee_id: it.ada })
    await Promise.all(Array.from({ length: 450 }, () => it.open('x')))
    expect(await it.process()).toEqual({ processed: 450, matched: 450 })
    expect(await it.rules()).toMatchObject([{ match_count: 450 }])
    expect(await it.process()).toEqual({ processed: 0, matched: 0 })
  })

  it('lets a person who decides meanwhile have the last word', async () => {
    const it = await tracker()
    await it.rule('x', { assignee_id: it.ada })
    const titles = Array.from({ length: 401 }, () => it.open('x'))
    const last = (await Promise.all(titles)).at(-1)!
    const path = `/crews/${it.crew}/issues/${last}`
    const working = it.process()
    const decided = it.call('MANAGER', 'PATCH', path, { status: 'CANCELLED' })
    await Promise.all([working, decided])
    expect(await it.read(last)).toMatchObject({ status: 'CANCELLED' })
  })

  it.each(['(a+)+$', '(a|a)*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a?){30}a{30}'])(
    'is not held up by %s',
    async (pattern) => {
      const it = await tracker()
      await it.rule(pattern, { match_type: 'regex' })
      await it.open(`${'a'.repeat(199)}!`)
      const before = process.cpuUsage()
      expect((await it.process()).processed).toBe(1)
      const { user } = process.cpuUsage(before)
      // A backtracking engine needs years for some of them.
      expect(user / 1000).toBeLessThan(2000)
    },
  )
})
