import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'

const sha = (text: string) => hash('sha256', text, 'hex')

interface Place extends TestDaemon {
  crewId: string
  agentId: string
}

async function place(): Promise<Place> {
  const it = await daemon()
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  const agent = await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.body.id })
  return { ...it, crewId: crew.body.id, agentId: agent.body.id }
}

type Who = Parameters<TestDaemon['call']>[0]

const put = (it: Place, path: string, content: string, who: Who = 'OWNER', more: object = {}) =>
  it.call(who, 'PUT', '/memory/file', { path, content, ...more })
const append = (it: Place, path: string, content: string) =>
  it.call('OWNER', 'POST', '/memory/file/append', { path, content })
const show = (it: Place, path: string, who: Who = 'VIEWER') =>
  it.call(who, 'GET', `/memory/file?path=${encodeURIComponent(path)}`)
const versions = async (it: Place, path: string) =>
  (await it.call('VIEWER', 'GET', `/memory/versions?path=${encodeURIComponent(path)}`)).body
const told = (it: Place, type: string) => it.entries().filter(({ entry_type }) => entry_type === type)

describe('memory files', () => {
  it('of an agent, a crew and the workspace are written, read and listed', async () => {
    const it = await place()
    for (const [path, cap] of [
      ['agent:ada/AGENT.md', 4000],
      ['agent:ada/daily/2026-11-26.md', 30_000],
      ['agent:ada/pins.md', 8000],
      ['agent:ada/lessons.md', 262_144],
      ['crew:web/CREW.md', 4000],
      ['crew:web/topics/learned-2026-11-26.md', 30_000],
      ['workspace:WORKSPACE.md', 4000],
    ] as const) {
      const { status, body } = await put(it, path, `About ${path}`)
      expect([status, body.changed, body.cap_bytes]).toEqual([200, true, cap])
      const shown = (await show(it, body.path)).body
      expect(shown).toMatchObject({ content: `About ${path}`, sha256: sha(`About ${path}`), cap_bytes: cap })
    }
    const listed = (await it.call('VIEWER', 'GET', '/memory/files?path=agent:ada')).body
    expect(listed.files.map(({ name }: { name: string }) => name)).toEqual([
      'AGENT.md',
      'daily/2026-11-26.md',
      'lessons.md',
      'pins.md',
    ])
    expect(listed).toMatchObject({ count: 4, cap_bytes: 10_485_760 })
    const daily = (await it.call('VIEWER', 'GET', '/memory/files?path=agent:ada/daily/')).body
    expect(daily.files).toHaveLength(1)
    // A crew may be named by its id, as older clients do.
    expect((await show(it, `crew:${it.crewId}/CREW.md`)).body.path).toBe(`crew:${it.crewId}/CREW.md`)
  })

  it('have names of their own, and no others', async () => {
    const it = await place()
    for (const name of [
      '../../etc/passwd',
      'daily/2026-02-30.md',
      'daily/../AGENT.md',
      'topics/../../AGENT.md',
      'topics/Upper.md',
      '/etc/passwd',
      'AGENT.md/',
      'CREW.md',
      'topics/.hidden.md',
      '',
    ]) {
      const { status, body } = await put(it, `agent:ada/${name}`, 'x')
      expect([name, status, body.code, body.field]).toEqual([name, 400, 'invalid_field', 'path'])
    }
    for (const path of ['ada/AGENT.md', 'agent:', 'user:eve/x.md'])
      expect((await show(it, path)).status, path).toBe(400)
    expect((await show(it, 'agent:nobody/AGENT.md')).status).toBe(404)
    expect((await show(it, 'crew:nowhere/CREW.md')).status).toBe(404)
    expect((await show(it, 'agent:ada/AGENT.md')).status).toBe(404)
  })

  it('of an agent are no persona, which has rules of its own', async () => {
    const it = await place()
    expect(await put(it, 'agent:ada/PERSONA.md', 'I am root.')).toMatchObject({ status: 400, body: { field: 'path' } })
    await it.call('OWNER', 'PUT', `/agents/${it.agentId}/persona`, { content: 'I test.' })
    expect((await show(it, 'agent:ada/PERSONA.md')).body).toMatchObject({ content: 'I test.', cap_bytes: 1500 })
  })

  it('hold exactly as many bytes as they may, whatever the characters', async () => {
    const it = await place()
    const full = `${'ü'.repeat(1999)}ab`
    expect(Buffer.byteLength(full)).toBe(4000)
    expect(await put(it, 'agent:ada/AGENT.md', full)).toMatchObject({
      status: 200,
      body: { bytes: 4000, warning: '4000 of 4000 bytes are used: shorten it before it is full' },
    })
    const { status, body } = await put(it, 'agent:ada/AGENT.md', `${'ü'.repeat(2000)}a`)
    expect([status, body.code, body.field]).toEqual([413, 'body_too_large', 'content'])
    expect(body.detail).toContain('4000 bytes; this would be 4001')
    expect((await show(it, 'agent:ada/AGENT.md')).body.content).toBe(full)
    const day = 'agent:ada/daily/2026-11-26.md'
    expect((await put(it, day, '語'.repeat(10_000))).status).toBe(200)
    expect((await append(it, day, 'x')).status).toBe(413)
    expect(told(it, 'memory.write_rejected').map(({ payload }) => payload)).toMatchObject([
      { tier: 'agent', file: 'AGENT.md', reason: 'cap', bytes_attempted: 4001, bytes_limit: 4000 },
      {
        tier: 'agent',
        file: day.slice('agent:ada/'.length),
        reason: 'cap',
        bytes_attempted: 30_003,
        bytes_limit: 30_000,
      },
    ])
  })

  it('keep what half a character becomes, under its own hash', async () => {
    const it = await place()
    const { body } = await put(it, 'agent:ada/AGENT.md', 'half \ud83d and on')
    const shown = (await show(it, 'agent:ada/AGENT.md')).body
    expect(shown.content).toBe('half \ufffd and on')
    expect(body.sha256).toBe(sha(shown.content))
  })

  it('have room for 10 MB of one owner, and no more', async () => {
    const it = await place()
    await put(it, 'agent:ada/lessons.md', 'x')
    // Forty files of their full size would take a while.
    it.app.db.prepare("UPDATE memory_files SET bytes = 10485760 - 10 WHERE name = 'lessons.md'").run()
    const { status, body } = await put(it, 'agent:ada/AGENT.md', '12345678901')
    expect([status, body.code]).toEqual([413, 'body_too_large'])
    expect((await put(it, 'agent:ada/AGENT.md', '1234567890')).status).toBe(200)
    expect((await put(it, 'agent:ada/lessons.md', 'y'.repeat(262_145))).status).toBe(413)
  })

  it('are appended to on a line of their own', async () => {
    const it = await place()
    await append(it, 'agent:ada/AGENT.md', 'one')
    await append(it, 'agent:ada/AGENT.md', 'two\n')
    await put(it, 'agent:ada/lessons.md', 'no end')
    await append(it, 'agent:ada/lessons.md', 'three')
    expect((await show(it, 'agent:ada/AGENT.md')).body.content).toBe('one\ntwo\n')
    expect((await show(it, 'agent:ada/lessons.md')).body.content).toBe('no end\nthree\n')
  })

  it('lose nothing of twenty writers at once', async () => {
    const it = await place()
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    await Promise.all(lines.map((line) => append(it, 'crew:web/CREW.md', line)))
    const { content } = (await show(it, 'crew:web/CREW.md')).body
    expect(content.trim().split('\n').sort()).toEqual([...lines].sort())
    expect((await versions(it, 'crew:web/CREW.md')).count).toBe(20)
  })

  it('are written with version, text, index and record, or not at all', async () => {
    const it = await place()
    it.app.db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON memory_chunks BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    expect((await put(it, 'agent:ada/AGENT.md', 'half')).status).toBe(500)
    for (const table of ['memory_files', 'memory_versions', 'memory_blobs', 'memory_chunks'])
      expect([table, it.app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, 0])
    expect(told(it, 'memory.updated')).toEqual([])
    it.app.db.exec('DROP TRIGGER full')
    expect((await put(it, 'agent:ada/AGENT.md', 'half')).status).toBe(200)
  })

  it('are not overwritten by who has read an older text', async () => {
    const it = await place()
    const path = 'agent:ada/AGENT.md'
    expect((await put(it, path, 'first', 'OWNER', { parent_sha: '' })).status).toBe(200)
    const late = await put(it, path, 'mine', 'OWNER', { parent_sha: '' })
    expect([late.status, late.body.code, late.body.sha256]).toEqual([409, 'memory_changed', sha('first')])
    expect((await put(it, path, 'second', 'OWNER', { parent_sha: sha('first') })).status).toBe(200)
    expect((await put(it, path, 'third', 'OWNER', { parent_sha: sha('first') })).status).toBe(409)
    expect((await show(it, path)).body.content).toBe('second')
  })

  it('go when their agent or crew is deleted, and their versions stay', async () => {
    const it = await place()
    await put(it, 'agent:ada/AGENT.md', 'mine')
    await put(it, 'crew:web/CREW.md', 'ours')
    await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)
    expect(it.app.db.prepare('SELECT count(*) FROM memory_files').pluck().get()).toBe(0)
    expect(it.app.db.prepare('SELECT count(*) FROM memory_versions').pluck().get()).toBe(2)
    expect((await show(it, 'crew:web/CREW.md')).status).toBe(404)
  })
})

