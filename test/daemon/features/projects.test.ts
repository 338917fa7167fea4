import { describe, expect, it } from 'vitest'
import { addPerson, daemon, type TestDaemon } from '#test'

const project = async (it: TestDaemon, body: object = {}) =>
  (await it.call('MANAGER', 'POST', '/projects', { name: 'Relaunch', ...body })).body

/** The entries of the journal about this kind of thing, oldest first. */
const told = (it: TestDaemon, kind: string) =>
  it
    .entries()
    .filter(({ payload }) => payload?.['entity_type'] === kind)
    .map(({ entry_type, summary }) => [entry_type, summary])

describe('projects', () => {
  it('begin planned, on track, led by nobody and with nothing to do', async () => {
    const it = await daemon()
    expect(await project(it)).toEqual({
      id: expect.any(String),
      name: 'Relaunch',
      slug: 'relaunch',
      description: null,
      icon: null,
      color: '#6366f1',
      status: 'planned',
      priority: 'none',
      health: 'on_track',
      lead_type: null,
      lead_id: null,
      lead_name: null,
      start_date: null,
      target_date: null,
      issue_count: 0,
      done_count: 0,
      progress: 0,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    })
  })

  it('have slugs that no two share, and names that no two share whatever the case', async () => {
    const it = await daemon()
    expect((await project(it, { name: 'Über uns!' })).slug).toBe('uber-uns')
    expect((await project(it, { name: 'Uber uns' })).slug).toBe('uber-uns-2')
    expect((await project(it, { name: '漢字' })).slug).toBe('project')
    const second = await it.call('OWNER', 'POST', '/projects', { name: 'uber UNS' })
    expect(second).toMatchObject({ status: 409, body: { code: 'name_taken', field: 'name' } })
  })

  it('are listed newest first, of one status if one likes', async () => {
    const it = await daemon()
    await project(it, { name: 'Old', status: 'completed' })
    it.clock.advance(1000)
    await project(it, { name: 'New' })
    const names = async (query: string) =>
      (await it.call('VIEWER', 'GET', `/projects${query}`)).body.map(({ name }: { name: string }) => name)
    expect(await names('')).toEqual(['New', 'Old'])
    expect(await names('?status=completed')).toEqual(['Old'])
    expect(await names('?limit=1&offset=1')).toEqual(['Old'])
    expect((await it.call('VIEWER', 'GET', '/projects?status=done')).status).toBe(400)
  })

  it('keep what a change does not name, and clear what it leaves empty', async () => {
    const it = await daemon()
    const dates = { start_date: '2026-02-01', target_date: '2026-03-01T00:00:00Z' }
    const { id } = await project(it, { description: 'Why', icon: '🚀', priority: 'high', ...dates })
    const path = `/projects/${id}`
    const changed = (await it.call('MANAGER', 'PATCH', path, { health: 'at_risk', icon: '', start_date: '' })).body
    expect(changed).toMatchObject({
      slug: 'relaunch',
      description: 'Why',
      icon: null,
      priority: 'high',
      health: 'at_risk',
      start_date: null,
      target_date: '2026-03-01',
    })
    expect((await it.call('VIEWER', 'GET', path)).body).toEqual(changed)
    expect(await it.call('MANAGER', 'PATCH', path, {})).toMatchObject({ status: 400, body: { code: 'no_fields' } })
  })

  it.each(['2026-02-30', '2026-13-01', 'tomorrow', '2026-1-1'])('take no day %j', async (target_date) => {
    const it = await daemon()
    const refused = await it.call('MANAGER', 'POST', '/projects', { name: 'x', target_date })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'target_date' } })
  })

  it('do not end before they begin, whichever of the two days is given', async () => {
    const { call } = await daemon({ shared: true })
    const make = (body: object) => call('MANAGER', 'POST', '/projects', body)
    const refused = (field: string) => ({ status: 400, body: { code: 'invalid_field', field } })
    const days = { start_date: '2027-02-02', target_date: '2027-02-01' }
    expect(await make({ name: 'Backwards', ...days })).toMatchObject(refused('target_date'))
    const { id } = (await make({ name: 'A day', start_date: '2027-02-02', target_date: '2027-02-02' })).body
    const change = (body: object) => call('MANAGER', 'PATCH', `/projects/${id}`, body)
    expect(await change({ target_date: '2027-02-01T23:00:00Z' })).toMatchObject(refused('target_date'))
    expect(await change({ start_date: '2027-02-03' })).toMatchObject(refused('start_date'))
    expect(await change({ start_date: '2027-03-01', target_date: '2027-03-02' })).toMatchObject({ status: 200 })
    expect(await change({ target_date: '', start_date: '2028-01-01' })).toMatchObject({ status: 200 })
  })

  it('are led by a member or an agent of the workspace, by nobody else', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    const led = await project(it, { lead_type: 'user', lead_id: userId })
    expect(led).toMatchObject({ lead_type: 'user', lead_id: userId, lead_name: 'The MEMBER' })
    const stranger = it.stranger().userId
    for (const [lead, field] of [
      [{ lead_type: 'user', lead_id: stranger }, 'lead_id'],
      [{ lead_type: 'agent', lead_id: userId }, 'lead_id'],
      [{ lead_type: 'user' }, 'lead_id'],
      [{ lead_id: userId }, 'lead_type'],
    ] as const)
      expect(await it.call('MANAGER', 'PATCH', `/projects/${led.id}`, lead)).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', field },
      })
    const cleared = await it.call('MANAGER', 'PATCH', `/projects/${led.id}`, { lead_type: '', lead_id: '' })
    expect(cleared.body).toMatchObject({ lead_type: null, lead_id: null, lead_name: null })
  })

  it('are led by nobody once their lead is gone', async () => {
    const it = await daemon()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id
    const leaver = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    const byAgent = await project(it, { name: 'One', lead_type: 'agent', lead_id: agent })
    expect(byAgent.lead_name).toBe('Ada')
    const byUser = await project(it, { name: 'Two', lead_type: 'user', lead_id: leaver.userId })
    await it.call('OWNER', 'DELETE', `/agents/${agent}`)
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === leaver.userId)
    await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
    for (const one of [byAgent, byUser])
      expect((await it.call('OWNER', 'GET', `/projects/${one.id}`)).body).toMatchObject({
        lead_type: null,
        lead_id: null,
      })
  })

  it('are journaled, with what has changed', async () => {
    const it = await daemon()
    const { id } = await project(it)
    await it.call('MANAGER', 'PATCH', `/projects/${id}`, { status: 'in_progress', health: 'at_risk' })
    await it.call('ADMIN', 'DELETE', `/projects/${id}`)
    const [manager, admin] = [it.person('MANAGER').email, it.person('ADMIN').email]
    expect(told(it, 'project')).toEqual([
      ['audit.entity_created', `Project relaunch was created by ${manager}`],
      ['audit.entity_updated', `Project relaunch was changed by ${manager}: status, health`],
      ['audit.entity_deleted', `Project Relaunch was deleted by ${admin}`],
    ])
  })

  it('take their milestones along, each with an entry of its own', async () => {
    const it = await daemon()
    const { id } = await project(it)
    const beta = (await it.call('MANAGER', 'POST', `/projects/${id}/milestones`, { name: 'Beta' })).body.id
    expect((await it.call('ADMIN', 'DELETE', `/projects/${id}`)).status).toBe(204)
    expect((await it.call('ADMIN', 'GET', `/projects/${id}`)).status).toBe(404)
    expect((await it.call('ADMIN', 'DELETE', `/milestones/${beta}`)).status).toBe(404)
    const gone = it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    const admin = it.person('ADMIN').email
    expect(gone.map(({ summary }) => summary)).toEqual([
      `Project Relaunch was deleted by ${admin}`,
      `Milestone Beta was deleted by ${admin}`,
    ])
  })
})

