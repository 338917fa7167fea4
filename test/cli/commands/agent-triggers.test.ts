import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

describe('muster agents rotate-webhook-secret', () => {
  it('writes the secret to standard output and a warning to standard error', async () => {
    const { run } = await cliFor(await workplace(), 'OWNER')
    const { code, stdout, stderr } = await run('agents', 'rotate-webhook-secret', 'ada')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
    expect(stderr).toContain('The old webhook secret of ada is refused from now on.')
    const answer = JSON.parse((await run('agents', 'rotate-webhook-secret', 'ada', '--json')).stdout)
    expect(answer).toMatchObject({ webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await run('agents', 'show', 'ada')).stdout).toMatch(/Webhook\topen/)
  })
})

describe('muster agents trigger', () => {
  it('calls the agent as another program does, with the secret of a file', async () => {
    const it = await workplace()
    it.clock.advance(Date.now() - it.clock())
    const { run, home } = await cliFor(it, 'OWNER')
    const file = join(home, 'secret.txt')
    writeFileSync(file, (await run('agents', 'rotate-webhook-secret', 'ada')).stdout)
    await run('agents', 'update', 'ada', '--webhook-require-timestamp')
    const call = ['agents', 'trigger', 'ada', '--secret-file', file, '--event', 'push']
    expect(await run(...call, '--source', 'git', '--data', '{"branch":"main"}')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Agent ada took the call.'),
    })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'agent.webhook_accepted',
      payload: { event: 'push', source: 'git' },
    })
    expect((await run(...call, '--data', '{')).code).toBe(2)
    writeFileSync(file, 'wrong')
    expect((await run(...call)).stderr).toContain('X-Signature is wrong')
  })
})

describe('the schedule of an agent', () => {
  it('is set by flags, shown with its next three runs in words, switched off and removed', async () => {
    const { run } = await cliFor(await workplace(), 'OWNER')
    const update = (...flags: string[]) => run('agents', 'update', 'ada', ...flags)
    const zone = ['--schedule-timezone', 'Europe/Berlin']
    const flags = ['--schedule-cron', '0 7 * * *', '--schedule-prompt', 'Look', '--schedule-enabled', ...zone]
    expect(JSON.parse((await update(...flags, '--json')).stdout)).toMatchObject({
      schedule_cron: '0 7 * * *',
      schedule_timezone: 'Europe/Berlin',
      schedule_enabled: true,
      schedule_next_run: '2026-01-01T06:00:00Z',
    })
    expect((await run('agents', 'show', 'ada')).stdout).toMatch(/Schedule\t0 7 \* \* \* Europe\/Berlin\n/)
    expect((await run('agents', 'show', 'ada')).stdout).toContain(
      'Next runs\tThu 1 Jan 2026 07:00, Fri 2 Jan 2026 07:00, Sat 3 Jan 2026 07:00\n',
    )
    await update('--no-schedule-enabled')
    const off = (await run('agents', 'show', 'ada')).stdout
    expect(off).toContain('0 7 * * * Europe/Berlin, switched off')
    expect(off).not.toMatch(/Next runs\t./)
    const refused = await update('--schedule-cron', '* * *')
    expect(refused.stderr).toContain('--schedule-cron must have five fields')
    expect(JSON.parse((await update('--schedule-cron', '', '--json')).stdout).schedule_cron).toBe(null)
  })
})
