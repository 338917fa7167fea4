import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { found, isWorkspace, languageOf, show } from '../../../daemon/features/workspaces/service.ts'

const draft = { name: 'Research', slug: 'research' }

describe('workspaces.create', () => {
  it('makes the caller its owner and journals it there', async () => {
    const { call, entries, person } = await daemon()
    const { status, body } = await call('VIEWER', 'POST', '/workspaces', { ...draft, name: ' Research ', unknown: 1 })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[a-z0-9]{24}$/),
      ...draft,
      logo_url: null,
      preferred_language: null,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      allow_privileged_credentials: false,
      run_retention_days: null,
      credential_audit_retention_days: null,
      audit_log_retention_days: null,
      journal_retention_days: null,
      require_second_approver: false,
      journal_tool_arguments: false,
      require_two_factor: false,
    })
    const counts = { _count: { crews: 0, agents: 0, members: 1 }, _count_members: 1 }
    expect((await call('VIEWER', 'GET', `/workspaces/${body.id}`)).body).toEqual({
      ...body,
      currentUserRole: 'OWNER',
      currentUserCapabilities: [
        'chat',
        'routine.create',
        'skill.create',
        'credential.create',
        'credential.rotate',
        'issue.create',
        'memory.write',
      ],
      ...counts,
    })
    expect(entries(body.id)).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        actor_id: person('VIEWER').userId,
        payload: { entity_type: 'workspace', entity_id: body.id },
      },
    ])
  })

  it('refuses a taken slug and leaves nothing behind', async () => {
    const { call, app } = await daemon()
    await call('MEMBER', 'POST', '/workspaces', draft)
    const { status, body } = await call('OWNER', 'POST', '/workspaces', draft)
    expect({ status, code: body.code, field: body.field }).toEqual({ status: 409, code: 'slug_taken', field: 'slug' })
    expect(app.db.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(2)
  })

  it('gives one slug to one of many', async () => {
    const { call } = await daemon()
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('MEMBER', 'POST', '/workspaces', draft)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
  })

  it('gives the slug of a deleted workspace again', async () => {
    const { call, app } = await daemon()
    await call('MEMBER', 'POST', '/workspaces', draft)
    app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE slug = 'research'").run()
    expect((await call('MEMBER', 'POST', '/workspaces', draft)).status).toBe(201)
  })

  it('needs the scope of a scoped token', async () => {
    const { call } = await daemon()
    const { token } = (await call('OWNER', 'POST', '/auth/cli-token', { scopes: ['crews:write'] })).body
    const answer = await call(null, 'POST', '/workspaces', draft, { authorization: `Bearer ${token}` })
    expect(answer.body).toMatchObject({ status: 403, code: 'insufficient_scope' })
  })

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of 101 letters', { name: 'x'.repeat(101) }, 'name'],
    ['a slug of one letter', { slug: 'a' }, 'slug'],
    ['a slug of 51 letters', { slug: 'a'.repeat(51) }, 'slug'],
    ['a slug in upper case', { slug: 'Research' }, 'slug'],
    ['a slug that begins with a dash', { slug: '-research' }, 'slug'],
    ['a slug with a line break at its end', { slug: 'research\n' }, 'slug'],
    ['a slug in the form of an id', { slug: 'c0mjuohs00g46iuz815askeof' }, 'slug'],
    ['a language that nobody speaks', { preferred_language: 'Klingonese' }, 'preferred_language'],
    ['a language that is a number', { preferred_language: 5 }, 'preferred_language'],
    ['a name of one letter', { name: ' x ' }, 'name'],
    ['a name that has 102 characters in its normal form', { name: '\u0958'.repeat(51) }, 'name'],
  ])('refuses %s', async (_, wrong, field) => {
    const { call } = await daemon()
    const { status, body } = await call('OWNER', 'POST', '/workspaces', { ...draft, ...wrong })
    const code = field in wrong && wrong[field as never] === undefined ? 'missing_field' : 'invalid_field'
    expect({ status, code: body.code, field: body.field }).toEqual({ status: 400, code, field })
  })

  it('says how long a name may be', async () => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'POST', '/workspaces', { ...draft, name: 'x' })
    expect(body.detail).toBe('name must have 2 to 100 characters')
  })

  it.each([
    ['two letters', 'xy'],
    ['100 letters', 'é'.repeat(100)],
    ['100 characters in its normal form', '\u0958'.repeat(50)],
  ])('takes a name of %s', async (_, name) => {
    const { call } = await daemon()
    const { status, body } = await call('OWNER', 'POST', '/workspaces', { ...draft, name })
    expect([status, body.name]).toEqual([201, name.normalize('NFC')])
  })

  it.each([
    [' de ', 'de'],
    ['  ', null],
  ])('keeps the language %j as %j', async (preferred_language, kept) => {
    const { call } = await daemon()
    const { status, body } = await call('OWNER', 'POST', '/workspaces', { ...draft, preferred_language })
    expect([status, body.preferred_language]).toEqual([201, kept])
  })

  it('makes none that administers the server', async () => {
    const { call, app, person, workspace } = await daemon()
    const { id } = (await call('OWNER', 'POST', '/workspaces', draft)).body
    const homes = () => app.db.prepare('SELECT id FROM workspaces WHERE home = 1').pluck().all()
    expect(homes()).toEqual([workspace])
    app.db.prepare('UPDATE workspaces SET home = 0').run()
    const first = { name: 'First', slug: 'first', owner: person('OWNER').userId, now: app.now(), home: true } as const
    const made = app.writeNow(() => found(app, first))
    expect(homes(), `not ${id}`).toEqual([made!.id])
  })

  it('keeps the language as it was given and tells agents its name', async () => {
    const { call, app } = await daemon()
    const { body } = await call('OWNER', 'POST', '/workspaces', { ...draft, preferred_language: 'de' })
    expect(body.preferred_language).toBe('de')
    expect(languageOf(app, body.id)).toBe('German')
  })

  it('lets agents choose where no language is set', async () => {
    const { app, workspace } = await daemon()
    expect([languageOf(app, workspace), languageOf(app, 'none')]).toEqual([null, null])
  })
})

