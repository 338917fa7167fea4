import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '#kernel/store/db'
import { type DataFolder, usedFolder } from '../support/data-folder.ts'
import { relink } from '../support/forger.ts'

// Whoever attacks here may write to the database, and knows how it is made, but does not have the key.

let original: DataFolder
const copies: DataFolder[] = []
const copy = (): DataFolder => {
  const made = original.copy()
  copies.push(made)
  return made
}

beforeAll(async () => {
  original = await usedFolder()
})
afterEach(() => {
  for (const it of copies.splice(0)) it.remove()
})
afterAll(() => original?.remove())

const forge = (db: Db, seq: number) => {
  db.prepare(`UPDATE journal SET doc = json_set(doc, '$.summary', 'nothing happened') WHERE seq = ?`).run(seq)
}

describe('a database that was changed while the daemon was down is refused', () => {
  it.each<[string, (db: Db) => void, RegExp]>([
    [
      'without its last rows',
      (db) => void db.exec('DELETE FROM journal WHERE seq > 4'),
      /ends with entry 4 .* but \d+ entries were sealed .* are missing/,
    ],
    [
      'without any row',
      (db) => void db.exec('DELETE FROM journal'),
      /journal in the database is empty, but \d+ entries were sealed/,
    ],
    [
      'without one in the middle, the rest chained anew',
      (db) => {
        db.exec('DELETE FROM journal WHERE seq = 3')
        relink(db, 1)
      },
      /Entry \d+ of the journal is not the one that was sealed/,
    ],
    [
      'with a forged entry and the chain made anew',
      (db) => {
        forge(db, 2)
        relink(db, 2)
      },
      /Entry \d+ of the journal is not the one that was sealed/,
    ],
    [
      'with a forged chain, and as if it had never been sealed',
      (db) => {
        forge(db, 2)
        relink(db, 2)
        db.exec(`DELETE FROM instance_settings WHERE key = 'key_check'`)
      },
      /not the one that was sealed/,
    ],
    [
      'with the last entry forged',
      (db) => {
        const newest = db.prepare('SELECT max(seq) FROM journal').pluck().get() as number
        forge(db, newest)
        relink(db, newest)
      },
      /not the one that was sealed/,
    ],
  ])('%s', async (_what, attack, words) => {
    const it = copy()
    it.edit(attack)
    const { code, said } = await it.refusal()
    expect(code).toBe(3)
    expect(said).toMatch(words)
    expect(said).not.toMatch(/\n\s+at /)
  })

  it('as an older copy of itself', async () => {
    const it = copy()
    const older = readFileSync(it.path('muster.db'))
    const { daemon, client } = await it.start()
    await client.crews.create({ body: { name: 'Newer', slug: 'newer' } })
    await daemon.stop()
    writeFileSync(it.path('muster.db'), older)
    expect(await it.refusal()).toMatchObject({
      code: 3,
      said: expect.stringMatching(/1 are missing, and what was stored with them/),
    })
  })

  it('with its seals changed to fit', async () => {
    const it = copy()
    it.edit('DELETE FROM journal WHERE seq > 4')
    const lines = readFileSync(it.path('journal.seal'), 'utf8').trimEnd().split('\n')
    writeFileSync(it.path('journal.seal'), `${lines.at(-1)!.replace(/"seq":\d+/, '"seq":4')}\n`)
    expect(await it.refusal()).toMatchObject({ code: 3, said: expect.stringContaining('The seals of the journal') })
    rmSync(it.path('journal.seal'))
    expect(await it.refusal()).toMatchObject({ code: 3, said: expect.stringContaining('The seals of the journal') })
  })
})

describe('a database whose head is untouched is started, and found out', () => {
  it.each<[string, (db: Db) => void, string]>([
    ['an entry changed', (db) => forge(db, 3), 'chain'],
    [
      'an entry nested too deep',
      (db) =>
        void db
          .prepare('UPDATE journal SET doc = ? WHERE seq = 3')
          .run(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
      'chain',
    ],
    ['an entry taken out', (db) => void db.exec('DELETE FROM journal WHERE seq = 3'), 'chain'],
    [
      'an entry moved to another crew',
      (db) =>
        void db.exec(
          'UPDATE journal SET crew = (SELECT min(crew) FROM journal) WHERE seq = (SELECT max(seq) FROM journal)',
        ),
      'columns',
    ],
    [
      'an entry marked',
      (db) => void db.exec(`UPDATE journal SET priority = 2, doc = json_set(doc, '$.priority', 'pin') WHERE seq = 4`),
      'columns',
    ],
  ])('%s', async (_what, attack, kind) => {
    const it = copy()
    it.edit(attack)
    const { daemon, client } = await it.start()
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: false, proven: [], broken: { kind } })
    await daemon.stop()
  })
})

