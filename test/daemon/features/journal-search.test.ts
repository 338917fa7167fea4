import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { actorTypes } from '#contract/entries'
import { openSearchIndex } from '#kernel/store/db'
import { closing, daemon, type TestDaemon } from '#test'
import { openJournalJobs } from '../../../daemon/features/journal/jobs.ts'
import { createReader } from '../../../daemon/features/journal/reader.ts'
import { createSearch, matchText, type SearchPlan } from '../../../daemon/features/journal/search.ts'
import { rawEntry } from '../../support/raw-entry.ts'

afterEach(() => vi.restoreAllMocks())

const add = ({ app, workspace }: TestDaemon, from: number, count: number) =>
  app.writeNow(() => {
    for (let n = from; n < from + count; n++) {
      rawEntry(app, {
        workspace_id: workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: `command ${n}${n % 1000 === 1 ? ' needle' : ''}`,
      })
    }
  })

const lag = 2000

async function house() {
  const it = await daemon()
  const index = closing(openSearchIndex(':memory:'))
  const open = () => createSearch(it.app.db, index, createReader(it.app.db), actorTypes, lag)
  const plan = (phrase: string): SearchPlan => {
    const head = it.app.index.head()
    const ws = it.app.index.names.find(0, it.workspace)!
    return {
      match: matchText(phrase, { ws }, null),
      ranges: [{ after: 0, upTo: head }],
      check: null,
      among: [],
      ws,
      head,
    }
  }
  const indexed = () => index.prepare<[], number>('SELECT count(*) FROM entries').pluck().get()
  return { ...it, index, open, plan, indexed, add: (from: number, count: number) => add(it, from, count) }
}

describe('search index', () => {
  it('takes in what is new before it answers', async () => {
    const { open, plan, add, indexed } = await house()
    const search = open()
    add(1, 1200)
    expect(search.find(plan('needle'), 10)).toEqual({ seqs: [1001, 1] })
    add(1201, 1000)
    expect(search.count(plan('needle'))).toBe(3)
    expect(search.work(2200)).toBe(false)
    expect(indexed()).toBe(2200)
    expect(open().find(plan('needle'), 2)).toEqual({ seqs: [2001, 1001] })
    expect(indexed()).toBe(2200)
  })

  it('far behind, starts at the newest entry and grows downwards', async () => {
    const { open, plan, add, indexed, index } = await house()
    add(1, 3000)
    // A read gives up after a while: here it has all the time it needs.
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const search = open()
    expect(search.work(3000)).toBe(true)
    expect(index.prepare('SELECT low, high FROM reach').get()).toEqual({ low: 2500, high: 3000 })
    add(3001, 10)
    expect(search.find(plan('needle'), 2)).toEqual({ seqs: [3001, 2001] })
    expect(indexed()).toBeLessThan(1500)
    expect(search.count(plan('needle'))).toBe(4)
    expect(indexed()).toBe(3010)
    expect(search.work(3010)).toBe(false)
  })

  it('gives a page that breaks off, with a cursor to go on, when older entries take too long to index', async () => {
    const it = await house()
    it.add(1, 5000)
    const jobs = openJournalJobs({ journal: it.app.db, index: it.index }, lag)
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 400))
    const seen: string[] = []
    let pages = 0
    for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
      const [, id] = cursor ? (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string]) : []
      const upTo: number = id
        ? it.app.db
            .prepare<[string], number>('SELECT seq FROM journal WHERE id < ? ORDER BY id DESC LIMIT 1')
            .pluck()
            .get(id)!
        : 5000
      const text = await jobs.run['search']!({ plan: { ...it.plan('needle'), ranges: [{ after: 0, upTo }] }, limit: 5 })
      const page = JSON.parse(text) as { entries: { summary: string }[]; next_cursor?: string }
      seen.push(...page.entries.map(({ summary }) => summary))
      cursor = page.next_cursor
    }
    expect(seen).toEqual([4001, 3001, 2001, 1001, 1].map((n) => `command ${n} needle`))
    expect(pages).toBeGreaterThan(2)
    now = 0
    it.index.exec("UPDATE reach SET low = 4500; INSERT INTO entries (entries) VALUES ('delete-all')")
    expect(
      JSON.parse(
        await openJournalJobs({ journal: it.app.db, index: it.index }, lag).run['searchCount']!({
          plan: it.plan('needle'),
        }),
      ),
    ).toBeNull()
  })

  it('starts over when it belongs to another journal or to a later state of this one', async () => {
    const first = await house()
    first.add(1, 1500)
    first.open().find(first.plan('needle'), 1)
    const second = await house()
    second.add(1, 10)
    const search = createSearch(second.app.db, first.index, createReader(second.app.db), actorTypes)
    expect(search.find(second.plan('needle'), 10)).toEqual({ seqs: [1] })
    expect(first.indexed()).toBe(10)
  })

  it('starts over when all that it holds is one entry of another journal', async () => {
    const [first, second] = [await house(), await house()]
    first.add(1001, 1)
    expect(first.open().find(first.plan('needle'), 10)).toEqual({ seqs: [1] })
    second.add(2, 10)
    const search = createSearch(second.app.db, first.index, createReader(second.app.db), actorTypes)
    expect(search.find(second.plan('needle'), 10)).toEqual({ seqs: [] })
    expect(first.indexed()).toBe(10)
  })

  it('is thrown away when it is damaged', () => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-search-'))
    closing({ close: () => rmSync(dir, { recursive: true }) })
    const file = join(dir, 'search.db')
    writeFileSync(file, 'not a database, but long enough to look at: '.repeat(100))
    const db = closing(openSearchIndex(file))
    db.exec('CREATE TABLE fine (x)')
  })
})
