import { describe, expect, it } from 'vitest'
import { noRuntime } from '#kernel/absent'
import { daemon } from '#test'
import { createInstalled } from '../../../daemon/runtime/installed.ts'
import { cliFor } from '../../support/cli.ts'
import { FakeRuntime } from '../../support/fake-runtime.ts'

async function place() {
  const it = await daemon()
  const { body } = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: body.id })
  const stdout = JSON.stringify({ claude: { version: '2.1.197' }, codex: null })
  const runtime = Object.assign(new FakeRuntime(), {
    kind: 'docker',
    observe: async () => [{ state: 'running', containerId: 'box' }],
    command: async () => ({ code: 0, stdout, stderr: '' }),
  }) as unknown as FakeRuntime
  it.app.runtime = { ...noRuntime, adapters: createInstalled(it.app, runtime) }
  return cliFor(it, 'VIEWER')
}

describe('muster adapters', () => {
  it('lists the clients, and with --crew what a crew has of them', async () => {
    const { run } = await place()
    expect((await run('adapters', '-o', 'name')).stdout).toBe(
      'CLAUDE_CODE\nCODEX_CLI\nGEMINI_CLI\nOPENCODE\nCURSOR_CLI\nFACTORY_DROID\n',
    )
    const { stdout } = await run('adapters', '--crew', 'backend')
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'CLAUDE_CODE\ttrue\t2.1.197\tANTHROPIC\tresume, steer, mcp, images, cost_report, turn_cap\t',
      'CODEX_CLI\tfalse\t\tOPENAI\tresume, steer, mcp\t',
      'GEMINI_CLI\t\t\tGOOGLE\tresume, steer, mcp, turn_cap\t',
    ])
    const json = await run('adapters', '--crew', 'backend', '--limit', '1', '--json', 'cli_adapter,installed,version')
    expect(JSON.parse(json.stdout)).toEqual([{ cli_adapter: 'CLAUDE_CODE', installed: true, version: '2.1.197' }])
  })

  it('shows people what is unknown', async () => {
    const shown = (await place()).screen(['adapters'], { cols: 160, rows: 30, env: { NO_COLOR: '1' } })
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toMatch(/codex_cli +unknown +- +openai +resume, steer, mcp/)
  })

  it('says so when there is no such crew', async () => {
    const { run } = await place()
    const { code, stderr } = await run('adapters', '--crew', 'nobody')
    expect(code).toBe(3)
    expect(stderr).toContain('nobody')
  })
})
