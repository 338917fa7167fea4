import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { type DataFolder, dataFolder, usedFolder } from '../support/data-folder.ts'

let original: DataFolder
const made: DataFolder[] = []
function noted(folder: DataFolder): DataFolder {
  made.push(folder)
  return folder
}
const copy = () => noted(original.copy())

beforeAll(async () => {
  original = await usedFolder()
})
afterEach(() => {
  for (const it of made.splice(0)) it.remove()
})
afterAll(() => original?.remove())

/** What a start must leave as it is when it is refused. */
const held = ({ path }: DataFolder) =>
  ['muster.db', 'encryption.key', 'journal.seal'].map((name) =>
    existsSync(path(name)) ? hash('sha256', readFileSync(path(name))) : null,
  )

const warnings = (said: string[]) =>
  said
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{"level":'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level >= 40 && !msg.startsWith('Agents run as local processes'))

/** The newest sealed entry's seq. */
const sealedSeq = ({ path }: DataFolder): number =>
  JSON.parse(readFileSync(path('journal.seal'), 'utf8').trimEnd().split('\n').at(-1)!).seq

const garbage = Buffer.alloc(8192, 'garbage ')

function sqliteFile(path: string, sql: string): void {
  rmSync(path)
  const db = new Database(path)
  db.exec(sql)
  db.close()
}

describe('a start is refused, in one paragraph and with a code of its own,', () => {
  it.each<[string, (it: DataFolder) => void, RegExp, number?]>([
    [
      'without the database',
      ({ path }) => rmSync(path('muster.db')),
      /muster\.db is missing, but encryption\.key and journal\.seal beside it tell of one/,
    ],
    [
      'with an empty file for a database',
      ({ path }) => truncateSync(path('muster.db'), 0),
      /muster\.db is empty, but encryption\.key and journal\.seal/,
    ],
    ['with a database of no tables', ({ path }) => sqliteFile(path('muster.db'), 'VACUUM'), /muster\.db is empty, but/],
    [
      "with somebody else's database",
      ({ path }) => sqliteFile(path('muster.db'), 'CREATE TABLE recipes (id)'),
      /is not a database of Muster: it has tables such as recipes/,
    ],
    [
      'with garbage for a database',
      ({ path }) => writeFileSync(path('muster.db'), garbage),
      /is damaged: it does not begin as a database does/,
    ],
    [
      'with a few bytes of a database',
      ({ path }) => truncateSync(path('muster.db'), 60),
      /is damaged: it does not begin as a database does/,
    ],
    [
      'with half a database',
      ({ path }) => truncateSync(path('muster.db'), statSync(path('muster.db')).size / 2),
      /is damaged: database disk image is malformed/,
    ],
    [
      'with a database that lacks its last page',
      ({ path }) => truncateSync(path('muster.db'), statSync(path('muster.db')).size - 4096),
      /is damaged/,
    ],
    [
      'without the key',
      ({ path }) => rmSync(path('encryption.key')),
      /There is no encryption key, neither encryption\.key in .* nor ENCRYPTION_KEY/,
    ],
    [
      'with another key',
      ({ path }) => writeFileSync(path('encryption.key'), 'ab'.repeat(32)),
      /encryption\.key is not the key that the database in .* was made with/,
    ],
    [
      'without its seals',
      ({ path }) => rmSync(path('journal.seal')),
      /The seals of the journal .* are empty, but the journal was sealed before/,
    ],
    [
      'with empty seals',
      ({ path }) => truncateSync(path('journal.seal'), 0),
      /are empty, but the journal was sealed before/,
    ],
    [
      'with seals too large to be read',
      ({ path }) => truncateSync(path('journal.seal'), 600 * 1024 * 1024),
      /journal\.seal\) do not hold: it cannot be read/,
    ],
    [
      'on a newer database',
      (it) => it.edit(`INSERT INTO migrations VALUES ('9999-later.sql', '', '')`),
      /written by a newer version \(migration 9999-later\.sql is unknown here\)\. Run that version/,
      8,
    ],
    [
      'on another migration',
      (it) => it.edit(`UPDATE migrations SET checksum = 'x' WHERE name = '0002-journal.sql'`),
      /Migration 0002-journal\.sql differs .*\. Run the version that made it/,
      8,
    ],
  ])('%s', async (_what, lose, words, exitCode = 3) => {
    const it = copy()
    lose(it)
    const before = held(it)
    const { code, said } = await it.refusal()
    expect(code).toBe(exitCode)
    const lines = said.trimEnd().split('\n')
    expect(lines).toEqual([expect.stringMatching(/^musterd: .*\. .*(backup|Bring back)/)])
    expect(lines[0]).toMatch(words)
    expect(held(it)).toEqual(before)
  })

  it('with a folder or a pipe for seals', async () => {
    const it = copy()
    rmSync(it.path('journal.seal'))
    mkdirSync(it.path('journal.seal'))
    expect(await it.refusal()).toMatchObject({
      code: 3,
      said: expect.stringContaining('do not hold: it is no regular file'),
    })
    rmdirSync(it.path('journal.seal'))
    execFileSync('mkfifo', [it.path('journal.seal')])
    expect(await it.refusal()).toMatchObject({
      code: 3,
      said: expect.stringContaining('do not hold: it is no regular file'),
    })
  })

  it('with a key from the environment that is not the one beside the database', async () => {
    const it = copy()
    const { code, said } = await it.refusal({ ENCRYPTION_KEY: 'cd'.repeat(32) })
    expect(code).toBe(3)
    expect(said).toMatch(/ENCRYPTION_KEY is not the key .*; encryption\.key there is: leave ENCRYPTION_KEY unset/)
    expect(said).not.toContain('cdcdcd')
  })

  it('and muster up says the same', async () => {
    const it = copy()
    rmSync(it.path('muster.db'))
    const { run } = cli({ SVC_DATA_DIR: it.dir, SVC_PORT: '0', SVC_CONTAINER_PROVIDER: 'process' })
    const refused = await run('up', '--json')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'state_lost',
      error: expect.stringContaining('muster.db is missing'),
    })
    expect((await run('up', '--accept-data-loss')).code).toBe(0)
    expect((await run('down')).code).toBe(0)
    expect((await run('up')).code).toBe(0)
    expect((await run('down')).code).toBe(0)
  })
})

