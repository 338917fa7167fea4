import { describe, expect, it } from 'vitest'
import { createJournal, type Draft, type JournalIndex } from '#kernel/journal/journal'
import type { Sealed } from '#kernel/journal/sealer'
import { createInlineReads } from '#kernel/store/reads'
import type { Filter } from '../../../../daemon/features/journal/filter.ts'
import { openJournalJobs } from '../../../../daemon/features/journal/jobs.ts'
import { createJournalReads, type Window } from '../../../../daemon/features/journal/reads.ts'
import { openMigrated } from '../../../support/migrated.ts'

type Made = Partial<Draft> & { at?: number }

const start = Date.parse('2026-01-01T00:00:00Z')
/** A time so many milliseconds after the first entry. */
const late = (ms: number) => start + ms

/** The reads of a journal whose entries come a millisecond apart, and the jobs that they give to other threads. */
function readsOf(made: Made[], change: (index: JournalIndex) => Partial<JournalIndex> = () => ({})) {
  const db = openMigrated()
  let now = start
  const journal = createJournal(db, () => now)
  db.transaction(() => {
    for (const [at, draft] of made.entries()) {
      now = late(at)
      const usual = { workspace_id: 'here', type: 'exec.command', actor_type: 'system', severity: 'info' } as const
      journal.append({ ...usual, summary: `entry ${at + 1}`, ...draft })
    }
  })()
  const inline = createInlineReads(db)
  inline.provide(openJournalJobs)
  // biome-ignore lint/suspicious/noExplicitAny: what a job takes is what the tests look at
  const jobs: { lane: string; job: string; args: any }[] = []
  const answers: string[] = []
  const sealed: Sealed = { points: [{ entries: 1, seq: 1, hash: 'ab', at: 'then' }], fault: null }
  const reads = createJournalReads({
    db,
    index: { ...journal.index, ...change(journal.index) },
    reads: {
      ...inline,
      run: async (lane, job, args) => {
        jobs.push({ lane, job, args })
        return answers.shift() ?? inline.run(lane, job, args)
      },
    },
    stopping: new AbortController(),
    seals: {
      grown: () => undefined,
      seal: async () => undefined,
      of: async (workspace) => (workspace === 'here' ? sealed : null),
      close: async () => undefined,
    },
  })
  const numberOf = ({ summary }: { summary: string }) => Number(summary.split(' ')[1])
  const page = async (filter: Filter, window: Window = {}, limit = 10, workspace = 'here') => {
    const { entries, next_cursor } = JSON.parse(await reads.page(workspace, filter, window, limit))
    return { found: entries.map(numberOf), more: next_cursor !== undefined }
  }
  const docs = async (filter: Filter, window: Window = {}, limit = 10, workspace = 'here') => {
    const { docs, more } = await reads.docs(workspace, filter, window, limit)
    return { found: docs.map((doc) => numberOf(JSON.parse(doc))), more }
  }
  const count = (filter: Filter, workspace = 'here') => reads.count(workspace, filter)
  const ran = () => jobs.splice(0).map(({ lane, job }) => `${lane} ${job}`)
  return { db, index: journal.index, reads, page, docs, count, jobs, ran, answers }
}

const times = (count: number, draft: (n: number) => Made = () => ({})) =>
  Array.from({ length: count }, (_, at) => draft(at + 1))
const none = { found: [], more: false }

