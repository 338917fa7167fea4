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
