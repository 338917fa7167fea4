import { describe, expect, it } from 'vitest'
import type { Entry, Priority } from '#contract/entries'
import { createMarks } from '../../../../daemon/features/journal/marks.ts'
import { storeRows } from '../../../support/journal-rows.ts'
import { openMigrated } from '../../../support/migrated.ts'

type Change = [seq: number, previous: Priority, priority: Priority]

interface Line {
  ws?: number
  /** The marker that it was written with, and the one that it has. */
  written?: Priority
  now?: Priority
  /** Of an entry that records a change: what it says. */
  says?: Change
  /** Its payload was erased: of the change, only the reference is left. */
  erased?: boolean
}

const changeType = 7
const pinned: Line = { now: 'pin' }
const id = (seq: number) => `j_${seq}`

function entryOf({ now = 'normal', written = 'normal', says, erased }: Line, at: number): Entry {
  const change = says && {
    refs: { parent_entry_id: id(says[0]) },
    ...(!erased && {
      payload: { target_entry_id: id(says[0]), previous_priority: says[1], new_priority: says[2] },
    }),
  }
  const entry_type = says ? 'memory.priority_changed' : 'exec.command'
  return { id: id(at + 1), entry_type, priority: now === 'normal' ? written : now, ...change } as Entry
}

/** A journal of these lines with this ledger. */
function journalOf(lines: Line[], ledger: Change[]) {
  const db = openMigrated()
  const name = db.prepare('INSERT INTO journal_names (name, ws, text) VALUES (?, ?, ?)')
  name.run(changeType - 2, 2, 'memory.priority_changed')
  name.run(changeType - 1, 1, 'exec.command')
  name.run(changeType, 1, 'memory.priority_changed')
  const entries = lines.map(entryOf)
  storeRows(
    db,
    lines.map(({ ws = 1, says }, at) => ({ ws, type: says ? changeType : 1, doc: JSON.stringify(entries[at]) })),
  )
  const record = db.prepare(
    `INSERT INTO journal_priorities (seq, previous_priority, priority, reason, set_by, set_at)
     VALUES (?, ?, ?, '', '', '')`,
  )
  for (const change of ledger) record.run(...change)
  const marks = createMarks(db, 1)
  /** The first fault after a walk up to the head. */
  const wrong = (head = lines.length) => {
    for (const [at, { ws = 1, written = 'normal' }] of lines.entries())
      if (ws === 1 && at < head) marks.note(entries[at]!, written)
    return marks.firstWrong(head)
  }
  return { db, marks, wrong }
}

const fault = (seq: number) => ({
  kind: 'columns',
  seq,
  id: id(seq),
  reason: 'its priority does not follow from the recorded changes',
})

