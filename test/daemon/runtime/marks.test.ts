import { Buffer } from 'node:buffer'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { changes } from '../../../daemon/runtime/marks/changes.ts'
import { diff } from '../../../daemon/runtime/marks/diff.ts'
import { Limits } from '../../../daemon/runtime/marks/limits.ts'
import { mark } from '../../../daemon/runtime/marks/mark.ts'
import { restore } from '../../../daemon/runtime/marks/restore.ts'
import { Store } from '../../../daemon/runtime/marks/store.ts'

const limits = () => new Limits(60, null)

function crew() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-marks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = join(folder, 'output')
  mkdirSync(at)
  const store = new Store(join(folder, 'marks'))
  const roots = [{ shown: '/output', at }]
  return {
    at,
    store,
    roots,
    write: (path: string, text: string | Buffer) => {
      mkdirSync(join(at, path, '..'), { recursive: true })
      writeFileSync(join(at, path), text)
    },
    read: (path: string) => readFileSync(join(at, path), 'utf8'),
    mark: (id: string) => mark(store, id, roots, limits()),
    changes: (id: string, limit = 100) => changes(store.read(id), roots, limit, limits()),
    restore: (id: string) => restore(store, store.read(id), roots, limits()),
    diff: (id: string, path: string) => diff(store, store.read(id), roots, path),
  }
}

const mapping = `
import mmap, signal, sys
file = open(sys.argv[1], 'r+b')
mapped = mmap.mmap(file.fileno(), 3)
def write(text): mapped[0:3] = text
signal.signal(signal.SIGUSR1, lambda *_: write(b'six'))
write(b'two')
print('written')
while True: signal.pause()`
const isThere = spawnSync('python3', ['--version']).status === 0
/** A file system in memory has no times of what is written to mapped files. */
const mapsFiles = isThere && statfsSync(tmpdir()).type !== 0x01021994

const told = ({ entries }: ReturnType<ReturnType<typeof crew>['changes']>) =>
  entries.map(({ change, path, what }) => [change, path, ...what].join(' '))

