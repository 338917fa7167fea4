import { describe, expect, it } from 'vitest'
import { agentWithCredentials as setting } from '../../../support/granted.ts'
import { failOn } from '../../../support/reactions.ts'

describe('credentials.assign', () => {
  it('gives a credential once, with its variable, number and lease', async () => {
    const it = await setting()
    const id = await it.add({ name: 'deploy' })
    const { status, body } = await it.call('ADMIN', 'POST', `/agents/${it.agent}/credentials`, {
      credential_id: id,
      env_var_name: 'deploy-key',
      priority: 2,
      ttl_seconds: 60,
    })
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.any(String) } })
    expect(await it.assigned('VIEWER')).toEqual([
      {
        id: body.id,
        agent_id: it.agent,
        credential_id: id,
        credential_name: 'deploy',
        credential_type: 'SECRET',
        credential_provider: 'NONE',
        credential_status: 'ACTIVE',
        env_var_name: 'DEPLOY_KEY',
        priority: 2,
        created_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-01T00:01:00Z',
        expired: false,
        lease_source: 'manual',
        lease_issued_at: '2026-01-01T00:00:00Z',
        grant_source: 'explicit',
      },
    ])
    expect((await it.call('VIEWER', 'GET', `/agents/${it.agent}`)).body._count.credentials).toBe(1)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(1)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      summary: expect.stringMatching(/^Credential "deploy" was assigned to Ada as DEPLOY_KEY by \S+@example\.com$/),
      agent_id: it.agent,
      crew_id: it.crew,
      payload: { entity_type: 'agent_credential', entity_id: body.id },
    })
    it.clock.advance(60_000)
    expect(await it.assigned()).toMatchObject([{ expired: true }])
  })

  it('gives it to one of many at the same time', async () => {
    const it = await setting()
    const id = await it.add()
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((env_var_name) =>
        it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, { credential_id: id, env_var_name }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'already_assigned',
      field: 'credential_id',
    })
  })

  it('lists by variable, then highest number, with what comes from the crew', async () => {
    const it = await setting()
    await it.give(await it.add(), { env_var_name: 'B', priority: 1 })
    await it.give(await it.add(), { env_var_name: 'B', priority: 5 })
    await it.give(await it.add(), { env_var_name: 'A' })
    await it.add({ name: 'crew secret', scope: 'CREW', crew_ids: [it.crew] })
    const seen = (list: { env_var_name: string; priority: number; grant_source: string }[]) =>
      list.map((row) => [row.env_var_name, row.priority, row.grant_source])
    expect(seen(await it.assigned('MANAGER'))).toEqual([
      ['A', 0, 'explicit'],
      ['B', 5, 'explicit'],
      ['B', 1, 'explicit'],
      ['CREW_SECRET', 0, 'crew'],
    ])
    expect(seen(await it.assigned('VIEWER')), 'crew credentials are not for everyone').toHaveLength(3)
  })

  it.each([
    [{ env_var_name: 'A' }, 400, 'missing_field', 'credential_id'],
    [{ credential_id: 'ID' }, 400, 'missing_field', 'env_var_name'],
    [{ credential_id: 5, env_var_name: 'A' }, 400, 'invalid_field', 'credential_id'],
    [{ credential_id: 'ID', env_var_name: 'SVC_AGENT_ID' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: '1A' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 'ſECRET' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 5 }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 'A', priority: 1.5 }, 400, 'invalid_field', 'priority'],
    [{ credential_id: 'ID', env_var_name: 'A', priority: 1e9 }, 400, 'invalid_field', 'priority'],
    [{ credential_id: 'ID', env_var_name: 'A', ttl_seconds: -1 }, 400, 'invalid_field', 'ttl_seconds'],
    [{ credential_id: 'ID', env_var_name: 'A', ttl_seconds: 2_592_001 }, 400, 'invalid_field', 'ttl_seconds'],
    [{ credential_id: 'cnone00000000000000000000', env_var_name: 'A' }, 404, 'not_found', undefined],
  ])('refuses %j', async (body: Record<string, unknown>, status, code, field) => {
    const it = await setting()
    const id = await it.add()
    const answer = await it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, {
      ...body,
      ...(body['credential_id'] === 'ID' && { credential_id: id }),
    })
    expect({ status: answer.status, code: answer.body.code, field: answer.body.field }).toEqual({ status, code, field })
    expect(await it.assigned()).toEqual([])
  })

  it('refuses a credential of other crews, and takes 0 seconds for ever', async () => {
    const it = await setting()
    const other = await it.make('/crews', { name: 'Other', slug: 'other' })
    const id = await it.add({ scope: 'CREW', crew_ids: [other.id] })
    const give = (credential_id: string) =>
      it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, { credential_id, env_var_name: 'A', ttl_seconds: 0 })
    expect((await give(id)).body).toMatchObject({ status: 400, field: 'credential_id' })
    expect((await give(await it.add())).status).toBe(201)
    expect((await it.assigned())[0]).not.toHaveProperty('expires_at')
  })

  it('knows no agent that was deleted', async () => {
    const it = await setting()
    const id = await it.add()
    const { status, text } = await it.call('OWNER', 'DELETE', `/agents/${it.agent}`)
    expect(status, text).toBe(200)
    const path = `/agents/${it.agent}/credentials`
    for (const [method, sent] of [
      ['GET', undefined],
      ['POST', { credential_id: id, env_var_name: 'A' }],
    ] as const)
      expect((await it.call('OWNER', method, path, sent)).body).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('knows no agent, credential or assignment of another workspace', async () => {
    const it = await setting()
    const id = await it.add()
    const mine = await it.give(id)
    const other = it.stranger()
    const theirs = (await it.call(other, 'POST', '/agents', { name: 'Eve', slug: 'eve' })).body.id
    const none = 'cnone00000000000000000000'
    const body = { credential_id: id, env_var_name: 'A' }
    for (const [method, path, sent] of [
      ['GET', `/agents/${it.agent}/credentials`, undefined],
      ['POST', `/agents/${it.agent}/credentials`, body],
      ['POST', `/agents/${theirs}/credentials`, body],
      ['DELETE', `/agents/${it.agent}/credentials/${mine}`, undefined],
      ['DELETE', `/agents/${theirs}/credentials/${mine}`, undefined],
      ['DELETE', `/agents/${theirs}/credentials/${none}`, undefined],
    ] as const) {
      expect((await it.call(other, method, path, sent)).status, `${method} ${path}`).toBe(404)
    }
    expect(await it.assigned()).toHaveLength(1)
  })
})

describe('credentials.unassign', () => {
  it('takes a credential back, once, and puts it on record', async () => {
    const it = await setting()
    const assignment = await it.give(await it.add({ name: 'deploy' }))
    const take = () => it.call('ADMIN', 'DELETE', `/agents/${it.agent}/credentials/${assignment}`)
    expect((await take()).body).toEqual({ success: true })
    expect((await take()).status).toBe(404)
    expect(it.delivered().secrets).toEqual([])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      summary: expect.stringMatching(/^Credential "deploy" was withdrawn from Ada by \S+@example\.com$/),
      agent_id: it.agent,
    })
  })

  it('happens to all of a deleted agent', async () => {
    const it = await setting()
    const id = await it.add()
    await it.give(id)
    await it.call('OWNER', 'DELETE', `/agents/${it.agent}`)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(0)
  })

  it('happens to none when the agent cannot be deleted', async () => {
    const it = await setting({ quiet: true })
    const id = await it.add({ name: 'deploy' })
    await it.give(id)
    failOn(it.app, 'agent.deleted')
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agent}`)).status).toBe(500)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(1)
    expect(it.delivered().secrets).toHaveLength(1)
  })
})
