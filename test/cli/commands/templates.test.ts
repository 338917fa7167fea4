import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('muster templates makes crews of templates, also of its own output', async () => {
  const { run, home } = await cliFor(await daemon(), 'MANAGER')
  expect((await run('templates')).stdout.split('\n')[0]).toMatch(
    /^accounting-finance\tAccounting and finance\tBUSINESS\t3\ttrue/,
  )
  const shown = await run('templates', 'show', 'security-audit')
  expect(shown.stdout).toContain('threats (AGENT): Threat modeller')
  const file = join(home, 'ours.yaml')
  writeFileSync(file, (await run('templates', 'show', 'security-audit', '-o', 'yaml')).stdout)
  expect(await run('templates', 'save', 'ours', '--file', file)).toMatchObject({ code: 0, stdout: 'ours\n' })
  const made = await run('templates', 'deploy', 'ours', '--slug', 'audit')
  expect(made).toMatchObject({ code: 0, stdout: 'audit\n' })
  expect(made.stderr).toContain('Made crew audit with 3 agents.')
  expect((await run('agents', 'list', '--crew', 'audit')).stdout).toContain('lead-audit')
  expect((await run('templates', 'remove', 'ours', '--yes')).code).toBe(0)
  expect(await run('templates', 'remove', 'security-audit', '--yes')).toMatchObject({ code: 4 })
  expect(await run('templates', 'show', 'ours')).toMatchObject({ code: 3 })
  writeFileSync(file, 'a: 1')
  expect(await run('templates', 'save', 'ours', '--file', file)).toMatchObject({ code: 2 })
})

it('muster templates suggest says which key it needs', async () => {
  const { run } = await cliFor(await daemon(), 'MEMBER')
  const { code, stderr } = await run('templates', 'suggest', 'Keep the documentation of our API true')
  expect(code).toBe(2)
  expect(stderr).toContain('Store a working API key of ANTHROPIC for the workspace first')
})
