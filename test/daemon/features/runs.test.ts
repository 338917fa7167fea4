import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { projectRuns } from '../../../daemon/features/runs/records/projection.ts'
import { type RawEntry, rawEntry } from '../../support/raw-entry.ts'

const day = 86_400_000

async function house() {
  const it = await daemon()
  const { app, workspace, clock, call } = it
  const note = (draft: Partial<RawEntry> & Pick<RawEntry, 'type'>) =>
    app.writeNow(() => rawEntry(app, { workspace_id: workspace, summary: draft.type, actor_type: 'sidecar', ...draft }))
  const crew = (await call('MANAGER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body.id as string
  const agent = 'cagent0000000000000000001'
  app.writeNow(() =>
    app.db
      .prepare(
        `INSERT INTO agents (id, workspace_id, crew_id, name, slug, agent_role, status, cli_adapter, timeout_seconds,
          tool_profile, search, created_at, updated_at)
         VALUES (?, ?, ?, 'Ada', 'ada', 'AGENT', 'IDLE', 'CLAUDE_CODE', 1800, 'CODING', 'ada', '', '')`,
      )
      .run(agent, workspace, crew),
  )
  const begin = (id: string, payload: Record<string, unknown> = {}, more: Partial<RawEntry> = {}) =>
    note({ type: 'run.started', trace_id: id, agent_id: agent, crew_id: crew, actor_id: 'someone', payload, ...more })
  const finish = (
    id: string,
    type: 'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout',
    payload: Record<string, unknown> = {},
  ) => note({ type, trace_id: id, payload })
  const list = async (query = '') => (await call('VIEWER', 'GET', `/runs${query}`)).body
  const ids = async (query = '') => (await list(query)).data.map((run: { id: string }) => run.id)
  return { ...it, note, crew, agent, begin, finish, list, ids, clock }
}

describe('runs', () => {
  it('exists from its start entry and ends with its first terminal one', async () => {
    const { begin, finish, note, call, clock, agent, workspace } = await house()
    begin('r1', { trigger_type: 'CRON', chat_id: 'c1', metadata: { tags: ['nightly'], model: 'small' } })
    const show = async () => (await call('VIEWER', 'GET', '/runs/r1')).body
    expect(await show()).toEqual({
      id: 'r1',
      workspace_id: workspace,
      agent_id: agent,
      agent_name: 'Ada',
      agent_slug: 'ada',
      crew_name: 'Docks',
      chat_id: 'c1',
      triggered_by: 'someone',
      trigger_type: 'CRON',
      status: 'RUNNING',
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: null,
      error_message: null,
      exit_code: null,
      metadata: { tags: ['nightly'], model: 'small' },
      created_at: '2026-01-01T00:00:00.000Z',
      input_tokens: null,
      output_tokens: null,
      cache_read_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      cost_usd: null,
      cost_source: null,
      prices_as_of: null,
      model: 'small',
    })
    clock.advance(1500)
    note({
      type: 'run.session_init',
      trace_id: 'r1',
      payload: { model: 'large', cli_version: '2.1', permission_mode: 'default' },
    })
    finish('r1', 'run.failed', {
      exit_code: 3,
      error_message: 'out of turns',
      metadata: { permission_mode: 'bypass', session_id: 's1' },
    })
    clock.advance(1000)
    finish('r1', 'run.completed', { exit_code: 0, metadata: { model: 'late' } })
    begin('r1', { trigger_type: 'USER' })
    expect(await show()).toMatchObject({
      status: 'FAILED',
      finished_at: '2026-01-01T00:00:01.500Z',
      error_message: 'out of turns',
      exit_code: 3,
      trigger_type: 'CRON',
      metadata: { tags: ['nightly'], model: 'small' },
      model: 'large',
      cli_version: '2.1',
      permission_mode: 'bypass',
      session_id: 's1',
    })
  })

  it('does not exist without a start entry, nor for another workspace', async () => {
    const { finish, begin, call, stranger } = await house()
    finish('r1', 'run.completed')
    begin('r2')
    expect((await call('VIEWER', 'GET', '/runs/r1')).status).toBe(404)
    expect(await call(stranger(), 'GET', '/runs/r2')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await call(stranger(), 'GET', '/runs')).body.data).toEqual([])
  })

  it('lists newest first with filters, pages and statistics', async () => {
    const { begin, finish, list, ids, clock, agent, call } = await house()
    begin('old', { trigger_type: 'CRON', metadata: { tags: ['a'] } })
    begin('lost', {}, { agent_id: 'cgone' })
    finish('old', 'run.timeout')
    clock.advance(day)
    for (let n = 1; n <= 5; n++)
      begin(`r${n}`, { trigger_type: n % 2 ? 'USER' : 'WEBHOOK', metadata: { tags: n > 3 ? ['a', 'b'] : [] } })
    finish('r1', 'run.completed')
    finish('r2', 'run.failed')
    finish('r3', 'run.cancelled')
    expect(await list()).toMatchObject({
      stats: { running: 3, today: 5, failed: 1 },
      pagination: { page: 1, limit: 50, total: 7, total_pages: 1 },
    })
    expect(await ids()).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'lost', 'old'])
    expect((await list()).data[5]).toMatchObject({
      agent_id: 'cgone',
      agent_name: null,
      agent_slug: null,
      crew_name: 'Docks',
    })
    expect(await ids('?status=RUNNING')).toEqual(['r5', 'r4', 'lost'])
    expect(await ids('?status=TIMEOUT&trigger=CRON')).toEqual(['old'])
    expect(await ids('?trigger=WEBHOOK')).toEqual(['r4', 'r2'])
    expect(await ids('?tag=a')).toEqual(['r5', 'r4', 'old'])
    expect(await ids(`?tag=a&agent_id=${agent}&status=RUNNING&trigger=USER`)).toEqual(['r5'])
    expect(await ids('?tag=none')).toEqual([])
    expect(await ids('?limit=2&page=2')).toEqual(['r3', 'r2'])
    expect((await list('?limit=2&page=9')).pagination).toEqual({ page: 9, limit: 2, total: 7, total_pages: 4 })
    expect((await list('?tag=none')).pagination).toEqual({ page: 1, limit: 50, total: 0, total_pages: 0 })
    const own = (await call('VIEWER', 'GET', `/agents/${agent}/runs`)).body
    expect(own.map((run: { id: string }) => run.id)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'old'])
    expect(own[0]).not.toHaveProperty('agent_name')
  })

  it.each(['0', '-1', 'x', '1.5', '101', ''])('takes the default for limit "%s"', async (limit) => {
    const { list } = await house()
    expect((await list(`?limit=${limit}`)).pagination.limit).toBe(50)
  })

  it.each(['0', '-1', 'x', ''])('takes the first page for page "%s"', async (page) => {
    const { list } = await house()
    expect((await list(`?page=${page}`)).pagination.page).toBe(1)
  })

  it('refuses an unknown status, an unknown agent and no workspace', async () => {
    const { call, person, stranger, agent } = await house()
    expect(await call('VIEWER', 'GET', '/runs?status=running')).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_field',
        field: 'status',
        detail: 'status must be one of RUNNING, COMPLETED, FAILED, CANCELLED, TIMEOUT',
      },
    })
    expect((await call('VIEWER', 'GET', '/agents/cnone/runs')).status).toBe(404)
    expect((await call(stranger(), 'GET', `/agents/${agent}/runs`)).status).toBe(404)
    const nowhere = { ...person('VIEWER'), workspace: '' }
    expect((await call(nowhere, 'GET', '/runs')).body.code).toBe('workspace_required')
  })

  it('is rebuilt from the entries as it is stored', async () => {
    const { begin, finish, note, app, clock, workspace } = await house()
    const ends = ['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'] as const
    for (let n = 0; n < 40; n++) {
      clock.advance(1000)
      begin(`r${n}`, {
        trigger_type: n % 3 ? 'USER' : 'CRON',
        chat_id: n % 2 ? `c${n}` : undefined,
        metadata: { tags: [`t${n % 4}`], model: 'm' },
      })
      note({ type: 'run.session_init', trace_id: `r${n - 1}`, payload: { cli_version: String(n) } })
      note({ type: 'run.parked', trace_id: `r${n}`, payload: { inbox_item_id: `i${n}` } })
      if (n % 2) note({ type: 'run.resumed', trace_id: `r${n}` })
      if (n % 5)
        finish(`r${n - 3}`, ends[n % 4]!, {
          exit_code: n,
          error_message: n % 2 ? 'no' : undefined,
          metadata: { session_id: `s${n}` },
        })
      if (n % 7 === 0) finish(`r${n - 3}`, 'run.completed', { exit_code: 0 })
    }
    const stored = () => [
      app.db.prepare('SELECT * FROM run_records ORDER BY seq').all(),
      app.db.prepare('SELECT * FROM run_tags ORDER BY seq, tag').all(),
    ]
    const before = stored()
    expect(before[0]).toHaveLength(40)
    app.db.exec('DELETE FROM run_tags; DELETE FROM run_records')
    const project = projectRuns(app.db)
    const rows = app.db
      .prepare<[], { seq: number; ts: number; doc: string }>('SELECT seq, ts, doc FROM journal ORDER BY seq')
      .all()
    app.writeNow(() => {
      for (const { seq, ts, doc } of rows) project(JSON.parse(doc), seq, ts)
    })
    expect(stored()).toEqual(before)
    expect(new Set((before[0] as { workspace_id: string }[]).map((row) => row.workspace_id))).toEqual(
      new Set([workspace]),
    )
  })
})
