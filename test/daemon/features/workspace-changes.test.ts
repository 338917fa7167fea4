import { describe, expect, it } from 'vitest'
import { closing, daemon, type TestDaemon } from '#test'
import { failOn } from '../../support/reactions.ts'
import { workplace } from '../../support/runs.ts'

const brief = ({ status, body }: { status: number; body: { code?: string } }) => ({ status, code: body?.code })
const refusal = ({ status, body }: { status: number; body: { code?: string; field?: string } }) => ({
  status,
  code: body.code,
  field: body.field,
})
/** Gives these people a second factor. */
const prove = (it: TestDaemon, ...who: Parameters<TestDaemon['person']>[0][]) => {
  for (const role of who)
    it.app.db
      .prepare("UPDATE users SET two_factor_at = '2026-01-01T00:00:00Z' WHERE id = ?")
      .run(it.person(role).userId)
}
const change = (it: TestDaemon, body: object, who: Parameters<TestDaemon['call']>[0] = 'ADMIN') =>
  it.call(who, 'PATCH', `/workspaces/${it.workspace}`, body)
const found = async (it: TestDaemon, slug: string) =>
  (await it.call('OWNER', 'POST', '/workspaces', { name: slug, slug })).body.id as string
const ownerIn = (it: TestDaemon, workspace: string) => ({ ...it.person('OWNER'), workspace })
const destroy = (it: TestDaemon, workspace: string, confirm_slug: string) =>
  it.call(ownerIn(it, workspace), 'DELETE', `/workspaces/${workspace}`, { confirm_slug })

function broadcasts({ app }: TestDaemon) {
  const heard: { channel: string; type: string; payload: unknown }[] = []
  const listen = (message: (typeof heard)[number]) => void heard.push(message)
  app.bus.on('broadcast', listen)
  closing({ close: () => app.bus.off('broadcast', listen) })
  return heard
}

