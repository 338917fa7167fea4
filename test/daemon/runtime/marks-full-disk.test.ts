import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Limits } from '../../../daemon/runtime/marks/limits.ts'
import { mark } from '../../../daemon/runtime/marks/mark.ts'
import { Store } from '../../../daemon/runtime/marks/store.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { mountMissing, smallDisk } from '../../support/small-disk.ts'

leaveOut(mountMissing)

/** The program that the set-up built. */
const program = join(import.meta.dirname, '../../../dist/container/marks.cjs')

/** A crew's files, and a disk of its own for the marks. */
function crew(size: string) {
  const disk = smallDisk(`size=${size}`)
  const at = mkdtempSync(join(tmpdir(), 'muster-marked-'))
  onTestFinished(() => {
    disk.remove()
    rmSync(at, { recursive: true })
  })
  const store = join(disk.path, 'marks')
  mkdirSync(store)
  return { disk, at, store, roots: [{ shown: '/output', at }] }
}

describe.skipIf(mountMissing)('a mark on a disk that fills up', () => {
  it('fails and keeps nothing of itself, and the next one works', () => {
    const { at, store, roots } = crew('4m')
    const ask = (id: string, ...keep: string[]) => {
      const request = { op: 'mark', id, keep, mostBytes: 1e9, reserveBytes: 0, seconds: 60, store, roots }
      return JSON.parse(execFileSync(process.execPath, [program, JSON.stringify(request)], { encoding: 'utf8' }))
    }
    const used = () => execFileSync('du', ['-s', store], { encoding: 'utf8' })
    writeFileSync(join(at, 'small'), 'small')
    expect(ask('one')).toMatchObject({ answer: { files: 1 } })
    const before = used()
    writeFileSync(join(at, 'another'), randomBytes(1024 * 1024))
    writeFileSync(join(at, 'large'), randomBytes(8 * 1024 * 1024))
    expect(ask('two', 'one')).toEqual({ refused: 'the disk is full' })
    expect(readdirSync(join(store, 'trees'))).toEqual(['one'])
    expect([readdirSync(join(store, 'tmp')), used()]).toEqual([[], before])
    rmSync(join(at, 'large'))
    expect(ask('three', 'one')).toMatchObject({ answer: { files: 2 } })
  })

  it('is not taken for whole when there was room for all but the end of its list', () => {
    const { disk, at, store: folder, roots } = crew('1m')
    const store = new Store(folder)
    symlinkSync('y'.repeat(4090), join(at, 'link'))
    disk.fill()
    const ballast = join(disk.path, '.ballast')
    truncateSync(ballast, statSync(ballast).size - 4096)
    expect(() => mark(store, 'm', roots, new Limits(60, null))).toThrow(/ENOSPC/)
    expect(readdirSync(join(folder, 'trees'))).toEqual([])
  })
})
