import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function setUp() {
  const it = await workplace()
  const headers = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const ask = async (more: object = {}): Promise<string> => {
    const body = {
      workspace_id: it.workspace,
      crew_id: it.crewId,
      from_slug: 'ada',
      reason: 'May I \u001b[31mdelete it?',
      ...more,
    }
    return (await it.call(null, 'POST', '/internal/escalations', body, headers)).body.escalation_id
  }
  return { it, ask, ...(await cliFor(it, 'MANAGER')) }
}

describe('muster escalations', () => {
  it('lists, shows, answers and withdraws', async () => {
    const { ask, run } = await setUp()
    const [first, second, third] = [
      await ask(),
      await ask({ type: 'LINK', metadata: 'https://example.com/pr/7' }),
      await ask(),
    ] as const
    expect((await run('escalations', 'list', '-q')).stdout.split('\n').sort()).toEqual(
      ['', first, second, third].sort(),
    )
    expect((await run('escalations', 'list', 'backend', '-o', 'table')).stdout).not.toContain('\u001b')
    expect((await run('escalations', 'pending', '-q')).stdout).toBe('3\n')
    expect((await run('escalations', 'show', `ibx_escalation_${second}`, '-o', 'table')).stdout).toContain(
      '<https://example.com/pr/7>',
    )
    expect((await run('escalations', 'resolve', first)).code).toBe(2)
    expect(await run('escalations', 'resolve', first, '-m', 'Yes.')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Approved. The agent goes on.'),
    })
    expect(await run('escalations', 'resolve', first, '-m', 'No.', '--action', 'reject')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/The MANAGER approved it at .*\n.*muster escalations show/s),
    })
    expect((await run('escalations', 'resolve', second, '-m', 'x', '--redirect-to', 'nobody')).code).toBe(2)
    expect((await run('escalations', 'cancel', second, '--reason', 'asked twice')).code).toBe(0)
    expect(JSON.parse((await run('escalations', 'show', second, '--json')).stdout)).toMatchObject({
      status: 'CANCELLED',
    })
    expect((await run('escalations', 'list', '-q')).stdout).toBe(`${third}\n`)
    expect((await run('escalations', 'list', '--status', 'all', '-q')).stdout.split('\n')).toHaveLength(4)
    expect((await run('escalations', 'show', 'cnone00000000000000000000')).code).toBe(3)
  })

  it('sweeps and deletes, as an ADMIN', async () => {
    const { it, ask, run } = await setUp()
    await ask()
    expect((await run('escalations', 'sweep')).code).toBe(4)
    const admin = await cliFor(it, 'ADMIN')
    expect((await admin.run('escalations', 'sweep')).stderr).toContain('Expired 0')
    expect((await admin.run('escalations', 'purge', 'backend', '--yes')).stderr).toContain('Deleted 1')
  })
})
