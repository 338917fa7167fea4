import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { beginScheduled } from '../../../../daemon/features/schedules/jobs.ts'
import { dueOf, saysGo } from '../../../../daemon/features/schedules/rules.ts'
import { routines, type Step } from '../../../support/routines.ts'

const transform = (input: unknown): Step => ({ id: 'a', type: 'transform', transform: { input, expression: '.' } })
const waiting: Step = { id: 'a', type: 'wait', wait: { kind: 'event', event_type: 'go' }, timeout_seconds: 86_400 }
const failing: Step = {
  id: 'a',
  type: 'transform',
  transform: { input: 1, expression: '.' },
  validation: { min_length: 9 },
}
const hour = 3_600_000

async function scene(step: Step = transform('done')) {
  const it = await routines()
  const jobs = [closing(beginScheduled(it.app))]
  await it.save('job', [step])
  const path = `${it.W}/pipeline-schedules`
  const create = async (more: object = {}) => {
    const body = { name: 'Hourly', cron_expr: '0 * * * *', target_pipeline_slug: 'job', ...more }
    return (await it.call('MANAGER', 'POST', path, body)).body
  }
  const shown = async () => (await it.call('VIEWER', 'GET', path)).body[0]
  const change = (id: string, body: object) => it.call('ADMIN', 'PATCH', `${path}/${id}`, body)
  const pass = (ms: number) => {
    it.pass(ms)
    it.app.bus.emit('scheduled', '1970-01-01T00:00:00.000Z')
  }
  const runs = async () => (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs`)).body.rows
  const typed = (type: string) => it.entries().filter(({ entry_type }) => entry_type === type)
  /** What schedules ask for while no daemon runs is looked at by the next one. */
  const away = (ms: number) => {
    for (const job of jobs.splice(0)) job.close()
    it.clock.advance(ms)
    jobs.push(closing(beginScheduled(it.app)))
  }
  const inbox = async () => (await it.call('MANAGER', 'GET', '/inbox')).body.rows
  return { ...it, path, create, shown, change, pass, runs, typed, away, inbox }
}

describe('schedules of routines', () => {
  it('begin runs at their times, once each', async () => {
    const { create, shown, pass, runs } = await scene()
    const made = await create({ inputs: {} })
    expect(made).toMatchObject({
      next_run_at: '2026-01-01T01:00:00.000Z',
      next_runs: ['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z', '2026-01-01T03:00:00.000Z'],
      enabled: true,
      catchup_policy: 'skip',
      max_consecutive_failures: 5,
      last_status: null,
    })
    pass(hour)
    await expect.poll(shown).toMatchObject({ last_status: 'COMPLETED', next_run_at: '2026-01-01T02:00:00.000Z' })
    pass(0)
    expect(await runs()).toMatchObject([{ triggered_via: 'schedule', triggered_by_id: made.id, tags: ['scheduled'] }])
    pass(hour)
    await expect.poll(async () => (await runs()).length).toBe(2)
    expect((await shown()).last_run_id).toBe((await runs())[0].id)
  })

  it.each([
    ['a cron of four fields', { cron_expr: '0 * * *' }, 400, 'cron_expr'],
    ['a cron that never fires', { cron_expr: '0 0 30 2 *' }, 400, 'cron_expr'],
    ['no time zone', { timezone: 'Mars/Base' }, 400, 'timezone'],
    ['an unknown routine', { target_pipeline_slug: 'absent' }, 404, 'target_pipeline_slug'],
    ['no routine', { target_pipeline_slug: undefined }, 400, 'target_pipeline_slug'],
    ['an unknown wake routine', { wake_pipeline_slug: 'absent' }, 404, 'wake_pipeline_slug'],
  ])('refuse %s', async (_, more, status, field) => {
    const { create } = await scene()
    expect(await create(more)).toMatchObject({ status, field })
  })

  it('keep to their time zone over the change of clocks', async () => {
    const { create } = await scene()
    const made = await create({ cron_expr: '30 2 29 3 *', timezone: 'Europe/Berlin' })
    expect(made.next_runs[0]).toBe('2026-03-29T01:30:00.000Z')
  })

  it('begin nothing twice though the clock is set back an hour, and little when it is set forward', async () => {
    const { create, shown, pass, runs, typed } = await scene()
    await create({ cron_expr: '*/10 * * * *' })
    pass(hour)
    // What lies more than five minutes back counts as missed; the one that is due now is begun.
    await expect.poll(shown).toMatchObject({ next_run_at: '2026-01-01T01:10:00.000Z', last_status: 'COMPLETED' })
    expect(await runs()).toHaveLength(1)
    expect(typed('pipeline.schedule.missed_occurrences')).toMatchObject([{ payload: { missed_count: 5 } }])
    pass(-hour)
    pass(hour / 2)
    pass(hour / 2)
    expect(await runs()).toHaveLength(1)
    pass(10 * 60_000)
    await expect.poll(async () => (await runs()).length).toBe(2)
  })

  it('report what was missed, and skip it', async () => {
    const { create, shown, away, runs, typed, inbox } = await scene()
    await create()
    away(5 * hour + 30 * 60_000)
    await expect.poll(shown).toMatchObject({ last_missed_count: 5, next_run_at: '2026-01-01T06:00:00.000Z' })
    expect(await runs()).toEqual([])
    expect(typed('pipeline.schedule.missed_occurrences')).toMatchObject([
      { severity: 'warn', payload: { missed_count: 5 } },
    ])
    expect(await inbox()).toMatchObject([
      { kind: 'schedule_missed', title: 'The schedule "Hourly" was missed 5 times' },
    ])
  })

  it.each([
    ['once', 5, 1, 4],
    ['all', 5, 5, 0],
    ['all', 30, 20, 10],
  ])('make up for what was missed: %s of %i', async (catchup_policy, hours, begun, missed) => {
    const { create, shown, away, runs } = await scene()
    await create({ catchup_policy })
    away(hours * hour + 30 * 60_000)
    await expect.poll(async () => (await runs()).length).toBe(begun)
    expect((await shown()).last_missed_count).toBe(missed)
  })

  it('are switched off after failures in a row, and forget them when enabled', async () => {
    const { create, shown, pass, typed, inbox, change } = await scene(failing)
    const { id } = await create({ max_consecutive_failures: 2 })
    pass(hour)
    await expect.poll(shown).toMatchObject({ last_status: 'FAILED', consecutive_failures: 1, enabled: true })
    pass(hour)
    await expect.poll(shown).toMatchObject({ enabled: false, disabled_reason: 'circuit_breaker', next_run_at: null })
    expect(typed('pipeline.schedule.circuit_breaker_tripped')).toMatchObject([{ payload: { consecutive_failures: 2 } }])
    const kinds = (await inbox()).map(({ kind }: { kind: string }) => kind)
    expect(kinds.sort()).toEqual(['failed_run', 'failed_run', 'schedule_circuit_breaker_tripped'])
    await change(id, { enabled: true })
    expect(await shown()).toMatchObject({ enabled: true, disabled_reason: null, consecutive_failures: 0 })
  })

  it('leave out a routine that is busy, disabled or deleted', async () => {
    const { create, shown, pass, runs, call, W, save } = await scene(waiting)
    await save('job', [waiting], { max_concurrent: 1 })
    await create()
    pass(hour)
    await expect.poll(shown).toMatchObject({ last_status: 'WAITING' })
    pass(hour)
    await expect.poll(shown).toMatchObject({ last_status: 'SKIPPED', next_run_at: '2026-01-01T03:00:00.000Z' })
    await call('ADMIN', 'POST', `${W}/pipelines/job/disable`)
    pass(hour)
    await expect
      .poll(shown)
      .toMatchObject({ last_status: 'SKIPPED', next_run_at: '2026-01-01T04:00:00.000Z', enabled: true })
    await call('ADMIN', 'DELETE', `${W}/pipelines/job`)
    expect(await shown()).toMatchObject({ enabled: false, disabled_reason: 'routine_deleted', next_run_at: null })
    expect(await runs()).toHaveLength(1)
  })

  it.each<[string, Step, object, number]>([
    ['says yes', transform('yes'), {}, 2],
    ['says no', transform('no'), {}, 1],
    ['gives an empty list', transform([]), {}, 1],
    ['fails', failing, {}, 2],
    ['fails closed', failing, { wake_fail_closed: true }, 1],
  ])('ask a wake routine, which %s', async (_, step, more, count) => {
    const { create, pass, runs, save, shown } = await scene()
    await save('wake', [step])
    await create({ wake_pipeline_slug: 'wake', ...more })
    pass(hour)
    const last_status = count === 2 ? 'COMPLETED' : 'SKIPPED'
    await expect.poll(shown).toMatchObject({ last_status })
    expect(await runs()).toHaveLength(count)
  })

  it('are run by hand, changed and deleted', async () => {
    const { create, path, call, change, runs, shown } = await scene()
    const { id } = await create()
    expect((await call('MANAGER', 'POST', `${path}/${id}/run`)).body).toMatchObject({ status: 'PENDING' })
    await expect.poll(async () => (await runs())[0]?.status).toBe('completed')
    expect((await change(id, { cron_expr: '@daily' })).body).toMatchObject({ next_run_at: '2026-01-02T00:00:00.000Z' })
    expect((await change(id, { enabled: false })).body).toMatchObject({ next_run_at: null, next_runs: [] })
    expect((await change(id, {})).status).toBe(400)
    expect((await call('ADMIN', 'DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await call('ADMIN', 'DELETE', `${path}/${id}`)).status).toBe(404)
    expect(await shown()).toBeUndefined()
  })
})

describe('occurrences that are due', () => {
  const at = (text: string) => Date.parse(`2026-01-01T${text}:00Z`)
  it('begin no later than five minutes after their time', () => {
    expect(dueOf('0 * * * *', 'UTC', 'skip', at('01:00'), at('01:05'))).toEqual({
      begin: [at('01:00')],
      missed: 0,
      next: at('02:00'),
    })
    expect(dueOf('0 * * * *', 'UTC', 'skip', at('01:00'), at('01:06'))).toEqual({
      begin: [],
      missed: 1,
      next: at('02:00'),
    })
  })
  it('are none while the clock was set back', () =>
    expect(dueOf('0 * * * *', 'UTC', 'skip', at('02:00'), at('01:00'))).toEqual({
      begin: [],
      missed: 0,
      next: at('02:00'),
    }))
})

it.each([
  [true, true],
  ['x', true],
  [{ a: 1 }, true],
  [1, true],
  ['off', false],
  [0, false],
  [null, false],
  [{}, false],
])('what a wake routine gave, %j, means %j', (output, goes) => expect(saysGo(output)).toBe(goes))
