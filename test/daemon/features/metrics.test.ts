import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { issuesOf } from '../../support/issues.ts'
import { workplace } from '../../support/runs.ts'

interface Reply {
  buckets: { ts: string; series: Record<string, number> }[]
  series_labels: Record<string, string>
}
const hour = 3_600_000
const counted = ({ buckets }: Reply) => buckets.filter(({ series }) => Object.keys(series).length)

async function scene() {
  const it = await daemon()
  const crew = async (slug: string) =>
    (await it.call('OWNER', 'POST', '/crews', { name: slug, slug })).body.id as string
  const web = await crew('web')
  const move = (identifier: string, status: string, at = web) =>
    it.call('OWNER', 'PATCH', `/crews/${at}/issues/${identifier}`, { status })
  const close = async (at = web) => {
    const { identifier } = (await it.call('OWNER', 'POST', `/crews/${at}/issues`, { title: 'x' })).body
    for (const status of ['IN_PROGRESS', 'DONE']) await move(identifier, status, at)
    return identifier as string
  }
  const read = async (query: string): Promise<Reply> =>
    (await it.call('VIEWER', 'GET', `/metrics/timeseries?${query}`)).body
  return { ...it, web, crew, move, close, read }
}

describe('a metric over time', () => {
  it('has equal steps in UTC, the last of which goes on', async () => {
    const it = await scene()
    it.clock.advance(90 * 60_000)
    const { buckets, ...rest } = await it.read('metric=issues_closed')
    expect(rest).toEqual({ metric: 'issues_closed', window: '24h', bucket: '1h', group_by: 'none', series_labels: {} })
    expect(buckets).toHaveLength(24)
    expect(buckets[0]).toEqual({ ts: '2025-12-31T02:00:00Z', series: {} })
    expect(buckets[23]).toEqual({ ts: '2026-01-01T01:00:00Z', series: {} })
  })

  it.each([
    ['24h', '15m', 96],
    ['7d', '1h', 168],
    ['7d', '1d', 7],
    ['30d', '1d', 30],
  ])('of %s has steps of %s', async (window, bucket, steps) => {
    const it = await scene()
    expect((await it.read(`metric=runs_count&window=${window}&bucket=${bucket}`)).buckets).toHaveLength(steps)
  })

  it.each([
    ['', 'metric'],
    ['metric=tokens', 'metric'],
    ['metric=runs_count&window=1y', 'window'],
    ['metric=runs_count&window=1y&bucket=15m', 'window'],
    ['metric=runs_count&window=30d&bucket=15m', 'bucket'],
    ['metric=runs_count&bucket=1m', 'bucket'],
    ['metric=runs_count&bucket=1d', 'bucket'],
    ['metric=runs_count&window=7d&bucket=15m', 'bucket'],
    ['metric=runs_count&window=30d', 'bucket'],
    ['metric=runs_count&group_by=agent', 'group_by'],
    ['metric=issues_closed&group_by=model', 'group_by'],
    ['metric=runs_count&group_by=model', 'group_by'],
    ['metric=runs_count&group_by=status', 'group_by'],
    ['metric=cost_usd&group_by=crew', 'group_by'],
    ['metric=cost_usd&group_by=status', 'group_by'],
    ['metric=active_missions&group_by=crew', 'group_by'],
    ['metric=active_missions&group_by=model', 'group_by'],
  ])('refuses %s', async (query, field) => {
    const it = await scene()
    expect(await it.call('VIEWER', 'GET', `/metrics/timeseries?${query}`)).toMatchObject({
      status: 400,
      body: { field },
    })
  })
})

