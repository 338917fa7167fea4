import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

const yaml = `
- { name: Todo, type: open, position: 1 }
- { name: Done, type: completed, position: 2, color: '#123' }
`

it('muster workflows makes templates of files of YAML', async () => {
  const { run, home } = await cliFor(await daemon(), 'MANAGER')
  const file = join(home, 'stages.yaml')
  writeFileSync(file, yaml)
  expect(await run('workflows', 'create', 'ours', '--file', file)).toMatchObject({ code: 0, stdout: 'ours\n' })
  const rows = (await run('workflows')).stdout.split('\n').map((row) => row.split('\t').slice(1, 6))
  expect(rows[0]).toEqual(['Standard', 'true', '5', 'list-checks', '#6366f1'])
  expect(rows[1]).toEqual(['ours', 'false', '2', '', ''])
  const shown = await run('workflows', 'show', 'ours', '-o', 'table')
  expect(shown.stdout).toContain('1. Todo (open)\n2. Done (completed)')
  const piped = await run('workflows', 'show', 'ours')
  expect(piped.stdout).toMatch(/^Name\tours\n[\s\S]*\n--\n1\. Todo \(open\)\n2\. Done \(completed\)\n$/)
  expect((await run('workflows', 'update', 'ours', '--name', 'theirs', '--icon', 'x')).code).toBe(0)
  expect(await run('workflows', 'update', 'Standard', '--icon', 'x')).toMatchObject({ code: 4 })
  expect((await run('workflows', 'remove', 'theirs', '--yes')).code).toBe(0)
})

it.each([
  ['no YAML', '{', /is neither YAML nor JSON: /],
  ['no list', 'a: 1', /The file must hold a list of stages/],
  ['no workflow', '[{ "name": "a" }]', /--file is wrong at stage 1: its type must be one of/],
])('muster workflows create refuses a file with %s', async (_, content, says) => {
  const { run, home } = await cliFor(await daemon(), 'MANAGER')
  const file = join(home, 'stages')
  writeFileSync(file, content)
  const { code, stderr } = await run('workflows', 'create', 'ours', '--file', file)
  expect(code).toBe(2)
  expect(stderr).toMatch(says)
})

it('muster plans makes step plans, also from its own output', async () => {
  const { run, home } = await cliFor(await daemon(), 'MANAGER')
  const file = join(home, 'plan.yaml')
  const { stdout } = await run('plans', 'show', 'dev-test-loop', '--jq', '.template_json')
  writeFileSync(file, stdout)
  expect((await run('plans', 'create', 'ours', '--file', file)).code).toBe(0)
  const shown = (await run('plans', 'show', 'ours', '-o', 'table')).stdout
  expect(shown).toContain('test: Test it (by tester; after build; back to build; 3 times at most)')
  expect((await run('plans', 'show', 'ours')).stdout).toContain(shown.slice(shown.indexOf('\n\n') + 2))
  writeFileSync(file, '- { id: a, title: A, depends_on: [a] }')
  const refused = await run('plans', 'update', 'ours', '--file', file)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('wait for each other: a') })
  expect((await run('plans', 'remove', 'ours', '--yes')).code).toBe(0)
})