describe('workspaces.update', () => {
  it('changes what is given and nothing else', async () => {
    const it = await daemon()
    const before = (await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}`)).body
    it.clock.advance(1000)
    const given = {
      name: ' Ne\u0301w ',
      slug: 'new-slug',
      preferred_language: 'de',
      credential_audit_retention_days: 30,
    }
    const { status, body } = await change(it, given)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, ...given, name: 'N\u00e9w', updated_at: '2026-01-01T00:00:01Z' })
    expect((await it.call('ADMIN', 'GET', '/workspaces/new-slug')).body).toEqual(body)
    expect((await change(it, { preferred_language: '' })).body).toEqual({ ...body, preferred_language: null })
    expect(
      (await change(it, { credential_audit_retention_days: null })).body.credential_audit_retention_days,
    ).toBeNull()
    expect(it.entries()[0]).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: {
        entity_type: 'workspace',
        metadata: { changed: ['name', 'slug', 'preferred_language', 'credential_audit_retention_days'] },
      },
    })
  })

  it('changes no other workspace', async () => {
    const it = await daemon()
    const other = it.stranger()
    const show = async () => (await it.call(other, 'GET', `/workspaces/${other.workspace}`)).body
    const before = await show()
    it.clock.advance(1000)
    await change(it, { name: 'New', preferred_language: 'de', credential_audit_retention_days: 30 })
    expect(await show()).toEqual(before)
  })

  it('tells the workspace', async () => {
    const it = await daemon()
    const heard = broadcasts(it)
    await change(it, { name: 'New' })
    expect(heard).toEqual([
      { channel: `workspace:${it.workspace}`, type: 'workspace.updated', payload: { id: it.workspace } },
    ])
  })

  it.each([
    { name: 'xy' },
    { slug: 'own' },
    { preferred_language: 'fr' },
    { require_two_factor: false },
    { require_second_approver: false },
    { journal_tool_arguments: true },
    { credential_audit_retention_days: 0 },
    { credential_audit_retention_days: 36_500 },
    { audit_log_retention_days: 0 },
    { run_retention_days: null },
    { allow_privileged_credentials: false },
  ])('takes %j alone', async (body) => {
    const it = await daemon()
    expect(await change(it, body)).toMatchObject({ status: 200, body })
  })

  it('takes a name of 100 letters', async () => {
    const it = await daemon()
    const name = 'é'.repeat(100)
    expect((await change(it, { name })).body.name).toBe(name)
  })

  it('trims the language, and forgets it for null and blank text', async () => {
    const it = await daemon()
    const languageAfter = async (preferred_language: string | null) =>
      (await change(it, { preferred_language })).body.preferred_language
    expect(await languageAfter(' fr ')).toBe('fr')
    expect(await languageAfter(null)).toBeNull()
    expect(await languageAfter('fr')).toBe('fr')
    expect(await languageAfter('  ')).toBeNull()
  })

  it('keeps how long records are kept until it is told otherwise', async () => {
    const it = await daemon()
    await change(it, { audit_log_retention_days: 0, credential_audit_retention_days: 30 })
    expect((await change(it, { name: 'New' })).body).toMatchObject({
      audit_log_retention_days: 0,
      credential_audit_retention_days: 30,
    })
    expect((await change(it, { audit_log_retention_days: null })).body).toMatchObject({
      audit_log_retention_days: null,
      credential_audit_retention_days: 30,
    })
  })

  it('is for an ADMIN who is one still', async () => {
    const it = await daemon()
    const members = (await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/members`)).body as {
      id: string
      role: string
    }[]
    const { id } = members.find(({ role }) => role === 'ADMIN')!
    const [lowered, changed] = await Promise.all([
      it.call('OWNER', 'PATCH', `/workspaces/${it.workspace}/members/${id}`, { role: 'MANAGER' }),
      change(it, { name: 'Mine' }),
    ])
    expect([lowered.status, brief(changed)]).toEqual([200, { status: 403, code: 'insufficient_role' }])
  })

  it('refuses a taken slug, takes its own again, and gives one slug to one of many', async () => {
    const it = await daemon()
    await found(it, 'taken')
    expect(refusal(await change(it, { slug: 'taken' }))).toEqual({ status: 409, code: 'slug_taken', field: 'slug' })
    const own = (await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}`)).body.slug
    expect((await change(it, { slug: own })).status).toBe(200)
    const others = [await found(it, 'one'), await found(it, 'two')]
    const answers = await Promise.all(
      others.map((id) => it.call(ownerIn(it, id), 'PATCH', `/workspaces/${id}`, { slug: 'wanted' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it.each([
    ['nothing', {}, 'no_fields', undefined],
    ['a member that there is not', { colour: 'red' }, 'no_fields', undefined],
    ['a blank name', { name: '  ' }, 'invalid_field', 'name'],
    ['a name of one letter', { name: 'x' }, 'invalid_field', 'name'],
    ['a name of 102 characters in its normal form', { name: '\u0958'.repeat(51) }, 'invalid_field', 'name'],
    ['a name on two lines', { name: 'a\nb' }, 'invalid_field', 'name'],
    ['a slug in upper case', { slug: 'Big' }, 'invalid_field', 'slug'],
    ['a slug in the form of an id', { slug: 'c0mjuohs00g46iuz815askeof' }, 'invalid_field', 'slug'],
    ['an unknown language', { preferred_language: 'Klingonese' }, 'invalid_field', 'preferred_language'],
    [
      'a negative retention',
      { credential_audit_retention_days: -1 },
      'invalid_field',
      'credential_audit_retention_days',
    ],
    [
      'a retention of half a day',
      { credential_audit_retention_days: 0.5 },
      'invalid_field',
      'credential_audit_retention_days',
    ],
    ['runs that are kept for no day', { run_retention_days: 0 }, 'invalid_field', 'run_retention_days'],
    ['what has no effect yet: runs', { run_retention_days: 30 }, 'invalid_field', 'run_retention_days'],
    [
      'what has no effect yet: the journal',
      { audit_log_retention_days: 30 },
      'invalid_field',
      'audit_log_retention_days',
    ],
    [
      'what has no effect yet: privileges',
      { allow_privileged_credentials: true },
      'invalid_field',
      'allow_privileged_credentials',
    ],
    ['text for a switch', { require_two_factor: 'yes' }, 'invalid_field', 'require_two_factor'],
  ])('refuses %s', async (_, body, code, field) => {
    const it = await daemon()
    expect((await change(it, body, 'OWNER')).body).toMatchObject({ status: 400, code, ...(field && { field }) })
    expect(it.entries()).toEqual([])
  })

  it('takes what asks for what is so', async () => {
    const it = await daemon()
    const neutral = {
      run_retention_days: null,
      audit_log_retention_days: 0,
      allow_privileged_credentials: false,
      require_two_factor: false,
    }
    expect((await change(it, neutral)).body).toMatchObject({ ...neutral })
  })

  it('leaves what it does not name to the owners: an ADMIN renames a workspace that asks for more', async () => {
    const it = await daemon()
    prove(it, 'OWNER', 'ADMIN')
    const strict = { require_second_approver: true, require_two_factor: true }
    expect((await change(it, strict, 'OWNER')).body).toMatchObject(strict)
    expect((await change(it, { name: 'Renamed' })).body).toMatchObject({ ...strict, name: 'Renamed' })
    for (const field of ['require_second_approver', 'require_two_factor'])
      expect(refusal(await change(it, { [field]: false })), 'nor may an ADMIN ask for less').toEqual({
        status: 403,
        code: 'insufficient_role',
        field,
      })
    expect((await change(it, strict)).body, 'what is so already').toMatchObject(strict)
    const eased = { require_second_approver: false, require_two_factor: false }
    expect((await change(it, eased, 'OWNER')).body).toMatchObject(eased)
  })

  it('lets only an OWNER with a second factor ask for second factors', async () => {
    const it = await daemon()
    prove(it, 'ADMIN')
    const field = 'require_two_factor'
    expect(refusal(await change(it, { [field]: true }))).toEqual({ status: 403, code: 'insufficient_role', field })
    expect(refusal(await change(it, { [field]: true }, 'OWNER'))).toEqual({
      status: 409,
      code: 'second_factor_missing',
      field,
    })
    prove(it, 'OWNER')
    expect((await change(it, { require_two_factor: true }, 'OWNER')).body.require_two_factor).toBe(true)
    expect(it.app.db.prepare('SELECT require_two_factor FROM workspaces WHERE id = ?').pluck().get(it.workspace)).toBe(
      1,
    )
  })
})

describe('a workspace that begins to ask for second factors', () => {
  it('has its open connections checked, then and not again', async () => {
    const it = await daemon()
    prove(it, 'OWNER')
    const heard: unknown[] = []
    it.app.bus.on('access_lost', (id) => heard.push([id, it.app.db.inTransaction]))
    const checksAfter = async (body: object) => {
      expect((await change(it, body, 'OWNER')).status).toBe(200)
      return heard.length
    }
    expect(await checksAfter({ name: 'Not yet' })).toBe(0)
    expect(await checksAfter({ require_two_factor: true })).toBe(1)
    expect(heard).toEqual([[it.workspace, false]])
    expect(await checksAfter({ name: 'Still' })).toBe(1)
    expect(await checksAfter({ require_two_factor: false })).toBe(1)
  })
})

describe('workspaces.remove', () => {
  it('takes everything in it along, and tells of each', async () => {
    const it = await daemon()
    const id = await found(it, 'research')
    const owner = ownerIn(it, id)
    const crew = (await it.call(owner, 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body.id
    const inCrew = (await it.call(owner, 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id
    const free = (await it.call(owner, 'POST', '/agents', { name: 'Bob', slug: 'bob' })).body.id
    const credential = (await it.call(owner, 'POST', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' }))
      .body.id
    const guest = it.stranger()
    await it.call(owner, 'POST', `/workspaces/${id}/members`, { user_id: it.person('MEMBER').userId })
    const invitation = (await it.call(owner, 'POST', `/workspaces/${id}/invitations`, { email: guest.email })).body
    const heard = broadcasts(it)

    expect(await destroy(it, id, 'research')).toMatchObject({ status: 200, body: { success: true } })

    const pluck = (sql: string, ...given: string[]) =>
      it.app.db
        .prepare(sql)
        .pluck()
        .get(...given)
    for (const [table, row] of [
      ['crews', crew],
      ['agents', inCrew],
      ['agents', free],
      ['credentials', credential],
      ['workspaces', id],
    ] as const)
      expect(pluck(`SELECT deleted_at FROM ${table} WHERE id = ?`, row), table).toBe('2026-01-01T00:00:00Z')
    expect(pluck('SELECT encrypted_value FROM credentials WHERE id = ?', credential)).toBeNull()
    expect(pluck('SELECT desired FROM crew_containers WHERE crew_id = ?', crew)).toBe('removed')
    expect(pluck('SELECT count(*) FROM workspace_members WHERE workspace_id = ?', id)).toBe(0)
    expect(heard.map(({ channel, type, payload }) => [channel, type, payload])).toEqual(
      expect.arrayContaining([
        [`workspace:${id}`, 'crew.deleted', { id: crew }],
        [`workspace:${id}`, 'workspace.deleted', { id, slug: 'research' }],
      ]),
    )
    expect(heard.at(-1)!.type).toBe('workspace.deleted')
    const deleted = it.entries(id).filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    expect(deleted.map(({ payload }) => [payload?.['entity_type'], payload?.['entity_id']]).sort()).toEqual(
      [
        ['agent', inCrew],
        ['agent', free],
        ['crew', crew],
        ['workspace', id],
      ].sort(),
    )
    const ofCrew = deleted.find(({ payload }) => payload?.['entity_type'] === 'crew')
    expect(ofCrew?.payload?.['metadata'], 'why it is gone').toEqual({ with: 'workspace' })
    expect(brief(await it.call(owner, 'GET', `/workspaces/${id}`))).toEqual({ status: 403, code: 'not_a_member' })
    expect((await it.call(guest, 'GET', '/invitations')).body).toEqual([])
    expect(brief(await it.call(guest, 'POST', '/invitations/redeem', { token: invitation.token }))).toEqual({
      status: 400,
      code: 'invalid_token',
    })
    expect((await it.call('MEMBER', 'POST', '/workspaces', { name: 'Again', slug: 'research' })).status).toBe(201)
  })

  it.each(['workspace.deleted', 'crew.deleted', 'agent.deleted'] as const)(
    'leaves everything as it was when a reaction to %s fails',
    async (fact) => {
      const it = await daemon({ quiet: true })
      const id = await found(it, 'research')
      const owner = ownerIn(it, id)
      const crew = (await it.call(owner, 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body.id
      await it.call(owner, 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })
      await it.call(owner, 'POST', '/agents', { name: 'Bob', slug: 'bob' })
      await it.call(owner, 'POST', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' })
      const tables = ['crews', 'agents', 'credentials', 'credential_audit', 'workspace_members', 'crew_containers']
      const stored = () => tables.map((table) => it.app.db.prepare(`SELECT * FROM ${table}`).all())
      const before = stored()
      const entries = it.entries(id)
      const heard = broadcasts(it)
      failOn(it.app, fact)
      expect((await destroy(it, id, 'research')).status).toBe(500)
      expect(stored()).toEqual(before)
      expect(it.entries(id)).toEqual(entries)
      expect(heard).toEqual([])
      expect((await it.call(owner, 'GET', `/workspaces/${id}`)).status).toBe(200)
    },
  )

  it('erases its credentials in the name of who deletes it', async () => {
    const it = await daemon()
    const id = await found(it, 'research')
    const owner = ownerIn(it, id)
    const key = (await it.call(owner, 'POST', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' })).body.id
    await destroy(it, id, 'research')
    const audit = it.app.db.prepare('SELECT event, actor_id FROM credential_audit WHERE credential_id = ? ORDER BY seq')
    expect(audit.all(key)).toEqual([
      { event: 'CREATED', actor_id: owner.userId },
      { event: 'REVOKE', actor_id: owner.userId },
    ])
  })

  it('shuts people out after everything that they are told', async () => {
    const it = await daemon()
    const id = await found(it, 'research')
    await it.call(ownerIn(it, id), 'POST', '/crews', { name: 'Docks', slug: 'docks' })
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type }) => heard.push(type))
    it.app.bus.on('access_lost', (workspace) => heard.push(`access_lost ${workspace === id}`))
    await destroy(it, id, 'research')
    expect(heard).toContain('crew.deleted')
    expect(heard.slice(-2)).toEqual(['workspace.deleted', 'access_lost true'])
  })

  it('ends the runs that go on in it', async () => {
    const it = await workplace()
    it.app.db.prepare('UPDATE workspaces SET home = 0').run()
    await found(it, 'another')
    const { run_id } = await it.send(await it.openChat(), 'Work on.')
    const { slug } = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}`)).body
    expect((await destroy(it, it.workspace, slug)).status).toBe(200)
    await it.runs.ended(run_id)
    const ends = it
      .entries()
      .filter(
        ({ entry_type, trace_id }) =>
          trace_id === run_id && /^run\.(completed|failed|cancelled|timeout)$/.test(entry_type),
      )
    expect(ends.map(({ entry_type }) => entry_type)).toEqual(['run.cancelled'])
  })

  it('asks for the slug', async () => {
    const it = await daemon()
    const id = await found(it, 'research')
    expect((await destroy(it, id, 'Research')).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'confirm_slug',
    })
    expect((await it.call(ownerIn(it, id), 'DELETE', `/workspaces/${id}`, {})).body).toMatchObject({
      status: 400,
      code: 'missing_field',
      field: 'confirm_slug',
    })
    expect((await it.call(ownerIn(it, id), 'GET', `/workspaces/${id}`)).status).toBe(200)
  })

  it('keeps the workspace that administers the server', async () => {
    const it = await daemon()
    await found(it, 'research')
    const { slug } = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}`)).body
    expect(brief(await destroy(it, it.workspace, slug))).toEqual({ status: 409, code: 'home_workspace' })
  })

  it('leaves its owner one workspace, also when all go at once', async () => {
    const it = await daemon()
    const lone = it.stranger()
    const second = (await it.call(lone, 'POST', '/workspaces', { name: 'Second', slug: 'second' })).body
    const first = (await it.call(lone, 'GET', `/workspaces/${lone.workspace}`)).body
    const answers = await Promise.all(
      [first, second].map(({ id, slug }) =>
        it.call({ ...lone, workspace: id }, 'DELETE', `/workspaces/${id}`, { confirm_slug: slug }),
      ),
    )
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 409, code: 'only_workspace' },
    ])
  })

  it('is for an OWNER who is one still', async () => {
    const it = await daemon()
    const id = await found(it, 'research')
    const owner = ownerIn(it, id)
    const heir = it.person('MEMBER')
    const member = (await it.call(owner, 'POST', `/workspaces/${id}/members`, { user_id: heir.userId })).body
    const [transfer, removal] = await Promise.all([
      it.call(owner, 'POST', `/workspaces/${id}/members/${member.id}/transfer`),
      it.call(owner, 'DELETE', `/workspaces/${id}`, { confirm_slug: 'research' }),
    ])
    expect([transfer.status, brief(removal)]).toEqual([200, { status: 403, code: 'insufficient_role' }])
  })
})