describe('issues_closed', () => {
  it('counts issues when they became DONE, by crew or status', async () => {
    const it = await scene()
    const ops = await it.crew('ops')
    await it.close()
    it.clock.advance(2 * hour)
    await it.close()
    await it.close(ops)
    expect(counted(await it.read('metric=issues_closed'))).toEqual([
      { ts: '2026-01-01T00:00:00Z', series: { total: 1 } },
      { ts: '2026-01-01T02:00:00Z', series: { total: 2 } },
    ])
    const byCrew = await it.read('metric=issues_closed&group_by=crew')
    expect(counted(byCrew).at(-1)!.series).toEqual({ [it.web]: 1, [ops]: 1 })
    expect(byCrew.series_labels).toEqual({ [it.web]: 'web', [ops]: 'ops' })
    const byStatus = await it.read('metric=issues_closed&group_by=status')
    expect(byStatus.series_labels).toEqual({ DONE: 'DONE' })
  })

  it('leaves out what was reopened, until it is closed again', async () => {
    const it = await scene()
    const identifier = await it.close()
    it.clock.advance(hour)
    await it.move(identifier, 'BACKLOG')
    expect(counted(await it.read('metric=issues_closed'))).toEqual([])
    for (const status of ['IN_PROGRESS', 'DONE']) await it.move(identifier, status)
    expect(counted(await it.read('metric=issues_closed'))).toEqual([
      { ts: '2026-01-01T01:00:00Z', series: { total: 1 } },
    ])
  })

  it('forgets what is too old, what belongs to a deleted crew, and sees no other workspace', async () => {
    const it = await scene()
    await it.close()
    const { body } = await it.call(it.stranger(), 'GET', '/metrics/timeseries?metric=issues_closed')
    expect(counted(body)).toEqual([])
    it.clock.advance(24 * hour)
    expect(counted(await it.read('metric=issues_closed'))).toEqual([])
    expect(counted(await it.read('metric=issues_closed&window=7d&bucket=1d'))).toHaveLength(1)
    await it.call('OWNER', 'DELETE', `/crews/${it.web}`)
    expect(counted(await it.read('metric=issues_closed&window=7d&bucket=1d'))).toEqual([])
  })
})

describe('runs_count and cost_usd', () => {
  it('count runs when they began, and their cost when they ended', async () => {
    const it = issuesOf(await workplace())
    const { run, program } = await it.started()
    it.clock.advance(hour)
    await it.ends(run, program, 'Done.')
    const read = async (query: string): Promise<Reply> =>
      (await it.call('VIEWER', 'GET', `/metrics/timeseries?${query}`)).body
    expect(counted(await read('metric=runs_count'))).toEqual([{ ts: '2026-01-01T00:00:00Z', series: { total: 1 } }])
    const byCrew = await read('metric=runs_count&group_by=crew')
    expect(byCrew.series_labels).toEqual({ [it.crewId]: 'Backend' })
    const { cost_usd } = (await it.call('VIEWER', 'GET', `/runs/${run}`)).body
    expect(cost_usd).toBeGreaterThan(0)
    expect(counted(await read('metric=cost_usd'))).toEqual([
      { ts: '2026-01-01T01:00:00Z', series: { total: cost_usd } },
    ])
    const byModel = await read('metric=cost_usd&group_by=model')
    expect(Object.values(counted(byModel)[0]!.series)).toEqual([cost_usd])
  })
})

describe('active_missions', () => {
  it('counts missions that are not over at the end of each step, by status', async () => {
    const it = await scene()
    const at = (hours: number) =>
      new Date(Date.parse('2026-01-01T00:00:00Z') + hours * hour).toISOString().replace('.000', '')
    const store = it.app.db.prepare(
      `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, status, priority,
        work_mode, sort_order, created_by_type, created_at, updated_at, started_at, completed_at)
       VALUES (?, ?, ?, 'orchestration', 0, '', 'x', ?, 'none', 'agent', 0, 'user', ?, ?, ?, ?)`,
    )
    store.run('m1', it.workspace, it.web, 'REVIEW', at(0), at(3), at(1), null)
    store.run('m2', it.workspace, it.web, 'COMPLETED', at(1), at(2), at(1), at(2))
    store.run('m3', it.workspace, it.web, 'CANCELLED', at(0), at(1), null, null)
    it.clock.advance(3.5 * hour)
    const series = counted(await it.read('metric=active_missions&group_by=status')).map((one) => one.series)
    expect(series).toEqual([{ PLANNING: 2 }, { IN_PROGRESS: 2 }, { IN_PROGRESS: 1 }, { REVIEW: 1 }])
    expect(counted(await it.read('metric=active_missions')).map((one) => one.series)).toEqual([
      { total: 2 },
      { total: 2 },
      { total: 1 },
      { total: 1 },
    ])
  })
})
