import { describe, expect, it } from 'vitest'
import type { Verdict } from '#contract/journal'
import { createJournal, type Draft } from '#kernel/journal/journal'
import type { Question } from '../../../../daemon/features/journal/proof.ts'
import { verifyChain } from '../../../../daemon/features/journal/verify.ts'
import { asWrittenBefore, relink } from '../../../support/forger.ts'
import { openMigrated } from '../../../support/migrated.ts'

/** A journal of so many entries of one workspace, and what the walk along its chain says. */
function journalOf(count: number, draft: (n: number) => Partial<Draft> = () => ({})) {
  const db = openMigrated()
  let now = 0
  const journal = createJournal(db, () => ++now)
  db.transaction(() => {
    for (let n = 1; n <= count; n++) {
      const usual = { workspace_id: 'here', type: 'exec.command', actor_type: 'system', severity: 'info' } as const
      journal.append({ ...usual, summary: `entry ${n}`, payload: { n }, ...draft(n) })
    }
  })()
  const walk = (more: Partial<Question> = {}): Promise<Verdict> => {
    const workspace = more.workspace ?? 'here'
    const ws = journal.index.names.find(0, workspace)!
    const entries = journal.index.combos.total(ws)
    return verifyChain(db, { ws, workspace, head: count, entries, sealed: null, anchor: null, ...more })
  }
  return { db, walk }
}

const chain = (seq: number, reason: string) => ({
  valid: false,
  entries: seq - 1,
  broken: { kind: 'chain', seq, reason },
})

