import { describe, expect, it } from 'vitest'
import { type Erasable, erasableColumns } from '#kernel/journal/eraser'
import { daemon, type TestDaemon } from '#test'
import { runIn, take } from '../../../../daemon/features/journal/compaction/steps.ts'
import { compact, compacted, pass, record } from '../../../support/compaction.ts'

const verify = async (it: TestDaemon) => (await it.call('ADMIN', 'GET', '/journal/verify')).body
const count = async (it: TestDaemon, query = '') => (await it.call('ADMIN', 'GET', `/journal/count${query}`)).body.total
const summaries = (it: TestDaemon) =>
  it.entries().filter(({ entry_type, severity }) => entry_type === 'system.compaction' && severity === 'info')

/** Days 1 and 2 of 2026 with calls of models, now 40 days old. */
async function oldJournal() {
  const it = await daemon()
  record(it, 12)
  pass(it, 1)
  record(it, 10)
  record(it, 3, { type: 'exec.command', summary: 'make' })
  record(it, 9, { type: 'container.metrics', summary: 'load' })
  pass(it, 40)
  record(it, 11)
  return it
}

describe('compaction', () => {
  it('rolls up entries of a day and type of which there are ten, and says so', async () => {
    const it = await oldJournal()
    const over = await compact(it)
    expect(summaries(it).map(({ payload, summary }) => [summary, payload])).toEqual([
      [
        '12 entries (llm.call) of 2026-01-01 were rolled up',
        {
          bucket_date: '2026-01-01',
          entry_type: 'llm.call',
          count: 12,
          bytes_sum: expect.any(Number),
          first_ts: '2026-01-01T00:00:00.000Z',
          last_ts: '2026-01-01T00:00:00.000Z',
        },
      ],
      ['10 entries (llm.call) of 2026-01-02 were rolled up', expect.objectContaining({ count: 10 })],
    ])
    expect(over).toMatchObject({
      entry_type: 'system.compaction',
      severity: 'notice',
      payload: { entries_deleted: 22, buckets_created: 2, cutoff: '2026-01-12T00:00:00.000Z' },
    })
    const bytes = summaries(it).reduce((sum, { payload }) => sum + (payload!['bytes_sum'] as number), 0)
    expect(over.payload!['bytes_freed']).toBeGreaterThan(22 * 30)
    expect(over.payload!['bytes_freed']).toBeLessThan(bytes)
  })

  it('leaves the rest as it is: other types, fewer than ten, the newer ones', async () => {
    const it = await oldJournal()
    await compact(it)
    expect(await count(it, '?entry_type=exec.command')).toBe(3)
    expect(await count(it, '?entry_type=container.metrics')).toBe(9)
    expect(await count(it, '?entry_type=llm.call')).toBe(11)
    expect(await count(it)).toBe(it.entries().length)
  })

  it('keeps the chain whole: what left it is counted as such', async () => {
    const it = await oldJournal()
    await compact(it)
    record(it, 2)
    expect(await verify(it)).toMatchObject({
      valid: true,
      entries: it.entries().length + 22,
      compacted: 22,
      erased: 0,
      proven: ['chain', 'columns', 'order', 'priorities', 'roll_ups'],
      not_proven: ['unsealed', 'erased', 'rollback'],
    })
  })

  it('keeps what somebody ever marked', async () => {
    const it = await daemon()
    record(it, 14)
    const [high, pin, permanent, normal] = it.entries()
    for (const [entry, priority] of [
      [high, 'high'],
      [pin, 'pin'],
      [permanent, 'permanent'],
      [normal, 'high'],
      [normal, 'normal'],
    ] as const)
      await it.call('ADMIN', 'POST', `/journal/${entry!.id}/priority`, { priority })
    pass(it, 31)
    await compact(it)
    expect(
      it
        .entries()
        .filter(({ entry_type }) => entry_type === 'llm.call')
        .map(({ id, payload }) => [id, payload!['n']]),
    ).toEqual([high, pin, permanent, normal].map((entry, at) => [entry!.id, at + 1]))
    expect(await verify(it)).toMatchObject({ valid: true, compacted: 10 })
  })

  it.each([
    [null, 30, 0],
    [null, 31, 12],
    [7, 7, 0],
    [7, 8, 12],
  ])('obeys the retention of the workspace: of %s days, after %i', async (days, age, due) => {
    const it = await daemon()
    await it.call('ADMIN', 'PATCH', `/workspaces/${it.workspace}`, { journal_retention_days: days })
    pass(it, 0.5)
    record(it, 12)
    pass(it, age - 0.5)
    const { body } = await it.call('ADMIN', 'POST', '/journal/compact', {})
    expect(body).toMatchObject({ retention_days: days ?? 30, entries: due })
  })

  it('never touches a journal that is kept for ever', async () => {
    const it = await daemon()
    await it.call('ADMIN', 'PATCH', `/workspaces/${it.workspace}`, { journal_retention_days: 0 })
    record(it, 12)
    pass(it, 4000)
    expect(await it.call('ADMIN', 'POST', '/journal/compact', {})).toMatchObject({
      status: 409,
      body: { code: 'journal_kept' },
    })
    expect((await it.call('VIEWER', 'GET', '/journal/compaction')).body).toMatchObject({
      retention_days: 0,
      cutoff: null,
      running: null,
    })
  })

  it('ends where people meanwhile choose to keep what is left', async () => {
    const it = await daemon()
    record(it, 30)
    pass(it, 31)
    partly(it, 12)
    await it.call('ADMIN', 'PATCH', `/workspaces/${it.workspace}`, { journal_retention_days: 0 })
    expect((await compact(it)).payload).toMatchObject({ entries_deleted: 12, buckets_created: 1 })
    expect(summaries(it)[0]!.payload).toMatchObject({ count: 12 })
    expect(await count(it, '?entry_type=llm.call')).toBe(18)
    expect(await verify(it)).toMatchObject({ valid: true, compacted: 12 })
  })

  it('takes nothing out of a journal that was altered where it was altered', async () => {
    const it = await daemon({ quiet: true })
    record(it, 12)
    it.app.db.exec(`UPDATE journal SET doc = replace(doc, '"n":7', '"n":8') WHERE seq = 7`)
    pass(it, 31)
    await compact(it)
    expect(it.entries()[0]).toMatchObject({ payload: { n: 8 } })
    expect(summaries(it)[0]!.payload).toMatchObject({ count: 11 })
    expect(await verify(it)).toMatchObject({ valid: false, entries: 6, broken: { kind: 'chain', seq: 7 } })
  })

  it('goes on with the days of a clock that was set back', async () => {
    const it = await daemon()
    record(it, 6)
    pass(it, 3)
    record(it, 12)
    pass(it, -3)
    record(it, 6)
    pass(it, 40)
    await compact(it)
    expect(summaries(it).map(({ payload }) => [payload!['bucket_date'], payload!['count']])).toEqual([
      ['2026-01-01', 12],
      ['2026-01-04', 12],
    ])
    expect(await verify(it)).toMatchObject({ valid: true, compacted: 24 })
  })
})