describe('milestones', () => {
  it('stand behind each other unless they are given a place', async () => {
    const it = await daemon()
    const path = `/projects/${(await project(it)).id}/milestones`
    for (const body of [{ name: 'Alpha' }, { name: 'Beta', target_date: '2026-04-01' }, { name: 'First', position: 0 }])
      expect((await it.call('MANAGER', 'POST', path, body)).status).toBe(201)
    const { body } = await it.call('VIEWER', 'GET', path)
    expect(body).toMatchObject([
      { name: 'Alpha', position: 0, status: 'active', issue_count: 0, done_count: 0 },
      { name: 'First', position: 0 },
      { name: 'Beta', position: 1, target_date: '2026-04-01' },
    ])
  })

  it('have names that no two of a project share', async () => {
    const it = await daemon()
    const [one, two] = [await project(it), await project(it, { name: 'Other' })]
    await it.call('MANAGER', 'POST', `/projects/${one.id}/milestones`, { name: 'Beta' })
    const again = await it.call('MANAGER', 'POST', `/projects/${one.id}/milestones`, { name: 'beta' })
    expect(again).toMatchObject({ status: 409, body: { code: 'name_taken' } })
    expect((await it.call('MANAGER', 'POST', `/projects/${two.id}/milestones`, { name: 'Beta' })).status).toBe(201)
  })

  it('are journaled, with what has changed', async () => {
    const it = await daemon()
    const path = `/projects/${(await project(it)).id}/milestones`
    const { id } = (await it.call('MANAGER', 'POST', path, { name: 'Beta' })).body
    await it.call('MANAGER', 'PATCH', `/milestones/${id}`, { status: 'completed' })
    await it.call('ADMIN', 'DELETE', `/milestones/${id}`)
    const [manager, admin] = [it.person('MANAGER').email, it.person('ADMIN').email]
    expect(told(it, 'milestone')).toEqual([
      ['audit.entity_created', `Milestone Beta was created by ${manager}`],
      ['audit.entity_updated', `Milestone Beta was changed by ${manager}: status`],
      ['audit.entity_deleted', `Milestone Beta was deleted by ${admin}`],
    ])
  })

  it('change in what is named alone', async () => {
    const it = await daemon()
    const path = `/projects/${(await project(it)).id}/milestones`
    const { id } = (await it.call('MANAGER', 'POST', path, { name: 'Beta', description: 'Why' })).body
    const changed = await it.call('MANAGER', 'PATCH', `/milestones/${id}`, { status: 'completed' })
    expect(changed.body).toMatchObject({ name: 'Beta', description: 'Why', status: 'completed' })
    expect(await it.call('MANAGER', 'PATCH', `/milestones/${id}`, {})).toMatchObject({ body: { code: 'no_fields' } })
    expect((await it.call('MANAGER', 'PATCH', `/milestones/${id}`, { target_date: '2026-02-31' })).status).toBe(400)
  })
})
