import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { saveFile } from '../../../../daemon/runtime/spool/save-file.ts'
import { ending } from '../../../support/endings.ts'
import { leaveOut } from '../../../support/leave-out.ts'
import { mountMissing, smallDisk } from '../../../support/small-disk.ts'

leaveOut(mountMissing)

it.each(['fill', 'fillWithFiles'] as const)('a full disk (%s) leaves the old file whole and no draft', (how) => {
  const disk = smallDisk(how === 'fill' ? 'size=2m' : 'nr_inodes=50')
  ending(() => disk.remove())
  writeFileSync(join(disk.path, 'a.txt'), 'old')
  disk[how]()
  const request = { root: disk.path, match: null, absent: false }
  expect(saveFile({ ...request, path: 'a.txt' }, Buffer.alloc(64 * 1024))).toEqual({ status: 'full' })
  expect(saveFile({ ...request, path: 'new/b.txt' }, Buffer.alloc(64 * 1024))).toEqual({ status: 'full' })
  expect(readFileSync(join(disk.path, 'a.txt'), 'utf8')).toBe('old')
  expect(readdirSync(disk.path).filter((name) => name.endsWith('.new'))).toEqual([])
  disk.free()
  expect(saveFile({ ...request, path: 'a.txt' }, Buffer.from('new'))).toMatchObject({ status: 'saved' })
})
