import { describe, expect, it } from 'vitest'
import { createJournal, type Draft } from '#kernel/journal/journal'
import { fixedClock } from '#test'
import { openMigrated } from '../../../support/migrated.ts'

const usual = {
  workspace_id: 'here',
  type: 'exec.command',
  actor_type: 'system',
  severity: 'info',
  summary: 'ls',
} as const

function place() {
  const db = openMigrated()
  const clock = fixedClock()
  const journal = createJournal(db, clock)
  const append = (more: Partial<Draft> = {}) => db.transaction(() => journal.append({ ...usual, ...more }))()
  const names = () => new Map(db.prepare<[], [number, string]>('SELECT name, text FROM journal_names').raw().all())
  /** The columns of an entry, with texts in place of their numbers. */
  const columns = (seq: number) => {
    const row = db.prepare('SELECT * FROM journal WHERE seq = ?').get(seq) as Record<string, number | null>
    const named = ['ws', 'crew', 'agent', 'type', 'mission', 'trace', 'actor', 'run'].map((column) => {
      const number = row[column] ?? null
      return [column, number === null ? null : names().get(number)]
    })
    return { ...Object.fromEntries(named), severity: row['severity'], priority: row['priority'] }
  }
  const combo = (seq: number) =>
    db
      .prepare(
        `SELECT c.crew, c.agent, c.severity, c.actor_type, c.type = j.type AS typed, c.ws = j.ws AS placed
         FROM journal j JOIN journal_combos c USING (combo) WHERE j.seq = ?`,
      )
      .get(seq)
  return { db, clock, journal, append, columns, combo, names }
}

describe('an entry', () => {
  it('is filed under its names', () => {
    const { append, columns, combo, names } = place()
    const all = {
      ...{ crew_id: 'c', agent_id: 'a', mission_id: 'm', trace_id: 't', actor_id: 'u', actor_type: 'user' as const },
      ...{ severity: 'error' as const, priority: 'pin' as const, payload: { run_id: 'r', n: 1 } },
    }
    const { entry } = append(all)
    const { severity: _, ...told } = { ...usual, ...all }
    const { type: entry_type, ...members } = told
    expect(entry).toMatchObject({ ...members, entry_type, severity: 'error' })
    expect(columns(1)).toEqual({
      ...{ ws: 'here', crew: 'c', agent: 'a', type: 'exec.command', mission: 'm', trace: 't', actor: 'u', run: 'r' },
      ...{ severity: 3, priority: 2 },
    })
    const numberOf = (text: string) => [...names()].find(([, it]) => it === text)![0]
    expect(combo(1)).toEqual({
      ...{ crew: numberOf('c'), agent: numberOf('a'), severity: 3, actor_type: 1, typed: 1, placed: 1 },
    })
  })

  it('is filed under none where it has none', () => {
    const { append, columns, combo } = place()
    append({ payload: { run_id: 7 } })
    expect(columns(1)).toEqual({
      ...{
        ws: 'here',
        crew: null,
        agent: null,
        type: 'exec.command',
        mission: null,
        trace: null,
        actor: null,
        run: null,
      },
      ...{ severity: 0, priority: 0 },
    })
    expect(combo(1)).toEqual({ crew: 0, agent: 0, severity: 0, actor_type: 2, typed: 1, placed: 1 })
  })

  it('leaves out what is empty', () => {
    const { append } = place()
    const empty = { crew_id: '', agent_id: '', mission_id: '', trace_id: '', actor_id: '', refs: {} }
    const { entry, doc } = append({ ...empty, payload: { none: undefined } })
    expect(Object.keys(entry).sort()).toEqual([
      'actor_type',
      'entry_type',
      'id',
      'priority',
      'severity',
      'summary',
      'ts',
      'workspace_id',
    ])
    expect(entry.priority).toBe('normal')
    expect(JSON.parse(doc)).toEqual(entry)
    const { entry: other } = append({ payload: { none: undefined, some: 0 }, refs: { to: null } })
    expect(other).toMatchObject({ payload: { some: 0 }, refs: { to: null } })
  })

  it.each([
    ['plain words, as they are: ~!', 'plain words, as they are: ~!'],
    ['größer als 日本', 'größer als 日本'],
    ['two \r\n\t lines', 'two lines'],
    ['a\u2028b\u2029c', 'a b c'],
    ['turned \u202egnuor\u202c and \u2066held\u2069', 'turned gnuor and held'],
    ['half \ud83d a sign', 'half  a sign'],
    ['a bell\u0007', 'a bell '],
  ])('says %j on one line', (summary, said) => expect(place().append({ summary }).entry.summary).toBe(said))

  it('is told to all that follow the journal', () => {
    const { journal, append } = place()
    const told: unknown[] = []
    append()
    journal.project((entry, seq, ts) => told.push([entry.summary, seq, ts]))
    journal.project((_, seq) => told.push(seq))
    append({ summary: 'cd' })
    expect(told).toEqual([['cd', 2, Date.parse('2026-01-01T00:00:00Z')], 2])
  })

  it('moves the end of its chain, and what is counted', () => {
    const { journal, append } = place()
    append()
    append({ workspace_id: 'there' })
    append()
    const { index, tails } = journal
    const [here, there] = ['here', 'there'].map((id) => index.names.find(0, id)!)
    expect([...tails.take()]).toEqual([here, there])
    expect([tails.of(here!).seq, tails.of(there!).seq, index.head()]).toEqual([3, 2, 3])
    expect([index.combos.total(here!), index.combos.total(there!)]).toEqual([2, 1])
    expect(index.combos.of(here!)).toMatchObject([{ n: 2, last: 3 }])
  })
})

describe('a change that is undone', () => {
  it('leaves nothing behind', () => {
    const { db, clock, journal, append } = place()
    const first = append()
    journal.settle()
    journal.mark()
    const { index, tails } = journal
    const ws = index.names.find(0, 'here')!
    const before = tails.of(ws)
    db.exec('BEGIN')
    clock.advance(3_000)
    journal.append({ ...usual, crew_id: 'new' })
    journal.append(usual)
    expect([index.head(), index.combos.total(ws), tails.of(ws).seq]).toEqual([3, 3, 3])
    db.exec('ROLLBACK')
    journal.rewind()
    clock.advance(-3_000)
    expect([index.head(), index.combos.total(ws), tails.of(ws)]).toEqual([1, 1, before])
    expect(index.combos.of(ws)).toMatchObject([{ n: 1, last: 1 }])
    expect(index.names.find(ws, 'new')).toBeUndefined()
    const again = append()
    expect([again.seq, again.entry.ts, again.entry.id > first.entry.id]).toEqual([2, first.entry.ts, true])
    const [one, two] = db.prepare<[], { prev_hash: Buffer; entry_hash: Buffer }>('SELECT * FROM journal').all()
    expect(two!.prev_hash).toEqual(one!.entry_hash)
  })
})