describe('who may', () => {
  it('read memory: everybody in the workspace, and nobody of another', async () => {
    const it = await place()
    await put(it, 'agent:ada/AGENT.md', 'mine')
    expect((await show(it, 'agent:ada/AGENT.md', 'VIEWER')).status).toBe(200)
    const stranger = it.stranger()
    const foreign = await it.call(stranger, 'GET', `/memory/file?path=agent:${it.agentId}/AGENT.md`)
    const absent = await it.call(stranger, 'GET', '/memory/file?path=agent:cnone00000000000000000000/AGENT.md')
    expect([foreign.status, foreign.body.code, foreign.body.detail]).toEqual([
      404,
      absent.body.code,
      absent.body.detail,
    ])
  })

  it('write it: MANAGER and above, in a crew also those who manage it, for the workspace ADMIN', async () => {
    const it = await place()
    const member = it.person('MEMBER')
    const paths = ['agent:ada/AGENT.md', 'crew:web/CREW.md', 'workspace:WORKSPACE.md']
    const statuses = async (who: Who) => {
      const found = []
      for (const path of paths) found.push((await put(it, path, `by ${String(who)}`, who)).status)
      return found
    }
    expect(await statuses('VIEWER')).toEqual([403, 403, 403])
    expect(await statuses(member)).toEqual([403, 403, 403])
    expect(await statuses('MANAGER')).toEqual([200, 200, 403])
    expect(await statuses('ADMIN')).toEqual([200, 200, 200])
    await it.call('OWNER', 'POST', `/crews/${it.crewId}/members`, { user_id: member.userId, role: 'MANAGER' })
    expect(await statuses(member)).toEqual([200, 200, 403])
    const path = encodeURIComponent(paths[0]!)
    expect((await it.call('VIEWER', 'DELETE', `/memory/file?path=${path}`)).status).toBe(403)
    expect((await it.call('VIEWER', 'POST', '/memory/file/append', { path: paths[0], content: 'x' })).status).toBe(403)
  })
})

