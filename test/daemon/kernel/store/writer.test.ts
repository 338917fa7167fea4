import { describe, expect, it } from 'vitest'
import { openDatabase } from '#kernel/store/db'
import { type ChangeListener, createWriter } from '#kernel/store/writer'
import { closing } from '#test'

function writer(more: Partial<ChangeListener> = {}) {
  const db = closing(openDatabase(':memory:'))
  db.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT')
  const calls: string[] = []
  const note = (name: keyof ChangeListener) => (error?: unknown) => {
    calls.push(name)
    more[name]?.(error)
  }
  const listener = {
    begin: note('begin'),
    keep: note('keep'),
    drop: note('drop'),
    committed: note('committed'),
    aborted: note('aborted'),
  }
  const insert = db.prepare('INSERT INTO notes VALUES (?)')
  const add = (text: string) => () => {
    insert.run(text)
    return text
  }
  const notes = () => db.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()
  return { db, calls, add, notes, ...createWriter(db, listener) }
}

describe('write', () => {
  it('puts the changes of one turn into one transaction, each answered after the commit', async () => {
    const { db, calls, add, notes, write } = writer()
    const answers = await Promise.all(
      ['a', 'b', 'c'].map(async (text) => {
        const value = await write(add(text))
        return [value, db.inTransaction]
      }),
    )
    expect(answers).toEqual(['a', 'b', 'c'].map((text) => [text, false]))
    expect(notes()).toEqual(['a', 'b', 'c'])
    expect(calls.filter((name) => name === 'committed')).toHaveLength(1)
  })

  it('undoes a change that throws, and that change alone', async () => {
    const { calls, add, notes, write } = writer()
    const bad = () => {
      add('half')()
      throw new Error('no')
    }
    const results = await Promise.allSettled([write(add('a')), write(bad), write(add('a')), write(add('b'))])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(notes()).toEqual(['a', 'b'])
    expect(calls).toEqual(['begin', 'keep', 'begin', 'drop', 'begin', 'drop', 'begin', 'keep', 'committed'])
  })

  it('refuses a change that would wait', async () => {
    const { add, notes, write } = writer()
    const waiting = write(async () => add('late')())
    await expect(waiting).rejects.toThrow(/must be synchronous/)
    expect(notes()).toEqual([])
  })

  it('answers every change of a commit that fails, and goes on', async () => {
    const { db, calls, add, notes, write } = writer()
    db.exec(
      'CREATE TABLE parents (id TEXT PRIMARY KEY) STRICT; CREATE TABLE children (id TEXT REFERENCES parents (id) ' +
        'DEFERRABLE INITIALLY DEFERRED) STRICT',
    )
    const orphan = () => db.prepare("INSERT INTO children VALUES ('nobody')").run()
    const results = await Promise.allSettled([write(add('a')), write(orphan), write(add('b'))])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(calls.at(-1)).toBe('aborted')
    expect(db.inTransaction).toBe(false)
    await write(add('c'))
    expect(notes()).toEqual(['c'])
  })

  it('fails every change of a turn in which the database is full, with the reason, and goes on', async () => {
    const told: unknown[] = []
    const { db, calls, add, notes, write } = writer({ aborted: (error) => told.push(error) })
    await write(add('first'))
    calls.length = 0
    const pages = db.pragma('page_count', { simple: true }) as number
    db.pragma(`max_page_count = ${pages + 2}`)
    const large = 'x'.repeat(100_000)
    const results = await Promise.allSettled([write(add('a')), write(add(large)), write(add('b'))])
    expect(results).toEqual(
      Array(3).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'SQLITE_FULL' }) }),
    )
    expect(told).toEqual([expect.objectContaining({ code: 'SQLITE_FULL' })])
    expect(calls).toEqual(['begin', 'keep', 'begin', 'aborted'])
    await expect(write(add(large))).rejects.toMatchObject({ code: 'SQLITE_FULL' })
    expect(calls.at(-1)).toBe('aborted')
    db.pragma('max_page_count = 1000000')
    await Promise.all([write(add('c')), write(add(large))])
    expect(notes()).toEqual(['first', 'c', large])
  })

  it('stores a flood in several transactions, in order', async () => {
    const { calls, add, notes, write } = writer()
    const all = Array.from({ length: 1000 }, (_, index) => `note ${index}`)
    await Promise.all(all.map((text) => write(add(text))))
    expect(notes()).toEqual(all)
    expect(calls.filter((name) => name === 'committed')).toHaveLength(4)
  })

  it('takes changes that are asked for while others are told', async () => {
    const later: Promise<string>[] = []
    const it = writer({
      committed() {
        if (later.length === 0) later.push(it.write(it.add('second')))
      },
    })
    await it.write(it.add('first'))
    await Promise.all(later)
    expect(it.notes()).toEqual(['first', 'second'])
  })
})

describe('writeNow', () => {
  it('is stored when it returns, and throws what the change threw', () => {
    const { add, notes, writeNow } = writer()
    expect(writeNow(add('a'))).toBe('a')
    expect(() => writeNow(add('a'))).toThrow(/UNIQUE/)
    expect(notes()).toEqual(['a'])
  })
})

describe('idle', () => {
  it('does not mind what is refused', async () => {
    const { db, add, write, idle } = writer()
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
    const refused = write(add('x'.repeat(100_000))).catch((error) => error.code)
    await idle()
    expect(await refused).toBe('SQLITE_FULL')
  })

  it('resolves when everything asked for is stored', async () => {
    const { add, notes, write, idle } = writer()
    for (let index = 0; index < 600; index += 1) void write(add(`note ${index}`))
    await idle()
    expect(notes()).toHaveLength(600)
  })
})
