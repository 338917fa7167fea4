import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

const key = 'sk-ant-very-secret-key'

describe('muster credentials', () => {
  it('stores, shows, changes, rotates and deletes, and never shows a value', async () => {
    const it = await daemon()
    const { run, pipe } = await cliFor(it, 'OWNER')
    const said: string[] = []
    const ok = async (ran: ReturnType<typeof run>) => {
      const { code, stdout, stderr } = await ran
      said.push(stdout, stderr)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return stdout
    }
    await ok(run('crews', 'create', 'Web'))
    expect(
      await ok(
        pipe(
          `${key}\n`,
          'credentials',
          'create',
          'main',
          '--type',
          'api-key',
          '--provider',
          'anthropic',
          '--value-stdin',
          '--crew',
          'web',
          '--tag',
          'prod',
        ),
      ),
    ).toBe('main\n')
    expect(it.app.db.prepare('SELECT count(*) AS n FROM credentials').get()).toEqual({ n: 1 })
    const shown = JSON.parse(await ok(run('credentials', 'show', 'main', '--json')))
    expect(shown).toMatchObject({
      name: 'main',
      type: 'API_KEY',
      provider: 'ANTHROPIC',
      scope: 'CREW',
      tags: ['prod'],
      status: 'ACTIVE',
    })
    expect(await ok(run('credentials'))).toMatch(/^main\tAPI_KEY\tANTHROPIC\tACTIVE\tCREW\t0\t\t2026-.*\n$/)
    await ok(run('credential', 'update', 'main', '--crew', '', '--label', 'Team'))
    expect(JSON.parse(await ok(run('credentials', 'show', shown.id, '--json')))).toMatchObject({
      scope: 'WORKSPACE',
      crew_ids: [],
      account_label: 'Team',
    })
    await ok(pipe(`${key}-2`, 'credentials', 'rotate', 'main', '--grace', '1h'))
    const rotation = (await ok(run('credentials', 'rotations', 'main', '-q'))).trim()
    expect(JSON.parse(await ok(run('credentials', 'rotations', 'main', '--json')))).toMatchObject([
      { id: rotation, grace_seconds: 3600, status: 'ACTIVE' },
    ])
    await ok(run('credentials', 'cancel', rotation))
    await ok(pipe(`${key}-3`, 'credentials', 'update', 'main', '--value-stdin'))
    expect(await ok(run('credentials', 'audit', 'main', '--jq', '[.[].event] | unique | join(" ")'))).toBe(
      'CREATED REVOKE ROTATE\n',
    )
    expect(await ok(run('credentials', 'variable', 'anthropic', '-q'))).toBe('ANTHROPIC_API_KEY\n')
    await ok(run('credentials', 'rm', 'main', '--yes'))
    expect(await ok(run('credentials', '-q'))).toBe('')
    expect(said.join('')).not.toContain('sk-ant')
  })

  it('gives credentials to agents and takes them back', async () => {
    const it = await daemon()
    const { run, pipe } = await cliFor(it, 'OWNER')
    await run('agents', 'create', 'Ada')
    await pipe(key, 'credentials', 'create', 'main', '--type', 'API_KEY', '--provider', 'ANTHROPIC')
    await pipe('x', 'credentials', 'create', 'plain', '--type', 'SECRET')
    expect(
      await run('credentials', 'assign', 'main', '--agent', 'ada', '--priority', '5', '--ttl', '1d'),
    ).toMatchObject({
      code: 0,
      stderr: '✓ Assigned main to ada as ANTHROPIC_API_KEY.\n',
    })
    expect(await run('credentials', 'assign', 'plain', '--agent', 'ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--env-var-name NAME'),
    })
    expect((await run('credentials', 'assign', 'plain', '--agent', 'ada', '--env-var-name', 'TOKEN')).code).toBe(0)
    expect(
      (await run('credentials', 'assigned', 'ada', '-o', 'ndjson')).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject(
      [
        { credential_name: 'main', env_var_name: 'ANTHROPIC_API_KEY', priority: 5 },
        { credential_name: 'plain', env_var_name: 'TOKEN', priority: 0 },
      ].sort((a, b) => a.env_var_name.localeCompare(b.env_var_name)),
    )
    expect((await run('credentials', 'assign', 'main', '--agent', 'ada')).code).toBe(5)
    expect((await run('credentials', 'unassign', 'main', '--agent', 'ada')).code).toBe(0)
    expect((await run('credentials', 'assigned', 'ada', '-q')).stdout).toBe('plain\n')
    expect(await run('credentials', 'unassign', 'main', '--agent', 'ada')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('muster credentials assigned ada'),
    })
    expect(await run('credentials', 'assign', 'mian', '--agent', 'ada')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean "main"?'),
    })
  })

  it('takes values from standard input alone', async () => {
    const it = await daemon()
    const { run, pipe, screen } = await cliFor(it, 'OWNER')
    expect(await run('credentials', 'create', 'main', '--value', key)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no flag --value.'),
    })
    expect(await pipe('', 'credentials', 'create', 'main')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing came on standard input'),
    })
    const refused = screen(['credentials', 'create', 'main', '--value-stdin'])
    expect(await refused.ended).toBe(2)
    const typed = screen(['credentials', 'create', 'typed', '--type', 'SECRET'])
    await typed.until(/Value of typed/)
    typed.type(`${key}\r`)
    expect(await typed.ended).toBe(0)
    expect(typed.text()).not.toContain('sk-ant')
    expect((await run('credentials', '-q')).stdout).toBe('typed\n')
    const pem = '-----BEGIN KEY-----\nabc\n-----END KEY-----'
    await pipe(`${pem}\n`, 'credentials', 'create', 'pem', '--type', 'SECRET')
  })

  it('tells what the provider says', async () => {
    let answer: object = { valid: true, status: 'valid', error: null, supported: true }
    const server = await fakeServer(({ method }, reply) =>
      json(reply, method === 'POST' ? answer : [{ id: 'c1', name: 'main' }]),
    )
    const { run, pipe } = cli({ SVC_SERVER: server.url })
    expect(await run('credentials', 'test', 'main', '--jq', '.status')).toMatchObject({ code: 0, stdout: 'valid\n' })
    answer = { valid: false, status: 'invalid', error: 'invalid x-api-key', supported: true }
    expect(await pipe(key, 'credentials', 'check', '--provider', 'ANTHROPIC')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Reason\tinvalid x-api-key\n'),
    })
    expect(JSON.parse(server.seen.at(-1)!.body)).toEqual({ value: key, provider: 'ANTHROPIC' })
    expect(await pipe(key, 'credentials', 'check')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--provider is missing'),
    })
  })
})
