import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mend } from '../../../cli/doctor/mend.ts'
import { cli } from '../../support/cli.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

function scene() {
  const { home } = cli()
  const dir = join(home, 'data')
  mkdirSync(dir)
  chmodSync(dir, 0o777)
  const precious = join(home, 'precious')
  writeFileSync(precious, 'everybody reads this')
  chmodSync(precious, 0o644)
  const put = (name: string) => {
    writeFileSync(join(dir, name), '')
    chmodSync(join(dir, name), 0o644)
  }
  put('encryption.key')
  put('musterd.json')
  symlinkSync(precious, join(dir, 'muster.db'))
  return { dir, precious, env: { HOME: home, SVC_DATA_DIR: dir, SVC_PORT: '0' } }
}

it('closes files of this user to others, but not what a link leads to', async () => {
  const { dir, precious, env } = scene()
  expect((await mend([], env)).every(({ done }) => done)).toBe(true)
  expect([modeOf(dir), modeOf(join(dir, 'encryption.key')), modeOf(precious)]).toEqual([0o700, 0o600, 0o644])
  expect(existsSync(join(dir, 'musterd.json'))).toBe(false)
})

it('follows a link that is the data folder itself', async () => {
  const { dir, env } = scene()
  const moved = `${dir}-link`
  symlinkSync(dir, moved)
  await mend([], { ...env, SVC_DATA_DIR: moved })
  expect(modeOf(dir)).toBe(0o700)
})

it.skipIf(process.getuid?.() !== 0)('touches nothing in the folder of another user, also as root', async () => {
  const { dir, precious, env } = scene()
  chownSync(dir, 65534, 65534)
  expect(await mend([], env)).toEqual([])
  expect([modeOf(dir), modeOf(join(dir, 'encryption.key')), modeOf(precious)]).toEqual([0o777, 0o644, 0o644])
  expect(existsSync(join(dir, 'musterd.json'))).toBe(true)
})
