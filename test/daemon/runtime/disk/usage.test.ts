import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measure } from '../../../../daemon/runtime/disk/usage.ts'

const KB = 1024
const plenty = 1_000_000

describe('what lies in folders', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'muster-usage-'))
  })
  // rmSync gives up on paths that are too long.
  afterEach(() => void execFileSync('rm', ['-rf', '--', root]))

  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  const bytesOf = (path: string) => measure([path], plenty).bytes

  it('is the sum over all of them', () => {
    writeFileSync(join(folder('a'), 'file'), Buffer.alloc(64 * KB, 1))
    writeFileSync(join(folder('b/c'), 'file'), Buffer.alloc(128 * KB, 1))
    const { files, bytes, complete } = measure([join(root, 'a'), join(root, 'b'), join(root, 'none')], plenty)
    expect({ files, complete }).toEqual({ files: 3, complete: true })
    // Folders take blocks too.
    expect(bytes).toBeGreaterThanOrEqual(192 * KB)
    expect(bytes).toBeLessThan(192 * KB + 32 * KB)
  })

  it('counts the blocks of sparse files, not their length', () => {
    const file = openSync(join(root, 'sparse'), 'w')
    ftruncateSync(file, 1024 ** 4)
    closeSync(file)
    expect(bytesOf(root)).toBeLessThan(32 * KB)
  })

  it('counts many small files as the disk does', () => {
    for (let n = 0; n < 500; n++) writeFileSync(join(root, `f${n}`), 'x')
    expect(bytesOf(root)).toBeGreaterThanOrEqual(500 * 512)
    expect(measure([root], plenty).files).toBe(500)
  })

  it('counts a file once, however many names it has', () => {
    writeFileSync(join(root, 'file'), Buffer.alloc(256 * KB, 1))
    const before = bytesOf(root)
    for (let n = 0; n < 5; n++) linkSync(join(root, 'file'), join(root, `link${n}`))
    expect(bytesOf(root)).toBe(before)
  })

  it('does not follow links', () => {
    const inside = folder('inside')
    writeFileSync(join(folder('outside'), 'file'), Buffer.alloc(1024 * KB, 1))
    symlinkSync(join(root, 'outside'), join(inside, 'folder'))
    symlinkSync(join(root, 'outside/file'), join(inside, 'file'))
    symlinkSync('/', join(inside, 'everything'))
    expect(measure([inside], plenty)).toMatchObject({ files: 3, complete: true })
    expect(bytesOf(inside)).toBeLessThan(64 * KB)
    symlinkSync(join(root, 'outside'), join(root, 'root'))
    expect(measure([join(root, 'root')], plenty)).toEqual({ bytes: 0, files: 0, complete: true })
  })

  it('leaves other file systems out', () => {
    const elsewhere = mkdtempSync('/dev/shm/muster-usage-')
    try {
      writeFileSync(join(elsewhere, 'file'), Buffer.alloc(1024 * KB, 1))
      expect(bytesOf('/dev/shm')).toBeGreaterThanOrEqual(1024 * KB)
      expect(bytesOf('/dev')).toBeLessThan(1024 * KB)
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  it('counts names that are not UTF-8', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), Buffer.alloc(256 * KB, 1))
    const nested = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfd])])
    mkdirSync(nested)
    writeFileSync(Buffer.concat([nested, Buffer.from('/file')]), Buffer.alloc(256 * KB, 1))
    expect(bytesOf(root)).toBeGreaterThanOrEqual(512 * KB)
  })

  it('ends at the most that may be counted, and says so', () => {
    for (let n = 0; n < 20; n++) writeFileSync(join(root, `f${n}`), 'x')
    expect(measure([root], 10)).toMatchObject({ files: 10, complete: false })
    expect(measure([root], 20)).toMatchObject({ files: 20, complete: true })
  })

  it('does not drown in folders inside folders', () => {
    const here = process.cwd()
    process.chdir(root)
    try {
      // Longer than any path may be.
      for (let n = 0; n < 400; n++) {
        mkdirSync('deeper-and-deeper-and-deeper')
        process.chdir('deeper-and-deeper-and-deeper')
      }
    } finally {
      process.chdir(here)
    }
    expect(measure([root], plenty)).toMatchObject({ complete: false })
  })
})
