import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changedFiles } from '../../../../daemon/runtime/spool/changed-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-changed-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const plenty = { entries: 50_000, files: 1000, bytes: 1 << 28, pathBytes: 1 << 18, depth: 64, ms: 60_000 }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const write = (path: string, text = path) => writeFileSync(join(root, path), text)

function search(most: Partial<typeof plenty> = {}, { since = 0, uid = undefined as number | undefined } = {}) {
  const roots = [{ path: root, ...(uid !== undefined && { uid }) }]
  const { files, cuts } = changedFiles({ op: 'changed', roots, since, most: { ...plenty, ...most } })
  return { cuts, paths: files.map(({ path }) => Buffer.from(path, 'base64').toString('latin1')).sort(), files }
}

it('hashes files in all folders, and leaves out repositories and what is no file', () => {
  mkdirSync(join(root, 'a/b/.git'), { recursive: true })
  write('a/b/c.txt', 'hello')
  write('a/b/.git/config')
  write('empty', '')
  execFileSync('mkfifo', [join(root, 'pipe')])
  const { files, paths, cuts } = search()
  expect([paths, cuts]).toEqual([['a/b/c.txt', 'empty'], []])
  const hello = files.find(({ size }) => size === 5)
  expect(hello).toMatchObject({ root: 0, sha256: sha256('hello') })
  expect(files.find(({ size }) => size === 0)?.sha256).toBe(sha256(''))
})

it('follows no link, be it to a file, to a folder, or the root itself', () => {
  const outside = mkdtempSync(join(tmpdir(), 'muster-outside-'))
  writeFileSync(join(outside, 'secret'), 'x')
  symlinkSync(join(outside, 'secret'), join(root, 'file'))
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync(root, join(root, 'circle'))
  expect(search()).toMatchObject({ paths: [], cuts: [] })
  const link = join(outside, 'root')
  symlinkSync(root, link)
  write('inside')
  expect(changedFiles({ op: 'changed', roots: [{ path: link }], since: 0, most: plenty }).files).toEqual([])
  rmSync(outside, { recursive: true })
})

it('tells by the last change, which no owner can set back', async () => {
  write('before')
  const { ctimeMs } = statSync(join(root, 'before'))
  await expect.poll(() => Date.now()).toBeGreaterThan(ctimeMs + 20)
  const since = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(since + 20)
  write('after')
  utimesSync(join(root, 'after'), 1, 1)
  linkSync(join(root, 'after'), join(root, 'linked'))
  expect(search({}, { since }).paths).toEqual(['after', 'linked'])
})

it('takes of shared folders only what a user owns', () => {
  write('mine')
  const uid = process.geteuid!()
  expect(search({}, { uid }).paths).toEqual(['mine'])
  expect(search({}, { uid: uid + 1 }).paths).toEqual([])
})

it('keeps names byte for byte, whatever they hold', () => {
  const names = ['a\nb', '\u001b[31mred', '"quoted"', '\u202egnp.exe'].map((name) => Buffer.from(name))
  const all = [...names, Buffer.from([0x66, 0xff, 0xfe]), Buffer.from('$(reboot)')]
  for (const name of all) writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), 'x')
  expect(search().paths).toEqual(all.map((name) => name.toString('latin1')).sort())
})

it('stops at each of its bounds and says at which', () => {
  for (let n = 0; n < 20; n++) write(`file-${n}`, 'x'.repeat(100))
  expect(search({ entries: 10 })).toMatchObject({ cuts: ['too_many_entries'], paths: { length: 10 } })
  expect(search({ files: 7 })).toMatchObject({ cuts: ['too_many_files'], paths: { length: 7 } })
  expect(search({ pathBytes: 50 }).cuts).toEqual(['too_many_files'])
  expect(search({ bytes: 550 })).toMatchObject({ cuts: ['too_many_bytes'], paths: { length: 5 } })
  expect(search({ ms: 0 })).toMatchObject({ cuts: ['too_slow'], paths: [] })
  expect(search({ files: 20 })).toMatchObject({ cuts: [], paths: { length: 20 } })
})

it('does not read a file that is larger than what is left, nor folders below folders without end', () => {
  write('large')
  truncateSync(join(root, 'large'), 2 ** 40)
  write('small')
  expect(search()).toMatchObject({ cuts: ['too_many_bytes'], paths: ['small'] })
  rmSync(join(root, 'small'))
  expect(search({ bytes: 2 ** 41, ms: 50 })).toMatchObject({ cuts: ['too_slow'], paths: [] })
  rmSync(join(root, 'large'))
  write('small')
  mkdirSync(join(root, 'd/'.repeat(70)), { recursive: true })
  write(`${'d/'.repeat(69)}deep`)
  expect(search()).toMatchObject({ cuts: ['too_deep'], paths: ['small'] })
})

it('reads a thousand of 100,000 files', { timeout: 120_000 }, () => {
  execFileSync('sh', ['-c', 'cd "$0" && seq 1 100000 | xargs -n 2000 touch', root])
  const { cuts, paths } = search()
  expect([cuts, paths.length]).toEqual([['too_many_files'], 1000])
})

describe('texts', () => {
  const texts = (asked: { fileBytes: number; bytes: number }, roots = [{ path: root }]) =>
    changedFiles({ op: 'changed', roots, since: 0, most: plenty, texts: asked }).files.map(({ path, text }) => [
      Buffer.from(path, 'base64').toString(),
      text === undefined ? null : inflateRawSync(Buffer.from(text, 'base64')).toString(),
    ])

  it('come along where they are asked for, but for what is no text or too large', () => {
    write('a.txt', 'hello')
    write('b.bin', 'a\0b')
    write('c.txt', 'x'.repeat(11))
    expect(search().files.some((file) => 'text' in file)).toBe(false)
    expect(texts({ fileBytes: 10, bytes: 1000 }).sort()).toEqual([
      ['a.txt', 'hello'],
      ['b.bin', null],
      ['c.txt', null],
    ])
  })

  it('are left out when there is no room any more', () => {
    write('a.txt', 'hello')
    write('b.txt', 'world')
    expect(texts({ fileBytes: 10, bytes: 12 }).filter(([, text]) => text !== null)).toHaveLength(1)
  })
})

it('tells which files were made since then', () => {
  write('old')
  const since = Date.now() + 1000
  expect(search({}, { since: 0 }).files[0]).toMatchObject({ made: true })
  expect(search({}, { since }).files).toEqual([])
})

it('tells files of other users as such, where they are asked for', () => {
  write('mine')
  const uid = statSync(join(root, 'mine')).uid + 1
  const [file] = changedFiles({
    op: 'changed',
    roots: [{ path: root, uid, others: true }],
    since: 0,
    most: plenty,
  }).files
  expect(file).toMatchObject({ other: true })
  expect(search().files[0]).not.toHaveProperty('other')
})