describe('priorities', () => {
  it.each<[string, Line[], Change[]]>([
    ['nobody changed', [{}, { written: 'high' }], []],
    [
      'were changed back',
      [{}, { says: [1, 'normal', 'pin'] }, { says: [1, 'pin', 'normal'] }],
      [
        [1, 'normal', 'pin'],
        [1, 'pin', 'normal'],
      ],
    ],
    ['were changed once', [pinned, { says: [1, 'normal', 'pin'] }], [[1, 'normal', 'pin']]],
    [
      'were changed several times',
      [pinned, { written: 'permanent' }, { says: [1, 'normal', 'high'] }, { says: [1, 'high', 'pin'] }],
      [
        [1, 'normal', 'high'],
        [1, 'high', 'pin'],
      ],
    ],
    [
      'were changed from what they were written with',
      [{ written: 'high', now: 'pin' }, { says: [1, 'high', 'pin'] }],
      [[1, 'high', 'pin']],
    ],
    ['were changed by what was erased', [pinned, { says: [1, 'normal', 'pin'], erased: true }], [[1, 'normal', 'pin']]],
    [
      'were changed in another workspace',
      [pinned, { says: [1, 'normal', 'pin'] }, { ws: 2, now: 'high' }],
      [
        [3, 'normal', 'high'],
        [1, 'normal', 'pin'],
      ],
    ],
  ])('that %s hold', (_what, lines, ledger) => expect(journalOf(lines, ledger).wrong()).toBeNull())

  it('hold that are changed while the journal is read, as later entries say', () => {
    const lines: Line[] = [pinned, {}, { says: [1, 'normal', 'pin'] }, { ws: 2, says: [2, 'normal', 'high'] }, {}]
    const ledger: Change[] = [[1, 'normal', 'pin']]
    for (const head of [1, 2, 3, 4, 5]) expect(journalOf(lines, ledger).wrong(head)).toBeNull()
    const twice: Line[] = [pinned, { says: [1, 'normal', 'high'] }, { says: [1, 'high', 'pin'] }]
    const both: Change[] = [
      [1, 'normal', 'high'],
      [1, 'high', 'pin'],
    ]
    for (const head of [1, 2, 3]) expect(journalOf(twice, both).wrong(head)).toBeNull()
  })

  it.each<[string, Line[], Change[], number]>([
    ['a marker that nobody set', [{}, pinned], [], 2],
    ['the first of several that nobody set', [{}, pinned, pinned], [], 2],
    ['a change that the ledger lacks', [{}, pinned, { says: [2, 'normal', 'pin'] }], [], 2],
    ['a change that only the ledger has', [{}, { now: 'high' }], [[2, 'normal', 'high']], 2],
    [
      'another priority in the ledger',
      [{}, { now: 'high' }, { says: [2, 'normal', 'pin'] }],
      [[2, 'normal', 'high']],
      2,
    ],
    ['another previous one in the ledger', [{}, pinned, { says: [2, 'normal', 'pin'] }], [[2, 'high', 'pin']], 2],
    ['another entry in the ledger', [pinned, pinned, { says: [2, 'normal', 'pin'] }], [[1, 'normal', 'pin']], 2],
    [
      'another entry in the ledger than an erased change refers to',
      [pinned, pinned, { says: [2, 'normal', 'pin'], erased: true }],
      [[1, 'normal', 'pin']],
      2,
    ],
    [
      'a later change that the ledger lacks',
      [pinned, pinned, { says: [1, 'normal', 'pin'] }, { says: [2, 'normal', 'pin'] }],
      [[1, 'normal', 'pin']],
      2,
    ],
    [
      'a later change that the ledger tells otherwise',
      [pinned, pinned, { says: [1, 'normal', 'pin'] }, { says: [2, 'normal', 'pin'] }],
      [
        [1, 'normal', 'pin'],
        [2, 'normal', 'high'],
      ],
      2,
    ],
    [
      'changes that do not follow from each other',
      [{}, pinned, { says: [2, 'normal', 'high'] }, { says: [2, 'normal', 'pin'] }],
      [
        [2, 'normal', 'high'],
        [2, 'normal', 'pin'],
      ],
      2,
    ],
    [
      'a change that does not follow from what was written',
      [{}, { written: 'high', now: 'pin' }, { says: [2, 'normal', 'pin'] }],
      [[2, 'normal', 'pin']],
      2,
    ],
    ['a change from a marker that was not there', [{}, pinned, { says: [2, 'high', 'pin'] }], [[2, 'high', 'pin']], 2],
    [
      'another marker than the last change says',
      [{}, { now: 'high' }, { says: [2, 'normal', 'high'] }, { says: [2, 'high', 'pin'] }],
      [
        [2, 'normal', 'high'],
        [2, 'high', 'pin'],
      ],
      2,
    ],
  ])('are wrong: %s', (_what, lines, ledger, seq) => expect(journalOf(lines, ledger).wrong()).toEqual(fault(seq)))

  it('are wrong that were taken away', () => {
    const { db, wrong } = journalOf([{}, { written: 'high' }], [])
    const { db: changed, wrong: wrongLater } = journalOf(
      [{}, pinned, { says: [2, 'normal', 'pin'] }],
      [[2, 'normal', 'pin']],
    )
    for (const it of [db, changed])
      it.exec(`UPDATE journal SET doc = json_set(doc, '$.priority', 'normal') WHERE seq = 2`)
    expect(wrong()).toEqual(fault(2))
    expect(wrongLater()).toEqual(fault(2))
  })

  it('are wrong that were taken away before the entry was read', () => {
    const { db, marks } = journalOf([{}, {}], [])
    expect(db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(2)
    marks.note({ id: id(2), entry_type: 'exec.command', priority: 'normal' } as Entry, 'high')
    expect(marks.firstWrong(2)).toEqual(fault(2))
  })

  it('are wrong of an entry that is gone, or in another workspace', () => {
    const lines: Line[] = [{ ws: 2, now: 'pin' }, { says: [1, 'normal', 'pin'] }, { says: [9, 'normal', 'pin'] }]
    expect(journalOf(lines.slice(0, 2), []).wrong()).toEqual({ ...fault(1), seq: null })
    expect(journalOf([{}, ...lines.slice(2)], []).wrong()).toEqual({ ...fault(9), seq: null })
  })

  it('tell the one that an entry had before its first change', () => {
    const ledger: Change[] = [
      [2, 'pin', 'normal'],
      [1, 'high', 'pin'],
      [1, 'pin', 'normal'],
    ]
    const { marks } = journalOf([{}, {}, {}], ledger)
    expect([1, 2, 3].map(marks.before)).toEqual(['high', 'pin', undefined])
  })
})