describe('the walk along a chain', () => {
  it('passes every entry of a long one, and finds a fault wherever it is', async () => {
    const { db, walk } = journalOf(1_001)
    expect(await walk()).toMatchObject({ valid: true, entries: 1_001, broken: null })
    for (const seq of [1_001, 501, 500, 1]) {
      db.prepare(`UPDATE journal SET doc = replace(doc, 'entry', 'forged') WHERE seq = ?`).run(seq)
      expect(await walk()).toMatchObject(chain(seq, 'the entry was changed'))
    }
  })

  it('passes the entries of one workspace alone, up to the head', async () => {
    const { db, walk } = journalOf(6, (n) => ({ workspace_id: n % 3 ? 'here' : 'there' }))
    db.exec(`UPDATE journal SET doc = 'x' WHERE seq = 5`)
    expect(await walk({ head: 4, entries: 3 })).toMatchObject({
      valid: true,
      entries: 3,
      head: { id: expect.any(String) },
    })
    expect(await walk()).toMatchObject({ valid: false, entries: 3, broken: { seq: 5 } })
    expect(await walk({ workspace: 'there' })).toMatchObject({ valid: true, entries: 2 })
  })

  it('lets other work go on in between', async () => {
    const { walk } = journalOf(1_001)
    let turns = 0
    const count = () => {
      turns++
      setImmediate(count)
    }
    setImmediate(count)
    const verdict = await walk()
    expect(verdict.valid).toBe(true)
    expect(turns).toBeGreaterThanOrEqual(3)
  })

  it.each<[string, string, number, string]>([
    ['no JSON', `UPDATE journal SET doc = '{' WHERE seq = 2`, 2, 'the entry is no JSON'],
    [
      'another text',
      `UPDATE journal SET doc = replace(doc, '"n":2', '"n":3') WHERE seq = 2`,
      2,
      'the entry was changed',
    ],
    [
      'the same in other words',
      `UPDATE journal SET doc = replace(doc, ',"payload"', ', "payload"') WHERE seq = 2`,
      2,
      'the entry was changed',
    ],
    [
      'an entry less at the beginning',
      'DELETE FROM journal WHERE seq = 1',
      2,
      'the entry before it is missing or was replaced',
    ],
    ['an entry less', 'DELETE FROM journal WHERE seq = 2', 3, 'the entry before it is missing or was replaced'],
    ['another hash', `UPDATE journal SET entry_hash = zeroblob(32) WHERE seq = 2`, 2, 'the entry was changed'],
    [
      'an unknown scheme',
      'UPDATE journal SET scheme = 0 WHERE seq = 2',
      2,
      'its hash scheme is unknown to this version',
    ],
    ['a later scheme', 'UPDATE journal SET scheme = 3 WHERE seq = 2', 2, 'its hash scheme is unknown to this version'],
    [
      'an earlier scheme than before',
      'UPDATE journal SET scheme = 1 WHERE seq = 2',
      2,
      'its hash scheme is older than that of the entry before it',
    ],
    [
      'a payload beside its hash',
      'UPDATE journal SET payload_hash = zeroblob(32) WHERE seq = 2',
      2,
      'the payload came back after it was erased',
    ],
    [
      'a summary beside its hash',
      'UPDATE journal SET summary_hash = zeroblob(32) WHERE seq = 2',
      2,
      'the summary came back after it was erased',
    ],
  ])('finds %s', async (_what, sql, seq, reason) => {
    const { db, walk } = journalOf(3)
    db.exec(sql)
    expect(await walk()).toMatchObject({ valid: false, broken: { kind: 'chain', seq, reason } })
  })

  it('finds a payload that is nested deeper than anything could be written', async () => {
    const { db, walk } = journalOf(2, () => ({ payload: undefined }))
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    db.prepare(`UPDATE journal SET doc = substr(doc, 1, length(doc) - 1) || ',"x":' || ? || '}' WHERE seq = 2`).run(
      deep,
    )
    expect(await walk()).toMatchObject(chain(2, 'the entry was changed'))
  })

  it('takes entries of the earlier scheme, and says what was erased of the later one', async () => {
    const { db, walk } = journalOf(3)
    asWrittenBefore(db, 2)
    expect(await walk()).toMatchObject({ valid: true, entries: 3, erased: 0, erased_summaries: 0 })
    db.exec(`UPDATE journal SET summary_hash = zeroblob(32), doc = json_set(doc, '$.summary', '') WHERE seq = 2`)
    expect(await walk()).toMatchObject(chain(2, 'the summary came back after it was erased'))
  })

  it('takes an entry whose references look like its end, whatever marker it has', async () => {
    const refs = { a: 1, summary: 'same', priority: 'normal', payload: { n: 1 } }
    const { walk } = journalOf(2, () => ({ summary: 'same', refs }))
    expect(await walk()).toMatchObject({ valid: true, entries: 2 })
    const marked = journalOf(2, () => ({ summary: 'same', refs: { ...refs, priority: 'pin' }, priority: 'pin' }))
    expect(await marked.walk()).toMatchObject({ valid: true, entries: 2 })
  })

  it('finds an id that does not come after the one before', async () => {
    const { db, walk } = journalOf(2)
    const [first] = db.prepare<[], string>('SELECT id FROM journal').pluck().all()
    const move = (id: string) => {
      db.prepare(`UPDATE journal SET id = ?, doc = json_set(doc, '$.id', ?) WHERE seq = 2`).run(id, id)
      relink(db, 2)
    }
    move('j_0000000000000000')
    expect(await walk()).toMatchObject({ broken: { kind: 'order', seq: 2 } })
    db.exec('DROP INDEX journal_id')
    move(first!)
    expect(await walk()).toMatchObject({ broken: { kind: 'order', seq: 2, id: first } })
  })

  it('ends with the fault of the seals, where the journal has none', async () => {
    const { walk } = journalOf(2)
    const fault = { kind: 'seal_missing', reason: 'gone' } as const
    expect(await walk({ sealed: { points: [], fault } })).toMatchObject({
      valid: false,
      entries: 2,
      broken: { seq: null, id: null, kind: 'seal_missing', reason: 'gone' },
    })
    expect(await walk({ sealed: { points: [], fault: null } })).toMatchObject({ valid: true })
  })
})
