import { expect, it, vi } from 'vitest'
import { createJournal } from '#kernel/journal/journal'
import { openSearchIndex } from '#kernel/store/db'
import { openJournalJobs } from '../../../../daemon/features/journal/jobs.ts'
import { matchText, type SearchPlan } from '../../../../daemon/features/journal/search.ts'
import { openMigrated } from '../../../support/migrated.ts'

function jobsOf(count: number, lag?: number) {
  const db = openMigrated()
  let now = 0
  const journal = createJournal(db, () => ++now)
  const usual = { workspace_id: 'w', type: 'exec.command', actor_type: 'system', severity: 'info' } as const
  db.transaction(() => {
    for (let n = 1; n <= count; n++) journal.append({ ...usual, summary: `entry ${n}` })
  })()
  const ws = journal.index.names.find(0, 'w')!
  const ranges = [{ after: 0, upTo: count }]
  const index = openSearchIndex(':memory:')
  const jobs = openJournalJobs({ journal: db, index }, lag)
  const search: SearchPlan = {
    ...{ match: matchText('entry', { ws }, null), ranges, check: null, among: [], ws, head: count },
  }
  const entries = [...db.prepare<[], string>('SELECT doc FROM journal ORDER BY seq').pluck().iterate()]
  const page = async (job: string, args: unknown) => {
    const text = await jobs.run[job]!(args)
    const reply = JSON.parse(text) as { entries: { id: string; summary: string }[]; next_cursor?: string }
    const next = reply.next_cursor && JSON.parse(Buffer.from(reply.next_cursor, 'base64url').toString())[1]
    const at = next && entries.findIndex((doc) => JSON.parse(doc).id === next) + 1
    return { found: reply.entries.map(({ summary }) => summary), next: at || undefined }
  }
  const plan = { ws, ranges, streams: [{ by: 'ws', key: ws }], check: null }
  return { jobs, page, search, plan, index }
}

it('lists and counts what a plan finds', async () => {
  const { jobs, page, plan } = jobsOf(3)
  expect(await page('list', { plan, limit: 2 })).toEqual({ found: ['entry 3', 'entry 2'], next: 2 })
  expect(await page('list', { plan, limit: 3 })).toEqual({ found: ['entry 3', 'entry 2', 'entry 1'], next: undefined })
  expect(await jobs.run['count']!({ plan })).toBe('3')
  const totals = { ws: plan.ws, combos: null, all: 3, range: { after: 1, upTo: 3 }, head: 3 }
  expect(await jobs.run['totals']!(totals)).toBe('2')
})

it('searches, and counts what it finds', async () => {
  const { jobs, page, search } = jobsOf(3)
  expect(await page('search', { plan: search, limit: 2 })).toEqual({ found: ['entry 3', 'entry 2'], next: 2 })
  expect((await page('search', { plan: search, limit: 3 })).next).toBeUndefined()
  expect(await jobs.run['searchCount']!({ plan: search })).toBe('3')
})

it('goes on where a search broke off, below the oldest entry that it looked at', async () => {
  const clock = vi.spyOn(performance, 'now')
  try {
    const { jobs, page, search } = jobsOf(1_200, 100)
    let now = 0
    clock.mockImplementation(() => (now += 1_000))
    const { found, next } = await page('search', { plan: search, limit: 1_000 })
    expect([found.length, found.at(-1), next]).toEqual([500, 'entry 701', 701])
    now = 0
    const full = jobsOf(1_200, 100)
    expect(await full.page('search', { plan: full.search, limit: 500 })).toMatchObject({
      found: { length: 500 },
      next: 701,
    })
    now = 0
    expect(await page('search', { plan: search, limit: 10 })).toMatchObject({ found: { length: 10 }, next: 1_191 })
    now = 0
    expect(await jobs.run['searchCount']!({ plan: search })).toBe('null')
  } finally {
    clock.mockRestore()
  }
})

it('indexes in the background of searches alone, until all is indexed', () => {
  const { jobs, index } = jobsOf(3)
  const indexed = () => index.prepare('SELECT count(*) FROM entries').pluck().get()
  expect([jobs.grown('scan', 3), indexed()]).toEqual([false, 0])
  expect([jobs.grown('search', 3), indexed()]).toEqual([true, 3])
  expect(jobs.grown('search', 3)).toBe(false)
})

it('verifies a chain', async () => {
  const { jobs, plan } = jobsOf(3)
  const question = { ws: plan.ws, workspace: 'w', head: 3, entries: 3, sealed: null, anchor: null }
  expect(JSON.parse(await jobs.run['verifyPart']!({ question, from: null, ms: 1000 }))).toMatchObject({
    verdict: { valid: true, entries: 3 },
  })
})
