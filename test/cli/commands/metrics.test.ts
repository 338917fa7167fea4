import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

async function scene() {
  const it = await daemon()
  const { id } = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
  const body = { title: 'x', project_id: project }
  const { identifier } = (await it.call('OWNER', 'POST', `/crews/${id}/issues`, body)).body
  for (const status of ['IN_PROGRESS', 'DONE'])
    await it.call('OWNER', 'PATCH', `/crews/${id}/issues/${identifier}`, { status })
  return { ...(await cliFor(it, 'VIEWER')), clock: it.clock }
}

it('muster metrics draws a metric', async () => {
  const { run, screen, env } = await scene()
  const it = screen(['metrics', '--no-color', '--group-by', 'crew'], { cols: 80, env })
  expect(await it.ended).toBe(0)
  expect(it.text()).toMatch(/NAME +SUM +LAST +MOST +TREND/)
  expect(it.text()).toMatch(/Web +1 +1 +1 +▁{23}█/)
  expect((await run('metrics')).stdout).toBe(`Total\t1\t1\t1\t${'0,'.repeat(23)}1\n`)
  const { stdout } = await run('metrics', 'issues-closed', '--window', '7d', '--bucket', '1d', '--json')
  expect(JSON.parse(stdout).buckets).toHaveLength(7)
})

it('muster metrics draws lines and bars between axes, and in colours at a terminal alone', async () => {
  const { run, screen, env } = await scene()
  const line = screen(['metrics', '--no-color'], { cols: 80, env })
  expect(await line.ended).toBe(0)
  expect(line.text()).toMatch(/issues_closed · Total, 24h by 1h/)
  expect(line.text()).toMatch(/^ +1 ┤ +┌/m)
  expect(line.text()).toMatch(/^ +0 ┤─+┘/m)
  expect(line.text()).toMatch(/└─{40,}/)
  expect(line.text()).toMatch(/2025-12-31 01:00 +2026-01-01 00:00/)
  const bar = await run('metrics', '--chart', 'bar')
  expect(bar.stdout).toMatch(/^ +1 ┤ +█/m)
  expect(bar.stdout).not.toContain('\u001b')
  expect((await run('metrics', '--chart', 'none')).stdout).toBe((await run('metrics')).stdout)
  expect(JSON.parse((await run('metrics', '--chart', 'bar', '--json')).stdout).buckets).toHaveLength(24)
  expect(await run('metrics', '--chart', 'pie')).toMatchObject({ code: 2 })
})

it('muster metrics refuses what there is not', async () => {
  const { run } = await scene()
  expect(await run('metrics', 'tokens')).toMatchObject({ code: 2, stderr: expect.stringContaining('is no metric') })
  const refused = await run('metrics', 'runs_count', '--group-by', 'model')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--group-by must be none or crew') })
})

it('muster projects stats counts', async () => {
  const { run } = await scene()
  const { stdout } = await run('projects', 'stats', 'relaunch', '-o', 'table')
  expect(stdout).toMatch(/Done:? +1 of 1/)
  expect(stdout).toMatch(/Status:? +1 done/)
})
