import { describe, expect, it } from 'vitest'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import { workplace } from '../../support/runs.ts'

/** An agent that has done one turn. */
async function worked() {
  const it = await workplace()
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work')
  const program = await it.runtime.program()
  it.clock.advance(5000)
  it.runtime.print(
    program,
    init,
    says('I look.'),
    calls('t1', 'Bash', { command: 'ls' }),
    gets('t1', 'Exit code 2', true),
    says('Nothing.'),
    result(),
  )
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  return { it, run_id }
}

const ask = async (it: Awaited<ReturnType<typeof workplace>>, path: string) =>
  it.call('VIEWER', 'GET', `/agents/${it.agentId}/${path}`)

describe('agents.logs', () => {
  it('tells what the agent did, latest first', async () => {
    const { it, run_id } = await worked()
    const { status, body } = await ask(it, 'logs')
    expect(status).toBe(200)
    expect(body).toMatchObject([
      {
        event: 'run.completed',
        level: 'info',
        agent: 'ada',
        tokens: 42,
        metadata: { run_id },
        ts: '2026-01-01T00:00:05.000Z',
      },
      { event: 'text', content: 'Nothing.' },
      { event: 'tool_result', level: 'warn', content: 'Exit code 2' },
      { event: 'tool_call', tool: 'Bash', metadata: { input: { command: 'ls' } } },
      { event: 'text', content: 'I look.', ts: '2026-01-01T00:00:05.000Z' },
      { event: 'run.started', metadata: { run_id }, ts: '2026-01-01T00:00:00.000Z' },
    ])
    expect((await ask(it, 'logs?limit=2&offset=1')).body).toEqual(body.slice(1, 3))
    expect((await ask(it, 'logs?offset=6')).body).toEqual([])
    expect((await ask(it, 'logs?limit=x&offset=-3')).body).toEqual(body)
  })
})

describe('a row of an agent', () => {
  it('says when it was last active, and who made it while that person is a member', async () => {
    const it = await workplace()
    const row = async () => (await it.call('VIEWER', 'GET', `/agents/${it.agentId}`)).body
    expect(await row()).not.toHaveProperty('last_active_at')
    const maker = it.person('OWNER')
    expect(await row()).toMatchObject({ owner: { full_name: 'The OWNER', email: maker.email } })
    it.clock.advance(1000)
    const { run_id } = await it.send(await it.openChat(), 'Work')
    expect(await row()).toMatchObject({ last_active_at: '2026-01-01T00:00:01.000Z' })
    const program = await it.runtime.program()
    it.clock.advance(4000)
    it.runtime.print(program, init, says('Done.'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await row()).toMatchObject({ last_active_at: '2026-01-01T00:00:05.000Z' })
    const [listed] = (await it.call('VIEWER', 'GET', '/agents')).body
    expect(listed).toMatchObject({ last_active_at: '2026-01-01T00:00:05.000Z', owner: { email: maker.email } })
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(maker.userId)
    expect(await row()).not.toHaveProperty('owner')
    expect(await row()).toMatchObject({ created_by_user_id: maker.userId })
  })
})

describe('files.list', () => {
  it('lists the agent’s own folder', async () => {
    const it = await workplace()
    it.runtime.files.set('a.txt', 'hello').set('sub/b.txt', 'there')
    expect((await ask(it, 'files')).body).toMatchObject([
      { path: 'a.txt', name: 'a.txt', size: 5, is_dir: false },
      { path: 'sub/b.txt' },
    ])
    expect((await ask(it, 'files?subdir=sub/')).body).toMatchObject([{ path: 'sub/b.txt' }])
  })

  it.each(['..', '../other', 'a/../../b', '/etc', 'a\0b'])('refuses %j', async (subdir) => {
    const it = await workplace()
    expect(await ask(it, `files?subdir=${encodeURIComponent(subdir)}`)).toMatchObject({
      status: 400,
      body: { field: 'subdir' },
    })
    expect(await ask(it, `files/download?path=${encodeURIComponent(subdir)}`)).toMatchObject({
      status: 400,
      body: { field: 'path' },
    })
  })

  it('has none without a crew, and 502 when the runtime cannot tell', async () => {
    const it = await workplace()
    const { body: loner } = await it.call('OWNER', 'POST', '/agents', { name: 'Loner', slug: 'loner' })
    expect((await it.call('OWNER', 'GET', `/agents/${loner.id}/files`)).body).toEqual([])
    expect((await it.call('OWNER', 'GET', `/agents/${loner.id}/files/download?path=a`)).status).toBe(404)
    it.runtime.listFiles = async () => {
      throw new Error('no engine')
    }
    expect(await ask(it, 'files')).toMatchObject({
      status: 502,
      body: { code: 'runtime_failed', detail: 'The files cannot be reached: no engine' },
    })
  })
})

describe('files.download', () => {
  it('gives the bytes, as an attachment', async () => {
    const it = await workplace()
    it.runtime.files.set('sub/naïve "x".txt', 'hello')
    const { status, text, headers } = await ask(it, `files/download?path=${encodeURIComponent('sub/naïve "x".txt')}`)
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 200,
      text: 'hello',
      type: 'application/octet-stream',
    })
    expect(headers['content-disposition']).toBe(
      `attachment; filename="na_ve__x_.txt"; filename*=UTF-8''na%C3%AFve%20%22x%22.txt`,
    )
  })

  it('takes the path as the agent names it, and refuses another agent’s', async () => {
    const it = await workplace()
    it.runtime.files.set('a.txt', 'hello')
    expect((await ask(it, 'files/download?path=/output/ada/a.txt')).text).toBe('hello')
    expect(await ask(it, 'files/download?path=/output/bob/a.txt')).toMatchObject({
      status: 403,
      body: { code: 'foreign_file' },
    })
    const own = `${it.crewId}/ada`
    it.runtime.files.set('sub/b.txt', 'deep')
    expect((await ask(it, `files/download?path=${own}/a.txt`)).text).toBe('hello')
    expect(await ask(it, `files/download?path=${it.crewId}/bob/a.txt`)).toMatchObject({ status: 403 })
    expect((await ask(it, `files/download?path=${own}/../bob/a.txt`)).status).toBe(400)
    expect((await ask(it, `files/download?path=${own}`)).status).toBe(404)
    const names = async (subdir: string) =>
      (await ask(it, `files?subdir=${subdir}`)).body.map(({ path }: { path: string }) => path)
    for (const home of [own, `${own}/`, '/output/ada', '']) expect(await names(home)).toEqual(['a.txt', 'sub/b.txt'])
    for (const home of [`${own}/sub`, '/output/ada/sub', 'sub']) expect(await names(home)).toEqual(['sub/b.txt'])
    expect(await ask(it, `files?subdir=${it.crewId}/bob`)).toMatchObject({
      status: 403,
      body: { code: 'foreign_file' },
    })
    expect((await ask(it, 'files/download?path=none')).status).toBe(404)
    expect((await ask(it, 'files/download')).body).toMatchObject({ field: 'path' })
  })
})
