import { expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { storageFault } from '#kernel/store/storage-fault'
import { daemon } from '#test'
import { projectRuns } from '../../../../daemon/features/runs/records/projection.ts'
import { seeded } from '../../../support/random.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

const rounds = 150
const projected = ['run_tags', 'run_records']

/** What memory says, and what the tables say. */
function sides({ db, index }: App, workspace: string) {
  const ws = index.names.find(0, workspace)
  const held = ws === undefined ? [] : index.combos.of(ws).filter(({ n }) => n > 0)
  const memory = {
    head: index.head(),
    total: ws === undefined ? 0 : index.combos.total(ws),
    combos: held.map(({ combo, n, last }) => ({ combo, n, last })),
  }
  const combos = db
    .prepare<[], { combo: number; n: number; last: number }>(
      'SELECT combo, count(*) AS n, max(seq) AS last FROM journal GROUP BY combo ORDER BY combo',
    )
    .all()
  const { head, total } = db
    .prepare<[], { head: number; total: number }>('SELECT ifnull(max(seq), 0) AS head, count(*) AS total FROM journal')
    .get()!
  return { memory, stored: { head, total, combos } }
}

/** Entries in a span of time, found by bisection and one by one. */
function spans({ db, index }: App, since: number): [found: number, there: number] {
  const found = index.timeline
    .ranges(since, undefined, index.head())
    .reduce((sum, { after, upTo }) => sum + upTo - after, 0)
  return [found, db.prepare<[number], number>('SELECT count(*) FROM journal WHERE ts >= ?').pluck().get(since)!]
}

it('memory is what is stored, wherever in a batch the database runs full', { timeout: 60_000 }, async () => {
  const seed = Number(process.env['MUSTER_SEED'] ?? Date.now() % 2 ** 31)
  const random = seeded(seed)
  const { app, workspace, clock, call, entries } = await daemon({ quiet: true })
  const pick = (n: number) => Math.floor(random() * n)
  const acknowledged: string[] = []
  let full = 0
  let made = 0

  /** A change of some entries, which may be refused by itself in the middle. */
  const change = () => {
    const ids = Array.from({ length: 1 + pick(3) }, () => `run-${++made}`)
    const [size, refuses, back] = [pick(4) * 3000, random() < 0.2, random() < 0.1]
    const wish = app.write(() => {
      for (const id of ids) {
        const more = {
          trace_id: id,
          crew_id: `crew-${pick(5)}`,
          payload: { text: 'x'.repeat(size), metadata: { tags: [`tag-${pick(4)}`] } },
        }
        if (back) clock.advance(-10_000)
        rawEntry(app, { workspace_id: workspace, type: 'run.started', actor_type: 'system', summary: id, ...more })
        if (random() < 0.5)
          rawEntry(app, {
            workspace_id: workspace,
            type: 'run.completed',
            actor_type: 'system',
            summary: id,
            trace_id: id,
          })
      }
      if (refuses) throw new Error('refused')
    })
    return wish.then(
      () => void acknowledged.push(...ids),
      (error: Error) => {
        if (storageFault(error)) full++
        else expect(error.message, `seed ${seed}`).toBe('refused')
      },
    )
  }

  for (let round = 0; round < rounds; round++) {
    clock.advance(pick(4000))
    const pages = app.db.pragma('page_count', { simple: true }) as number
    app.db.pragma(`max_page_count = ${random() < 0.5 ? pages + pick(12) : 1_000_000}`)
    await Promise.all(Array.from({ length: 1 + pick(6) }, change))
    const { memory, stored } = sides(app, workspace)
    expect(memory, `seed ${seed}, round ${round}`).toEqual(stored)
    const [found, there] = spans(app, clock() - pick(200_000))
    expect(found, `seed ${seed}, round ${round}`).toBe(there)
  }
  app.db.pragma('max_page_count = 1000000')

  expect(full).toBeGreaterThan(10)
  const started = entries().filter(({ entry_type }) => entry_type === 'run.started')
  expect(started.map(({ trace_id }) => trace_id).sort(), `seed ${seed}`).toEqual(acknowledged.sort())
  expect((await call('OWNER', 'GET', '/journal/verify')).body, `seed ${seed}`).toMatchObject({
    valid: true,
    entries: entries().length,
  })
  const tables = () => projected.map((name) => app.db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2, 3`).all())
  const before = tables()
  for (const name of projected) app.db.exec(`DELETE FROM ${name}`)
  const project = projectRuns(app.db)
  const rows = app.db
    .prepare<[], { seq: number; ts: number; doc: string }>('SELECT seq, ts, doc FROM journal ORDER BY seq')
    .all()
  app.writeNow(() => {
    for (const { seq, ts, doc } of rows) project(JSON.parse(doc), seq, ts)
  })
  expect(tables(), `seed ${seed}`).toEqual(before)
})
