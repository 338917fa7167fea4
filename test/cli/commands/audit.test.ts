import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('muster audit list tells what was changed and by whom, by kind, time and person', async () => {
  const server = await daemon()
  const { run } = await cliFor(server, 'OWNER')
  await run('crews', 'create', 'Web')
  await run('agents', 'create', 'Ada', '--crew', 'web')
  const { email, userId } = server.person('OWNER')
  const { stdout } = await run('audit', 'list', '--type', 'agent', '-o', 'table')
  expect(stdout).toMatch(/ID +ACTION +TYPE +NAME +BY +AGE/)
  expect(stdout).toMatch(new RegExp(`create +agent +ada +${email}`))
  const names = async (...flags: string[]) =>
    JSON.parse((await run('audit', 'list', ...flags, '--jq', '[.[].entity_name]')).stdout)
  expect(await names('--source', 'crews', '--by', userId)).toEqual(['ada', 'web'])
  expect(await names('--source', 'crews', '--limit', '1')).toEqual(['ada'])
  expect(await names('--source', 'crews', '--all', '--action', 'delete')).toEqual([])
  expect(await names('--until', '2025-12-31T00:00:00Z')).toEqual([])
  expect(await run('audit', 'list', '--since', 'soon')).toMatchObject({ code: 2 })
  expect((await run('audit', 'list', '--type', 'ship')).stderr).toContain('--type is one of')
})
