import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readText } from '../../../../daemon/runtime/spool/read-text.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'muster-text-')))
})
afterEach(() => rmSync(root, { recursive: true }))

const read = (path: string, mostBytes = 100) => readText({ op: 'text', path: join(root, path), mostBytes })

it('reads a text, up to the limit', () => {
  writeFileSync(join(root, 'a.txt'), 'héllo')
  const found = read('a.txt', 6)
  expect(found.state === 'text' && inflateRawSync(Buffer.from(found.text, 'base64')).toString()).toBe('héllo')
  expect(read('a.txt', 5)).toEqual({ state: 'too_large' })
})

it('reads nothing that is no text', () => {
  writeFileSync(join(root, 'zero'), 'a\0b')
  writeFileSync(join(root, 'latin1'), Buffer.from([0xe9]))
  expect([read('zero'), read('latin1')]).toEqual([{ state: 'binary' }, { state: 'binary' }])
})

it('reads through no link, and waits for no pipe', () => {
  mkdirSync(join(root, 'real'))
  writeFileSync(join(root, 'real/a'), 'x')
  symlinkSync(join(root, 'real/a'), join(root, 'link'))
  symlinkSync(join(root, 'real'), join(root, 'folder'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  for (const path of ['link', 'folder/a', 'pipe', 'real', 'gone', 'real/a/b'])
    expect(read(path)).toEqual({ state: 'none' })
})
