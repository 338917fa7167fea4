import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { closing } from '#test'
import { matchEntries } from '../../../../daemon/features/automations/matching/service.ts'
import { type Event, inputsFor } from '../../../../daemon/features/automations/rules.ts'
import { routines } from '../../../support/routines.ts'

async function scene(options?: Parameters<typeof routines>[0]) {
  const it = await routines(options)
  closing(matchEntries(it.app))
  await it.save('look', [{ id: 'a', type: 'transform', transform: { input: '{{ inputs.word }}', expression: '.' } }], {
    inputs: [{ name: 'word', type: 'string', default: 'none' }],
  })
  const create = async (more: object = {}) => {
    const body = {
      name: 'Rule',
      event_type: 'run.failed',
      action: { routine_slug: 'look' },
      debounce_seconds: 0,
      ...more,
    }
    return (await it.call('ADMIN', 'POST', '/automations', body)).body
  }
  /** Records that a run failed. */
  const fails = (payload: object = {}, about: object = {}) =>
    it.app.write(() =>
      it.app.journal(
        fact('run.failed', { exit_code: 1, ...payload } as never, {
          workspace_id: it.workspace,
          actor_type: 'system',
          trace_id: 'run one',
          ...about,
        }),
      ),
    )
  /** All matches are stored: those of a storm are written a quarter of a second apart. */
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await new Promise((resolve) => setImmediate(resolve))
    await it.app.idle()
  }
  const parked = async () => (await it.call('VIEWER', 'GET', `${it.W}/pipelines/pending`)).body
  const runs = async () => (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs`)).body.rows
  const typed = (type: string) => it.entries().filter(({ entry_type }) => entry_type === type)
  return { ...it, create, fails, settled, parked, runs, typed }
}

describe('automations', () => {
  it('are listed newest first, and hidden once deleted', async () => {
    const { create, call } = await scene()
    const first = await create({ name: 'One' })
    await create({ name: 'Two' })
    const { body } = await call('VIEWER', 'GET', '/automations')
    expect(body.automations.map(({ name }: { name: string }) => name)).toEqual(['Two', 'One'])
    expect(body).toMatchObject({
      count: 2,
      automations: [{}, { enabled: true, matcher: {}, action_kind: 'routine', max_per_hour: 60 }],
    })
    const remove = () => call('ADMIN', 'DELETE', `/automations/${first.id}`)
    expect(await remove()).toMatchObject({ status: 200, body: { status: 'deleted', id: first.id } })
    expect((await remove()).status).toBe(404)
    expect((await call('VIEWER', 'GET', '/automations')).body.count).toBe(1)
  })

  it.each([
    ['a type without a dot', { event_type: 'run' }, 'event_type'],
    ['an unknown routine', { action: { routine_slug: 'absent' } }, 'action.routine_slug'],
    ['no routine', { action: {} }, 'action.routine_slug'],
    ['an unknown condition', { matcher: { crews: [] } }, 'matcher.crews'],
    ['a pause of more than an hour', { debounce_seconds: 3601 }, 'debounce_seconds'],
    ['too many an hour', { max_per_hour: 10_001 }, 'max_per_hour'],
  ])('refuse %s', async (_, more, field) => {
    const { create } = await scene()
    expect(await create(more)).toMatchObject({ status: 400, field })
  })

  it('keep a pause of 0, and take 0 an hour for the default', async () => {
    const { create, call } = await scene()
    const rule = await create({ debounce_seconds: 0, max_per_hour: 0 })
    expect(rule).toMatchObject({ debounce_seconds: 0, max_per_hour: 60 })
    expect(await create({ debounce_seconds: undefined })).toMatchObject({ debounce_seconds: 10 })
    const changed = await call('ADMIN', 'PATCH', `/automations/${rule.id}`, { action: { inputs: { word: 'x' } } })
    expect(changed.body.action).toEqual({ routine_slug: '', inputs: { word: 'x' } })
  })

  it('begin a run for a matching entry, with what their inputs name of it', async () => {
    const { create, fails, runs, result } = await scene()
    const rule = await create({
      action: { routine_slug: 'look', inputs: { word: 'exit {{ event.payload.exit_code }} {{ event.absent }}!' } },
    })
    await fails()
    await expect.poll(async () => (await runs()).map(({ status }: { status: string }) => status)).toEqual(['completed'])
    const [run] = await runs()
    expect(run).toMatchObject({
      triggered_via: 'automation',
      triggered_by_id: rule.id,
      automation_id: rule.id,
      automation_name: 'Rule',
      trigger_event_type: 'run.failed',
      chain_depth: 1,
    })
    expect((await result(run.id)).output).toBe('exit 1 !')
  })

  it.each([
    ['nothing', {}, true],
    ['a severity', { severities: ['error'] }, true],
    ['another severity', { severities: ['info'] }, false],
    ['a crew, where the entry has none', { crew_ids: ['c1'] }, false],
    ['a member of the payload', { payload_equals: { exit_code: 1 } }, true],
    ['the same as text', { payload_equals: { exit_code: '1' } }, false],
    ['a member that is not there', { payload_equals: { absent: null } }, false],
    ['all of it', { severities: ['error', 'warn'], payload_equals: { exit_code: 1 } }, true],
    ['one of it only', { severities: ['error'], payload_equals: { exit_code: 2 } }, false],
    ['an empty list', { agent_ids: [] }, true],
  ])('match %s', async (_, matcher, matches) => {
    const { create, fails, settled, runs, parked } = await scene()
    await create({ matcher, debounce_seconds: 60 })
    await fails()
    await settled()
    expect(await parked()).toHaveLength(matches ? 1 : 0)
    expect(await runs()).toEqual([])
  })

  it('begin nothing while disabled or deleted', async () => {
    const { create, fails, settled, parked, call } = await scene()
    const [one, two] = [await create({ debounce_seconds: 60 }), await create({ debounce_seconds: 60 })]
    await call('ADMIN', 'PATCH', `/automations/${one.id}`, { enabled: false })
    await call('ADMIN', 'DELETE', `/automations/${two.id}`)
    await fails()
    await settled()
    expect(await parked()).toEqual([])
  })

  it('make one run of matches about the same, put off ten times at most; later inputs win', async () => {
    const { create, fails, settled, parked, pass, runs, result } = await scene()
    await create({
      debounce_seconds: 10,
      action: { routine_slug: 'look', inputs: { word: '{{ event.payload.exit_code }}' } },
    })
    for (let n = 0; n < 12; n++) {
      await fails({ exit_code: n })
      await settled()
      if (n < 11) pass(9000)
    }
    const [pending] = await parked()
    expect(pending).toMatchObject({ match_count: 12, fire_at: '2026-01-01T00:01:40.000Z' })
    pass(2000)
    await expect.poll(async () => (await runs())[0]?.status).toBe('completed')
    expect(await runs()).toHaveLength(1)
    expect(await result((await runs())[0].id)).toMatchObject({ output: '11', metadata: { coalesced_events: 12 } })
  })

  it('make runs of their own of matches about different things', async () => {
    const { create, fails, settled, parked } = await scene()
    await create({ debounce_seconds: 60 })
    await fails({}, { trace_id: 'run one' })
    await fails({}, { trace_id: 'run two' })
    await fails({}, { trace_id: undefined })
    await settled()
    expect(await parked()).toHaveLength(3)
  })

  it('begin as much as they may in an hour, and say so once', async () => {
    const { create, fails, settled, parked, typed } = await scene()
    await create({ max_per_hour: 2, debounce_seconds: 60 })
    for (let n = 0; n < 5; n++) await fails({}, { trace_id: `run ${n}` })
    await settled()
    expect(await parked()).toHaveLength(2)
    expect(typed('automation.throttled')).toMatchObject([
      { severity: 'warn', payload: { max_per_hour: 2, event_type: 'run.failed' } },
    ])
  })

  it('that match their own effects stop at depth 8, with an entry', async () => {
    const { create, call, W, runs, typed } = await scene()
    await create({ event_type: 'pipeline.run.completed' })
    await call('MANAGER', 'POST', `${W}/pipelines/look/run`, {})
    await expect.poll(() => typed('automation.depth_exceeded'), { timeout: 20_000 }).toHaveLength(1)
    const depths = (await runs()).map(({ chain_depth }: { chain_depth: number }) => chain_depth)
    expect(depths.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(typed('automation.depth_exceeded')[0]).toMatchObject({
      severity: 'error',
      payload: { chain_depth: 9, max_chain_depth: 8, routine_slug: 'look', origin_run_id: expect.any(String) },
    })
  })

  it('that match what says so begin nothing more', async () => {
    const { create, call, W, typed, settled, runs } = await scene()
    await create({ event_type: 'pipeline.run.completed' })
    await create({ name: 'Other', event_type: 'automation.depth_exceeded' })
    await call('MANAGER', 'POST', `${W}/pipelines/look/run`, {})
    await expect.poll(() => typed('automation.depth_exceeded'), { timeout: 20_000 }).toHaveLength(1)
    await settled()
    expect(typed('automation.depth_exceeded')).toHaveLength(1)
    expect(await runs()).toHaveLength(8)
  })

  it('tell people when the routine refuses their inputs', async () => {
    const { create, fails, call, save } = await scene()
    await save('strict', [{ id: 'a', type: 'transform', transform: { input: 1, expression: '.' } }], {
      inputs: [{ name: 'n', type: 'number', required: true }],
    })
    await create({ action: { routine_slug: 'strict', inputs: { n: 'text' } } })
    await fails()
    const cards = async () => (await call('MANAGER', 'GET', '/inbox')).body.rows
    await expect
      .poll(cards)
      .toMatchObject([{ body_md: expect.stringContaining('The input "n" must be of type number') }])
  })

  it('store what they have matched before a stop', async () => {
    const { app, create, fails, settled, parked } = await scene()
    await create({ debounce_seconds: 60 })
    const job = matchEntries(app)
    await settled()
    app.bus.removeAllListeners('entry')
    const own = matchEntries(app)
    await fails({}, { trace_id: 'one' })
    await fails({}, { trace_id: 'two' })
    own.close()
    job.close()
    await settled()
    expect(await parked()).toHaveLength(2)
  })

  it('make one run of a storm of 10,000 matching entries', async () => {
    const { create, app, workspace, settled, parked } = await scene()
    await create({ debounce_seconds: 60 })
    const about = { workspace_id: workspace, actor_type: 'system' as const, trace_id: 'storm' }
    for (let n = 0; n < 100; n++)
      await app.write(() => {
        for (let m = 0; m < 100; m++) app.journal(fact('run.failed', { exit_code: m } as never, about))
      })
    await settled()
    expect(await parked()).toMatchObject([{ match_count: 10_000 }])
  })

  it('keep what is parked over a restart', async () => {
    const { create, fails, settled, restart, pass, runs } = await scene()
    await create({ debounce_seconds: 60 })
    await fails()
    await settled()
    restart()
    pass(60_000)
    await expect.poll(async () => (await runs())[0]?.status).toBe('completed')
  })

  it('tell people when their routine cannot run', async () => {
    const { create, fails, settled, call, W } = await scene()
    await create()
    await call('ADMIN', 'POST', `${W}/pipelines/look/disable`)
    for (let n = 0; n < 4; n++) {
      await fails({}, { trace_id: `run ${n}` })
      await settled()
    }
    const { rows } = (await call('MANAGER', 'GET', '/inbox')).body
    expect(rows).toMatchObject([{ kind: 'automation_enqueue_failed', title: 'The automation "Rule" begins nothing' }])
  })

  it('of another workspace match nothing here', async () => {
    const { create, app, settled, parked, stranger } = await scene()
    await create()
    const about = { workspace_id: stranger().workspace, actor_type: 'system' as const }
    await app.write(() => app.journal(fact('run.failed', { exit_code: 1 } as never, about)))
    await settled()
    expect(await parked()).toEqual([])
  })
})

describe('a preview', () => {
  it('shows what would have matched, and begins nothing', async () => {
    const { create, fails, call, settled, parked, runs } = await scene()
    const { id } = await create({ enabled: false, matcher: { payload_equals: { exit_code: 1 } } })
    for (let n = 0; n < 7; n++) await fails({ exit_code: n % 2 })
    const { body } = await call('MANAGER', 'POST', '/automations/preview', { automation_id: id })
    expect(body).toMatchObject({
      event_type: 'run.failed',
      window_hours: 168,
      scanned: 7,
      matched: 3,
      top_rejection: {},
    })
    expect(body.samples).toMatchObject([{ payload: { exit_code: 1 } }, {}, {}])
    await settled()
    expect([...(await parked()), ...(await runs())]).toEqual([])
  })

  it('says what most entries lack', async () => {
    const { fails, call } = await scene()
    await fails({ exit_code: 1 })
    await fails({ exit_code: 2 })
    const asked = (matcher: object) =>
      call('MANAGER', 'POST', '/automations/preview', { event_type: 'run.failed', matcher })
    const absent = (await asked({ payload_equals: { code: 1 } })).body
    expect(absent).toMatchObject({
      scanned: 2,
      matched: 0,
      samples: [],
      top_rejection: { clause: 'payload_equals.code', count: 2, key_absent: true },
    })
    expect(absent.top_rejection.detail).toContain('exit_code')
    const other = (await asked({ payload_equals: { exit_code: '1' }, agent_ids: ['a'] })).body
    expect(other.top_rejection).toMatchObject({ clause: 'agent_ids', count: 2, key_absent: false })
  })

  it('knows when there is nothing to judge by', async () => {
    const { call } = await scene()
    const { body } = await call('MANAGER', 'POST', '/automations/preview', { event_type: 'nobody.writes_this' })
    expect(body).toMatchObject({ scanned: 0, matched: 0, samples: [], top_rejection: {} })
    expect((await call('MANAGER', 'POST', '/automations/preview', {})).status).toBe(400)
    expect((await call('MANAGER', 'POST', '/automations/preview', { automation_id: 'x' })).status).toBe(404)
    expect((await call('MEMBER', 'POST', '/automations/preview', { event_type: 'run.failed' })).status).toBe(403)
  })

  it('is of the last week alone', async () => {
    const { fails, call, clock } = await scene()
    await fails()
    clock.advance(169 * 3_600_000)
    const { body } = await call('MANAGER', 'POST', '/automations/preview', { event_type: 'run.failed' })
    expect(body.scanned).toBe(0)
  })

  it('looks at the newest 500', async () => {
    const { fails, call } = await scene()
    await fails({ exit_code: 7 })
    for (let n = 0; n < 500; n++) await fails({ exit_code: 1 })
    const body = { event_type: 'run.failed', matcher: { payload_equals: { exit_code: 7 } } }
    expect((await call('MANAGER', 'POST', '/automations/preview', body)).body).toMatchObject({
      scanned: 500,
      matched: 0,
    })
  })
})

describe('inputs of automations', () => {
  const event: Event = {
    id: 'e',
    type: 'a.b',
    severity: 'info',
    summary: 's',
    crew_id: 'c',
    payload: { n: 3, deep: { x: [1] }, evil: '{{ event.id }}' },
  }

  it.each([
    ['{{ event.crew_id }}', 'c'],
    ['{{event.payload.n}}', '3'],
    ['{{ event.payload.deep.x }}', '[1]'],
    ['{{ event.payload.deep.x.0 }}', '1'],
    ['{{ event.agent_id }}|{{ event.payload.no }}', '|'],
    ['{{ event.payload.evil }}', '{{ event.id }}'],
    ['{{ event.constructor }}{{ event.payload.__proto__ }}', ''],
    ['{{ other.crew_id }}', '{{ other.crew_id }}'],
    [5, 5],
    [
      ['{{ event.type }}', { a: '{{ event.type }}' }, null],
      ['a.b', { a: 'a.b' }, null],
    ],
  ])('%j become %j', (given, expected) => expect(inputsFor(given, event)).toEqual(expected))
})
