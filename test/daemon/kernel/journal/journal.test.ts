import { describe, expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { blockSize } from '#kernel/journal/combos'
import { createJournal } from '#kernel/journal/journal'
import { daemon } from '#test'
import { type RawEntry, rawEntry } from '../../../support/raw-entry.ts'

const note = (workspace_id: string, more: Partial<RawEntry> = {}): RawEntry => ({
  workspace_id,
  type: 'exec.command',
  actor_type: 'system',
  summary: 'ls',
  ...more,
})

function fail(): never {
  throw new Error('undone')
}

/** What memory says of the combinations, and what the table says. */
function totals({ db, index }: Pick<App, 'db' | 'index'>, workspace: string) {
  const ws = index.names.find(0, workspace)!
  const held = index.combos
    .of(ws)
    .filter(({ n }) => n > 0)
    .map(({ combo, n, last }) => ({ combo, n, last }))
  const rows = db
    .prepare<[number], { combo: number; n: number; last: number }>(
      'SELECT combo, count(*) AS n, max(seq) AS last FROM journal WHERE ws = ? GROUP BY combo ORDER BY combo',
    )
    .all(ws)
  return { held, rows, total: index.combos.total(ws) }
}

describe('journal', () => {
  it('stores the exact JSON once and leaves empty members out', async () => {
    const { app, workspace, entries } = await daemon()
    const draft = note(workspace, {
      crew_id: '',
      trace_id: 'r1',
      summary: 'two\nlines',
      payload: { b: 1, 2: 'two', none: undefined },
      refs: {},
    })
    const recorded = app.writeNow(() => rawEntry(app, draft))
    expect(recorded.entry).toEqual({
      id: expect.stringMatching(/^j_[0-9a-f]{16}$/),
      workspace_id: workspace,
      ts: '2026-01-01T00:00:00.000Z',
      entry_type: 'exec.command',
      severity: 'info',
      priority: 'normal',
      actor_type: 'system',
      summary: 'two lines',
      trace_id: 'r1',
      payload: { 2: 'two', b: 1 },
    })
    expect(recorded.doc).toBe(JSON.stringify(recorded.entry))
    expect(entries()).toEqual([recorded.entry])
  })

  it('gives ids that grow with every entry, also when the clock goes back', async () => {
    const { app, workspace, clock } = await daemon()
    const ids: string[] = []
    for (const step of [0, 1, 0, -100, -3_600_000, 5, 7_200_000]) {
      clock.advance(step)
      for (let n = 0; n < 3; n++) ids.push(app.writeNow(() => rawEntry(app, note(workspace))).entry.id)
    }
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('follows a clock that was set back although the first entry after that was refused', async () => {
    const { app, workspace, clock } = await daemon({ quiet: true })
    const append = (payload = {}) =>
      app.writeNow(() => rawEntry(app, note(workspace, { payload }))).entry.ts.slice(11, 19)
    expect(append()).toBe('00:00:00')
    clock.advance(-60_000)
    app.db.pragma(`max_page_count = ${app.db.pragma('page_count', { simple: true })}`)
    expect(() => append({ text: 'x'.repeat(100_000) })).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }))
    app.db.pragma('max_page_count = 1000000')
    expect(append()).toBe('23:59:00')
    const since = (text: string) => app.index.timeline.ranges(Date.parse(text), undefined, app.index.head())
    expect(since('2025-12-31T23:59:30Z')).toEqual([{ after: 0, upTo: 1 }])
  })

  it('holds a jittering clock still and follows one that was set back', async () => {
    const { app, workspace, clock } = await daemon()
    const times = [0, 1000, -3000, -60_000, 10].map((step) => {
      clock.advance(step)
      return app.writeNow(() => rawEntry(app, note(workspace))).entry.ts.slice(11, 23)
    })
    expect(times).toEqual(['00:00:00.000', '00:00:01.000', '00:00:01.000', '23:58:58.000', '23:58:58.010'])
    const ranges = (since?: string, until?: string) =>
      app.index.timeline.ranges(
        since ? Date.parse(since) : undefined,
        until ? Date.parse(until) : undefined,
        app.index.head(),
      )
    expect(ranges('2026-01-01T00:00:00Z')).toEqual([{ after: 0, upTo: 3 }])
    expect(ranges('2026-01-01T00:00:00.001Z')).toEqual([{ after: 1, upTo: 3 }])
    expect(ranges(undefined, '2025-12-31T23:58:58.000Z')).toEqual([{ after: 3, upTo: 4 }])
    expect(ranges('2025-12-31T23:58:58.005Z', '2026-01-01T00:00:00Z')).toEqual([
      { after: 4, upTo: 5 },
      { after: 0, upTo: 1 },
    ])
    expect(ranges('2027-01-01T00:00:00Z')).toEqual([])
  })

  it('leaves no trace of a change that was undone', async () => {
    const { app, workspace, clock, entries } = await daemon()
    app.writeNow(() => rawEntry(app, note(workspace)))
    const undone = () => {
      clock.advance(-60_000)
      rawEntry(app, note(workspace, { agent_id: 'cnew', type: 'run.started', trace_id: 'gone' }))
      fail()
    }
    expect(() => app.writeNow(undone)).toThrow('undone')
    const kept = app.write(() => rawEntry(app, note(workspace, { agent_id: 'cnew', trace_id: 'kept' })))
    await expect(app.write(undone)).rejects.toThrow('undone')
    await kept
    const { held, rows, total } = totals(app, workspace)
    expect(held).toEqual(rows)
    expect(total).toBe(2)
    expect(entries().map((entry) => entry.trace_id)).toEqual([undefined, 'kept'])
    expect(app.index.names.find(app.index.names.find(0, workspace)!, 'gone')).toBeUndefined()
  })

  it('chains on after an undone change and after a restart', async () => {
    const { app, workspace, clock } = await daemon()
    app.writeNow(() => rawEntry(app, note(workspace)))
    expect(() => app.writeNow(() => [rawEntry(app, note(workspace)), fail()])).toThrow('undone')
    app.writeNow(() => rawEntry(app, note(workspace)))
    const again = createJournal(app.db, clock)
    app.writeNow(() => again.append({ ...note(workspace), severity: 'info' }))
    const [first, second, third] = app.db
      .prepare<[], { id: string; prev: string; own: string }>(
        'SELECT id, hex(prev_hash) AS prev, hex(entry_hash) AS own FROM journal ORDER BY seq',
      )
      .all()
    expect([first!.prev, second!.prev, third!.prev]).toEqual(['0'.repeat(64), first!.own, second!.own])
    expect(third!.id > second!.id).toBe(true)
    expect(app.db.prepare('SELECT seq FROM journal ORDER BY seq').pluck().all(), 'without a gap').toEqual([1, 2, 3])
  })

  it('keeps totals for each combination and block that a rebuild from the entries confirms', async () => {
    const { app, workspace, stranger, clock } = await daemon()
    const other = stranger().workspace
    const types = ['exec.command', 'run.started', 'agent.error'] as const
    let at = 0
    const fill = (count: number) => {
      for (let n = 0; n < count; n++, at++)
        rawEntry(
          app,
          note(at % 7 ? workspace : other, {
            type: types[at % 3]!,
            agent_id: at % 2 ? `c${at % 5}` : undefined,
            summary: String(at),
          }),
        )
    }
    app.writeNow(() => fill(blockSize - 3))
    expect(() => app.writeNow(() => [fill(6), fail()])).toThrow('undone')
    app.writeNow(() => fill(blockSize + 5))
    for (const index of [app.index, createJournal(app.db, clock).index]) {
      for (const id of [workspace, other]) {
        const { held, rows, total } = totals({ db: app.db, index }, id)
        expect(held).toEqual(rows)
        expect(total).toBe(rows.reduce((sum, { n }) => sum + n, 0))
      }
    }
    const stored = app.db
      .prepare<[], { block: number }>('SELECT combo, block, n FROM journal_blocks ORDER BY combo, block')
      .all()
    const rebuilt = app.db
      .prepare(
        `WITH full AS (SELECT *, (seq + ${blockSize - 1}) / ${blockSize} AS block
          FROM journal WHERE seq <= ${2 * blockSize})
         SELECT combo, block, count(*) AS n FROM full GROUP BY 1, 2 UNION ALL SELECT -ws, block, count(*)
         FROM full GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .all()
    expect(stored).toEqual(rebuilt)
    expect([...new Set(stored.map(({ block }) => block))]).toEqual([1, 2])
  })
})
