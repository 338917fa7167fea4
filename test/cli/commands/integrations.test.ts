import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { integrationScene } from '../../support/integrations.ts'

const place = mkdtempSync(join(tmpdir(), 'integrations-'))
afterAll(() => rmSync(place, { recursive: true }))

describe('muster integrations', () => {
  it('adds, lists, changes and deletes servers of the workspace and of a crew', async () => {
    const { it } = await integrationScene()
    const { run } = await cliFor(it, 'OWNER')
    const file = join(place, 'git.env')
    writeFileSync(file, '# a comment\nTOKEN=s3cret=1\n\nMODE=fast\n')
    expect(await run('integrations', 'add', 'search', '--url', 'https://search.example/mcp')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Added integration search.'),
    })
    const git = ['--crew', 'web', '--command', 'npx', '--arg=-y', '--arg=git', '--env-file', file]
    expect(await run('integrations', 'create', 'git', ...git)).toMatchObject({ code: 0 })
    const stored = it.app.db.prepare<[string], { id: string }>('SELECT * FROM mcp_servers WHERE name = ?').get('git')
    expect(JSON.stringify(stored)).not.toContain('s3cret')
    expect((await run('integrations', '-o', 'name')).stdout).toBe('search\n')
    const shown = (await run('integrations', 'show', 'git', '--crew', 'web')).stdout
    expect(shown).toContain('npx -y git')
    expect(shown).toContain('TOKEN, MODE')
    expect((await run('integrations', 'create', 'git', '--crew', 'ops', '--from', 'search')).code).toBe(0)
    expect((await run('integrations', 'crews', '-o', 'name')).stdout).toBe('git\ngit\n')
    const edit = ['--timeout', '5', '--header', 'X-Team=web', '--no-enabled']
    expect((await run('integrations', 'edit', 'search', ...edit)).code).toBe(0)
    expect(JSON.parse((await run('integrations', 'show', 'search', '--json')).stdout)).toMatchObject({
      config_json: '{"headers":{"X-Team":"web"},"timeout_seconds":5}',
      enabled: false,
    })
    expect((await run('integrations', 'remove', 'search', '--yes')).code).toBe(0)
    expect((await run('integrations', 'show', 'search')).code).toBe(3)
  })

  it('says what is missing', async () => {
    const { run } = await cliFor((await integrationScene()).it, 'OWNER')
    expect(await run('integrations', 'add', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('--url') })
    expect((await run('integrations', 'add', 'x', '--url', 'https://x.example', '--command', 'y')).code).toBe(2)
    const none = await run('integrations', 'add', 'x', '--command', 'y', '--env-file', join(place, 'none'))
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') })
    const file = join(place, 'bad.env')
    writeFileSync(file, 's3cret\n')
    const bad = await run('integrations', 'add', 'x', '--command', 'y', '--env-file', file)
    expect(bad).toMatchObject({ code: 2, stderr: expect.not.stringContaining('s3cret') })
  })

  it('binds agents, and says what they may use and why', async () => {
    const { it, crew, server, credential } = await integrationScene()
    await server('search')
    await server('search', {}, crew)
    await credential('key')
    const { run } = await cliFor(it, 'OWNER')
    expect(await run('integrations', 'bind', 'ada', 'search', '--credential', 'key', '--timeout', '9')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Bound ada to search.'),
    })
    expect((await run('integrations', 'bound', 'ada')).stdout).toMatch(/^search\tcrew\tkey\tbearer\t/)
    expect((await run('integrations', 'resolve', 'ada')).stdout).toContain(
      "from crew in place of the workspace's, agent's credential, agent's settings",
    )
    expect((await run('integrations', 'rebind', 'ada', 'search', '--no-enabled')).code).toBe(0)
    expect((await run('integrations', 'resolved', 'ada', '--json')).stdout).toBe('[]\n')
    expect((await run('integrations', 'unbind', 'ada', 'search')).code).toBe(0)
    expect((await run('integrations', 'unbind', 'ada', 'search')).code).toBe(3)
    const took = await run('integrations', 'bind', 'bo', 'search', '--disabled')
    expect(took.stderr).toContain('Took search from bo.')
    expect(took.stderr).toContain('search was open to all agents, and is for bound agents alone now.')
    expect((await run('integrations', 'bind', 'ada', 'search')).stderr).not.toContain('open to all agents')
  })
})