describe('a start goes on', () => {
  it('on an empty folder, and on what it made, without a word', async () => {
    const it = noted(dataFolder())
    for (let n = 0; n < 2; n++) {
      const { daemon, said } = await it.start()
      await daemon.stop()
      expect(warnings(said)).toEqual([])
    }
  })

  it('with the right key in the environment alone', async () => {
    const it = copy()
    const key = readFileSync(it.path('encryption.key'), 'utf8').toUpperCase()
    rmSync(it.path('encryption.key'))
    const { daemon, said } = await it.start([], { ENCRYPTION_KEY: key })
    await daemon.stop()
    expect(warnings(said)).toEqual([])
  })

  it('on the data of a version without seals, and says so once', async () => {
    const it = copy()
    it.edit(`DELETE FROM instance_settings WHERE key = 'key_check'`)
    rmSync(it.path('journal.seal'))
    const first = await it.start()
    await first.daemon.stop()
    expect(warnings(first.said)).toMatchObject([
      { msg: expect.stringContaining('The journal was never sealed and is sealed from now on') },
    ])
    const { daemon, said } = await it.start()
    await daemon.stop()
    expect(warnings(said)).toEqual([])
  })
})

describe('--accept-data-loss', () => {
  it('goes on with an older database, tells the journal, and seals what is there', async () => {
    const it = copy()
    it.edit('DELETE FROM journal WHERE seq > 5')
    const first = await it.start(['--accept-data-loss'])
    expect(warnings(first.said)).toMatchObject([
      { loss: 'database_older', msg: expect.stringContaining('are missing') },
    ])
    const { entries } = await first.client.journal.list({ query: { severity: 'warn' } })
    expect(entries).toMatchObject([
      {
        entry_type: 'audit.entity_restored',
        actor_type: 'system',
        summary: 'Muster was started with --accept-data-loss despite database_older',
        payload: {
          action: 'accept_data_loss',
          entity_type: 'installation',
          entity_id: expect.stringMatching(/^[0-9a-f]{16}$/),
          losses: ['database_older'],
        },
      },
    ])
    expect(await first.client.journal.verify({ query: {} })).toMatchObject({
      valid: true,
      entries: 6,
      sealed: { entries: 6 },
    })
    await first.daemon.stop()
    const { daemon, said } = await it.start()
    await daemon.stop()
    expect(warnings(said)).toEqual([])
  })

  it.each<[string, (it: DataFolder) => void, string[]]>([
    ['a destroyed database', ({ path }) => writeFileSync(path('muster.db'), garbage), ['muster.db', 'journal.seal']],
    ['a lost key', ({ path }) => rmSync(path('encryption.key')), ['journal.seal']],
    ['seals that do not hold', ({ path }) => writeFileSync(path('journal.seal'), 'x\n'), ['journal.seal']],
  ])('sets aside what cannot be used: %s', async (_what, lose, aside) => {
    const it = copy()
    lose(it)
    const first = await it.start(['--accept-data-loss'])
    await first.daemon.stop()
    const lost = readdirSync(it.dir).filter((name) => name.includes('.lost-'))
    expect(lost.map((name) => name.replace(/\.lost-\d{8}T\d{9}Z$/, '')).sort()).toEqual(aside.sort())
    const { daemon, said } = await it.start()
    await daemon.stop()
    expect(warnings(said)).toEqual([])
  })

  it('is nothing to hold against sound data', async () => {
    const it = copy()
    const { daemon, client, said } = await it.start(['--accept-data-loss'])
    expect(said.join('')).toContain('Nothing is lost')
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
    await daemon.stop()
    expect(warnings(said)).toEqual([])
  })
})

