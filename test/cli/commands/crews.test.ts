import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

describe('muster crews', () => {
  it('makes, lists, shows, changes and deletes', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    expect(await run('crews', 'list')).toEqual({ code: 0, stdout: '', stderr: '' })
    const made = await run(
      'crews',
      'create',
      'Wéb  Team!',
      '--memory',
      '3000',
      '--cpus',
      '1.5',
      '--allowed-domain',
      'pypi.org',
      '--allowed-domain',
      '*.example.com',
      '--ttl',
      '0',
    )
    expect(made).toEqual({ code: 0, stdout: 'web-team\n', stderr: '✓ Created crew web-team.\n' })
    const crew = JSON.parse((await run('crews', 'show', 'web-team', '--json')).stdout)
    expect(crew).toMatchObject({
      slug: 'web-team',
      container_memory_mb: 3000,
      container_cpus: 1.5,
      container_ttl_hours: 0,
      allowed_domains: ['pypi.org', '*.example.com'],
    })
    expect((await run('crews', 'get', crew.id, '-q')).stdout).toBe('web-team\n')
    expect((await run('crews')).stdout).toMatch(/^web-team\t0\trestricted\t3000\t1\.5\t2026-/)
    expect(
      await run(
        'crews',
        'update',
        'web-team',
        '--network-mode',
        'free',
        '--allowed-domain',
        '',
        '--description',
        'Pages',
      ),
    ).toMatchObject({ code: 0 })
    expect(JSON.parse((await run('crews', 'show', 'web-team', '--json')).stdout)).toMatchObject({
      network_mode: 'free',
      allowed_domains: [],
      description: 'Pages',
    })
    expect((await run('crews', 'show', 'web-team')).stdout).toContain('Idle stop\tnever\n')
    expect(await run('crews', 'remove', 'web-team')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--confirm web-team'),
    })
    expect(await run('crews', 'rm', 'web-team', '--confirm', 'web-team')).toMatchObject({
      code: 0,
      stderr: '✓ Deleted crew web-team.\n',
    })
    expect((await run('crews', '-q')).stdout).toBe('')
  })

  it('says what is wrong, and ends with the code for it', async () => {
    const it = await daemon()
    const owner = await cliFor(it, 'OWNER')
    await owner.run('crews', 'create', 'Research')
    expect(await owner.run('crews', 'create', 'Research')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: repeat with another --slug'),
    })
    expect(await owner.run('crews', 'show', 'reserch')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        'did you mean "research"?\nDocs: docs/cli.md#names-and-ids\nNext: muster crews list',
      ),
    })
    expect(await owner.run('crews', 'show', 'c000000000000000000000000')).toMatchObject({ code: 3 })
    expect(await owner.run('crews', 'update', 'research')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing to change'),
    })
    expect(await owner.run('crews', 'create', '日本')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--slug'),
    })
    expect(await owner.run('crews', 'create', 'X', '--slug', 'a b')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('slug'),
    })
    expect(await owner.run('crews', 'create', 'X', '--cpus', 'many')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--cpus must be a number of at least 0, not "many".'),
    })
    const viewer = await cliFor(it, 'VIEWER')
    expect(await viewer.run('crews', 'create', 'Mine')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('muster whoami'),
    })
    expect((await viewer.run('crews', '-q')).stdout).toBe('research\n')
    expect(await (await cliFor(it, it.stranger())).run('crews', 'show', 'research')).toMatchObject({ code: 3 })
  })

  it('starts, stops and looks at containers', async () => {
    const seen: string[] = []
    const server = await fakeServer(({ method, url }, reply) => {
      seen.push(`${method} ${url}`)
      if (url.startsWith('/api/v1/crews?')) return json(reply, [{ id: 'c1', slug: 'web' }])
      if (url.startsWith('/api/v1/agents?')) return json(reply, [])
      if (url.endsWith('container-logs?tail=5')) return reply.end('line \u001b[31mred\n')
      if (url.endsWith('container-status'))
        return json(reply, {
          slug: 'web',
          status: 'running',
          desired: 'running',
          started_at: null,
          container_id: 'abcdefabcdefabcdef',
          config_drift: ['memory', 'cpus'],
          configured_memory_mb: 4096,
          configured_cpus: 2,
        })
      return json(reply, {
        slug: 'web',
        status: 'running',
        container_id: 'abcdefabcdefabcdef',
        notices: ['It was asleep.'],
      })
    })
    const { run } = cli({ SVC_SERVER: server.url })
    expect(await run('crews', 'start', 'web')).toEqual({
      code: 0,
      stdout: 'web\n',
      stderr: 'It was asleep.\n✓ The container of web is running.\n',
    })
    expect((await run('crews', 'stop', 'web', '--json=status')).stdout).toBe('{\n  "status": "running"\n}\n')
    expect((await run('crews', 'status', 'web')).stdout).toContain('Differs\tmemory, cpus\n')
    expect((await run('crews', 'logs', 'web', '--tail', '5')).stdout).toBe('line \u001b[31mred\n')
    expect(seen.filter((line) => !/^GET \/api\/v1\/(crews|agents)\?/.test(line))).toEqual([
      'POST /api/v1/crews/c1/container-start',
      'POST /api/v1/crews/c1/container-stop',
      'GET /api/v1/crews/c1/container-status',
      'GET /api/v1/crews/c1/container-logs?tail=5',
    ])
  })

  it('looks through every page for a name', async () => {
    const all = Array.from({ length: 700 }, (_, n) => ({ id: `c${n}`, slug: `crew-${n}`, _count: {} }))
    const server = await fakeServer(({ url }, reply) => {
      const { searchParams, pathname } = new URL(url, 'http://x')
      if (pathname !== '/api/v1/crews')
        return json(
          reply,
          all.find(({ id }) => pathname.endsWith(`/${id}`)),
        )
      const offset = Number(searchParams.get('offset'))
      json(reply, all.slice(offset, offset + Number(searchParams.get('limit'))))
    })
    const { run } = cli({ SVC_SERVER: server.url })
    expect((await run('crews', 'show', 'crew-650', '-q')).stdout).toBe('crew-650\n')
    expect(await run('crews', 'show', 'crew-9999')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean'),
    })
  })
})