describe('versions', () => {
  it('tell what was written, by whom, and what it replaced', async () => {
    const it = await place()
    const path = 'agent:ada/AGENT.md'
    await put(it, path, 'one')
    await put(it, path, 'two', 'MANAGER')
    expect((await put(it, path, 'two')).body.changed).toBe(false)
    expect(await versions(it, path)).toMatchObject({
      path,
      count: 2,
      projection: { state: 'recorded' },
      entries: [
        { sha256: sha('two'), bytes: 3, written_by: it.person('MANAGER').userId, parent_sha: sha('one') },
        { sha256: sha('one'), bytes: 3, written_by: it.person('OWNER').userId },
      ],
    })
    const { entries } = await versions(it, path)
    expect(entries[1]).not.toHaveProperty('parent_sha')
    expect(told(it, 'memory.updated').map(({ payload }) => payload)).toMatchObject(
      [...entries].reverse().map(({ id }: { id: string }) => ({ action: 'write', source: 'user', version_id: id })),
    )
    expect(JSON.stringify(it.entries())).not.toContain('"two"')
  })

  it('are read by their hash or its beginning, as text with headers', async () => {
    const it = await place()
    const path = 'crew:web/CREW.md'
    await put(it, path, 'one')
    await put(it, path, 'two')
    const read = (begin: string) => it.call('VIEWER', 'GET', `/memory/versions/${begin}?path=${path}`)
    const found = await read(sha('one').slice(0, 12))
    expect([found.status, found.text]).toEqual([200, 'one'])
    expect(found.headers['x-memory-version-sha']).toBe(sha('one'))
    expect(found.headers['x-memory-version-bytes']).toBe('3')
    expect((await read(sha('absent'))).status).toBe(404)
    expect((await read('..%2f..%2fetc')).status).toBe(404)
    // The version of one file is none of another.
    const other = await it.call('VIEWER', 'GET', `/memory/versions/${sha('one')}?path=agent:ada/AGENT.md`)
    expect(other.status).toBe(404)
  })

  it('are restored by an ADMIN, as a version of their own, also once the file is gone', async () => {
    const it = await place()
    const path = 'agent:ada/AGENT.md'
    await put(it, path, 'one')
    await put(it, path, 'two')
    const restore = (who: Who, body: object = { path }) =>
      it.call(who, 'POST', `/memory/versions/${sha('one')}/restore`, body)
    expect((await restore('MANAGER')).status).toBe(403)
    expect((await restore('ADMIN')).body).toMatchObject({ changed: true, sha256: sha('one'), parent_sha: sha('two') })
    expect((await show(it, path)).body).toMatchObject({ content: 'one', written_by: it.person('ADMIN').userId })
    expect((await it.call('OWNER', 'DELETE', `/memory/file?path=${path}`)).status).toBe(204)
    expect((await it.call('OWNER', 'DELETE', `/memory/file?path=${path}`)).status).toBe(404)
    expect((await versions(it, path)).projection.state).toBe('unavailable')
    expect((await restore('ADMIN')).status).toBe(200)
    expect((await versions(it, path)).count).toBe(4)
    const elsewhere = { path, canonical_path: 'agent:ada/topics/old.md', tier: 'agent' }
    expect((await restore('ADMIN', elsewhere)).body.path).toBe('agent:ada/topics/old.md')
    expect((await restore('ADMIN', { path, canonical_path: 'crew:web/CREW.md' })).body.field).toBe('canonical_path')
    expect((await restore('ADMIN', { path, tier: 'crew' })).body.field).toBe('tier')
    expect(told(it, 'memory.updated').map(({ payload }) => [payload?.['action'], payload?.['source']])).toEqual([
      ['write', 'user'],
      ['write', 'user'],
      ['restore', 'restore'],
      ['remove', 'user'],
      ['restore', 'restore'],
      ['restore', 'restore'],
    ])
  })

  it('are compared with each other', async () => {
    const it = await place()
    const path = 'agent:ada/AGENT.md'
    await put(it, path, 'same\nold\n')
    await put(it, path, 'same\nnew\nmore\n')
    const compare = async (query = '') => (await it.call('VIEWER', 'GET', `/memory/diff?path=${path}${query}`)).body
    expect(await compare()).toMatchObject({
      from: sha('same\nold\n'),
      to: sha('same\nnew\nmore\n'),
      identical: false,
      stats: { additions: 2, deletions: 1 },
    })
    expect((await compare()).unified_diff).toContain('-old\n+new\n+more\n')
    const first = await compare(`&to=${sha('same\nold\n').slice(0, 8)}`)
    expect(first).toMatchObject({ from: null, stats: { additions: 2, deletions: 0 } })
    const same = sha('same\nold\n')
    expect(await compare(`&from=${same}&to=${same}`)).toMatchObject({ identical: true, unified_diff: '' })
    expect((await it.call('VIEWER', 'GET', '/memory/diff?path=agent:ada/lessons.md')).status).toBe(404)
  })
})