describe('a write-ahead log that was cut after a crash', () => {
  it('costs nothing that was sealed, or the start', { timeout: 300_000 }, async () => {
    const crashed = copy()
    const { daemon, client } = await crashed.start()
    const create = (n: number) => client.crews.create({ body: { name: `Late ${n}`, slug: `late-${n}` } })
    for (let n = 0; n < 10; n++) await create(n)
    const sealed = sealedSeq(original) + 10
    await expect.poll(() => sealedSeq(crashed), { timeout: 30_000 }).toBe(sealed)
    for (let n = 10; n < 14; n++) await create(n)
    await daemon.kill()
    const size = statSync(crashed.path('muster.db-wal')).size
    // Every fourteenth of the log, not at the borders of its frames.
    const cuts = Array.from({ length: 13 }, (_, n) => Math.floor((size * (n + 1)) / 14) + n * 37)
    const outcomes: string[] = []
    for (const cut of [0, 31, ...cuts, size]) {
      const it = noted(crashed.copy())
      truncateSync(it.path('muster.db-wal'), cut)
      const begun = await it.start().catch((error: Error) => error)
      if (begun instanceof Error) {
        expect(begun.message).toMatch(/\d+ entries were sealed .* are missing|is damaged/)
        outcomes.push('refused')
        continue
      }
      const verdict = await begun.client.journal.verify({ query: {} })
      expect(verdict).toMatchObject({ valid: true, broken: null })
      expect(verdict.sealed!.seq).toBeGreaterThanOrEqual(sealed)
      if (cut === size) expect(verdict.entries).toBeGreaterThanOrEqual(sealed + 4)
      outcomes.push('started')
      await begun.daemon.kill()
      it.remove()
    }
    expect(outcomes.slice(0, 2)).toEqual(['refused', 'refused'])
    expect(outcomes.at(-1)).toBe('started')
    // What was cut less than the next is never found to have lost more.
    expect(outcomes.join(' ')).toMatch(/^(refused ?)+(started ?)+$/)
  })
})