it('compaction learns from full steps alone how many entries the next may take, and at most doubles them', async () => {
  const it = await daemon()
  for (let days = 0; days < 20; days++) {
    record(it, 12)
    pass(it, 1)
  }
  record(it, 2000)
  pass(it, 40)
  await compact(it)
  const steps = it.app.db.prepare<[], string>('SELECT seqs FROM journal_erased ORDER BY batch').pluck().all()
  const sizes = steps.map((seqs) => (JSON.parse(seqs) as number[]).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2240)
  let before = 12
  for (const size of sizes) {
    expect(size).toBeLessThanOrEqual(2 * before)
    before = Math.max(before, size)
  }
})

/** Takes so many calls of 2026-01-01 out, as a daemon does that is killed in the middle of it. */
function partly(it: TestDaemon, most: number): void {
  const { app } = it
  const ws = app.index.names.find(0, it.workspace)!
  app.writeNow(() => take(app, runIn(app, ws, it.workspace, Date.parse('2026-01-02')), groupOf(it), most))
}

const groupOf = ({ app, workspace }: TestDaemon) => {
  const ws = app.index.names.find(0, workspace)!
  return { type: app.index.names.find(ws, 'llm.call')!, day: '2026-01-01', after: 0 }
}

describe('a compaction that was interrupted', () => {
  it('goes on where it was: nothing is lost, and nothing counted twice', async () => {
    const it = await daemon()
    record(it, 40)
    pass(it, 31)
    partly(it, 15)
    expect(await verify(it), 'in the middle of it').toMatchObject({ valid: true, entries: 40, compacted: 15 })
    expect(summaries(it)).toEqual([])
    partly(it, 20)
    expect((await compact(it)).payload).toMatchObject({ entries_deleted: 40, buckets_created: 1 })
    expect(summaries(it).map(({ payload }) => payload!['count'])).toEqual([40])
    expect(await verify(it)).toMatchObject({ valid: true, compacted: 40 })
  })

  it('still sums up a day of which nothing is left', async () => {
    const it = await daemon()
    record(it, 15)
    record(it, 1, { type: 'exec.command' })
    pass(it, 31)
    partly(it, 14)
    const [last] = it.entries().filter(({ entry_type }) => entry_type === 'llm.call')
    await it.call('ADMIN', 'POST', `/journal/${last!.id}/priority`, { priority: 'pin' })
    expect((await compact(it)).payload).toMatchObject({ entries_deleted: 14, buckets_created: 1 })
    expect(summaries(it)[0]!.payload).toMatchObject({ count: 14 })
  })

  it('leaves nothing behind of a step that could not be stored', async () => {
    const it = await daemon()
    record(it, 20)
    pass(it, 31)
    const { app } = it
    const ws = app.index.names.find(0, it.workspace)!
    const before = [app.index.combos.total(ws), app.index.combos.chained(ws)]
    const failing = () =>
      app.writeNow(() => {
        take(app, runIn(app, ws, it.workspace, app.clock()), groupOf(it), 100)
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    expect([app.index.combos.total(ws), app.index.combos.chained(ws)]).toEqual(before)
    expect(await count(it, '?entry_type=llm.call')).toBe(20)
    expect(await verify(it)).toMatchObject({ valid: true, entries: 20, compacted: 0 })
  })
})

describe('journal.compact', () => {
  it('says what it rolls up, on record, and does so', async () => {
    const it = await oldJournal()
    const { status, body } = await it.call('ADMIN', 'POST', '/journal/compact', {})
    expect(status).toBe(202)
    expect(body).toMatchObject({
      cutoff: '2026-01-12T00:00:00Z',
      retention_days: 30,
      entries: 22,
      more_buckets: 0,
      buckets: [
        { bucket_date: '2026-01-01', entry_type: 'llm.call', count: 12, first_ts: '2026-01-01T00:00:00.000Z' },
        { bucket_date: '2026-01-02', entry_type: 'llm.call', count: 10 },
      ],
    })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'system.compaction',
      severity: 'notice',
      actor_id: it.person('ADMIN').userId,
      payload: { entries: 22, cutoff: '2026-01-12T00:00:00.000Z' },
    })
    expect((await it.call('ADMIN', 'POST', '/journal/compact', {})).body).toMatchObject({ code: 'compaction_running' })
    const { payload } = await compact(it)
    expect(payload).toMatchObject({ entries_deleted: 22 })
    const bytes = summaries(it).reduce((sum, entry) => sum + (entry.payload!['bytes_sum'] as number), 0)
    expect(bytes, 'as was said before').toBe(body.bytes)
  })
})