describe('a workspace', () => {
  it('is one until it is deleted', async () => {
    const { app, workspace, person } = await daemon()
    const { userId: id } = person('OWNER')
    const at = (where: string) =>
      show(app, { type: 'user', id, email: null, workspace: where, role: 'OWNER', token: null, session: null }).id
    expect([isWorkspace(app, workspace), isWorkspace(app, 'none'), at(workspace)]).toEqual([true, false, workspace])
    app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE id = ?").run(workspace)
    expect(isWorkspace(app, workspace)).toBe(false)
    expect(() => at(workspace)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})

describe('workspaces.list', () => {
  it('shows live workspaces of the caller alone, newest first', async () => {
    const { call, clock, workspace, stranger, app } = await daemon()
    stranger()
    clock.advance(1000)
    await call('MEMBER', 'POST', '/workspaces', draft)
    clock.advance(1000)
    await call('MEMBER', 'POST', '/workspaces', { name: 'Gone', slug: 'gone' })
    app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE slug = 'gone'").run()
    const { body } = await call('MEMBER', 'GET', '/workspaces')
    expect(
      body.map((it: { id: string; slug: string; currentUserRole: string }) => [it.slug, it.currentUserRole]),
    ).toEqual([
      ['research', 'OWNER'],
      [expect.stringMatching(/^test-/), 'MEMBER'],
    ])
    expect((await call('MEMBER', 'GET', '/workspaces?limit=1&offset=1')).body).toMatchObject([{ id: workspace }])
  })
})

describe('workspaces.list and workspaces.show', () => {
  it('have 500 rows where no number is asked for', async () => {
    const { app, call, person } = await daemon()
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)'
    app.db.exec(`${numbers} INSERT INTO workspaces (id, name, slug, created_at, updated_at)
      SELECT 'w' || i, 'w', 'w' || i, 'x', 'x' FROM n`)
    app.db
      .prepare(
        `${numbers} INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
         SELECT 'm' || i, 'w' || i, ?, 'OWNER', 'x', 'x' FROM n`,
      )
      .run(person('OWNER').userId)
    expect((await call('OWNER', 'GET', '/workspaces')).body).toHaveLength(500)
  })

  it('say what a workspace asks of its members and allows', async () => {
    const { app, call, workspace } = await daemon()
    const settings = { allow_privileged_credentials: true, require_two_factor: true, require_second_approver: true }
    app.db.exec(`UPDATE workspaces SET ${Object.keys(settings).map((name) => `${name} = 1`)}`)
    app.db
      .prepare("UPDATE users SET two_factor_at = 'x' WHERE id = ?")
      .run((await call('OWNER', 'GET', '/users/me')).body.id)
    expect((await call('OWNER', 'GET', '/workspaces')).body).toMatchObject([settings])
    expect((await call('OWNER', 'GET', `/workspaces/${workspace}`)).body).toMatchObject(settings)
  })
})

describe('workspaces.show', () => {
  it('answers by id and by slug', async () => {
    const { call, workspace } = await daemon()
    const byId = (await call('VIEWER', 'GET', `/workspaces/${workspace}`)).body
    expect(byId).toMatchObject({ id: workspace, currentUserRole: 'VIEWER' })
    expect((await call('VIEWER', 'GET', `/workspaces/${byId.slug}`)).body).toEqual(byId)
  })

  it('counts what lives in it, as the list does', async () => {
    const { call, workspace } = await daemon()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body.id
    await call('OWNER', 'POST', '/crews', { name: 'Yard', slug: 'yard' })
    for (const slug of ['ada', 'bob', 'cyd'])
      await call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crew })
    await call('OWNER', 'DELETE', `/agents/${(await call('OWNER', 'GET', '/agents?q=ada')).body[0].id}`)
    const people = (await call('VIEWER', 'GET', `/workspaces/${workspace}/members`)).body.length
    const expected = {
      _count: { crews: 2, agents: 2, members: people },
      _count_crews: 2,
      _count_agents: 2,
      _count_members: people,
    }
    expect((await call('VIEWER', 'GET', `/workspaces/${workspace}`)).body).toMatchObject(expected)
    expect((await call('VIEWER', 'GET', '/workspaces')).body).toMatchObject([expected])
    await call('OWNER', 'DELETE', `/crews/${crew}`)
    const { body } = await call('VIEWER', 'GET', `/workspaces/${workspace}`)
    expect(body).toMatchObject({ _count: { crews: 1, agents: 0 }, _count_crews: 1 })
    expect(body).not.toHaveProperty('_count_agents')
  })

  it('counts nothing of other workspaces', async () => {
    const { call, stranger } = await daemon()
    const other = stranger()
    await call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })
    await call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada' })
    const { body } = await call(other, 'GET', `/workspaces/${other.workspace}`)
    expect(body._count).toEqual({ crews: 0, agents: 0, members: 1 })
  })

  it('takes query before path before header', async () => {
    const { call, workspace, stranger } = await daemon()
    const other = stranger()
    const at = (path: string, header: string) => call(other, 'GET', path, undefined, { 'x-workspace-id': header })
    expect((await at(`/workspaces/${workspace}?workspace_id=${other.workspace}`, workspace)).body.id).toBe(
      other.workspace,
    )
    expect((await at(`/workspaces/${other.workspace}`, workspace)).body.id).toBe(other.workspace)
    expect((await at(`/workspaces/${other.workspace}?workspace_id=`, workspace)).body.id).toBe(other.workspace)
    expect((await at(`/workspaces/${other.workspace}?workspace_id=${workspace}`, other.workspace)).body.code).toBe(
      'not_a_member',
    )
    expect((await at(`/workspaces/${other.workspace}?workspace_id=a&workspace_id=b`, workspace)).body).toMatchObject({
      status: 400,
      field: 'workspace_id',
    })
  })

  it('answers alike for unknown, foreign and deleted ones', async () => {
    const { call, stranger, app } = await daemon()
    const gone = (await call('OWNER', 'POST', '/workspaces', draft)).body.id
    app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE id = ?").run(gone)
    const ids = ['cnone00000000000000000000', stranger().workspace, gone, 'research']
    const bodies = await Promise.all(
      ids.map(async (id) => ({ ...(await call('OWNER', 'GET', `/workspaces/${id}`)).body, instance: '' })),
    )
    for (const body of bodies) expect(body).toEqual(bodies[0])
    expect(bodies[0]).toMatchObject({ status: 403, code: 'not_a_member' })
  })

  it('is not fooled by a slug that is the id of another workspace', async () => {
    const { call, workspace, app } = await daemon()
    const trap = (await call('OWNER', 'POST', '/workspaces', draft)).body.id
    app.db.prepare('UPDATE workspaces SET slug = ? WHERE id = ?').run(workspace, trap)
    expect((await call('OWNER', 'GET', `/workspaces/${workspace}`)).body.id).toBe(workspace)
  })
})