describe('a page', () => {
  it('holds the newest matches of its window', async () => {
    const { page, ran } = readsOf(times(9, (n) => ({ trace_id: n % 2 ? 'odd' : 'even' })))
    expect(await page({}, {}, 3)).toEqual({ found: [9, 8, 7], more: true })
    expect(await page({}, { upTo: 3 }, 3)).toEqual({ found: [3, 2, 1], more: false })
    expect(await page({}, { after: 6 }, 3)).toEqual({ found: [9, 8, 7], more: false })
    expect(await page({ traces: ['odd'] }, { after: 1, upTo: 5 }, 1)).toEqual({ found: [5], more: true })
    expect(await page({ traces: ['odd'] }, { after: 1, upTo: 5 }, 2)).toEqual({ found: [5, 3], more: false })
    expect(await page({ since: late(2), until: late(5) })).toEqual({ found: [6, 5, 4, 3], more: false })
    expect(await page({ since: late(2), until: late(5) }, { after: 3, upTo: 5 })).toEqual({
      found: [5, 4],
      more: false,
    })
    expect(await page({}, { after: 9 })).toEqual(none)
    expect(await page({}, { upTo: 0 })).toEqual(none)
    expect(await page({ traces: ['nobody'] })).toEqual(none)
    expect(await page({}, {}, 3, 'nowhere')).toEqual(none)
    expect(ran()).toEqual([])
  })

  it('is read by another thread where that takes long', async () => {
    const { page, ran } = readsOf(
      times(3_001, (n) => ({ trace_id: 'r', mission_id: n === 1 ? 'old' : n <= 151 ? 'older' : 'new' })),
    )
    const filter = { traces: ['r'], missions: ['old'] }
    expect(await page(filter)).toEqual({ found: [1], more: false })
    expect(ran()).toEqual(['scan list'])
    expect(await page(filter, { after: 10, upTo: 3_001 })).toEqual(none)
    expect(ran()).toEqual([])
    expect(await page({ traces: ['r'], missions: ['older'] }, { upTo: 3_000 }, 2)).toEqual({
      found: [151, 150],
      more: true,
    })
    expect(ran()).toEqual([])
  })

  it('fails as the read does', async () => {
    const { db, page, ran } = readsOf(times(3))
    db.exec('DROP INDEX journal_ws')
    await expect(page({})).rejects.toThrow('journal_ws')
    expect(ran()).toEqual([])
  })
})

describe('documents', () => {
  it('are the newest matches, oldest first', async () => {
    const { docs, ran } = readsOf(times(5, (n) => ({ summary: `entry ${n} ${n === 2 ? 'hay' : 'needle'}` })))
    expect(await docs({}, {}, 3)).toEqual({ found: [3, 4, 5], more: true })
    expect(await docs({}, {}, 5)).toEqual({ found: [1, 2, 3, 4, 5], more: false })
    expect(await docs({}, { after: 3, upTo: 4 })).toEqual({ found: [4], more: false })
    expect(await docs({}, { after: 5 })).toEqual(none)
    expect(await docs({}, {}, 5, 'nowhere')).toEqual(none)
    expect(ran()).toEqual([])
    expect(await docs({ phrase: 'needle' }, {}, 4)).toEqual({ found: [1, 3, 4, 5], more: false })
    expect(await docs({ phrase: 'needle' }, {}, 3)).toEqual({ found: [3, 4, 5], more: true })
    expect(await docs({ phrase: 'needle' }, {}, 5, 'nowhere')).toEqual(none)
    expect(ran()).toEqual(['search search', 'search search'])
  })

  it('are read by another thread where that takes long', async () => {
    const { docs, ran } = readsOf(times(3_001, (n) => ({ trace_id: 'r', mission_id: n <= 2 ? 'old' : 'new' })))
    expect(await docs({ traces: ['r'], missions: ['old'] }, {}, 1)).toEqual({ found: [2], more: true })
    expect(await docs({ traces: ['r'], missions: ['old'] }, {}, 2)).toEqual({ found: [1, 2], more: false })
    expect(ran()).toEqual(['scan list', 'scan list'])
  })
})

