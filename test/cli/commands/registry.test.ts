import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'
import { registry, synced } from '../../support/registry.ts'

async function scene(variables: Record<string, string> = {}) {
  const it = await daemon({ config: { registryUrl: (await registry()).url } })
  return { it, ...(await cliFor(it, 'OWNER', variables)) }
}

describe('muster mcp registry', () => {
  it('fetches, lists and searches, with the trust tier', async () => {
    const { it: d, run } = await scene()
    expect(await run('mcp', 'registry', 'list')).toMatchObject({ code: 0, stdout: '' })
    expect(await run('mcp', 'registry', 'sync')).toMatchObject({ code: 0 })
    d.clock.advance(3_600_000)
    await synced(d)
    expect((await run('mcp', 'registry', 'list')).stdout).toMatch(/^com\.example\/search\tcommunity\tstreamable-http\t/)
    expect((await run('mcp', 'registry', 'search', 'TICKET', '-o', 'name')).stdout).toBe('io.github.ada/tickets\n')
    expect((await run('mcp', 'registry', 'list', '--featured', '--json')).stdout).toBe('[]\n')
    expect((await run('mcp', 'registry', 'sync')).code).toBe(6)
  })

  it('is what integrations are added from, with variables from the environment', async () => {
    const { it: d, run } = await scene()
    await synced(d)
    const needs = await run('integrations', 'add', 'tickets')
    expect(needs).toMatchObject({ code: 2, stderr: expect.stringContaining('--from-env TICKETS_TOKEN') })
    expect(needs.stderr).toContain('community')
    const { run: withToken } = await cliFor(d, 'OWNER', { TICKETS_TOKEN: 's3cret' })
    const added = await withToken('integrations', 'add', 'tickets', '--from-env', 'TICKETS_TOKEN', '--json')
    expect(added.code).toBe(0)
    expect(JSON.parse(added.stdout)).toMatchObject({
      name: 'tickets',
      display_name: 'Tickets',
      transport: 'stdio',
      command: 'npx',
      args_json: '["-y","@ada/tickets@1.4.0"]',
      env_json: '{"TICKETS_TOKEN":"********"}',
    })
    const remote = await run('integrations', 'add', 'com.example/search', '--as', 'finder', '--json')
    expect(JSON.parse(remote.stdout)).toMatchObject({ name: 'finder', endpoint: 'https://search.example/mcp' })
    expect(await run('integrations', 'add', 'notes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('knows no program'),
    })
    expect(await run('integrations', 'add', 'nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--url'),
    })
    expect((await run('integrations', 'add', 'tickets', '--from-env', 'NOT_THERE')).stderr).toContain('NOT_THERE')
  })
})