it('compaction is heard while the job waits', async () => {
  const it = await oldJournal()
  await compact(it)
  record(it, 10)
  pass(it, 60)
  const over = compacted(it)
  await it.call('ADMIN', 'POST', '/journal/compact', { before: '2026-03-01' })
  expect((await over).payload).toMatchObject({ entries_deleted: 21, cutoff: '2026-03-01T00:00:00.000Z' })
})

describe('what left the journal', () => {
  const gone = async () => {
    const it = await oldJournal()
    const [first] = it.entries()
    await compact(it)
    return { it, first: first! }
  }

  it('is shown by day and type, with the entry that sums it up', async () => {
    const { it } = await gone()
    const { body } = await it.call('VIEWER', 'GET', '/journal/compaction')
    const [one, two] = summaries(it)
    expect(body).toMatchObject({
      retention_days: 30,
      cutoff: '2026-01-12T00:00:00Z',
      entry_types: expect.arrayContaining(['llm.call']),
      compacted: 22,
      running: null,
      last: { asked_by: null, entries_deleted: 22, buckets_created: 2, ended_at: '2026-02-11T00:00:00Z' },
      buckets: [
        { ...two!.payload, entry_id: two!.id },
        { ...one!.payload, entry_id: one!.id },
      ],
    })
  })

  it('is answered as gone, with the entry that sums it up, but to strangers as never there', async () => {
    const { it, first } = await gone()
    const answer = await it.call('VIEWER', 'GET', `/journal/${first.id}`)
    expect(answer).toMatchObject({ status: 410, body: { code: 'entry_rolled_up' } })
    expect(answer.body.detail).toContain(summaries(it)[0]!.id)
    const [theirs, nobodys] = await Promise.all(
      [first.id, 'j_0000000000000001'].map((id) => it.call(it.stranger(), 'GET', `/journal/${id}`)),
    )
    expect(theirs!.status).toBe(404)
    expect({ ...theirs!.body, instance: '' }).toEqual({ ...nobodys!.body, instance: '' })
  })

  it('is found by no search, from that moment on', async () => {
    const it = await daemon()
    record(it, 12, { summary: 'the marzipan call' })
    record(it, 2, { type: 'exec.command', summary: 'marzipan' })
    pass(it, 31)
    const found = async () => (await it.call('ADMIN', 'GET', '/journal?q=marzipan')).body.entries.length
    const counted = () => count(it, '?q=marzipan')
    expect([await found(), await counted()]).toEqual([14, 14])
    await compact(it)
    expect([await found(), await counted()]).toEqual([2, 2])
  })

  it('can be exported before, by what is answered', async () => {
    const it = await oldJournal()
    const { body } = await it.call('ADMIN', 'POST', '/journal/compact', {})
    const types = [...new Set(body.buckets.map(({ entry_type }: { entry_type: string }) => entry_type))].join()
    const query = `entry_type=${types}&priority=normal&until=2026-01-11T23:59:59.999Z&limit=500`
    const { entries } = (await it.call('ADMIN', 'GET', `/journal?${query}`)).body
    expect(entries).toHaveLength(body.entries)
  })

  it.each([
    ['what remains of an entry', `UPDATE journal_husks SET fixed = replace(fixed, 'info', 'warn') WHERE seq = 3`, ''],
    ['the hash of what it said', `UPDATE journal_husks SET payload_hash = zeroblob(32) WHERE seq = 3`, ''],
    ['the lack of one', `DELETE FROM journal_husks WHERE seq = 3`, ''],
    ['the number that a summary tells', `UPDATE journal SET doc = replace(doc, '"count":12', '"count":11')`, ''],
  ])('is verified: %s is noticed', async (_, ...changes) => {
    const { it } = await gone()
    for (const sql of changes) it.app.db.exec(sql)
    const { valid, broken } = await verify(it)
    expect(valid).toBe(false)
    expect(broken.kind).toMatch(/^(chain|rolled_up)$/)
  })

  it.each([
    ['of a type that is never rolled up', 'exec.command', /never do$/],
    ['that no summary counts', 'container.metrics', /9 entries of the type container.metrics of 2026-01-02 left it/],
  ])('is verified: entries %s cannot be hidden so, not even by who makes everything fit', async (_, type, reason) => {
    const { it } = await gone()
    const { app } = it
    const ws = app.index.names.find(0, it.workspace)!
    const rows = app.db
      .prepare<[number], Erasable>(`SELECT ${erasableColumns} FROM journal WHERE type = ?`)
      .all(app.index.names.find(ws, type)!)
    app.writeNow(() => app.eraser.takeOut(ws, app.eraser.examine(rows).sound))
    expect((await verify(it)).broken).toMatchObject({ kind: 'rolled_up', reason: expect.stringMatching(reason) })
  })
})
