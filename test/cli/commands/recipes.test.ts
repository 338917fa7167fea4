import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('muster recipes tells what recipes need and what they would find', async () => {
  const { run } = await cliFor(await daemon({ shared: true }), 'VIEWER')
  const rows = (await run('recipes')).stdout.trimEnd().split('\n')
  expect(rows[0]).toBe('code-review-crew\tCode review crew\tANTHROPIC_API_KEY, GH_TOKEN\tgithub')
  expect((await run('recipes', 'show', 'triage-crew')).stdout).toContain('linear: npx -y @linear/mcp-server')
  const found = await run('recipes', 'preview', 'code-review-crew')
  expect(found.stdout).toContain('Missing\tANTHROPIC_API_KEY, GH_TOKEN')
  expect(await run('recipes', 'preview', 'none')).toMatchObject({ code: 3 })
})

it('muster recipes install takes keys from the environment, and says which one is missing', async () => {
  const it = await daemon()
  const here = await cliFor(it, 'ADMIN', { ANTHROPIC_API_KEY: 'sk-ant-hush' })
  const line = ['recipes', 'install', 'research-crew', '--from-env', '--label', 'BRAVE_API_KEY=the shop']
  expect(await here.run(...line)).toMatchObject({ code: 2, stderr: expect.stringContaining('with --yes') })
  const refused = await here.run(...line, '--yes')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('The environment has no BRAVE_API_KEY') })
  expect(refused.stderr).toContain('Next: export BRAVE_API_KEY')
  expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
  const keys = { ANTHROPIC_API_KEY: 'sk-ant-hush', BRAVE_API_KEY: 'bsa-hush' }
  const whole = await cliFor(it, 'ADMIN', keys)
  expect(await whole.run(...line.slice(0, -1), 'BRAVE', '--yes')).toMatchObject({ code: 2 })
  const made = await whole.run(...line, '--yes')
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Made crew research.') })
  expect(made.stdout + made.stderr).not.toContain('hush')
  expect((await it.call('OWNER', 'GET', '/credentials')).body).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'BRAVE_API_KEY', account_label: 'the shop' })]),
  )
  const again = JSON.parse((await whole.run('recipes', 'install', 'research-crew', '--yes', '--json')).stdout)
  expect(again).toMatchObject({ crew_slug: 'research-2', credentials_reused: Object.keys(keys) })
})

it('muster recipes install asks for keys unseen, and makes nothing after an interrupt', async () => {
  const it = await daemon()
  const { screen } = await cliFor(it, 'ADMIN')
  const shown = screen(['recipes', 'install', 'research-crew', '--yes'])
  await shown.until(/Anthropic API key \(ANTHROPIC_API_KEY\)/)
  shown.type('sk-ant-hush\r')
  await shown.until(/Brave Search API key \(BRAVE_API_KEY\)/)
  shown.type('\u0003')
  expect(await shown.ended).toBe(130)
  expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
})
