import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { chunksOf, wordsOf } from '../../../../daemon/features/memory/search/chunks.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

interface Place extends TestDaemon {
  crewId: string
}

async function place(): Promise<Place> {
  const it = await daemon()
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  for (const slug of ['ada', 'bob'])
    await it.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crew.body.id })
  await it.call('OWNER', 'POST', '/agents', { name: 'eve', slug: 'eve' })
  return { ...it, crewId: crew.body.id }
}

const put = (it: Place, path: string, content: string) => it.call('OWNER', 'PUT', '/memory/file', { path, content })
const search = (it: Place, query: string, more: object = {}) =>
  it.call('VIEWER', 'POST', '/memory/search/hybrid', { query, ...more })
const files = async (it: Place, query: string, more: object = {}) =>
  (await search(it, query, more)).body.hits
    .filter(({ kind }: { kind: string }) => kind === 'file')
    .map(({ id }: { id: string }) => id)

describe('parts of a text', () => {
  it('begin at headings and paragraphs, know their line, and lose nothing', () => {
    const long = 'word '.repeat(900).trim()
    const text = `# One\nfirst\n\n## Two\nsecond\n\n${long}\n- end`
    const chunks = chunksOf(text)
    expect(chunks.map(({ line, text }) => [line, text.slice(0, 6)])).toEqual([
      [1, '# One\n'],
      [4, '## Two'],
      [7, 'word w'],
      [7, 'word w'],
      [7, expect.any(String)],
      [8, '- end'],
    ])
    expect(
      chunks
        .map(({ text }) => text)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(text.replace(/\s/g, ''))
    expect(chunksOf('  \n ')).toEqual([])
  })

  it('are looked for by words alone, whatever else stands in a query', () => {
    expect(wordsOf('staging" OR (NEAR db*')).toEqual(['"staging"', '"near"'])
    expect(wordsOf('-- ++')).toEqual([])
    expect(wordsOf('a b')).toEqual(['"a"', '"b"'])
    expect(wordsOf('x '.repeat(2000))).toEqual(['"x"'])
  })
})

describe('a search of memory', () => {
  it('finds words in any form and case, with path and line, and the better match first', async () => {
    const it = await place()
    await put(it, 'agent:ada/AGENT.md', '# Notes\n\nThe deployment of staging needs the VPN.\n')
    await put(it, 'crew:web/CREW.md', 'Nothing about it. Deploying is easy.')
    await put(it, 'workspace:topics/café.md'.replace('é', 'e'), 'Größe zählt in naïve Tests')
    const { status, body } = await search(it, 'staging DEPLOYMENTS')
    expect([status, body.count, body.scope]).toEqual([200, body.hits.length, ''])
    expect(body.hits[0]).toMatchObject({
      kind: 'file',
      id: 'agent:ada/AGENT.md#1',
      path: 'agent:ada/AGENT.md',
      tier: 'agent',
      line: 1,
    })
    expect(await files(it, 'grosse zahlt naive')).toEqual(['workspace:topics/cafe.md#1'])
    expect(await files(it, 'absent')).toEqual([])
    expect((await search(it, '  ')).body.field).toBe('query')
    expect((await search(it, '"*(')).status).toBe(200)
  })

  it('finds what is written now, and nothing that was overwritten, removed, or is a persona', async () => {
    const it = await place()
    await put(it, 'agent:ada/AGENT.md', 'about kangaroos')
    expect(await files(it, 'kangaroo')).toEqual(['agent:ada/AGENT.md#1'])
    await put(it, 'agent:ada/AGENT.md', 'about wombats')
    expect(await files(it, 'kangaroo')).toEqual([])
    expect(await files(it, 'wombat')).toHaveLength(1)
    await it.call('OWNER', 'DELETE', '/memory/file?path=agent:ada/AGENT.md')
    expect(await files(it, 'wombat')).toEqual([])
    const agent = (await it.call('OWNER', 'GET', '/agents')).body.find(({ slug }: { slug: string }) => slug === 'ada')
    await it.call('OWNER', 'PUT', `/agents/${agent.id}/persona`, { content: 'I am a wombat.' })
    expect(await files(it, 'wombat')).toEqual([])
    await put(it, 'agent:ada/AGENT.md', 'about wombats')
    await it.call('OWNER', 'DELETE', `/agents/${agent.id}`)
    expect(await files(it, 'wombat')).toEqual([])
  })

  it('covers the workspace, a crew, or what an agent would find', async () => {
    const it = await place()
    for (const path of [
      'agent:ada/AGENT.md',
      'agent:bob/AGENT.md',
      'agent:eve/AGENT.md',
      'crew:web/CREW.md',
      'workspace:WORKSPACE.md',
    ])
      await put(it, path, `A penguin in ${path}`)
    const crew = `crew:${it.crewId}/CREW.md#1`
    const sorted = async (more: object) => (await files(it, 'penguin', more)).sort()
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((slug) => `agent:${slug}/AGENT.md#1`)
    const all = 'workspace:WORKSPACE.md#1'
    expect(await sorted({})).toEqual([ada, bob, eve, crew, all])
    expect(await sorted({ crew_id: 'web' })).toEqual([ada, bob, crew])
    expect(await sorted({ crew_id: it.crewId, scope: 'crew_shared' })).toEqual([crew])
    expect(await sorted({ agent: 'ada' })).toEqual([ada, crew, all])
    expect(await sorted({ agent: 'ada', scope: 'own' })).toEqual([ada])
    expect(await sorted({ agent: 'eve', scope: 'crew_shared' })).toEqual([all])
    expect((await search(it, 'penguin', { scope: 'own' })).body.field).toBe('agent')
    expect((await search(it, 'penguin', { crew_id: 'nowhere' })).status).toBe(404)
    expect((await search(it, 'penguin', { limit: 51 })).status).toBe(400)
    expect((await search(it, 'penguin', { limit: 2 })).body.hits).toHaveLength(2)
  })

  it('finds nothing of another workspace', async () => {
    const it = await place()
    await put(it, 'workspace:WORKSPACE.md', 'a secret penguin')
    const stranger = it.stranger()
    const { body } = await it.call(stranger, 'POST', '/memory/search/hybrid', { query: 'penguin' })
    expect(body.hits).toEqual([])
    const foreign = await it.call(stranger, 'POST', '/memory/search/hybrid', { query: 'penguin', crew_id: it.crewId })
    expect(foreign.status).toBe(404)
  })

  it('merges files and journal by their ranks, and lifts a rule with the entries that it rests on', async () => {
    const it = await place()
    await it.call('OWNER', 'POST', '/crews', { name: 'Zebra team', slug: 'zebra-team' })
    const entry = it.entries().find(({ summary }) => summary.includes('zebra'))!
    await put(it, 'agent:ada/topics/one.md', 'zebra zebra zebra zebra')
    await put(
      it,
      'agent:ada/topics/two.md',
      `A zebra among many other words that make it weaker. Evidence: ${entry.id}`,
    )
    const { body } = await search(it, 'zebra')
    const told = body.hits.map(({ id, kind }: { id: string; kind: string }) => [kind, id])
    expect(told).toEqual([
      ['file', 'agent:ada/topics/two.md#1'],
      ['file', 'agent:ada/topics/one.md#1'],
      ['journal', entry.id],
    ])
    expect(body.hits[0].score).toBeCloseTo(1 / 62 + 1 / 61, 10)
    expect(body.hits[1].score).toBeCloseTo(1 / 61, 10)
    const noted = it.entries().filter(({ entry_type }) => entry_type === 'memory.searched')
    expect(noted).toHaveLength(1)
    expect(noted[0]!.payload).toMatchObject({
      query: 'zebra',
      scope: '',
      hit_count: 3,
      hit_chunk_ids: ['agent:ada/topics/two.md#1', entry.id, 'agent:ada/topics/one.md#1'],
    })
    // A search is not found by the next one.
    expect((await search(it, 'zebra')).body.hits).toHaveLength(3)
  })

  it('puts an entry with a priority before newer ones without, also one that a rule rests on', async () => {
    const it = await place()
    const ids = Array.from({ length: 14 }, (_, at) => {
      const about = { type: 'peer.escalation', summary: `Ada asks about a walrus: ${at}`, workspace_id: it.workspace }
      return it.app.writeNow(() => rawEntry(it.app, { ...about, payload: {}, actor_type: 'system' })).entry.id
    }).reverse()
    const found = async (limit: number) =>
      (await search(it, 'walrus', { limit })).body.hits.map(({ id }: { id: string }) => id)
    const mark = (id: string, priority: string) => it.call('OWNER', 'POST', `/journal/${id}/priority`, { priority })
    expect(await found(14)).toEqual(ids)
    const marks = [
      [5, 'high'],
      [6, 'pin'],
      [7, 'permanent'],
    ] as const
    for (const [at, priority] of marks) expect((await mark(ids[at]!, priority)).status).toBe(200)
    expect(await found(3)).toEqual([ids[5], ids[6], ids[7]])
    // A priority is worth ten places, and not more.
    await mark(ids[13]!, 'high')
    const all = await found(14)
    expect(all.indexOf(ids[13])).toBeGreaterThan(all.indexOf(ids[0]))
    expect(all.indexOf(ids[13])).toBeLessThan(all.indexOf(ids[12]))
    await put(it, 'agent:ada/topics/one.md', `A walrus. Evidence: ${ids[1]}, ${ids[5]}`)
    const { body } = await search(it, 'walrus')
    expect(body.hits[0].id).toBe('agent:ada/topics/one.md#1')
    expect(body.hits[0].score).toBeCloseTo(1 / 61 + 1.2 / 66, 10)
  })
})