it('rows that are deleted under the running daemon are missed', async () => {
  const folder = copy()
  const { daemon, client } = await folder.start()
  expect(await client.journal.verify({ query: {} })).toMatchObject({
    valid: true,
    unsealed: 0,
    proven: expect.arrayContaining(['seal']),
  })
  folder.edit('DELETE FROM journal WHERE seq > 3')
  expect(await client.journal.verify({ query: {} })).toMatchObject({
    valid: false,
    entries: 3,
    broken: { kind: 'truncated' },
  })
  await daemon.kill()
})

describe('entries that were added without the key', () => {
  const summaries = async ({ client }: Awaited<ReturnType<DataFolder['start']>>) =>
    (await client.journal.list({ query: { entry_type: 'system.migration' } })).entries.map(({ summary }) => summary)

  it('after a regular stop, or behind older seals, are on record once they are sealed', async () => {
    const it = copy()
    const seals = readFileSync(it.path('journal.seal'), 'utf8').trimEnd().split('\n')
    writeFileSync(it.path('journal.seal'), `${seals[0]}\n`)
    const { seq } = JSON.parse(seals[0]!) as { seq: number }
    let newest = 0
    it.edit((db) => {
      newest = db.prepare('SELECT max(seq) FROM journal').pluck().get() as number
      forge(db, newest)
      relink(db, seq + 1)
    })
    const first = await it.start()
    const told = `${newest - seq} entries that had no seal, from entry ${seq + 1} on, were sealed when Muster started`
    expect(await summaries(first)).toEqual([told])
    expect(first.said.join('')).toContain('Entries of the journal were not sealed before')
    await first.daemon.stop()
    const second = await it.start()
    expect(await summaries(second)).toEqual([told])
    await second.daemon.stop()
  })
})

describe('whoever can put back the whole folder', () => {
  it('to a state after the anchor is not said to be excluded', async () => {
    const it = copy()
    const first = await it.start()
    const { anchor } = await first.client.journal.anchor({})
    expect(await first.client.journal.verify({ query: { anchor } })).toMatchObject({
      valid: true,
      not_proven: ['key_holder'],
    })
    await first.client.crews.create({ body: { name: 'Newer', slug: 'newer' } })
    expect(await first.client.journal.verify({ query: { anchor } })).toMatchObject({
      valid: true,
      not_proven: expect.arrayContaining(['rollback']),
    })
    await first.daemon.kill()
  })

  it('goes unnoticed here, and is found with an anchor that was kept elsewhere', async () => {
    const it = copy()
    const before = mkdtempSync(join(tmpdir(), 'muster-before-'))
    cpSync(it.dir, before, { recursive: true })
    const first = await it.start()
    await first.client.crews.create({ body: { name: 'Newer', slug: 'newer' } })
    const { anchor } = await first.client.journal.anchor({})
    await first.daemon.stop()
    cpSync(before, it.dir, { recursive: true })
    rmSync(before, { recursive: true })
    const { daemon, client } = await it.start()
    expect(await client.journal.verify({ query: {} })).toMatchObject({
      valid: true,
      not_proven: expect.arrayContaining(['rollback']),
    })
    expect(await client.journal.verify({ query: { anchor } })).toMatchObject({
      valid: false,
      broken: { kind: 'truncated' },
    })
    await daemon.stop()
  })

  it('cannot make a sealed journal look like one that never was without a trace', async () => {
    const it = copy()
    it.edit((db) => {
      forge(db, 2)
      relink(db, 2)
      db.exec(`DELETE FROM instance_settings WHERE key = 'key_check'`)
    })
    rmSync(it.path('journal.seal'))
    const { daemon, client, said } = await it.start()
    expect(said.join('')).toContain('The journal was never sealed and is sealed from now on')
    const { entries } = await client.journal.list({ query: { entry_type: 'system.migration' } })
    expect(entries).toMatchObject([{ summary: expect.stringContaining('The journal is sealed from here on') }])
    await daemon.stop()
  })
})