describe('a mark', () => {
  let it_: ReturnType<typeof crew>
  beforeEach(() => {
    it_ = crew()
  })

  it('tells what was added, changed and deleted since', () => {
    for (const name of ['same', 'edited', 'gone', 'mode']) it_.write(`ada/${name}`, name)
    symlinkSync('same', join(it_.at, 'ada/link'))
    expect(it_.mark('m')).toMatchObject({ files: 4, folders: 2, links: 1, leftOut: 0, moving: 0 })
    expect(told(it_.changes('m'))).toEqual([])
    it_.write('ada/edited', 'other')
    it_.write('ada/new/file', 'x')
    rmSync(join(it_.at, 'ada/gone'))
    chmodSync(join(it_.at, 'ada/mode'), 0o755)
    rmSync(join(it_.at, 'ada/link'))
    symlinkSync('elsewhere', join(it_.at, 'ada/link'))
    expect(told(it_.changes('m'))).toEqual([
      'changed /output/ada/edited content',
      'deleted /output/ada/gone',
      'changed /output/ada/link content',
      'changed /output/ada/mode mode',
      'added /output/ada/new',
      'added /output/ada/new/file',
    ])
    const few = it_.changes('m', 2)
    expect(few).toMatchObject({ added: 2, changed: 3, deleted: 1 })
    expect(few.entries).toHaveLength(2)
  })

  it('is not deceived by a file of the same size and time', () => {
    it_.write('ada/file', 'one')
    utimesSync(join(it_.at, 'ada/file'), 1, 1)
    it_.mark('m')
    it_.write('ada/file', 'two')
    utimesSync(join(it_.at, 'ada/file'), 1, 1)
    expect(told(it_.changes('m'))).toEqual(['changed /output/ada/file content'])
    it_.mark('n')
    it_.restore('m')
    expect(it_.read('ada/file')).toBe('one')
    it_.restore('n')
    expect(it_.read('ada/file')).toBe('two')
  })

  it('brings everything back: contents, folders, links, modes, times, kinds', () => {
    it_.write('ada/deep/er/file', 'x')
    it_.write('ada/becomes-folder', 'file')
    it_.write('ada/becomes-file/inside', 'folder')
    it_.write('ada/run.sh', '#!/bin/sh')
    chmodSync(join(it_.at, 'ada/run.sh'), 0o755)
    chmodSync(join(it_.at, 'ada/deep'), 0o2770)
    utimesSync(join(it_.at, 'ada/deep/er'), 1000, 1000)
    mkdirSync(join(it_.at, 'ada/empty'))
    symlinkSync('/nowhere at all', join(it_.at, 'ada/dangling'))
    it_.mark('m')
    rmSync(join(it_.at, 'ada/deep'), { recursive: true })
    rmSync(join(it_.at, 'ada/empty'), { recursive: true })
    rmSync(join(it_.at, 'ada/becomes-folder'))
    it_.write('ada/becomes-folder/inside', 'x')
    rmSync(join(it_.at, 'ada/becomes-file'), { recursive: true })
    it_.write('ada/becomes-file', 'x')
    rmSync(join(it_.at, 'ada/dangling'))
    mkdirSync(join(it_.at, 'ada/dangling'))
    it_.write('bo/new', 'x')
    it_.restore('m')
    expect(told(it_.changes('m'))).toEqual([])
    expect(it_.read('ada/deep/er/file')).toBe('x')
    expect(it_.read('ada/becomes-folder')).toBe('file')
    expect(it_.read('ada/becomes-file/inside')).toBe('folder')
    expect(readlinkSync(join(it_.at, 'ada/dangling'))).toBe('/nowhere at all')
    expect(statSync(join(it_.at, 'ada/run.sh')).mode & 0o777).toBe(0o755)
    expect(statSync(join(it_.at, 'ada/deep')).mode & 0o7777).toBe(0o2770)
    expect(statSync(join(it_.at, 'ada/deep/er')).mtimeMs).toBe(1000_000)
    expect(readdirSync(it_.at)).toEqual(['ada'])
  })

  it('holds git repositories within', () => {
    const repository = join(it_.at, 'ada/project')
    mkdirSync(repository, { recursive: true })
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-C', repository, ...args], {
        encoding: 'utf8',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      })
    git('init', '-q')
    it_.write('ada/project/file', 'one')
    git('add', '.')
    git('commit', '-qm', 'one')
    const head = git('rev-parse', 'HEAD')
    it_.mark('m')
    it_.write('ada/project/file', 'two')
    git('commit', '-qam', 'two')
    it_.restore('m')
    expect(git('rev-parse', 'HEAD')).toBe(head)
    expect(git('status', '--porcelain')).toBe('')
    git('fsck', '--strict')
  })

  it('takes names of any bytes', () => {
    const names = [
      Buffer.from('line\nbreak'),
      Buffer.from([0xff, 0xfe, 0x20]),
      Buffer.from('quo"te\\'),
      Buffer.from('é '),
    ]
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${it_.at}/`), name]), name)
    it_.mark('m')
    for (const name of readdirSync(it_.at, { encoding: 'buffer' }))
      rmSync(Buffer.concat([Buffer.from(`${it_.at}/`), name]) as unknown as string)
    expect(it_.changes('m').entries.filter(({ odd }) => odd)).toHaveLength(1)
    it_.restore('m')
    const found = readdirSync(it_.at, { encoding: 'buffer' })
    expect(found.map((it) => it.toString('latin1')).sort()).toEqual(names.map((it) => it.toString('latin1')).sort())
  })

  it('keeps the holes of big files', () => {
    it_.write('ada/sparse', 'begin')
    truncateSync(join(it_.at, 'ada/sparse'), 50 * 1024 * 1024)
    expect(it_.mark('m').bytes).toBe(50 * 1024 * 1024)
    expect(it_.store.size()).toBeLessThan(1024 * 1024)
    rmSync(join(it_.at, 'ada/sparse'))
    it_.restore('m')
    const { size, blocks } = lstatSync(join(it_.at, 'ada/sparse'))
    expect(size).toBe(50 * 1024 * 1024)
    expect(blocks * 512).toBeLessThan(1024 * 1024)
    expect(it_.read('ada/sparse').slice(0, 5)).toBe('begin')
  })

  it('names pipes and sockets that it leaves out, and leaves them alone', () => {
    mkdirSync(join(it_.at, 'ada'))
    execFileSync('mkfifo', [join(it_.at, 'ada/pipe')])
    expect(it_.mark('m')).toMatchObject({ leftOut: 1, leftOutPaths: ['/output/ada/pipe'] })
    it_.restore('m')
    expect(lstatSync(join(it_.at, 'ada/pipe')).isFIFO()).toBe(true)
  })

  it.each([
    ['a link', (at: string) => symlinkSync('../victim', at)],
    ['a file of two names', (at: string) => linkSync(join(at, '../../victim'), at)],
    ['a folder', (at: string) => mkdirSync(at)],
    ['a pipe', (at: string) => execFileSync('mkfifo', [at])],
  ])('is put back through nothing that an agent left: %s by the name of a part', (_what, make) => {
    it_.write('victim', 'mine')
    it_.write('ada/file', 'before')
    make(join(it_.at, 'ada/.muster-put-back'))
    it_.mark('m')
    it_.write('ada/file', 'after')
    it_.restore('m')
    expect([it_.read('victim'), it_.read('ada/file')]).toEqual(['mine', 'before'])
    expect(told(it_.changes('m'))).toEqual([])
  })

  it('gives files that became one since their own modes again', () => {
    for (const name of ['a', 'b', 'c']) it_.write(name, 'same')
    chmodSync(join(it_.at, 'b'), 0o600)
    it_.mark('m')
    for (const name of ['b', 'c']) {
      rmSync(join(it_.at, name))
      linkSync(join(it_.at, 'a'), join(it_.at, name))
    }
    it_.restore('m')
    expect(told(it_.changes('m'))).toEqual([])
  })

  it.skipIf(!mapsFiles)('misses nothing that is written meanwhile through mapped memory', async () => {
    const path = join(it_.at, 'mapped')
    it_.write('mapped', 'one')
    it_.write('next', 'x')
    const program = spawn('python3', ['-uc', mapping, path])
    onTestFinished(() => void program.kill())
    await once(program.stdout, 'data')
    await expect.poll(() => Date.now() - statSync(path).ctimeMs, { timeout: 5000 }).toBeGreaterThan(2500)
    const limits = new Limits(60, null)
    const asked = vi.spyOn(limits, 'entry')
    asked.mockImplementation(() => {
      if (asked.mock.calls.length !== 2) return
      program.kill('SIGUSR1')
      while (it_.read('mapped') !== 'six');
    })
    mark(it_.store, 'm', it_.roots, limits)
    expect(told(it_.changes('m'))).toEqual(['changed /output/mapped content'])
    it_.mark('n')
    expect(it_.diff('n', '/output/mapped').state).toBe('same')
    it_.restore('m')
    expect(it_.read('mapped')).toBe('two')
  })

  it('names no more than an answer holds, however long the paths are', () => {
    const deep = 'chdir shift; for (1 .. 100) { mkdir $ARGV[0]; chdir $ARGV[0] } exec q(mkfifo pipe; touch $(seq 400))'
    execFileSync('perl', ['-e', deep, it_.at, 'x'.repeat(250)])
    onTestFinished(() => void execFileSync('rm', ['-rf', it_.at]))
    const { leftOutPaths } = it_.mark('m')
    expect(leftOutPaths[0]!.length).toBeLessThan(2000)
    execFileSync('rm', ['-rf', join(it_.at, 'x'.repeat(250))])
    const { deleted, entries } = it_.changes('m', 2000)
    expect(deleted).toBe(500)
    expect(JSON.stringify(entries).length).toBeLessThan(5_000_000)
  })

  it('names a folder that is too deep before anything else that it leaves out', () => {
    mkdirSync(join(it_.at, 'ada'))
    execFileSync(
      'mkfifo',
      [...Array(25).keys()].map((n) => join(it_.at, `ada/${n}`)),
    )
    mkdirSync(join(it_.at, 'z/'.repeat(260)), { recursive: true })
    const { leftOutPaths, tooDeep } = it_.mark('m')
    expect([tooDeep, leftOutPaths[0]]).toEqual([1, `/output/${'z/'.repeat(256)}*`])
    expect(leftOutPaths).toHaveLength(20)
  })

  it('shares nothing with the files: what is written in place afterwards is not in it', () => {
    it_.write('ada/file', 'before')
    it_.mark('m')
    writeFileSync(join(it_.at, 'ada/file'), 'AFTER!', { flag: 'r+' })
    it_.restore('m')
    expect(it_.read('ada/file')).toBe('before')
  })

  it('leads nowhere through a folder that is a link now', () => {
    const secret = mkdtempSync(join(tmpdir(), 'muster-secret-'))
    onTestFinished(() => rmSync(secret, { recursive: true, force: true }))
    writeFileSync(join(secret, 'file'), 'secret')
    it_.write('ada/folder/file', 'mine')
    it_.mark('m')
    renameSync(join(it_.at, 'ada/folder'), join(it_.at, 'ada/aside'))
    symlinkSync(secret, join(it_.at, 'ada/folder'))
    expect(it_.mark('n')).toMatchObject({ links: 1, files: 1 })
    expect(it_.diff('m', '/output/ada/folder/file')).toMatchObject({ state: 'text' })
    expect(it_.diff('m', '/output/ada/folder/file').diff).not.toContain('secret')
    it_.restore('m')
    expect(lstatSync(join(it_.at, 'ada/folder')).isDirectory()).toBe(true)
    expect(readFileSync(join(secret, 'file'), 'utf8')).toBe('secret')
  })

  it('takes little more than what changed since the last one', () => {
    for (let n = 0; n < 20; n++) it_.write(`ada/${n}`, Buffer.alloc(100_000, String.fromCharCode(65 + n)))
    it_.mark('m')
    const before = it_.store.size()
    it_.write('ada/0', Buffer.alloc(100_000, 'z'))
    it_.mark('n')
    expect(it_.store.size() - before).toBeLessThan(150_000)
  })

  it('is dropped with all that only it names', () => {
    it_.write('ada/shared', 'shared')
    it_.write('ada/own', Buffer.alloc(100_000, 'a'))
    it_.mark('m')
    rmSync(join(it_.at, 'ada/own'))
    it_.mark('n')
    it_.store.prune(new Set(['n']), true)
    expect(() => it_.store.read('m')).toThrow(/not there/)
    expect(it_.store.size()).toBeLessThan(100_000)
    rmSync(join(it_.at, 'ada/shared'))
    it_.restore('n')
    expect(it_.read('ada/shared')).toBe('shared')
  })

  it('gives up before it takes more than its share', () => {
    it_.write('ada/big', Buffer.alloc(300_000, 'b'))
    const room = { store: it_.store.folder, mostBytes: 200_000, reserveBytes: 0 }
    expect(() => mark(it_.store, 'm', it_.roots, new Limits(60, room))).toThrow(/SVC_CREW_MARKS_MB/)
    const full = { ...room, mostBytes: 1e9, reserveBytes: Number.MAX_SAFE_INTEGER }
    expect(() => new Limits(60, full)).toThrow(/nearly full/)
    expect(() => mark(it_.store, 'm', it_.roots, new Limits(-1, null))).toThrow(/too long/)
    expect(existsSync(join(it_.store.folder, 'trees/m'))).toBe(false)
  })

  it('counts its own list, which it keeps small enough to be read', () => {
    for (let n = 0; n < 100; n++) symlinkSync('y'.repeat(4000), join(it_.at, String(n)))
    const room = { store: it_.store.folder, mostBytes: 200_000, reserveBytes: 0 }
    expect(() => mark(it_.store, 'm', it_.roots, new Limits(60, room))).toThrow(/SVC_CREW_MARKS_MB/)
    expect(() => mark(it_.store, 'm', it_.roots, new Limits(60, null), 300_000)).toThrow(/names and targets/)
    it_.store.prune(new Set(), true)
    it_.mark('m')
    expect(it_.store.size()).toBeGreaterThan(400_000)
  })

  it('shows how texts differ, and says where that is no text', () => {
    it_.write('ada/text', 'one\ntwo\n')
    it_.write('ada/bytes', Buffer.from([0, 1]))
    it_.write('ada/gone', 'x\n')
    it_.mark('m')
    it_.write('ada/text', 'one\n2\n')
    it_.write('ada/bytes', Buffer.from([0, 2]))
    rmSync(join(it_.at, 'ada/gone'))
    it_.write('ada/huge', Buffer.alloc(600_000, 'x'))
    expect(it_.diff('m', '/output/ada/text')).toEqual({
      state: 'text',
      diff: '--- marked/output/ada/text\n+++ now/output/ada/text\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    })
    expect(it_.diff('m', '/output/ada/gone').diff).toContain('-x')
    expect(it_.diff('m', '/output/ada/bytes').state).toBe('binary')
    expect(it_.diff('m', '/output/ada/huge').state).toBe('too_large')
    for (const path of ['/output/../etc/passwd', '/etc/passwd', '/output/ada', '/output/ada/none', 'x', '/output/'])
      expect(it_.diff('m', path).state).toBe('no_file')
  })
})
