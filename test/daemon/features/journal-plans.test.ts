import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { matching, plan, resolve } from '../../../daemon/features/journal/plan.ts'
import { lookups, queries } from '../../../daemon/features/journal/queries.ts'
import { sources, streamSql } from '../../../daemon/features/journal/reader.ts'
import { listing, queries as runQueries, reads as runReads } from '../../../daemon/features/runs/records/queries.ts'
import { rawEntry } from '../../support/raw-entry.ts'

/** How SQLite would carry a statement out. */
function steps({ app }: TestDaemon, sql: string): string[] {
  const blank = sql.replace(/[@:][a-zA-Z_]+|\?/g, 'NULL')
  return app.db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${blank}`)
    .all()
    .map(({ detail }) => detail)
}

describe('statements of the journal', () => {
  it.each(sources)('read the index of %s in its order, and nothing else', async (source) => {
    const it = await daemon()
    for (const columns of ['seq', 'doc']) {
      const [step, ...rest] = steps(it, streamSql(source, columns))
      expect(step).toMatch(
        new RegExp(
          `^SEARCH journal USING (COVERING )?INDEX journal_${source} \\(.*=\\? AND rowid>\\? AND rowid<\\?\\)$`,
        ),
      )
      expect(step!.includes('COVERING')).toBe(columns === 'seq')
      expect(rest).toEqual([])
    }
  })

  it('never scan a table, and sort only what is short', async () => {
    const it = await daemon()
    const { db } = it.app
    const filters = [
      {},
      { status: 'RUNNING' },
      { agent: 'a' },
      { trigger: 'USER' },
      { tag: 't' },
      { status: 'FAILED', agent: 'a', trigger: 'CRON', tag: 't' },
    ]
    const lists = filters.flatMap((filter) => Object.entries(listing(db, { workspace: 'w', ...filter })))
    const all = [...Object.entries({ ...queries(db), ...lookups(db), ...runQueries(db), ...runReads(db) }), ...lists]
    for (const [name, { source }] of all) {
      const plan = steps(it, source)
      // The outer query of a list goes through the page that the inner one found.
      expect(
        plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN k' && step !== 'SCAN CONSTANT ROW'),
        `${name}: ${source}`,
      ).toEqual([])
    }
  })
})

describe('plan', () => {
  it('takes the narrowest streams that exact counts show', async () => {
    const it = await daemon()
    const { app, workspace } = it
    const note = (n: number) =>
      rawEntry(app, {
        workspace_id: workspace,
        type: n % 3 ? 'exec.command' : 'network.egress',
        actor_type: n % 2 ? 'agent' : 'system',
        agent_id: `a${n % 70}`,
        crew_id: `c${n % 7}`,
        trace_id: `r${n % 9}`,
        severity: n === 5 ? 'error' : 'info',
        mission_id: n === 6 ? 'm' : undefined,
        priority: n === 7 ? 'pin' : undefined,
        summary: String(n),
      })
    app.writeNow(() => {
      for (let n = 0; n < 420; n++) note(n)
    })
    const planned = (filter: Parameters<typeof resolve>[2]) => {
      const wanted = resolve(app.index, workspace, filter)!
      const { streams, check } = plan(
        wanted,
        app.index.timeline.ranges(undefined, undefined, app.index.head()),
        app.index,
      )
      return [...new Set(streams.map(({ by }) => by)), streams.length, check && Object.keys(check).join()]
    }
    expect(planned({})).toEqual(['ws', 1, null])
    expect(planned({ crews: ['c1'] })).toEqual(['crew', 1, null])
    expect(planned({ agents: ['a1', 'a2'] })).toEqual(['agent', 2, null])
    expect(planned({ types: ['network.egress'] })).toEqual(['type', 1, null])
    expect(planned({ withoutTypes: ['network.egress'] })).toEqual(['type', 1, null])
    expect(planned({ severities: ['warn', 'error'] })).toEqual(['severity', 2, null])
    expect(planned({ crews: ['c1'], severities: ['error'] })).toEqual([0, null])
    expect(planned({ crews: ['c5'], severities: ['error'] })).toEqual(['combo', 1, null])
    expect(planned({ agents: ['a1'], types: ['exec.command'] })).toEqual(['combo', 1, null])
    expect(planned({ traces: ['r1'], crews: ['c1'] })).toEqual(['trace', 1, 'combos'])
    expect(planned({ runs: ['r1'] })).toEqual(['trace', 'actor', 'run', 3, null])
    expect(planned({ missions: ['m'], priorities: ['normal'] })).toEqual(['mission', 1, 'priorities'])
    expect(planned({ priorities: ['pin'] })).toEqual(['priority', 1, null])
    expect(planned({ priorities: ['normal', 'pin'] })).toEqual(['ws', 1, 'priorities'])
    expect(planned({ crews: ['cnone'] })).toEqual([0, null])
    const combos = matching(
      resolve(app.index, workspace, { actorTypes: ['agent'] })!,
      app.index.combos.of(app.index.names.find(0, workspace)!),
    )
    expect(planned({ actorTypes: ['agent'] })).toEqual(['combo', combos!.length, null])
  })
})
