import { existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { MemberHead } from '#kernel/bundle/members'
import { unpackInto } from '../../../daemon/backup/unpack.ts'
import { once, scratchFolder } from '../../support/bundles.ts'

const head = (type: MemberHead['type'], more: Partial<MemberHead> = {}): MemberHead => ({
  name: '',
  type,
  mode: 0o644,
  ...more,
})

it('makes files that only their owner reads, and gives those of crews their rights', async () => {
  const root = scratchFolder()
  const folder = unpackInto(root)
  await folder.put('muster.db', head('file'), once('db'))
  await folder.put('crews/c/shared', head('directory', { mode: 0o550 }), once())
  await folder.put('crews/c/shared/run.sh', head('file', { mode: 0o4755 }), once('#!'))
  await folder.put('crews/c/shared/l', head('symlink', { linkname: '../../../muster.db' }), once())
  await folder.finish()
  expect(statSync(join(root, 'muster.db')).mode & 0o777).toBe(0o600)
  expect(statSync(join(root, 'crews/c/shared')).mode & 0o7777).toBe(0o550)
  expect(statSync(join(root, 'crews/c/shared/run.sh')).mode & 0o7777).toBe(0o755)
  expect(readlinkSync(join(root, 'crews/c/shared/l'))).toBe('../../../muster.db')
})

it.each([
  ['a file that no backup has', 'musterd.sock', head('file')],
  ['a link in the data folder', 'attachments/l', head('symlink', { linkname: '/etc' })],
  ['a link in the place of the database', 'muster.db', head('symlink', { linkname: '/etc/passwd' })],
])('refuses %s', async (_, name, it) => {
  await expect(unpackInto(scratchFolder()).put(name, it, once('x'))).rejects.toMatchObject({ code: 'bundle_hostile' })
})

it('refuses what is there twice, and writes through no link', async () => {
  const outside = scratchFolder()
  const root = scratchFolder()
  const folder = unpackInto(root)
  await folder.put('crews/c/shared/l', head('symlink', { linkname: outside }), once())
  await folder.put('crews/c/shared/l/evil', head('file'), once('x'))
  await expect(folder.finish()).rejects.toMatchObject({ code: 'bundle_hostile' })
  expect(existsSync(join(outside, 'evil'))).toBe(false)
  expect(lstatSync(join(root, 'crews/c/shared/l')).isSymbolicLink()).toBe(false)
  await folder.put('muster.db', head('file'), once('one'))
  await expect(folder.put('muster.db', head('file'), once('two'))).rejects.toMatchObject({ code: 'bundle_hostile' })
  expect(readFileSync(join(root, 'muster.db'), 'utf8')).toBe('one')
})
