import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { cli } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

it('stores, lists, chooses, renames and forgets servers', async () => {
  const { home, run } = cli()
  const stored = () => parse(readFileSync(join(home, '.config/muster/config.yaml'), 'utf8'))
  expect(await run('contexts', 'list')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(
    await run('contexts', 'create', 'work', '--url', 'work.example:8443', '-w', 'research', '--use'),
  ).toMatchObject({ code: 0, stdout: 'work\n' })
  expect(await run('contexts', 'create', 'home', '--url', 'unix:///run/m.sock')).toMatchObject({ code: 0 })
  expect(stored()).toEqual({
    current: 'work',
    contexts: {
      work: { server: 'http://work.example:8443', workspace: 'research' },
      home: { server: 'unix:///run/m.sock' },
    },
  })
  expect(statSync(join(home, '.config/muster/config.yaml')).mode & 0o777).toBe(0o600)
  expect((await run('contexts')).stdout).toBe(
    'work\thttp://work.example:8443\tresearch\t\tnone\nhome\tunix:///run/m.sock\t\t\tnone\n',
  )
  expect((await run('contexts', 'use', 'home')).code).toBe(0)
  expect(JSON.parse((await run('contexts', 'show', '--json')).stdout)).toMatchObject({
    context: 'home',
    server: 'unix:///run/m.sock',
    server_from: 'context',
  })
  expect((await run('contexts', 'rename', 'home', 'house')).code).toBe(0)
  expect(stored().current).toBe('house')
  expect((await run('contexts', 'remove', 'house', '--yes')).code).toBe(0)
  expect(stored()).toEqual({ contexts: { work: { server: 'http://work.example:8443', workspace: 'research' } } })
  expect(JSON.parse((await run('contexts', 'show', 'work', '--json')).stdout)).toMatchObject({
    name: 'work',
    current: false,
    has_token: false,
  })
})

it('refuses what cannot be done, and says what can', async () => {
  const { run } = cli()
  await run('contexts', 'create', 'work', '--url', 'http://work')
  expect(await run('contexts', 'use', 'wrok')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is no context "wrok"; did you mean "work"?'),
  })
  expect(await run('contexts', 'create', 'work', '--url', 'http://other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already'),
  })
  expect(await run('contexts', 'create', 'a b', '--url', 'http://other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot name a context'),
  })
  expect(await run('contexts', 'create', 'x', '--url', 'http://user:secret@other')).toMatchObject({
    code: 2,
    stderr: expect.not.stringContaining('secret'),
  })
  expect(await run('contexts', 'remove', 'work')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect((await run('contexts', '-q')).stdout).toBe('work\n')
})

it('asks before it forgets, when there is somebody to ask', async () => {
  const { run, screen } = cli()
  await run('contexts', 'create', 'work', '--url', 'http://work')
  const no = screen(['contexts', 'remove', 'work'])
  await no.until(/Forget work and its token\?/)
  no.type('n\r')
  expect(await no.ended).toBe(1)
  expect(no.text()).toContain('Nothing was changed.')
  const leave = screen(['contexts', 'remove', 'work'])
  await leave.until(/Forget work/)
  leave.type('\u0003')
  expect(await leave.ended).toBe(130)
  const yes = screen(['contexts', 'remove', 'work'])
  await yes.until(/Forget work/)
  yes.type('y\r')
  expect(await yes.ended).toBe(0)
  expect((await run('contexts', '-q')).stdout).toBe('')
})

it('sends each server its own token only', async () => {
  const mine = await fakeServer((_, reply) => json(reply, []))
  const other = await fakeServer((_, reply) => json(reply, []))
  const { home, run } = cli()
  await run('contexts', 'create', 'mine', '--url', mine.url, '--use')
  const file = join(home, '.config/muster/config.yaml')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, `${readFileSync(file, 'utf8')}    token: mine-token\n`)
  await run('api', 'crews')
  await run('api', 'crews', '-s', other.url)
  await run('api', 'crews', '-s', `${mine.url}/`)
  const tokens = ({ seen }: typeof mine) => seen.map(({ headers }) => headers.authorization)
  expect(tokens(mine)).toEqual(['Bearer mine-token', 'Bearer mine-token'])
  expect(tokens(other)).toEqual([undefined])
})

it('is not stopped by a damaged file where the file does not matter', async () => {
  const { home, run } = cli()
  await run('contexts', 'create', 'work', '--url', 'http://work')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(join(home, '.config/muster/config.yaml'), 'contexts: [\n', { mode: 0o600 })
  expect((await run('completion', 'bash')).code).toBe(0)
  expect(await run('api', 'crews')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('config.yaml is not valid YAML'),
  })
})
