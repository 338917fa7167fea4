import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('muster admin counts and lists what an owner may see', async () => {
  const server = await daemon()
  await server.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  const { run } = await cliFor(server, 'OWNER')
  expect((await run('admin', 'stats')).stdout).toBe('Users\t1\nCrews\t1\nAgents\t0\nAt work\t0\n')
  expect(JSON.parse((await run('admin', 'users', '--json')).stdout)[0]).toMatchObject({ role: 'OWNER' })
  expect((await run('admin', 'workspaces', '-o', 'table')).stdout).toMatch(/NAME +DISPLAY-NAME +MEMBERS +CREWS +AGENTS/)
})

it.each([['stats'], ['users'], ['workspaces']])(
  'muster admin %s tells others that their role is too low',
  async (verb) => {
    const { run } = await cliFor(await daemon(), 'MANAGER')
    expect(await run('admin', verb)).toMatchObject({ code: 4, stderr: expect.stringContaining('needs the role OWNER') })
  },
)
