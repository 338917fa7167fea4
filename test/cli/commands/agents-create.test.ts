import { expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

const down = '\u001b[B'

it('muster agents create asks at a terminal for name, crew and adapter', async () => {
  const muster = await cliFor(await workplace())
  const asked = muster.screen(['agents', 'create', '--no-color'])
  await asked.until(/Name of the agent/)
  asked.type('\r')
  await asked.until(/Enter at least one character/)
  asked.type('Code Reviewer\r')
  await asked.until(/In which crew\?/)
  asked.type('\r')
  await asked.until(/Which client does its work\?.*CLAUDE_CODE.*CODEX_CLI/s)
  asked.type(`${down}\r`)
  expect(await asked.ended).toBe(0)
  const { stdout } = await muster.run('agents', 'show', 'code-reviewer', '--json=name,crew,cli_adapter')
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'Code Reviewer',
    crew: { slug: expect.any(String) },
    cli_adapter: 'CODEX_CLI',
  })
})

it('muster agents create asks for nothing that was given', async () => {
  const place = await workplace()
  const muster = await cliFor(place)
  const crew = (await place.call('OWNER', 'GET', '/crews')).body[0].slug
  const asked = muster.screen(['agents', 'create', '--crew', crew, '--adapter', 'CLAUDE_CODE', '--no-color'])
  await asked.until(/Name of the agent/)
  asked.type('Zoe\r')
  expect(await asked.ended).toBe(0)
  expect(asked.text()).not.toMatch(/In which crew|Which client/)
  const named = muster.screen(['agents', 'create', 'Yan', '--no-color'])
  expect(await named.ended).toBe(0)
  expect(named.text()).not.toContain('?')
})

it('muster agents create names what is missing where nobody can be asked', async () => {
  const muster = await cliFor(await workplace())
  expect(await muster.run('agents', 'create')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Error: NAME is missing. Usage: muster agents create NAME\nNext: muster agents create NAME --crew CREW\n',
  })
})