describe('a search', () => {
  const made: Made[] = [
    { trace_id: 'r1', mission_id: 'm1' },
    { actor_type: 'agent', actor_id: 'r1' },
    { payload: { run_id: 'r1' }, priority: 'pin' },
    { trace_id: 'r2', mission_id: 'm2', crew_id: 'c1' },
    { priority: 'high', crew_id: 'c1' },
  ]
  const whole = { after: 0, upTo: 5 }

  it.each<[string, Filter, string[], { after: number; upTo: number }, number[]]>([
    ['nothing', {}, [], whole, [5, 4, 3, 2, 1]],
    ['a crew', { crews: ['c1'] }, [], whole, [5, 4]],
    ['a mission', { missions: ['m1'] }, ['mission'], { after: 0, upTo: 1 }, [1]],
    ['a trace', { traces: ['r2'] }, ['trace'], { after: 3, upTo: 4 }, [4]],
    ['a run', { runs: ['r1'] }, ['trace', 'actor', 'run'], { after: 0, upTo: 3 }, [3, 2, 1]],
    ['priorities', { priorities: ['pin', 'high'] }, ['priority', 'priority'], { after: 2, upTo: 5 }, [5, 3]],
    ['no priority', { priorities: ['normal'] }, [], whole, [4, 2, 1]],
    ['a mission and a crew', { missions: ['m2'], crews: ['c1'] }, ['mission'], { after: 3, upTo: 4 }, [4]],
  ])('with %s is narrowed by it', async (_what, filter, among, range, found) => {
    const { page, count, jobs } = readsOf(made)
    expect(await page({ ...filter, phrase: 'entry' })).toEqual({ found, more: false })
    const { plan } = jobs[0]!.args
    expect(plan.among.map(({ by }: { by: string }) => by).sort()).toEqual(among.sort())
    expect(plan.ranges).toEqual([range])
    expect(plan.head).toBe(5)
    const conditions = Object.entries(plan.check ?? {}).filter(([, names]) => names !== undefined)
    expect(conditions.length).toBe(among.length || filter.priorities ? 1 : 0)
    expect(await count({ ...filter, phrase: 'entry' })).toBe(found.length)
    expect(jobs.map(({ lane, job }) => `${lane} ${job}`)).toEqual(['search search', 'search searchCount'])
  })

  it('stays within its window and its time', async () => {
    const { page, count } = readsOf(times(9, () => ({ trace_id: 'r' })))
    const filter = { phrase: 'entry', since: late(2), until: late(5) }
    expect(await page(filter)).toEqual({ found: [6, 5, 4, 3], more: false })
    expect(await page({ ...filter, traces: ['r'] }, { upTo: 4 }, 1)).toEqual({ found: [4], more: true })
    expect(await count(filter)).toBe(4)
  })

  it('is not begun where nothing can match', async () => {
    const { page, count, ran } = readsOf(made)
    for (const filter of [{ crews: ['nobody'] }, { traces: ['nobody'] }, { missions: ['m1'], crews: ['nobody'] }]) {
      expect(await page({ ...filter, phrase: 'entry' })).toEqual(none)
      expect(await count({ ...filter, phrase: 'entry' })).toBe(0)
    }
    expect(await page({ phrase: 'entry', since: late(99) })).toEqual(none)
    expect(await count({ phrase: 'entry', since: late(99) })).toBe(0)
    expect(ran()).toEqual([])
  })

  it('is refused while the index does not reach far enough', async () => {
    const { count, answers } = readsOf(made)
    answers.push('null')
    await expect(count({ phrase: 'entry' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The search index is being rebuilt; try again later',
      headers: { 'retry-after': '10' },
    })
  })
})

describe('a count', () => {
  const made = times(24, (n) => ({
    workspace_id: n % 6 ? 'here' : 'there',
    severity: n % 3 ? 'info' : 'error',
    priority: ({ 1: 'pin', 3: 'high', 5: 'permanent', 9: 'pin' } as const)[n] ?? 'normal',
    crew_id: n % 2 ? 'c1' : undefined,
    trace_id: n % 4 ? 'r1' : 'r2',
    mission_id: n === 7 ? 'm1' : undefined,
  }))

  it.each<[string, Filter, number]>([
    ['everything', {}, 20],
    ['a severity', { severities: ['error'] }, 4],
    ['a crew', { crews: ['c1'] }, 12],
    ['nobody', { crews: ['nobody'] }, 0],
    ['a time', { since: late(0), until: late(5) }, 5],
    ['a crew at a time', { crews: ['c1'], since: late(1) }, 11],
    ['another time', { since: late(99) }, 0],
    ['a mission', { missions: ['m1'] }, 1],
    ['a trace', { traces: ['r2'] }, 4],
    ['a run', { runs: ['r1'], crews: ['c1'] }, 12],
    ['markers', { priorities: ['pin', 'high'] }, 3],
    ['a marker and a severity', { priorities: ['high', 'permanent'], severities: ['error'] }, 1],
    ['no marker', { priorities: ['normal'] }, 16],
    ['no marker or one', { priorities: ['normal', 'pin'] }, 18],
    ['any marker', { priorities: ['normal', 'high', 'pin', 'permanent'] }, 20],
    ['no marker, a severity', { priorities: ['normal'], severities: ['error'] }, 2],
    ['no marker, at a time', { priorities: ['normal'], since: late(2), until: late(6) }, 2],
    ['no marker, of a mission', { priorities: ['normal'], missions: ['m1'] }, 1],
  ])('of %s is exact', async (_what, filter, want) => {
    const { count, ran } = readsOf(made)
    expect(await count(filter)).toBe(want)
    expect(ran()).toEqual([])
  })

  it('of a workspace without entries is zero', async () => expect(await readsOf(made).count({}, 'nowhere')).toBe(0))

  it('takes another thread where it takes long', async () => {
    const { count, ran } = readsOf(
      times(3_002, (n) => ({ trace_id: n > 3_000 ? 'few' : 'many', priority: n < 3_002 ? 'pin' : 'normal' })),
    )
    expect(await count({ traces: ['many'] })).toBe(3_000)
    expect(ran()).toEqual([])
    expect(await count({ traces: ['many', 'few'] })).toBe(3_002)
    expect(ran()).toEqual(['scan count'])
    expect(await count({ priorities: ['normal'] })).toBe(1)
    expect(ran()).toEqual(['scan count'])
  })

  it('of very many combinations takes another thread', async () => {
    const { count, jobs } = readsOf(made, ({ combos }) => ({
      combos: {
        total: combos.total,
        chained: combos.chained,
        of: (ws) => {
          const [first, ...rest] = combos.of(ws)
          const more = Array.from({ length: 14_000 }, (_, at) => ({ ...first!, combo: 1_000 + at }))
          return [first!, ...rest, ...more]
        },
      },
    }))
    expect(await count({ severities: ['info', 'error'], since: late(1) })).toBe(19)
    expect(jobs[0]).toMatchObject({
      lane: 'scan',
      job: 'totals',
      args: { ws: 1, range: { after: 1, upTo: 24 }, head: 24 },
    })
    expect(jobs[0]!.args.combos[0]).toEqual({ combo: 1 })
  })
})

describe('a verification', () => {
  it('asks about one workspace, its seals and its anchor', async () => {
    const { reads, jobs, index } = readsOf(times(5, (n) => ({ workspace_id: n % 2 ? 'here' : 'there' })))
    const anchor = { entries: 1, hash: 'ab', at: 'then' }
    await reads.verify('here', anchor)
    await reads.verify('there', null)
    const ws = (workspace: string) => index.names.find(0, workspace)
    expect(jobs).toMatchObject([
      {
        lane: 'scan',
        job: 'verifyPart',
        args: {
          question: {
            ws: ws('here'),
            workspace: 'here',
            head: 5,
            entries: 3,
            sealed: { points: [{ seq: 1 }] },
            anchor,
          },
          from: null,
        },
      },
      { args: { question: { ws: ws('there'), workspace: 'there', entries: 2, sealed: null, anchor: null } } },
    ])
    expect(await reads.verify('nowhere', null)).toMatchObject({ valid: true, entries: 0, head: null })
  })
})
