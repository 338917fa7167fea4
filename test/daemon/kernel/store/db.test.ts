import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrate, OutsideChange, openDatabase, readMigrations, statements, withinChange } from '#kernel/store/db'
import { type ChangeListener, createWriter } from '#kernel/store/writer'
import { closing, migrations } from '#test'

const nothing = () => undefined
const silent: ChangeListener = { begin: nothing, keep: nothing, drop: nothing, committed: nothing, aborted: nothing }
const fresh = () => closing(openDatabase(':memory:'))
const one = { name: '0001-one.sql', sql: 'CREATE TABLE one (id TEXT PRIMARY KEY) STRICT;' }
const two = { name: '0002-two.sql', sql: 'CREATE TABLE two (id TEXT PRIMARY KEY REFERENCES one (id)) STRICT;' }
const tables = (db: ReturnType<typeof openDatabase>) =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('one', 'two')").pluck().all()

describe('openDatabase', () => {
  it('keeps an answered write over a loss of power, and checks what refers to what', () => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-db-'))
    closing({ close: () => rmSync(dir, { recursive: true }) })
    const db = closing(openDatabase(join(dir, 'x.db')))
    const pragma = (name: string) => db.pragma(name, { simple: true })
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys'), pragma('trusted_schema')]).toEqual([
      'wal',
      2,
      1,
      0,
    ])
    migrate(db, [one, two], 'now')
    expect(() => db.prepare("INSERT INTO two VALUES ('nobody')").run()).toThrow(/FOREIGN KEY/)
  })
})

describe('a statement that writes', () => {
  const queries = statements((db) => ({
    add: db.prepare<[id: string]>('INSERT INTO one VALUES (?)'),
    take: db.prepare<[], string>('DELETE FROM one RETURNING id').pluck(),
    all: db.prepare<[], string>('SELECT id FROM one').pluck(),
  }))
  const made = () => {
    const db = fresh()
    migrate(db, [one], 'now')
    return { db, ...queries(db) }
  }

  it('throws outside of a change, whichever way it is run, and changes nothing', () => {
    const { db, add, take, all } = made()
    const say = () => add.run('a')
    expect(say).toThrow(OutsideChange)
    expect(say).toThrow('Only a change may write: INSERT INTO one VALUES (?)')
    for (const run of [() => take.get(), () => take.all(), () => take.iterate()]) expect(run).toThrow(OutsideChange)
    expect(all.all()).toEqual([])
    expect(() => withinChange(db, db.prepare("INSERT INTO one VALUES ('b')")).run()).toThrow(OutsideChange)
  })

  it('is carried out within one, by a writer and by a transaction', async () => {
    const { db, add, take, all } = made()
    await createWriter(db, silent).write(() => add.run('a'))
    createWriter(db, silent).writeNow(() => add.run('b'))
    expect(all.all()).toEqual(['a', 'b'])
    expect(db.transaction(() => take.all())()).toEqual(['a', 'b'])
    expect(all.all()).toEqual([])
    expect(() => add.run('c')).toThrow(OutsideChange)
  })
})

describe('migrate', () => {
  it('applies what is missing, in order, once', () => {
    const db = fresh()
    expect(migrate(db, [one], 'now')).toEqual([one.name])
    expect(migrate(db, [one, two], 'now')).toEqual([two.name])
    expect(migrate(db, [one, two], 'now')).toEqual([])
    expect(tables(db)).toEqual(['one', 'two'])
  })

  it('refuses a file that is not the one that was applied', () => {
    const db = fresh()
    migrate(db, [one], 'now')
    expect(() => migrate(db, [{ ...one, sql: `${one.sql} ` }], 'now')).toThrow(/0001-one.sql differs/)
  })

  it('refuses data of a newer version', () => {
    const db = fresh()
    migrate(db, [one, two], 'now')
    expect(() => migrate(db, [one], 'now')).toThrow(/newer version.*0002-two.sql/)
  })

  it('leaves nothing of a file that fails, and can be tried again', () => {
    const db = fresh()
    const broken = { ...two, sql: `${two.sql} CREATE TABLE two (id);` }
    expect(() => migrate(db, [one, broken], 'now')).toThrow(/already exists/)
    expect(tables(db)).toEqual(['one'])
    expect(migrate(db, [one, two], 'now')).toEqual([two.name])
  })
})

describe('our migrations', () => {
  it('are numbered without gaps or doubles', () =>
    expect(migrations.map(({ name }) => Number(name.slice(0, 4)))).toEqual(migrations.map((_, index) => index + 1)))

  it('make strict tables only', () => {
    const db = fresh()
    migrate(db, migrations, 'now')
    const lax = db.prepare<[], { name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT " +
        "LIKE 'sqlite_%'",
    )
    expect(lax.all()).toEqual([])
  })

  it('are read in the order of their names', () => {
    const names = readMigrations(new URL('../../../../daemon/migrations', import.meta.url).pathname).map(
      ({ name }) => name,
    )
    expect(names).toEqual([...names].sort())
  })
})

it('prepares statements once for each database', () => {
  let prepared = 0
  const set = statements((db) => {
    prepared += 1
    return { one: db.prepare<[], { x: number }>('SELECT 1 AS x') }
  })
  const one = fresh()
  const first = set(one)
  expect(set(one)).toBe(first)
  expect(set(fresh())).not.toBe(first)
  expect(prepared).toBe(2)
})
