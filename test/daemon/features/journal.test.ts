import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { closing, daemon, type TestDaemon } from '#test'
import { type RawEntry, rawEntry } from '../../support/raw-entry.ts'

/** A database file, so that the reading threads are at work. */
function file(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-journal-'))
  closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
  return join(dir, 'muster.db')
}

const note = ({ app, workspace }: TestDaemon, more: Partial<RawEntry> = {}): Entry =>
  app.writeNow(() =>
    rawEntry(app, { workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary: 'ls', ...more }),
  ).entry

const get = async (it: TestDaemon, query = '') => {
  const { status, body } = await it.call('VIEWER', 'GET', `/journal${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as { entries: Entry[]; next_cursor?: string; count: number }
}

/** Every entry that a query gives, page by page. */
async function walk(it: TestDaemon, query: string, limit: number): Promise<Entry[]> {
  const all: Entry[] = []
  for (let cursor = ''; ; ) {
    const page = await get(it, `?${query}&limit=${limit}${cursor}`)
    expect(page.count).toBe(page.entries.length)
    all.push(...page.entries)
    if (!page.next_cursor) return all
    cursor = `&cursor=${page.next_cursor}`
  }
}

const types = ['exec.command', 'run.started', 'agent.error', 'network.egress', 'chat.user_message'] as const
const words = ['deploy', 'Deployed', 'the', 'harbour', 'crane', 'café', 'tests', 'running']
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!

/** Entries of every kind, the same each time. */
function fill(it: TestDaemon, count: number): void {
  it.app.writeNow(() => {
    for (let n = 0; n < count; n++) {
      it.clock.advance(n % 3)
      rawEntry(it.app, {
        workspace_id: it.workspace,
        type: pick(types, n * 7 + (n >> 3)),
        actor_type: pick(['agent', 'user', 'system'] as const, n + (n >> 2)),
        actor_id: n % 4 ? `cactor${n % 3}` : undefined,
        crew_id: n % 5 ? `ccrew${n % 2}` : undefined,
        agent_id: n % 3 ? `cagent${n % 6}` : undefined,
        mission_id: n % 11 ? undefined : `cmission${n % 2}`,
        trace_id: n % 2 ? `r${n >> 4}` : undefined,
        severity: pick(['info', 'notice', 'warn', 'error', 'info'] as const, n * 3),
        priority: n % 13 ? undefined : pick(['high', 'pin', 'permanent'] as const, n),
        summary: `${pick(words, n)} ${pick(words, n * 3 + 1)}`,
        payload: n % 6 ? { n, text: pick(words, n * 5), run_id: n % 17 ? undefined : `r${n >> 5}` } : undefined,
      })
    }
  })
}

/** The meaning of the filters, written down plainly. */
function expected(all: Entry[], query: string): Entry[] {
  const asked = Object.fromEntries(new URLSearchParams(query))
  const items = (name: string) =>
    asked[name]
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  const tests: ((entry: Entry) => boolean)[] = []
  const among = (name: string, of: (entry: Entry) => string | undefined) => {
    const values = items(name)
    if (values?.length) tests.push((entry) => values.includes(of(entry) ?? ''))
  }
  among(items('crew_ids')?.length ? 'crew_ids' : 'crew_id', (entry) => entry.crew_id)
  among(items('agent_ids')?.length ? 'agent_ids' : 'agent_id', (entry) => entry.agent_id)
  among('mission_id', (entry) => entry.mission_id)
  among('trace_id', (entry) => entry.trace_id)
  among('entry_type', (entry) => entry.entry_type)
  among('severity', (entry) => entry.severity)
  among('actor_type', (entry) => entry.actor_type)
  among('priority', (entry) => entry.priority)
  const without = items('exclude_entry_type')
  if (without?.length) tests.push((entry) => !without.includes(entry.entry_type))
  const run = asked['run_id']
  if (run) tests.push((entry) => entry.trace_id === run || entry.actor_id === run || entry.payload?.['run_id'] === run)
  const phrase = asked['q']
  if (phrase)
    tests.push((entry) =>
      [entry.summary, JSON.stringify(entry.payload ?? '')].some((text) => text.split(/\W+/).includes(phrase)),
    )
  if (asked['since']) tests.push((entry) => Date.parse(entry.ts) >= Date.parse(asked['since']!))
  if (asked['until']) tests.push((entry) => Date.parse(entry.ts) <= Date.parse(asked['until']!))
  return all.filter((entry) => tests.every((test) => test(entry))).reverse()
}

const queries = [
  '',
  'crew_id=ccrew1',
  'crew_ids=ccrew0,ccrew1&crew_id=cnone',
  'agent_ids= cagent1 ,,cagent2',
  'agent_id=cagent4&severity=error',
  'entry_type=run.started,agent.error',
  'exclude_entry_type=exec.command,run.started',
  'entry_type=run.started&exclude_entry_type=run.started',
  'severity=warn,error',
  'severity=notice&crew_id=ccrew1&entry_type=network.egress',
  'actor_type=agent',
  'actor_type=agent,user&severity=info&exclude_entry_type=agent.error',
  'mission_id=cmission0',
  'mission_id=cmission1&severity=info',
  'trace_id=r3',
  'trace_id=r3,r4&agent_id=cagent1',
  'run_id=r1',
  'run_id=cactor1',
  'run_id=r1&entry_type=agent.error',
  'trace_id=r2&run_id=r1',
  'priority=pin',
  'priority=high,permanent&crew_id=ccrew1',
  'priority=normal',
  'priority=normal,high&severity=error',
  'priority=normal,high,pin,permanent',
  'since=2026-01-01T00:00:00.200Z',
  'until=2026-01-01T00:00:00.200Z',
  'since=2026-01-01T00:00:00.100Z&until=2026-01-01T00:00:00.300Z&crew_id=ccrew1',
  'since=2026-01-01T00:00:00.100Z&until=2026-01-01T00:00:00.300Z&priority=normal&actor_type=user',
  'since=2026-01-02T00:00:00Z',
  'until=2025-01-01T00:00:00Z',
  'crew_id=cnone',
  'q=crane',
  'q=crane&actor_type=agent',
  'q=crane&exclude_entry_type=run.started',
  'q=crane&crew_ids=ccrew0,ccrew1&severity=info,warn',
  'q=harbour&agent_id=cagent1&severity=info&entry_type=agent.error',
  'q=harbour&since=2026-01-01T00:00:00.100Z&until=2026-01-01T00:00:00.300Z',
  'q=crane&priority=normal',
  'q=crane&priority=pin',
  'q=crane&mission_id=cmission0',
  'q=crane&run_id=r1',
  'q=crane&trace_id=r1,r2',
  'q=crane&trace_id=rnone',
]

describe.each(['memory', 'file'])('journal.list and journal.count in a %s database', (place) => {
  it('give exactly what the filters mean, whatever the page size', async () => {
    const it = await daemon(place === 'file' ? { file: file() } : {})
    fill(it, 600)
    const all = it.entries()
    for (const query of queries) {
      const want = expected(all, query).map(({ id }) => id)
      const ids = (entries: Entry[]) => entries.map(({ id }) => id)
      expect(ids(await walk(it, query, 37)), query).toEqual(want)
      expect(ids((await get(it, `?${query}&limit=500`)).entries), query).toEqual(want.slice(0, 500))
      expect((await it.call('VIEWER', 'GET', `/journal/count?${query}&limit=x&cursor=x`)).body, query).toEqual({
        total: want.length,
      })
    }
    expect((await get(it)).entries).toEqual(all.slice(-100).reverse())
  })

  it('look beyond what one request may read on the main thread', async () => {
    const it = await daemon(place === 'file' ? { file: file() } : {})
    const old = [1, 2, 3].map((n) => note(it, { mission_id: 'm1', severity: 'error', summary: `old ${n}` }).id)
    it.app.writeNow(() => {
      for (let n = 0; n < 4000; n++)
        rawEntry(it.app, {
          workspace_id: it.workspace,
          type: 'exec.command',
          actor_type: 'system',
          summary: 'x',
          mission_id: 'm1',
        })
    })
    expect((await walk(it, 'mission_id=m1&severity=error', 2)).map(({ id }) => id)).toEqual(old.reverse())
    const total = async (query: string) => (await it.call('VIEWER', 'GET', `/journal/count?${query}`)).body.total
    expect(await total('mission_id=m1&severity=error')).toBe(3)
    expect(await total('mission_id=m1')).toBe(4003)
  })

  it('find a phrase by its stems, in summary or payload, with every other filter', async () => {
    const it = await daemon(place === 'file' ? { file: file() } : {})
    const texts = ['Running the tests', 'the tests ran', 'test running', 'Café "Harbour" opens', 'a OR b', 'x* wild']
    const made = texts.map((summary, n) =>
      note(it, {
        summary,
        severity: n % 2 ? 'warn' : 'info',
        trace_id: `r${n % 3}`,
        priority: n === 5 ? 'pin' : undefined,
      }),
    )
    made.push(
      note(it, {
        summary: 'payload',
        payload: { steps: ['fetch', 'runs the test'], exit_code: 137 },
        agent_id: 'ca',
        crew_id: 'cc',
      }),
    )
    const found = async (query: string) =>
      (await walk(it, query, 2)).map(({ id }) => made.findIndex((entry) => entry.id === id))
    const q = (text: string, more = '') => found(`q=${encodeURIComponent(text)}${more}`)
    expect(await q('run the test')).toEqual([6, 0])
    expect(await q('tests')).toEqual([6, 2, 1, 0])
    expect(await q('cafe "harbour"')).toEqual([3])
    expect(await q('CAFÉ')).toEqual([3])
    expect(await q('a OR b')).toEqual([4])
    expect(await q('run OR test')).toEqual([])
    expect(await q('exit_code')).toEqual([6])
    expect(await q('137')).toEqual([6])
    expect(await q('wil*')).toEqual([])
    expect(await q('***')).toEqual([])
    expect(await q('nul\0l')).toEqual([])
    expect(await q('   ')).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await q('test', '&severity=warn')).toEqual([1])
    expect(await q('test', '&severity=info,notice&exclude_entry_type=run.started')).toEqual([6, 2, 0])
    expect(await q('test', '&trace_id=r0')).toEqual([0])
    expect(await q('test', '&trace_id=r0,r1')).toEqual([1, 0])
    expect(await q('test', '&run_id=r2')).toEqual([2])
    expect(await q('test', '&agent_id=ca')).toEqual([6])
    expect(await q('test', '&agent_id=cnone')).toEqual([])
    expect(await q('wild', '&priority=pin')).toEqual([5])
    expect(await q('wild', '&priority=normal')).toEqual([])
    const total = async (query: string) => (await it.call('VIEWER', 'GET', `/journal/count?${query}`)).body.total
    expect(await total('q=tests')).toBe(4)
    expect(await total('q=tests&severity=info')).toBe(3)
    expect(await total('q=tests&trace_id=r0')).toBe(1)
    note(it, { summary: 'one more test' })
    expect(await total('q=tests')).toBe(5)
  })

  it('shows nothing of another workspace', async () => {
    const it = await daemon(place === 'file' ? { file: file() } : {})
    const mine = note(it, { summary: 'secret plans', trace_id: 'r1', crew_id: 'c1' })
    const other = it.stranger()
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: other.workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: 'own plans',
      }),
    )
    for (const query of ['', '?q=plans', '?trace_id=r1', '?crew_id=c1', '?run_id=r1']) {
      const { body } = await it.call(other, 'GET', `/journal${query}`)
      expect(body.entries.filter(({ id }: Entry) => id === mine.id)).toEqual([])
    }
    expect((await it.call(other, 'GET', '/journal/count?q=plans')).body).toEqual({ total: 1 })
    expect(await it.call(other, 'GET', `/journal/${mine.id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect((await it.call(other, 'POST', `/journal/${mine.id}/priority`, { priority: 'pin' })).status).toBe(404)
    expect((await it.call(other, 'GET', '/journal/verify')).body).toMatchObject({ valid: true, entries: 1 })
  })
})