describe('members.list', () => {
  it('shows everybody with their roles, oldest first', async () => {
    const { call, clock, person, workspace } = await daemon()
    const people = (['VIEWER', 'OWNER', 'MEMBER'] as const).map((role) => {
      clock.advance(1000)
      return person(role)
    })
    const { body } = await call('VIEWER', 'GET', `/workspaces/${workspace}/members`)
    expect(body).toEqual(
      people.map(({ userId, email, role }) => ({
        id: expect.any(String),
        workspace_id: workspace,
        user_id: userId,
        role,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        user: { id: userId, email, full_name: `The ${role}`, avatar_url: null },
      })),
    )
    expect((await call('VIEWER', 'GET', `/workspaces/${workspace}/members?limit=1&offset=2`)).body).toMatchObject([
      { role: 'MEMBER' },
    ])
  })

  it.each([
    'limit=abc',
    'limit=0',
    'limit=-5',
    'limit=1e9',
    'limit=',
    'limit=99999999999999999999',
    'offset=-1',
    'offset=x',
  ])('reads the window %s without complaint', async (query) => {
    const { call, workspace, person } = await daemon()
    person('OWNER')
    const { status, body } = await call('OWNER', 'GET', `/workspaces/${workspace}/members?${query}`)
    expect({ status, length: body.length }).toEqual({ status: 200, length: 1 })
  })
})
