import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { mayDelegate } from '../../../../daemon/features/crews/connections/service.ts'
import { failOn } from '../../../support/reactions.ts'

async function place(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const crew = async (slug: string, name = slug): Promise<string> =>
    (await it.call('OWNER', 'POST', '/crews', { name, slug })).body.id
  const [web, ops, lab] = [await crew('web', 'Web team'), await crew('ops', 'Operations'), await crew('lab')]
  const connect = (from: string, to: string, direction?: string, who: 'MANAGER' | 'MEMBER' = 'MANAGER') =>
    it.call(who, 'POST', '/crew-connections', { from_crew_id: from, to_crew_id: to, ...(direction && { direction }) })
  const all = async () => (await it.call('MANAGER', 'GET', '/crew-connections')).body
  const may = (from: string, to: string) => mayDelegate(it.app, from, to)
  return { ...it, web, ops, lab, connect, all, may }
}

describe('crews.connect', () => {
  it('connects two crews both ways unless one way is asked for', async () => {
    const { connect, all, web, ops, lab } = await place()
    const both = await connect(web, ops)
    expect(both.status).toBe(201)
    expect(both.body).toEqual({
      id: expect.stringMatching(/^c[a-z0-9]{24}$/),
      from_crew_id: web,
      to_crew_id: ops,
      direction: 'bidirectional',
      status: 'ACTIVE',
      created_at: expect.stringMatching(/Z$/),
      from_crew_name: 'Web team',
      from_crew_slug: 'web',
      to_crew_name: 'Operations',
      to_crew_slug: 'ops',
    })
    const one = await connect(lab, web, 'unidirectional')
    expect(one.body).toMatchObject({ from_crew_slug: 'lab', to_crew_slug: 'web', direction: 'unidirectional' })
    expect(await all()).toEqual([one.body, both.body])
  })

  it('changes the connection that there is, whichever way round it is named', async () => {
    const { connect, all, may, web, ops } = await place()
    const { body } = await connect(web, ops)
    const turned = await connect(ops, web, 'unidirectional')
    expect(turned.status).toBe(201)
    expect(turned.body).toMatchObject({ id: body.id, from_crew_id: ops, to_crew_id: web, direction: 'unidirectional' })
    expect([may(ops, web), may(web, ops)]).toEqual([true, false])
    await connect(web, ops, 'unidirectional')
    expect([may(ops, web), may(web, ops)]).toEqual([false, true])
    expect(await all()).toHaveLength(1)
  })

  it.each([
    ['bidirectional', true],
    ['unidirectional', false],
  ])('finds one that is %s as it is', async (direction, eitherWay) => {
    const { connect, entries, web, ops } = await place()
    const { body } = await connect(web, ops, direction)
    const before = entries().length
    const again = await (eitherWay ? connect(ops, web, direction) : connect(web, ops, direction))
    expect([again.status, again.headers['muster-unchanged'], again.body]).toEqual([200, 'true', body])
    expect(entries()).toHaveLength(before)
  })

  it('refuses a crew that is connected with itself, and one that is not there', async () => {
    const { call, connect, web, ops } = await place()
    expect((await connect(web, web)).body).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await connect(web, 'cnone')).toMatchObject({ status: 404 })
    await call('OWNER', 'DELETE', `/crews/${ops}`)
    expect(await connect(ops, web)).toMatchObject({ status: 404 })
    expect(await connect(web, ops, 'sideways')).toMatchObject({ status: 400 })
  })

  it('needs MANAGER or above', async () => {
    const { call, connect, web, ops } = await place()
    expect(await connect(web, ops, undefined, 'MEMBER')).toMatchObject({ status: 403 })
    expect(await call('MEMBER', 'GET', '/crew-connections')).toMatchObject({ status: 403 })
  })

  it('is told to the workspace and the journal', async () => {
    const { app, call, connect, entries, person, workspace, web, ops } = await place()
    const heard: unknown[] = []
    app.bus.on('broadcast', (message) => heard.push(message))
    const channel = `workspace:${workspace}`
    const both = [web, ops].map((id) => ({ channel, type: 'crew.updated', payload: { id } }))
    const last = () => {
      expect(heard.splice(0)).toEqual(both)
      const { entry_type, crew_id, actor_id, summary, payload } = entries().at(-1)!
      expect([crew_id, actor_id]).toEqual([web, person('MANAGER').userId])
      return [entry_type, payload?.['name'], summary]
    }
    const email = person('MANAGER').email
    const { id } = (await connect(web, ops)).body
    expect(last()).toEqual([
      'audit.entity_created',
      'web <-> ops',
      `Crews web and ops may hand work to each other: ${email} connected them`,
    ])
    await connect(web, ops, 'unidirectional')
    expect(last()).toEqual([
      'audit.entity_updated',
      'web -> ops',
      `Crew web may hand work to crew ops: ${email} changed their connection`,
    ])
    expect((await call('MANAGER', 'DELETE', `/crew-connections/${id}`)).status).toBe(204)
    expect(last()).toEqual([
      'audit.entity_deleted',
      'web -> ops',
      `The connection of crews web and ops was removed by ${email}`,
    ])
  })
})

describe('who may hand work to whom', () => {
  it('is every agent within its crew, and along connections that are there', async () => {
    const { app, connect, call, may, web, ops, lab } = await place()
    expect([may(web, web), may(web, ops)]).toEqual([true, false])
    const { body } = await connect(web, ops)
    expect([may(web, ops), may(ops, web), may(web, lab)]).toEqual([true, true, false])
    app.db.prepare("UPDATE crew_connections SET status = 'PENDING_REVIEW'").run()
    expect([may(web, ops), may(ops, web)]).toEqual([false, false])
    await connect(web, ops)
    expect(may(ops, web)).toBe(true)
    await call('MANAGER', 'DELETE', `/crew-connections/${body.id}`)
    expect(may(web, ops)).toBe(false)
  })
})

describe('the connections of a deleted crew', () => {
  it('go with it, each with an entry of its own', async () => {
    const { call, connect, all, entries, web, ops, lab } = await place()
    await connect(web, ops)
    await connect(lab, web, 'unidirectional')
    const kept = (await connect(ops, lab)).body
    await call('OWNER', 'DELETE', `/crews/${web}`)
    expect(await all()).toEqual([kept])
    const told = entries().filter(({ payload }) => payload?.['entity_type'] === 'crew_connection')
    expect(told.slice(-2).map(({ summary }) => summary)).toEqual([
      'The connection of crews web and ops was removed with one of them',
      'The connection of crews lab and web was removed with one of them',
    ])
  })

  it('stay when the deletion fails', async () => {
    const { app, call, connect, all, web, ops } = await place()
    await connect(web, ops)
    failOn(app, 'crew_connection.deleted')
    expect((await call('OWNER', 'DELETE', `/crews/${web}`)).status).toBe(500)
    expect(await all()).toHaveLength(1)
  })
})
