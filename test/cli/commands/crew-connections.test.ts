import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

async function place() {
  const it = await daemon()
  for (const slug of ['web', 'ops']) await it.call('OWNER', 'POST', '/crews', { name: slug, slug })
  return cliFor(it, 'OWNER')
}

it('connects crews, shows it and disconnects them', async () => {
  const { run } = await place()
  expect((await run('crews', 'connections')).stdout).toBe('')
  const made = await run('crews', 'connect', 'web', 'ops')
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('web and ops may hand work to each other') })
  expect((await run('crews', 'connections')).stdout).toMatch(/^c\w{24}\tweb\tops\tboth ways\tACTIVE\t2026-/)
  expect((await run('crews', 'connect', 'ops', 'web', '--one-way')).stderr).toContain(
    'Crew ops may hand work to crew web.',
  )
  expect((await run('crews', 'connect', 'ops', 'web', '--one-way')).stderr).toContain('connected so already')
  expect(JSON.parse((await run('crews', 'connections', '--json=from_crew_slug,direction')).stdout)).toEqual([
    { from_crew_slug: 'ops', direction: 'unidirectional' },
  ])
  expect(await run('crews', 'disconnect', 'web', 'ops')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await run('crews', 'disconnect', 'web', 'ops', '-y')).toMatchObject({ code: 0 })
  expect((await run('crews', 'connections')).stdout).toBe('')
})

it('says what is wrong and what to type next', async () => {
  const { run } = await place()
  expect(await run('crews', 'disconnect', 'web', 'ops', '-y')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Next: muster crews connections'),
  })
  expect(await run('crews', 'connect', 'web', 'web')).toMatchObject({ code: 2 })
  expect(await run('crews', 'connect', 'web', 'opz')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('did you mean "ops"'),
  })
})
