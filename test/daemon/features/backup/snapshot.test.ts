import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { makeSeal } from '#kernel/journal/seal'
import { openDatabase, openReader } from '#kernel/store/db'
import { snapshot } from '../../../../daemon/features/backup/snapshot.ts'
import { scratchFolder } from '../../../support/bundles.ts'

function place() {
  const [dataDir, scratch] = [scratchFolder(), scratchFolder()]
  const db = openDatabase(join(dataDir, 'muster.db'))
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, filler BLOB)')
  const app = (parts: object) =>
    ({
      db,
      config: { dataDir },
      stopping: new AbortController(),
      seals: { seal: async () => undefined },
      ...parts,
    }) as unknown as App
  return { dataDir, scratch, db, app }
}

it('has every write that was acknowledged before the copy of the database ended', async () => {
  const { scratch, db, app } = place()
  const insert = db.prepare('INSERT INTO t (filler) VALUES (randomblob(?))')
  // Pages on both sides of where the copy is at any time.
  db.transaction(() => {
    for (let n = 0; n < 6000; n++) insert.run(4000)
  })()
  const change = db.prepare('UPDATE t SET filler = zeroblob(1) WHERE n = ?')
  const written: number[] = []
  let atEnd: number[] = []
  let writing = true
  const writer = (async () => {
    for (let n = 0; writing; n++) {
      written.push(Number(insert.run(10).lastInsertRowid))
      change.run((n * 97) % 6000)
      await turn()
    }
  })()
  const head = () => {
    atEnd = [...written]
    return 0
  }
  await snapshot(app({ index: { head } }), scratch, false)
  writing = false
  await writer
  expect(atEnd.length).toBeGreaterThan(10)
  const copy = openReader(join(scratch, 'muster.db'))
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  const held = new Set(copy.prepare<[], number>('SELECT n FROM t').pluck().all())
  expect(atEnd.filter((n) => !held.has(n))).toEqual([])
  copy.close()
  db.close()
})

it('has the seals of what the copy holds, and no later ones', async () => {
  const { dataDir, scratch, db, app } = place()
  const key = Buffer.alloc(32)
  const at = '2026-11-27T02:00:00Z'
  let prev = ''
  const lines = [3, 5, 9].map((seq) => {
    const seal = makeSeal(key, { installation: 'c', at, seq, heads: [], prev })
    prev = seal.mac
    return `${JSON.stringify(seal)}\n`
  })
  writeFileSync(join(dataDir, 'journal.seal'), lines.join(''))
  await snapshot(app({ index: { head: () => 5 } }), scratch, false)
  expect(readFileSync(join(scratch, 'journal.seal'), 'utf8')).toBe(lines.slice(0, 2).join(''))
  db.close()
})

it('keeps files of chats that are removed meanwhile, and takes those that come', async () => {
  const { dataDir, scratch, db, app } = place()
  mkdirSync(join(dataDir, 'attachments', 'a'), { recursive: true })
  writeFileSync(join(dataDir, 'attachments', 'a', 'early'), 'early')
  const head = () => {
    rmSync(join(dataDir, 'attachments', 'a', 'early'))
    writeFileSync(join(dataDir, 'attachments', 'late'), 'late')
    return 0
  }
  await snapshot(app({ index: { head } }), scratch, true)
  expect(readFileSync(join(scratch, 'attachments', 'a', 'early'), 'utf8')).toBe('early')
  expect(readFileSync(join(scratch, 'attachments', 'late'), 'utf8')).toBe('late')
  db.close()
})

it('ends when the daemon stops', async () => {
  const { scratch, db, app } = place()
  db.transaction(() => {
    for (let n = 0; n < 2000; n++) db.prepare('INSERT INTO t (filler) VALUES (randomblob(4000))').run()
  })()
  const stopping = new AbortController()
  stopping.abort()
  await expect(snapshot(app({ stopping, index: { head: () => 0 } }), scratch, false)).rejects.toThrow('stopping')
  expect(existsSync(join(scratch, 'journal.seal'))).toBe(false)
  db.close()
})