describe('muster agents', () => {
  it('makes, lists, shows, changes, counts and deletes', async () => {
    const it = await daemon()
    const { home, run } = await cliFor(it, 'OWNER')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${home}/ada.md`, 'You are Ada.\nBe exact.\n')
    await run('crews', 'create', 'Web')
    expect(
      await run(
        'agents',
        'create',
        'Ada',
        '--crew',
        'web',
        '--prompt',
        `@${home}/ada.md`,
        '--title',
        'Reviewer',
        '--lead',
        '--timeout',
        '60',
        '--profile',
        'MINIMAL',
      ),
    ).toMatchObject({
      code: 0,
      stdout: 'ada\n',
    })
    expect(JSON.parse((await run('agents', 'show', 'ada', '--json')).stdout)).toMatchObject({
      slug: 'ada',
      system_prompt: 'You are Ada.\nBe exact.\n',
      role_title: 'Reviewer',
      agent_role: 'LEAD',
      timeout_seconds: 60,
      tool_profile: 'MINIMAL',
      crew: { slug: 'web' },
    })
    await run('agents', 'create', 'Bob')
    expect((await run('agents', 'list', '--crew', 'web', '-q')).stdout).toBe('ada\n')
    expect((await run('agents', '--search', 'bo', '-q')).stdout).toBe('bob\n')
    expect((await run('agents', 'update', 'ada', '--model', 'sonnet', '--no-lead', '--crew', '')).code).toBe(0)
    expect(JSON.parse((await run('agents', 'show', 'ada', '--json')).stdout)).toMatchObject({
      llm_model: 'sonnet',
      agent_role: 'AGENT',
      crew: null,
    })
    expect(JSON.parse((await run('agents', 'status', '--json')).stdout)).toMatchObject({ total: 2, running: 0 })
    expect((await run('agents', 'load', '-q')).stdout.split('\n').filter(Boolean).sort()).toEqual(['ada', 'bob'])
    expect((await run('agents', 'remove', 'ada', '--yes')).code).toBe(0)
    expect(await run('agents', 'show', 'ada')).toMatchObject({ code: 3 })
    expect(await run('agents', 'create', 'Eve', '--prompt', '@/no/such/file')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read'),
    })
    expect(await run('agents', 'create', 'Eve', '--crew', 'nope')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no crew "nope"'),
    })
  })

  it('says on a terminal that there are more', async () => {
    const it = await daemon()
    const { run, screen } = await cliFor(it, 'OWNER')
    for (const name of ['A1', 'A2', 'A3']) await run('agents', 'create', name)
    const shown = screen(['agents', 'list', '--limit', '2'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('2 of 3 agents. Next: --all')
  })
})

describe('muster runs', () => {
  const run = {
    id: 'run-1',
    agent_slug: 'ada',
    crew_name: 'Web',
    status: 'FAILED',
    trigger_type: 'USER',
    started_at: '2026-01-01T00:00:00Z',
    finished_at: '2026-01-01T00:01:30Z',
    error_message: 'out of \u001b[31mmoney',
    metadata: {},
  }
  const page = {
    data: [run],
    stats: { running: 1, today: 2, failed: 3 },
    pagination: { page: 1, limit: 50, total: 1, total_pages: 1 },
  }

  it('lists with filters, and shows one', async () => {
    const server = await fakeServer(({ url }, reply) =>
      json(
        reply,
        url.includes('/runs/run-1/logs')
          ? { type: 'stream.end', reason: 'not_followed' }
          : url.includes('/journal')
            ? { entries: [] }
            : url.includes('/runs/run-1')
              ? run
              : url.includes('/agents?')
                ? [{ id: 'c7', slug: 'ada' }]
                : url.includes('/agents/c7/runs')
                  ? [run]
                  : page,
      ),
    )
    const { run: muster, screen } = cli({ SVC_SERVER: server.url })
    expect((await muster('runs', '--agent', 'ada', '--status', 'failed', '--tag', 'x', '--limit', '5')).stdout).toBe(
      'run-1\tada\tFAILED\tUSER\t90\t\t\tout of money\t2026-01-01T00:00:00Z\n',
    )
    expect(server.seen.at(-1)?.url).toBe('/api/v1/runs?status=FAILED&tag=x&agent_id=c7&page=1&limit=5')
    expect(JSON.parse((await muster('runs', '--json')).stdout)).toEqual([run])
    expect(JSON.parse((await muster('runs', '--json=id')).stdout)).toEqual([{ id: 'run-1' }])
    expect((await muster('runs', 'of-agent', 'ada', '-q')).stdout).toBe('run-1\n')
    expect((await muster('runs', 'show', 'run-1')).stdout).toContain('Error\tout of money\n')
    expect(await muster('runs', '--status', 'odd')).toMatchObject({ code: 2 })
    const shown = screen(['runs'])
    await shown.ended
    expect(shown.text()).toContain('Runs: 1. Running: 1. Today: 2, failed 3.')
  })

  it('works on a real daemon', async () => {
    const { run: muster } = await cliFor(await daemon(), 'VIEWER')
    expect(await muster('runs')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await muster('runs', 'show', 'nope')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster runs list'),
    })
  })
})
