import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('muster onboarding setup fills the workspace and says where to go on', async () => {
  const here = await daemon()
  const { run } = await cliFor(here, 'OWNER')
  const { slug } = (await here.call('OWNER', 'GET', `/workspaces/${here.workspace}`)).body
  expect(await run('onboarding', 'setup', 'Research', '--crew', 'Web team')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--agent'),
  })
  expect(await run('onboarding', 'setup', 'Research', '--crew', 'Web team', '--agent', 'Ada')).toMatchObject({
    code: 0,
    stderr: `✓ Set up workspace ${slug}.\n`,
  })
  expect((await here.call('OWNER', 'GET', '/agents')).body).toMatchObject([{ name: 'Ada', crew: { slug: 'web-team' } }])
  expect(await run('onboarding', 'setup', 'Research')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Next: muster crews create NAME'),
  })
})