describe('journal.list', () => {
  it('begins with the newest of all that match, whichever kind came first or last', async () => {
    const it = await daemon()
    const made = (['exec.command', 'agent.error', 'network.egress', 'run.started', 'exec.command'] as const).map(
      (type) => note(it, { type, actor_type: 'system' }),
    )
    const { body } = await it.call('OWNER', 'GET', '/journal?actor_type=system&limit=1')
    expect(body.entries.map(({ id }: Entry) => id)).toEqual([made[4]!.id])
  })

  it('keeps its place while entries are added', async () => {
    const it = await daemon()
    fill(it, 120)
    const before = it.entries().map(({ id }) => id)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await get(it, `?limit=7${cursor}`)
      seen.push(...page.entries.map(({ id }) => id))
      fill(it, 5)
      if (!page.next_cursor) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(seen).toEqual(before.reverse())
  })

  it('has no next page when the last one is full', async () => {
    const it = await daemon()
    fill(it, 10)
    expect(await get(it, '?limit=10')).not.toHaveProperty('next_cursor')
    expect(await get(it, '?limit=9')).toHaveProperty('next_cursor')
  })

  it('rounds bounds finer than a millisecond into the range, and reads any zone', async () => {
    const it = await daemon()
    note(it)
    const count = async (query: string) => (await get(it, `?${query}`)).count
    expect(await count('since=2026-01-01T00:00:00.0000Z')).toBe(1)
    expect(await count('since=2026-01-01T00:00:00.0001Z')).toBe(0)
    expect(await count('until=2026-01-01T00:00:00.0009Z')).toBe(1)
    expect(await count('until=2025-12-31T23:59:59.9999Z')).toBe(0)
    expect(await count('since=2026-01-01T02:00:00%2B02:00&until=2025-12-31t19:00:00-05:00')).toBe(1)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['since=yesterday', 'since'],
    ['since=2026-01-01', 'since'],
    ['since=2026-01-01T00:00:00', 'since'],
    ['until=2026-02-30T00:00:00Z', 'until'],
    ['until=2026-01-01T25:00:00Z', 'until'],
    ['until=2026-01-01T00:00:00%2B25:00', 'until'],
    ['priority=urgent', 'priority'],
    ['priority=pin,Pin', 'priority'],
    ['severity=bad', 'severity'],
    ['severity=info,Warn', 'severity'],
    ['actor_type=robot', 'actor_type'],
    [`q=${'x'.repeat(201)}`, 'q'],
    ['cursor=x', 'cursor'],
    ['cursor=!!!!!!!!!!!!', 'cursor'],
    [`cursor=${Buffer.from('["2026-01-01T00:00:00.000Z"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('["late","j_0000000000000000"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('["2026-01-01T00:00:00.000Z","k_1"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('{"a":"2026-01-01T00:00:00.000Z"}').toString('base64url')}`, 'cursor'],
  ])('refuses %s', async (query, field) => {
    const { call } = await daemon()
    expect(await call('VIEWER', 'GET', `/journal?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field },
    })
    if (field === 'limit' || field === 'cursor') return
    expect(await call('VIEWER', 'GET', `/journal/count?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field },
    })
    expect(await call('VIEWER', 'GET', `/journal/stream?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field },
    })
  })

  it('needs a workspace; the header comes before the query', async () => {
    const it = await daemon()
    note(it)
    const nowhere = { ...it.person('VIEWER'), workspace: '' }
    for (const path of [
      '/journal',
      '/journal/count',
      '/journal/lookup',
      '/journal/stream',
      '/journal/j_0000000000000000',
    ]) {
      const { status, body, headers } = await it.call(nowhere, 'GET', path)
      expect({ path, status, code: body.code }).toEqual({ path, status: 401, code: 'no_workspace' })
      expect(body.detail).toBe('Name a workspace by the query parameter workspace_id or the header X-Workspace-ID')
      expect(headers['www-authenticate']).toBe('Bearer error="no_workspace"')
    }
    const other = it.stranger()
    expect((await it.call(other, 'GET', `/journal?workspace_id=${it.workspace}`)).body.entries).toEqual([])
  })
})

describe('journal.show', () => {
  it('gives the stored entry', async () => {
    const it = await daemon()
    const entry = note(it, { payload: { a: [1, { b: null }] }, refs: { parent_entry_id: 'j_1' } })
    expect(await it.call('VIEWER', 'GET', `/journal/${entry.id}`)).toMatchObject({ status: 200, body: entry })
    expect((await it.call('VIEWER', 'GET', '/journal/j_0000000000000000')).status).toBe(404)
  })
})

describe('journal.priority', () => {
  it('changes the marker alone and says so in the journal and its ledger', async () => {
    const it = await daemon()
    const entry = note(it, {
      crew_id: 'c1',
      agent_id: 'a1',
      mission_id: 'm1',
      payload: { text: 'keep,"priority":"me"' },
      summary: '"priority":"normal"',
    })
    const owner = it.person('OWNER')
    expect((await it.call('ADMIN', 'POST', `/journal/${entry.id}/priority`, { priority: 'pin' })).body).toEqual({
      id: entry.id,
      priority: 'pin',
      previous: 'normal',
      reason: '',
    })
    const { body } = await it.call(owner, 'POST', `/journal/${entry.id}/priority`, {
      priority: 'permanent',
      reason: 'law',
    })
    expect(body).toEqual({ id: entry.id, priority: 'permanent', previous: 'pin', reason: 'law' })
    expect((await it.call('VIEWER', 'GET', `/journal/${entry.id}`)).body).toEqual({ ...entry, priority: 'permanent' })
    expect((await get(it, '?priority=permanent')).entries.map(({ id }) => id)).toEqual([entry.id])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'memory.priority_changed',
      severity: 'notice',
      summary:
        'The priority of a journal entry (exec.command) was changed from pin to permanent ' +
        `by ${owner.email}: "law"`,
      actor_type: 'user',
      actor_id: owner.userId,
      crew_id: 'c1',
      agent_id: 'a1',
      mission_id: 'm1',
      payload: {
        target_entry_id: entry.id,
        target_entry_type: 'exec.command',
        previous_priority: 'pin',
        new_priority: 'permanent',
        reason: 'law',
      },
      refs: { parent_entry_id: entry.id },
    })
    expect(
      it.app.db.prepare('SELECT previous_priority, priority, reason FROM journal_priorities ORDER BY change').all(),
    ).toEqual([
      { previous_priority: 'normal', priority: 'pin', reason: '' },
      { previous_priority: 'pin', priority: 'permanent', reason: 'law' },
    ])
    expect((await it.call('ADMIN', 'GET', '/journal/verify')).body).toMatchObject({ valid: true, entries: 3 })
  })

  it('refuses weaker roles, other values and unknown entries', async () => {
    const it = await daemon()
    const { id } = note(it)
    expect((await it.call('MANAGER', 'POST', `/journal/${id}/priority`, { priority: 'pin' })).status).toBe(403)
    expect(await it.call('ADMIN', 'POST', `/journal/${id}/priority`, { priority: 'top' })).toMatchObject({
      status: 400,
      body: { field: 'priority' },
    })
    expect(await it.call('ADMIN', 'POST', `/journal/${id}/priority`, {})).toMatchObject({
      status: 400,
      body: { code: 'missing_field' },
    })
    expect((await it.call('ADMIN', 'POST', '/journal/j_0000000000000000/priority', { priority: 'pin' })).status).toBe(
      404,
    )
    expect(it.entries()).toHaveLength(1)
  })
})

describe('entry types', () => {
  it.each(['', '/count', '/stream'])(
    'that nobody knows are refused by journal%s, with those that there are',
    async (path) => {
      const { call } = await daemon()
      for (const member of ['entry_type', 'exclude_entry_type']) {
        const { status, body } = await call('VIEWER', 'GET', `/journal${path}?${member}=run.failed,run.fail`)
        expect([status, body.code, body.field]).toEqual([400, 'invalid_field', member])
        expect(body.detail).toMatch(/^\w+ "run\.fail" is none of agent\.\w+, .*run\.failed, .*system\.migration/)
      }
    },
  )

  it('that later versions will write can be asked for', async () => {
    const { call } = await daemon()
    expect(await call('VIEWER', 'GET', '/journal?entry_type=llm.call,pipeline.run.failed')).toMatchObject({
      status: 200,
      body: { entries: [], count: 0 },
    })
  })

  it('are listed with their severity, what they speak of, and the schema of their payload', async () => {
    const { call } = await daemon()
    const { status, body } = await call('VIEWER', 'GET', '/journal/types')
    expect(status).toBe(200)
    const named = (name: string) => body.types.filter((row: { name: string }) => row.name === name)
    expect(named('crew.deleted')).toMatchObject([
      {
        entry_type: 'audit.entity_deleted',
        severity: 'notice',
        entity_type: 'crew',
        recorded: true,
        payload: { type: 'object', properties: { action: { const: 'delete' }, entity_type: { const: 'crew' } } },
      },
    ])
    expect(named('memory.priority_changed')[0].payload.required).toEqual([
      'target_entry_id',
      'target_entry_type',
      'previous_priority',
      'new_priority',
      'reason',
    ])
    expect(named('llm.call')).toEqual([{ name: 'llm.call', entry_type: 'llm.call', severity: 'info', recorded: false }])
  })
})

describe('journal.lookup', () => {
  it('names crews and agents in order of their names', async () => {
    const { call } = await daemon()
    for (const [name, slug] of [
      ['Zebra', 'zebra'],
      ['Alpha', 'alpha'],
    ])
      await call('MANAGER', 'POST', '/crews', { name, slug })
    const { body } = await call('VIEWER', 'GET', '/journal/lookup')
    expect(body.crews.map(({ name }: { name: string }) => name)).toEqual(['Alpha', 'Zebra'])
    expect(Object.keys(body.crews[0])).toEqual(['id', 'name', 'slug', 'icon', 'color'])
    expect(body).toMatchObject({ agents: [], missions: [] })
  })
})

describe('journal.verify', () => {
  const verify = async (it: TestDaemon) => (await it.call('ADMIN', 'GET', '/journal/verify')).body

  it('confirms an untouched chain, of each workspace by itself', async () => {
    const it = await daemon()
    const proven = ['chain', 'columns', 'order', 'priorities', 'roll_ups']
    const empty = {
      valid: true,
      entries: 0,
      erased: 0,
      erased_summaries: 0,
      compacted: 0,
      head: null,
      sealed: null,
      resumed: null,
      unsealed: 0,
      proven,
      not_proven: ['rollback'],
      broken: null,
    }
    expect(await verify(it)).toEqual(empty)
    fill(it, 30)
    const other = it.stranger()
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: other.workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: 'theirs',
      }),
    )
    fill(it, 3)
    expect(await verify(it)).toEqual({
      ...empty,
      entries: 33,
      head: { id: it.entries().at(-1)!.id, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      unsealed: 33,
      not_proven: ['unsealed', 'rollback'],
    })
  })

  it.each([
    ['a changed summary', `UPDATE journal SET doc = replace(doc, '"summary":"', '"summary":"not ') WHERE seq = 5`],
    ['a changed payload', `UPDATE journal SET doc = json_set(doc, '$.payload.n', 99) WHERE seq = 5`],
    ['a removed payload', `UPDATE journal SET doc = json_remove(doc, '$.payload') WHERE seq = 5`],
    ['a removed entry', 'DELETE FROM journal WHERE seq = 4'],
    ['a moved time', 'UPDATE journal SET ts = ts + 1 WHERE seq = 5'],
    ['a text that is none', `UPDATE journal SET doc = 'x' WHERE seq = 5`],
  ])('finds %s', async (_what, sql) => {
    const it = await daemon()
    fill(it, 10)
    const { id } = it.entries()[4]!
    it.app.db.exec(sql)
    expect(await verify(it)).toMatchObject({ valid: false, broken: { id } })
  })

  it('still holds when a payload was erased and its hash kept', async () => {
    const it = await daemon()
    fill(it, 10)
    const row = it.app.db.prepare<[], { doc: string }>('SELECT doc FROM journal WHERE seq = 5').get()!
    const { hashPart } = await import('#kernel/journal/chain')
    const { payload, ...rest } = JSON.parse(row.doc) as Entry
    expect(payload).toBeDefined()
    it.app.db
      .prepare('UPDATE journal SET doc = ?, payload_hash = ? WHERE seq = 5')
      .run(JSON.stringify(rest), hashPart(JSON.stringify(payload)))
    expect(await verify(it)).toMatchObject({ valid: true, entries: 10, erased: 1, erased_summaries: 0 })
  })

  it('is for administrators', async () => {
    const { call } = await daemon()
    for (const path of ['/journal/verify', '/admin/journal/verify']) {
      expect((await call('MANAGER', 'GET', path)).status).toBe(403)
      expect((await call('ADMIN', 'GET', path)).body).toMatchObject({ valid: true })
    }
  })
})
