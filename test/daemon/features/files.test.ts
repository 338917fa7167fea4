import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { savedBytes } from '#contract/files'
import { placeOf } from '../../../daemon/features/crews/places/service.ts'
import { RuntimeError } from '../../../daemon/runtime/errors.ts'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { ending } from '../../support/endings.ts'
import { workplace } from '../../support/runs.ts'

/** A crew whose agents are processes of this machine, and where its first agent's files are. */
async function real() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-files-'))
  ending(() => rmSync(folder, { recursive: true, force: true }))
  const it = await workplace({ runtime: new ProcessRuntime({ folder }) })
  await it.app.runtime.start(it.crewId)
  const place = placeOf(it.app, it.agentId)!
  const { output, home } = it.runtime.places(place.crewId, place.agent)
  type Who = Parameters<typeof it.call>[0]
  const ask = (who: Who, method: string, path: string, body?: string, headers = {}) =>
    it.call(who, method, `/agents/${it.agentId}/${path}`, body, { 'content-type': 'text/plain', ...headers })
  const save = (path: string, body: string, headers = {}) =>
    ask('MANAGER', 'PUT', `files/save?path=${encodeURIComponent(path)}`, body, headers)
  return { it, output, home, ask, save }
}

describe('files.save', () => {
  it('saves whatever the body says it is, and records who did it', async () => {
    const { it, output, save } = await real()
    expect(await save('notes/a.txt', '{"not json', { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
      body: { status: 'saved', path: 'notes/a.txt' },
    })
    expect(readFileSync(join(output, 'notes/a.txt'), 'utf8')).toBe('{"not json')
    expect((await save('./notes//a.txt', 'new')).body).toEqual({ status: 'saved', path: 'notes/a.txt' })
    expect((await save('/output/ada/b.txt', '')).body).toEqual({ status: 'saved', path: 'b.txt' })
    const written = it.entries().filter(({ entry_type }) => entry_type === 'file.written')
    expect(written.map(({ payload }) => payload)).toEqual([
      { path: 'notes/a.txt', agent: 'ada', size: 10, op: 'create' },
      { path: 'notes/a.txt', agent: 'ada', size: 3, op: 'write' },
      { path: 'b.txt', agent: 'ada', size: 0, op: 'create' },
    ])
    expect(written[1]).toMatchObject({ agent_id: it.agentId, crew_id: it.crewId, actor_type: 'user' })
    expect(written[1]!.summary).toMatch(/changed the file "notes\/a.txt" of Agent ada \(3 bytes\)$/)
  })

  it('records nothing where the file has that content', async () => {
    const { it, save } = await real()
    await save('a.txt', 'same')
    const before = it.entries().length
    const { body, headers } = await save('a.txt', 'same')
    expect({ body, unchanged: headers['muster-unchanged'] }).toEqual({
      body: { status: 'unchanged', path: 'a.txt' },
      unchanged: 'true',
    })
    expect(it.entries().length).toBe(before)
  })

  it('finds conflicts by entity tags', async () => {
    const { it, output, ask, save } = await real()
    const { etag } = (await save('a.txt', 'one')).headers as { etag: string }
    expect((await ask('VIEWER', 'GET', 'files/download?path=a.txt')).headers['etag']).toBe(etag)
    writeFileSync(join(output, 'a.txt'), 'by the agent')
    const refused = await save('a.txt', 'two', { 'if-match': etag })
    expect(refused).toMatchObject({ status: 412, body: { code: 'file_changed', field: 'path' } })
    expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('by the agent')
    expect((await save('a.txt', 'two', { 'if-match': refused.body.etag })).status).toBe(200)
    expect((await save('a.txt', 'x', { 'if-none-match': '*' })).status).toBe(412)
    expect((await save('gone.txt', 'x', { 'if-match': '*' })).status).toBe(412)
    expect(await save('a.txt', 'x', { 'if-none-match': etag })).toMatchObject({ status: 400 })
    const { body } = await it.call('VIEWER', 'GET', `/agents/${it.agentId}/files`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['a.txt'])
  })

  it.each(['..', '../bob/x', 'a/../../b', '/etc/passwd', 'a\0b', '.', './', '/'])(
    'refuses the path %j',
    async (path) => {
      const { save } = await real()
      expect(await save(path, 'x')).toMatchObject({ status: 400, body: { field: 'path' } })
    },
  )

  it('refuses folders, links and what belongs to others', async () => {
    const { it, output, save } = await real()
    mkdirSync(join(output, 'folder'))
    symlinkSync('/etc', join(output, 'etc'))
    expect(await save('folder', 'x')).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(await save('etc/passwd', 'x')).toMatchObject({ status: 403, body: { code: 'file_refused' } })
    expect(await save('etc', 'x')).toMatchObject({ status: 403, body: { code: 'file_refused' } })
    expect(await save('/output/bob/x', 'x')).toMatchObject({ status: 403, body: { code: 'foreign_file' } })
    expect(await save(`${it.crewId}/bob/x`, 'x')).toMatchObject({ status: 403, body: { code: 'foreign_file' } })
  })

  it('is not for members, nor for agents without a crew', async () => {
    const { it, ask } = await real()
    expect((await ask('MEMBER', 'PUT', 'files/save?path=a', 'x')).status).toBe(403)
    const { body: loner } = await it.call('OWNER', 'POST', '/agents', { name: 'Loner', slug: 'loner' })
    const type = { 'content-type': 'text/plain' }
    expect((await it.call('OWNER', 'PUT', `/agents/${loner.id}/files/save?path=a`, 'x', type)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', `/agents/${loner.id}/git-log`)).body).toEqual([])
    expect((await it.call('OWNER', 'GET', `/agents/${loner.id}/container-files`)).status).toBe(404)
  })

  it('takes so many bytes and no more', async () => {
    const { save } = await real()
    expect((await save('a', 'x'.repeat(savedBytes))).status).toBe(200)
    expect(await save('a', 'x'.repeat(savedBytes + 1))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    })
  })

  it('says that the crew is stopped', async () => {
    const { it, ask, save } = await real()
    await it.runtime.stop(it.crewId)
    expect(await save('a', 'x')).toMatchObject({ status: 409, body: { code: 'crew_not_running' } })
    const stopped = { status: 502, body: { code: 'container_unreachable' } }
    expect(await ask('VIEWER', 'GET', 'container-files')).toMatchObject(stopped)
    expect(await ask('VIEWER', 'GET', 'git-log')).toMatchObject(stopped)
  })
})

describe('files.save, as the runtime answers', () => {
  const put = (it: Awaited<ReturnType<typeof workplace>>) =>
    it.call('OWNER', 'PUT', `/agents/${it.agentId}/files/save?path=a`, 'x', { 'content-type': 'text/plain' })

  it.each([
    ['unreachable', 503, 'runtime_unavailable'],
    ['not_running', 409, 'crew_not_running'],
    ['refused', 502, 'runtime_failed'],
  ] as const)('%s is %i', async (kind, status, code) => {
    const it = await workplace()
    it.runtime.command = () => Promise.reject(new RuntimeError(kind, 'why'))
    expect(await put(it)).toMatchObject({ status, body: { code } })
  })

  it('a full disk is told, and nothing is recorded', async () => {
    const it = await workplace()
    it.runtime.command = async () => ({ code: 0, stdout: '{"status":"full"}', stderr: '' })
    const before = it.entries().length
    expect(await put(it)).toMatchObject({ status: 507, body: { code: 'storage_full' } })
    expect(it.entries().length).toBe(before)
  })

  it.each([
    [{ code: 1, stdout: '', stderr: 'no such thing' }, 'The files cannot be reached: no such thing'],
    [{ code: 124, stdout: '', stderr: '' }, 'The files cannot be reached: it took too long'],
  ])('a program that fails is 502 (%j)', async (end, detail) => {
    const it = await workplace()
    it.runtime.command = async () => end
    expect(await put(it)).toMatchObject({ status: 502, body: { detail } })
  })
})

describe('agents.containerFiles', () => {
  it('lists the home folder, also as clients call it', async () => {
    const { home, ask } = await real()
    mkdirSync(join(home, 'a/b/c/d'), { recursive: true })
    writeFileSync(join(home, 'a/f'), 'four')
    const paths = async (query: string) =>
      (await ask('VIEWER', 'GET', `container-files${query}`)).body.map(({ path }: { path: string }) => path)
    expect(await paths('')).toEqual(expect.arrayContaining(['a', 'a/b', 'a/b/c', 'a/f']))
    expect(await paths('?subdir=/home')).not.toContain('a/b/c/d')
    expect(await paths('?subdir=/home/a/b')).toEqual(['a/b/c', 'a/b/c/d'])
    expect(await paths('?subdir=none')).toEqual([])
    const { body } = await ask('VIEWER', 'GET', 'container-files?subdir=a')
    expect(body).toContainEqual({ path: 'a/f', name: 'f', size: 4, is_dir: false })
    expect((await ask('VIEWER', 'GET', 'container-files?subdir=../x')).status).toBe(400)
    expect((await ask('VIEWER', 'GET', 'container-files?subdir=/home/../x')).status).toBe(400)
  })
})
