import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { fixedClock } from '../../support/index.ts'

it('muster auth status tells the server, who, where the token came from, how far it reaches and how long', async () => {
  const clock = fixedClock()
  const it = await daemon({ clock })
  const owner = await cliFor(it)
  const made = await it.call('OWNER', 'POST', '/auth/cli-token', {
    name: 'laptop',
    expires_in_seconds: 60,
    scopes: ['crews:write'],
  })
  const server = owner.env['SVC_SERVER']!
  const { run } = await cliFor(it, 'OWNER', { SVC_TOKEN: made.body.token })
  const { code, stdout } = await run('auth', 'status', '--json')
  expect({ code, status: JSON.parse(stdout) }).toEqual({
    code: 0,
    status: {
      server,
      server_from: 'environment',
      context: null,
      token_from: 'environment',
      state: 'signed in',
      user: it.person('OWNER').email,
      kind: 'token',
      tier: 'STANDARD',
      scopes: ['crews:write'],
      expires_at: '2026-01-01T00:01:00Z',
    },
  })
  clock.advance(60_000)
  const late = await run('auth', 'status', '--json')
  expect(late.code).toBe(4)
  expect(JSON.parse(late.stdout)).toMatchObject({ state: 'expired', expires_at: '2026-01-01T00:01:00Z', user: null })
  expect((await run('whoami')).stderr).toContain('The token has expired')
  const wrong = await cliFor(it, 'OWNER', { SVC_TOKEN: `svc_cli_${'0'.repeat(64)}` })
  expect(await wrong.run('auth', 'status')).toMatchObject({ code: 4, stdout: expect.stringContaining('not accepted') })
  const nobody = cli({ SVC_SERVER: server })
  expect(await nobody.run('auth', 'status')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('signed out'),
    stderr: 'Next: muster login\n',
  })
})

it('muster auth status names the context that the token is stored in', async () => {
  const it = await daemon()
  const owner = await cliFor(it)
  const { token } = it.person('OWNER')
  const muster = cli({})
  await muster.pipe(token, 'login', '-s', owner.env['SVC_SERVER']!)
  const { stdout } = await muster.run('auth', 'status', '--json=server_from,context,token_from,state')
  expect(JSON.parse(stdout)).toMatchObject({ server_from: 'context', token_from: 'context', state: 'signed in' })
  const flagged = await muster.run('auth', 'status', '-s', owner.env['SVC_SERVER']!, '--json=server_from')
  expect(JSON.parse(flagged.stdout)).toEqual({ server_from: 'flag' })
})
