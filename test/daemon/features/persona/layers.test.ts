import { hash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'

const sha = (text: string) => hash('sha256', text, 'hex')

interface Place extends TestDaemon {
  crewId: string
  agentId: string
}

async function place(options: Parameters<typeof daemon>[0] = {}): Promise<Place> {
  const it = await daemon(options)
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  const agent = await it.call('OWNER', 'POST', '/agents', {
    name: 'Ada',
    slug: 'ada',
    role_title: 'Architect',
    crew_id: crew.body.id,
  })
  return { ...it, crewId: crew.body.id, agentId: agent.body.id }
}

const audits = (it: Place) => it.entries().filter(({ payload }) => payload?.['entity_type'] === 'persona')

describe('layers of a persona', () => {
  it('are its own, else the one of its crew, else what follows from its name and role', async () => {
    const it = await place()
    const path = `/agents/${it.agentId}/persona`
    const shown = async () => (await it.call('VIEWER', 'GET', path)).body
    expect(await shown()).toEqual({
      agent_id: it.agentId,
      layer: 'crew',
      from_default: true,
      content: 'You are Ada (@ada), Architect, a coding agent of the crew "Backend".',
      bytes: 68,
      cap_bytes: 1500,
    })
    await it.call('MANAGER', 'PUT', `/crews/${it.crewId}/persona`, { content: 'We test first.' })
    expect(await shown()).toMatchObject({ layer: 'crew', from_default: false, content: 'We test first.', bytes: 14 })
    await it.call('MANAGER', 'PUT', path, { content: 'I ask twice. ✓' })
    expect(await shown()).toMatchObject({ layer: 'agent', from_default: false, content: 'I ask twice. ✓', bytes: 16 })
    expect((await it.call('MANAGER', 'DELETE', path)).status).toBe(204)
    expect(await shown()).toMatchObject({ layer: 'crew', content: 'We test first.' })
    expect((await it.call('MANAGER', 'DELETE', `/crews/${it.crewId}/persona`)).status).toBe(204)
    expect(await shown()).toMatchObject({ from_default: true })
  })

  it('of a crew are empty until somebody writes one', async () => {
    const it = await place()
    expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/persona`)).body).toEqual({
      crew_id: it.crewId,
      layer: 'crew',
      content: '',
      bytes: 0,
      cap_bytes: 1500,
    })
  })

  it('of an agent without a crew name none, and stand among what belongs to nobody else', async () => {
    const it = await place()
    const { body } = await it.call('OWNER', 'POST', '/agents', { name: 'Solo', slug: 'solo' })
    expect((await it.call('VIEWER', 'GET', `/agents/${body.id}/persona`)).body.content).toBe(
      'You are Solo (@solo), a coding agent.',
    )
    await it.call('OWNER', 'PUT', `/agents/${body.id}/persona`, { content: 'I am alone.' })
    const paths = it.app.db.prepare('SELECT path, tier FROM memory_versions').all()
    expect(paths).toEqual([{ path: `solo/${it.workspace}/agents/solo/.memory/PERSONA.md`, tier: 'agent' }])
  })
})

describe('a persona that is written', () => {
  it('is answered with layer, bytes and time, and recorded without its text', async () => {
    const it = await place()
    const { status, body } = await it.call('MANAGER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'Secretly.' })
    expect([status, body]).toEqual([200, { layer: 'agent', bytes: 9, updated: expect.stringMatching(/Z$/) }])
    const crew = await it.call('MANAGER', 'PUT', `/crews/${it.crewId}/persona`, { content: 'Together.' })
    expect(crew.body).toMatchObject({ layer: 'crew', bytes: 9 })
    expect(audits(it)).toMatchObject([
      {
        entry_type: 'audit.entity_updated',
        severity: 'notice',
        agent_id: it.agentId,
        payload: {
          action: 'update',
          entity_id: it.agentId,
          metadata: { layer: 'agent', bytes: 9, sha256: sha('Secretly.') },
        },
        summary: `The persona of agent Ada was written by ${it.person('MANAGER').email}`,
      },
      {
        crew_id: it.crewId,
        payload: { entity_id: it.crewId, metadata: { layer: 'crew' } },
        summary: `The persona of crew backend was written by ${it.person('MANAGER').email}`,
      },
    ])
    expect(JSON.stringify(it.entries())).not.toContain('Secretly')
  })

  it.each([
    ['1500 bytes', 'x'.repeat(1500), 200],
    ['1501 bytes', 'x'.repeat(1501), 413],
    ['half a million bytes', 'x'.repeat(500_000), 413],
    ['751 characters of two bytes', 'ä'.repeat(751), 413],
    ['nothing', '', 400],
    ['blanks', ' \n\t ', 400],
    ['characters that nobody sees', '\u200b\u2060', 400],
    ['a character that ends a C string', 'a\u0000b', 400],
  ])('of %s is answered with its status', async (_, content, status) => {
    const it = await place()
    for (const path of [`/agents/${it.agentId}`, `/crews/${it.crewId}`]) {
      const answer = await it.call('OWNER', 'PUT', `${path}/persona`, { content })
      expect([answer.status, answer.body.field ?? 'content']).toEqual([status, 'content'])
    }
    expect(audits(it)).toHaveLength(status === 200 ? 2 : 0)
  })

  it('without content is refused, and of a deleted agent or crew there is none', async () => {
    const it = await place()
    expect((await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, {})).status).toBe(400)
    await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'x' })
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    for (const [method, body] of [['GET'], ['PUT', { content: 'x' }], ['DELETE']] as const)
      expect((await it.call('OWNER', method, `/agents/${it.agentId}/persona`, body)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', `/agents/${it.agentId}/persona/history`)).status).toBe(404)
  })

  it('is not removed twice, and written again only when it changes', async () => {
    const it = await place()
    const path = `/agents/${it.agentId}/persona`
    for (const content of ['One.', 'One.', 'Two.', 'One.']) await it.call('OWNER', 'PUT', path, { content })
    const again = await it.call('OWNER', 'PUT', path, { content: 'One.' })
    expect(again.headers['muster-unchanged']).toBe('true')
    expect((await it.call('OWNER', 'GET', `${path}/history`)).body.entries).toHaveLength(3)
    for (const _ of 'twice') expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect(audits(it).map(({ entry_type }) => entry_type)).toEqual([
      'audit.entity_updated',
      'audit.entity_updated',
      'audit.entity_updated',
      'audit.entity_deleted',
    ])
  })

  it('stays with the agent when its slug changes', async () => {
    const it = await place()
    await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'Mine.' })
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { slug: 'grace' })
    expect((await it.call('VIEWER', 'GET', `/agents/${it.agentId}/persona`)).body.content).toBe('Mine.')
  })
})

describe('the history of a persona', () => {
  let it_: Place
  beforeAll(async () => {
    it_ = await place({ shared: true })
    for (let n = 1; n <= 105; n++)
      await it_.call('OWNER', 'PUT', `/crews/${it_.crewId}/persona`, { content: `Version ${n}` })
  })

  it('is told newest first, each with what it replaced', async () => {
    const { crewId, person } = it_
    const { entries } = (await it_.call('VIEWER', 'GET', `/crews/${crewId}/persona/history?limit=2`)).body
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^mv_c/),
        sha256: sha('Version 105'),
        bytes: 11,
        written_at: expect.stringMatching(/Z$/),
        written_by: person('OWNER').userId,
        parent_sha: sha('Version 104'),
      },
      expect.objectContaining({ sha256: sha('Version 104'), parent_sha: sha('Version 103') }),
    ])
  })

  it.each([
    ['', 20],
    ['?limit=100', 100],
    ['?limit=500', 100],
    ['?limit=0', 20],
    ['?limit=x', 20],
  ])('with "%s" holds %i versions', async (query, count) => {
    const { body } = await it_.call('VIEWER', 'GET', `/crews/${it_.crewId}/persona/history${query}`)
    expect(body.entries).toHaveLength(count)
  })

  it('begins without anything that was replaced, also after a removal', async () => {
    const it = await place()
    const path = `/agents/${it.agentId}/persona`
    await it.call('OWNER', 'PUT', path, { content: 'One.' })
    await it.call('OWNER', 'DELETE', path)
    await it.call('OWNER', 'PUT', path, { content: 'One.' })
    const { entries } = (await it.call('VIEWER', 'GET', `${path}/history`)).body
    expect(entries.map((entry: object) => 'parent_sha' in entry)).toEqual([false, false])
    expect(it.app.db.prepare('SELECT count(*) FROM memory_blobs').pluck().get()).toBe(1)
  })
})
