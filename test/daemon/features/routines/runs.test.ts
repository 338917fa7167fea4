import { describe, expect, it } from 'vitest'
import { routines, type Step } from '../../../support/routines.ts'

const give = (id: string, value: string, more: object = {}): Step => ({
  id,
  type: 'code',
  code: { code: value },
  ...more,
})
const wait = (id: string, more: object = {}): Step => ({
  id,
  type: 'wait',
  wait: { kind: 'approval', approval_prompt: 'Go on?' },
  ...more,
})
const fail = (id: string, more: object = {}): Step => give(id, '[1][5]', more)

describe('a routine', () => {
  it('is shown with what its newest version uses', async () => {
    const { save, call, W } = await routines()
    const grader = { criteria: [{ name: 'n', rule: 'r' }], grader_agent_slug: 'bob' }
    const asks = { type: 'agent_run', agent_slug: 'ada', prompt: 'x' }
    await save(
      'all',
      [
        { id: 'a', ...asks, outcomes: grader, hooks: { before: [give('b', '1')] } },
        { id: 'c', type: 'call_pipeline', pipeline_slug: 'other' },
        { id: 'd', type: 'foreach', foreach: { items: [1], steps: [{ id: 'e', ...asks }] } },
      ],
      { egress_targets: ['a.example'], credentials_required: [{ type: 'K' }] },
    )
    expect((await call('VIEWER', 'GET', `${W}/pipelines/all`)).body.manifest).toEqual({
      integrations: [],
      egress: ['a.example'],
      credentials: [{ type: 'K' }],
      agents: ['ada', 'bob'],
      routines: ['other'],
      datastores: [],
      tools: [],
      has_http: false,
      has_code: true,
    })
  })
})

describe('a dry run of a routine', () => {
  it('says what each step would do, does nothing, and stands in the journal', async () => {
    const { save, call, W, app, entries } = await routines()
    await save('two', [give('a', '1'), { id: 'b', type: 'notify', notify: { to: 'workspace', title: 'Hello' } }])
    const tried = await call('MANAGER', 'POST', `${W}/pipelines/two/dry_run`, {})
    expect(tried.body).toMatchObject({ status: 'DRY_RUN_OK', steps: [{ id: 'a' }, { id: 'b' }] })
    expect(app.db.prepare('SELECT count(*) FROM routine_runs').pluck().get()).toBe(0)
    expect(entries().filter(({ entry_type }) => entry_type === 'pipeline.dry_run')).toMatchObject([
      { actor_type: 'user', payload: { pipeline_slug: 'two', version: 1, steps: 2 } },
    ])
  })
})

describe('a run of a routine', () => {
  it('does its steps one after the other, and gives what the last one gave', async () => {
    const { save, run, result } = await routines()
    await save(
      'sum',
      [
        give('double', 'inputs.numbers.map(n, n * 2.0)'),
        { id: 'size', type: 'transform', transform: { input: '{{ steps.double.output }}', expression: '. | length' } },
      ],
      { inputs: [{ name: 'numbers', type: 'array', required: true }] },
    )
    const done = await run('sum', { inputs: { numbers: [1, 2, 3] } })
    expect(done).toMatchObject({ status: 'COMPLETED', output: 3 })
    const shown = await result(done.run_id)
    expect(shown).toMatchObject({ status: 'completed', step_outputs: { double: [2, 4, 6], size: 3 }, version: 1 })
    expect(shown.steps.map(({ key, status }: { key: string; status: string }) => [key, status])).toEqual([
      ['double', 'completed'],
      ['size', 'completed'],
    ])
  })

  it('gives the outputs that its definition names', async () => {
    const { save, run } = await routines()
    await save('named', [give('a', '{"n": 1}')], {
      outputs: { number: '{{ steps.a.output.n }}', text: 'n={{ steps.a.output.n }}' },
    })
    expect((await run('named')).output).toEqual({ number: 1, text: 'n=1' })
  })

  it.each([
    ['an expression that is true', 'inputs.go == true', 'completed'],
    ['an expression that is false', 'inputs.go == false', 'skipped'],
    ['an expression that fails', 'inputs.absent.member == 1', 'skipped'],
    ['an expression that gives no truth', '1 + 1', 'skipped'],
    ['a template that is not empty', '{{ inputs.go }}', 'completed'],
    ['a template of "no"', '{{ inputs.word }}', 'skipped'],
  ])('looks at the condition of a step: %s', async (_, condition, status) => {
    const { save, run, result } = await routines()
    const inputs = [
      { name: 'go', type: 'boolean', default: true },
      { name: 'word', type: 'string', default: 'no' },
    ]
    await save('maybe', [give('a', '1', { if: condition, on_fail: 'continue' })], { inputs })
    const { run_id } = await run('maybe')
    expect((await result(run_id)).steps[0].status).toBe(status)
  })

  it('begins what needs nothing at once, and what needs steps after them', async () => {
    const { save, run, until, call, W } = await routines()
    await save('graph', [
      wait('a'),
      give('b', '2', { needs: [] }),
      give('c', 'steps.a.output + "!"', { needs: ['a', 'b'] }),
    ])
    const { run_id, status, waitpoint_token } = await run('graph')
    expect(status).toBe('WAITING')
    const waiting = await until(run_id, 'waiting')
    expect(waiting).toMatchObject({ current_step_id: 'a', step_outputs: { b: 2 } })
    const approved = await call('MANAGER', 'POST', `${W}/pipelines/waitpoints/${waitpoint_token}/approve`, {
      approved: true,
      comment: 'yes',
    })
    expect(approved.status).toBe(200)
    expect(await until(run_id, 'completed')).toMatchObject({ step_outputs: { a: 'yes', c: 'yes!' } })
  })

  it('fails with the step that failed, and does what is to be done then', async () => {
    const { save, run, result, entries } = await routines()
    const hooks = {
      before_all: [give('first', '"before"')],
      after_all: [give('last', '"after"')],
      on_failure: [give('mourn', '"sorry"')],
    }
    await save('bad', [give('a', '1'), fail('b'), give('c', '3')], { hooks })
    const { run_id, status, failed_at_step, error_message } = await run('bad')
    expect({ status, failed_at_step }).toEqual({ status: 'FAILED', failed_at_step: 'b' })
    expect(error_message).toMatch(/expression failed/)
    const shown = await result(run_id)
    expect(shown.steps.map(({ key }: { key: string }) => key)).toEqual(['first', 'a', 'b', 'mourn'])
    const types = entries()
      .map(({ entry_type }) => entry_type)
      .filter((type) => type.startsWith('pipeline.'))
    expect(types).toEqual([
      'pipeline.run.started',
      'pipeline.step.completed',
      'pipeline.step.completed',
      'pipeline.step.failed',
      'pipeline.step.completed',
      'pipeline.run.failed',
    ])
  })

  it('goes on after a step that may fail', async () => {
    const { save, run } = await routines()
    await save('lenient', [fail('a', { on_fail: 'continue' }), give('b', 'steps.a.status')])
    expect(await run('lenient')).toMatchObject({ status: 'COMPLETED', output: 'failed' })
  })

  it('does the hooks of a step with it, and leaves them out with it', async () => {
    const { save, run, result } = await routines()
    const hooks = (name: string) => ({
      before: [give(`${name}_first`, `"${name}"`), give(`${name}_then`, `steps.${name}_first.output + "!"`)],
      after: [give(`${name}_last`, `has(steps.${name}.output) ? steps.${name}.output : ""`)],
    })
    await save('hooked', [
      give('a', 'steps.a_then.output + "?"', { hooks: hooks('a') }),
      give('b', '1', { if: 'false', hooks: hooks('b') }),
      give('c', 'steps.a_last.status'),
      fail('d', { on_fail: 'continue', hooks: hooks('d') }),
    ])
    const done = await run('hooked')
    expect(done).toMatchObject({ status: 'COMPLETED', output: 'completed' })
    const { steps } = await result(done.run_id)
    expect(steps.map(({ key, status, output }: never) => [key, status, output])).toEqual([
      ['a_first', 'completed', 'a'],
      ['a_then', 'completed', 'a!'],
      ['a', 'completed', 'a!?'],
      ['a_last', 'completed', 'a!?'],
      ['b_first', 'skipped', undefined],
      ['b_then', 'skipped', undefined],
      ['b', 'skipped', undefined],
      ['b_last', 'skipped', undefined],
      ['c', 'completed', 'completed'],
      ['d_first', 'completed', 'd'],
      ['d_then', 'completed', 'd!'],
      ['d', 'failed', undefined],
      ['d_last', 'completed', ''],
    ])
  })

  it('fails with the hook of a step that fails, before the step begins', async () => {
    const { save, run, result } = await routines()
    await save('hooked', [give('a', '1', { hooks: { before: [fail('a_first')] } }), give('b', '2')])
    const { run_id } = await run('hooked')
    const shown = await result(run_id)
    expect(shown).toMatchObject({ status: 'failed', failed_at_step: 'a_first', steps: [{ key: 'a_first' }] })
    expect(shown.steps).toHaveLength(1)
  })

  it('tries a step again after a pause that grows', async () => {
    const { save, run, until, pass, result } = await routines()
    const retry = { max_attempts: 3, backoff: { min_ms: 1000, factor: 3, jitter: false } }
    await save('again', [fail('a', { retry })])
    const { run_id } = await run('again', { wait_seconds: 0 })
    const attempts = async () => (await result(run_id)).steps[0]
    await expect.poll(attempts).toMatchObject({ status: 'retrying', attempt: 1, wake_at: '2026-01-01T00:00:01.000Z' })
    pass(1000)
    await expect.poll(attempts).toMatchObject({ status: 'retrying', attempt: 2, wake_at: '2026-01-01T00:00:04.000Z' })
    pass(3000)
    expect(await until(run_id, 'failed')).toMatchObject({ failed_at_step: 'a', steps: [{ attempt: 3 }] })
  })

  it('tries again only what fails with the words that the step names', async () => {
    const { save, run, until } = await routines()
    const tried = async (slug: string, words: string) => {
      const retry = { max_attempts: 3, backoff: { min_ms: 0, jitter: false }, retry_on: ['nothing', words] }
      await save(slug, [give('a', '"abc"', { validation: { must_contain: ['z'] }, retry })])
      return (await until((await run(slug, { wait_seconds: 0 })).run_id, 'failed')).steps[0].attempt
    }
    expect([await tried('other', 'timed out'), await tried('same', 'DOES not contain')]).toEqual([1, 3])
  })

  it('reckons with variables, which may hold secrets that nobody sees', async () => {
    const { save, run, call, app, entries } = await routines()
    const secret = 'tok-4711-secret'
    await call('OWNER', 'POST', '/credentials', { name: 'TOKEN', type: 'SECRET', value: secret })
    const env = { T: '{{ secrets.TOKEN }}', WHO: 'for {{ inputs.who }}' }
    const more = { credentials_required: [{ type: 'TOKEN' }], inputs: [{ name: 'who', type: 'string' }] }
    const code = 'env.T == "tok-4711-secret" ? env.WHO + " " + env.T : "?"'
    await save('env', [{ id: 'a', type: 'code', code: { code, env } }], more)
    expect(await run('env', { inputs: { who: 'Ada' } })).toMatchObject({ output: 'for Ada [REDACTED]' })
    expect(JSON.stringify([entries(), app.db.prepare('SELECT * FROM routine_steps').all()])).not.toContain(secret)
  })

  it('does not begin without the integrations that it needs', async () => {
    const { save, run, call, W } = await routines()
    await save('needs', [give('a', '1')], { integrations_required: ['github', 'slack'] })
    expect(await run('needs')).toMatchObject({
      status: 422,
      code: 'missing_integrations',
      missing_integrations: ['github', 'slack'],
    })
    expect((await call('VIEWER', 'GET', `${W}/pipelines/needs`)).body.manifest.integrations).toEqual([
      'github',
      'slack',
    ])
  })

  it('stands in the history of its routine, with its steps if they are asked for', async () => {
    const { save, run, call, W } = await routines()
    const { id } = await save('told', [give('a', '1')])
    await save('other', [give('a', '1')])
    const { run_id } = await run('told')
    await run('other')
    const listed = async (query: string) => (await call('VIEWER', 'GET', `${W}/pipelines/told/runs${query}`)).body
    const of = { pipeline_id: id, run_id, payload: { run_id } }
    expect(await listed('')).toMatchObject([
      { ...of, entry_type: 'pipeline.run.completed', severity: 'info' },
      { ...of, entry_type: 'pipeline.run.started' },
    ])
    expect((await listed('?include_steps=1')).map(({ entry_type }: { entry_type: string }) => entry_type)).toEqual([
      'pipeline.run.completed',
      'pipeline.step.completed',
      'pipeline.run.started',
    ])
    expect(await listed('?limit=1')).toHaveLength(1)
    expect((await call('VIEWER', 'GET', `${W}/pipelines/none/runs`)).status).toBe(404)
  })

  it('says for which issue it was begun', async () => {
    const { save, run, call, result } = await routines()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body
    const issue = (await call('OWNER', 'POST', `/crews/${crew.id}/issues`, { title: 'x' })).body
    await save('look', [give('a', '1')])
    for (const triggered_by_id of [issue.id, issue.identifier]) {
      const { run_id } = await run('look', { triggered_via: 'issue', triggered_by_id })
      expect(await result(run_id)).toMatchObject({
        triggered_via: 'issue',
        triggered_by_id,
        issue_identifier: issue.identifier,
      })
    }
    expect(await run('look', { triggered_via: 'issue', triggered_by_id: 'BACK-99' })).toMatchObject({ status: 404 })
  })

  it('refuses results that the rules of a step do not allow', async () => {
    const { save, run, entries } = await routines()
    const check = async (slug: string, value: string, validation: object) => {
      await save(slug, [give('a', value, { validation })])
      return (await run(slug)).error_message
    }
    expect(await check('c1', '"abc"', { must_contain: ['z'] })).toBe('The result does not contain "z"')
    expect(entries().filter(({ entry_type }) => entry_type === 'pipeline.step.validation_failed')).toMatchObject([
      { severity: 'warn', payload: { step_id: 'a', error_message: 'The result does not contain "z"' } },
    ])
    expect(await check('c2', '"abc"', { must_not_contain: ['b'] })).toBe('The result contains "b"')
    expect(await check('c3', '"abc"', { min_length: 4 })).toMatch(/at least 4/)
    expect(
      await check('c4', '{"n": "x"}', { schema: { type: 'object', properties: { n: { type: 'number' } } } }),
    ).toMatch(/schema: \/n/)
    expect(
      await check('c5', '{"n": 1}', { schema: { type: 'object', required: ['n'] }, max_length: 20 }),
    ).toBeUndefined()
  })

  it('does the steps of a loop for each item, some at a time', async () => {
    const { save, run, call, W } = await routines()
    const steps = [give('twice', 'n * 2.0'), give('text', 'string(int(steps.twice.output)) + "@" + string(int(index))')]
    await save(
      'loop',
      [{ id: 'each', type: 'foreach', foreach: { items: '{{ inputs.list }}', as: 'n', parallelism: 2, steps } }],
      {
        inputs: [{ name: 'list', type: 'array' }],
      },
    )
    const done = await run('loop', { inputs: { list: [1, 2, 3] } })
    expect(done).toMatchObject({ output: ['2@0', '4@1', '6@2'] })
    const { nodes } = (await call('VIEWER', 'GET', `${W}/pipeline-runs/${done.run_id}/tree`)).body
    const [first, ...others] = nodes.map(({ parent_id }: { parent_id: string | null }) => parent_id)
    expect([first, new Set(others), others.length]).toEqual([null, new Set([`${done.run_id}.each`]), 6])
    expect(await run('loop', { inputs: { list: [] } })).toMatchObject({ status: 'COMPLETED', output: [] })
    const many = await run('loop', { inputs: { list: Array.from({ length: 1001 }, () => 1) } })
    expect(many.error_message).toBe('A foreach has at most 1000 items, not 1001')
  })

  it('fails with the item of a loop that failed', async () => {
    const { save, run } = await routines()
    const steps = [give('pick', 'n == 2.0 ? [1][7] : 1')]
    await save('loop', [{ id: 'each', type: 'foreach', foreach: { items: [1, 2, 3], as: 'n', steps } }])
    expect(await run('loop')).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringMatching(/^each\[1\]\.pick: /),
    })
  })

  it('runs another routine and has what that gave', async () => {
    const { save, run, result, call, W } = await routines()
    await save('inner', [give('a', 'inputs.n + 1.0')], { inputs: [{ name: 'n', type: 'number' }] })
    await save('outer', [
      { id: 'call', type: 'call_pipeline', pipeline_slug: 'inner', inputs: { n: 4 } },
      give('b', 'steps.call.output * 2.0'),
    ])
    const done = await run('outer')
    expect(done.output).toBe(10)
    const child = (await result(done.run_id)).steps[0].child_run_id
    expect(await result(child)).toMatchObject({
      parent_run_id: done.run_id,
      triggered_via: 'call_pipeline',
      status: 'completed',
    })
    const tree = (await call('VIEWER', 'GET', `${W}/pipeline-runs/${done.run_id}/tree`)).body
    expect(
      tree.nodes.map(({ id, parent_id, kind, name }: Record<string, string>) => [id, parent_id, kind, name]),
    ).toEqual([
      [`${done.run_id}.call`, null, 'step', 'call'],
      [child, `${done.run_id}.call`, 'run', 'inner'],
      [`${child}.a`, child, 'step', 'a'],
      [`${done.run_id}.b`, null, 'step', 'b'],
    ])
  })

  it('refuses routines that call themselves, over others too', async () => {
    const { save, run } = await routines()
    await save('one', [give('a', '1')])
    await save('two', [{ id: 'call', type: 'call_pipeline', pipeline_slug: 'one' }])
    await save('one', [{ id: 'call', type: 'call_pipeline', pipeline_slug: 'two' }])
    const done = await run('one')
    expect(done.error_message).toMatch(/would call itself/)
  })

  it('waits for a time', async () => {
    const { save, run, until, pass } = await routines()
    await save('later', [
      { id: 'sleep', type: 'wait', wait: { kind: 'datetime', until: '2026-01-01T06:00:00Z' } },
      give('b', '1'),
    ])
    const { run_id, status } = await run('later')
    expect(status).toBe('WAITING')
    pass(3 * 3_600_000)
    expect((await until(run_id, 'waiting')).status).toBe('waiting')
    pass(3 * 3_600_000)
    expect(await until(run_id, 'completed')).toMatchObject({ output: 1 })
  })

  it('waits for an event, which may have come before', async () => {
    const { save, run, until, call, W, pass, entries } = await routines()
    const event = (id: string): Step => ({ id, type: 'wait', wait: { kind: 'event', event_type: `${id}.done` } })
    await save('events', [event('build'), event('ship'), give('c', 'steps.ship.output.tag')])
    const { run_id } = await run('events')
    const signal = (body: object) => call('MANAGER', 'POST', `${W}/pipeline-runs/${run_id}/signal`, body)
    expect((await signal({ event_type: 'ship.done', payload: { tag: 'v1' } })).body).toEqual({
      delivered: 0,
      kept: true,
    })
    expect((await call('MANAGER', 'POST', `${W}/signals`, { event_type: 'build.done' })).body).toEqual({ delivered: 1 })
    expect(await until(run_id, 'completed')).toMatchObject({ output: 'v1' })
    expect((await signal({ event_type: 'ship.done' })).status).toBe(409)
    const late = await run('events')
    pass(3_600_000)
    expect(await until(late.run_id, 'failed')).toMatchObject({ error_message: 'The event did not come in time' })
    expect(entries().filter(({ entry_type }) => entry_type === 'pipeline.signal.sent')).toHaveLength(2)
  })

  it('ends when a person refuses', async () => {
    const { save, run, until, call, W } = await routines()
    await save('ask', [wait('a'), give('b', '1')])
    const { run_id, waitpoint_token } = await run('ask')
    await call('MANAGER', 'POST', `${W}/pipelines/waitpoints/${waitpoint_token}/approve`, {
      approved: false,
      comment: 'not now',
    })
    expect(await until(run_id, 'failed')).toMatchObject({
      failed_at_step: 'a',
      error_message: 'A person refused it: not now',
    })
  })

  it('has what another system sent along when it let the run go on', async () => {
    const { save, run, until, call } = await routines()
    await save('ask', [wait('a'), give('b', 'steps.a.output.build')])
    const { run_id, waitpoint_token } = await run('ask')
    const path = `/waitpoint-tokens/${waitpoint_token}`
    const long = { text: 'x'.repeat(70_000) }
    expect((await call(null, 'POST', path, { approved: true, payload: long })).status).toBe(400)
    expect((await call(null, 'POST', path, { approved: true, payload: { build: 7 } })).body).toEqual({
      ok: true,
      approved: true,
    })
    expect((await call(null, 'POST', path, { approved: true, payload: { build: 8 } })).status).toBe(409)
    expect(await until(run_id, 'completed')).toMatchObject({ output: 7 })
  })

  it('goes on after a restart with what was decided before it was told', async () => {
    const { save, run, until, call, W, stop, restart, entries } = await routines()
    await save('ask', [wait('a'), give('b', '1')])
    const { run_id, waitpoint_token } = await run('ask')
    stop()
    const path = `${W}/pipelines/waitpoints/${waitpoint_token}/approve`
    expect((await call('MANAGER', 'POST', path, { approved: true })).status).toBe(200)
    restart()
    expect(await until(run_id, 'completed')).toMatchObject({ output: 1 })
    await expect
      .poll(() => entries().filter(({ entry_type }) => entry_type === 'pipeline.runs_swept'))
      .toMatchObject([{ actor_type: 'orchestrator', payload: { resumed: 1, interrupted: 0 } }])
  })

  it('is cancelled with all that it waits for', async () => {
    const { save, run, call, W, result } = await routines()
    await save('inner', [wait('a')])
    await save('outer', [{ id: 'call', type: 'call_pipeline', pipeline_slug: 'inner' }])
    const { run_id } = await run('outer', { wait_seconds: 0 })
    await expect.poll(async () => (await call('VIEWER', 'GET', `${W}/pipelines/waitpoints`)).body).toHaveLength(1)
    const cancel = () => call('ADMIN', 'POST', `${W}/pipelines/runs/${run_id}/cancel`)
    expect((await cancel()).body).toEqual({ run_id, cancel_requested: true })
    expect((await cancel()).body).toEqual({ run_id, cancel_requested: false })
    expect((await call('VIEWER', 'GET', `${W}/pipelines/waitpoints`)).body).toEqual([])
    const shown = await result(run_id)
    expect(shown).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled' }] })
    expect((await result(shown.steps[0].child_run_id)).status).toBe('cancelled')
  })

  it('is cancelled when its routine is disabled or deleted', async () => {
    const { save, run, call, W, result } = await routines()
    for (const [slug, method, path] of [
      ['one', 'POST', '/disable'],
      ['two', 'DELETE', ''],
    ] as const) {
      await save(slug, [wait('a')])
      const { run_id } = await run(slug)
      expect((await call('ADMIN', method, `${W}/pipelines/${slug}${path}`)).status).toBeLessThan(300)
      expect(await result(run_id)).toMatchObject({ status: 'cancelled' })
    }
    expect(await run('one')).toMatchObject({ code: 'routine_inactive' })
    expect(await run('two')).toMatchObject({ code: 'not_found' })
  })

  it('ends with its workspace', async () => {
    const { call, stranger, app } = await routines()
    const owner = stranger()
    const W = `/workspaces/${owner.workspace}`
    const begin = async (slug: string, step: Step, body: object = {}) => {
      const definition = { dsl_version: '1.0', name: slug, steps: [step] }
      await call(owner, 'POST', `${W}/pipelines/save`, { slug, definition, skip_test_gate: true })
      return (await call(owner, 'POST', `${W}/pipelines/${slug}/run`, body)).body
    }
    const event: Step = { id: 'a', type: 'wait', wait: { kind: 'event', event_type: 'go' } }
    expect([(await begin('one', wait('a'))).status, (await begin('two', event)).status]).toEqual(['WAITING', 'WAITING'])
    expect((await begin('two', event, { delay_seconds: 60 })).status).toBe('SCHEDULED')
    expect((await call(owner, 'POST', '/workspaces', { name: 'Other', slug: 'other' })).status).toBe(201)
    const gone = await call(owner, 'DELETE', W, { confirm_slug: `test-${owner.workspace.slice(-8)}` })
    expect(gone.status, gone.text).toBe(200)
    const statuses = (table: string) => app.db.prepare(`SELECT status FROM ${table}`).pluck().all()
    expect(statuses('routine_runs')).toEqual(['cancelled', 'cancelled'])
    expect(statuses('pending_runs')).toEqual(['cancelled'])
  })

  it('tells people, 20 things at most', async () => {
    const { save, run, call, person } = await routines()
    const notify = (to: string): Step => ({ id: 'tell', type: 'notify', notify: { to, title: 'n = {{ i }}' } })
    const loop = (slug: string, to: string, count: number) =>
      save(slug, [
        {
          id: 'each',
          type: 'foreach',
          foreach: { items: Array.from({ length: count }, (_, i) => i), as: 'i', steps: [notify(to)] },
        },
      ])
    await loop('few', `user:${person('VIEWER').userId}`, 2)
    expect(await run('few')).toMatchObject({ status: 'COMPLETED' })
    const titles = (await call('VIEWER', 'GET', '/inbox')).body.rows.map(({ title }: { title: string }) => title)
    expect(titles.sort()).toEqual(['n = 0', 'n = 1'])
    expect((await call('OWNER', 'GET', '/inbox')).body.rows).toEqual([])
    await loop('many', 'workspace', 21)
    expect((await run('many')).error_message).toMatch(/told 20 things/)
    await loop('nobody', 'user:nobody', 1)
    expect((await run('nobody')).error_message).toMatch(/nobody called "user:nobody"/)
  })

  it('makes issues, and says so as itself', async () => {
    const { save, run, call } = await routines()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body
    await save(
      'file',
      [
        {
          id: 'make',
          type: 'platform',
          action: 'issue.create',
          args: { title: 'From {{ run.slug }}', priority: 'high' },
        },
        {
          id: 'note',
          type: 'platform',
          action: 'issue.comment',
          args: { identifier: '{{ steps.make.output.identifier }}', body: 'Look' },
        },
        {
          id: 'move',
          type: 'platform',
          action: 'issue.update',
          args: { identifier: '{{ steps.make.output.identifier }}', priority: 'low' },
        },
      ],
      {},
      crew.id,
    )
    expect(await run('file')).toMatchObject({ status: 'COMPLETED', output: { title: 'From file' } })
    const [issue] = (await call('VIEWER', 'GET', '/issues')).body
    expect(issue).toMatchObject({
      title: 'From file',
      priority: 'low',
      crew_id: crew.id,
      authored_via: 'routine',
    })
    const [comment] = (await call('VIEWER', 'GET', `/crews/${crew.id}/issues/${issue.identifier}/comments`)).body
    expect(comment.body).toBe('Look\n\n— the routine file')
    await save(
      'wrong',
      [{ id: 'make', type: 'platform', action: 'issue.create', args: { title: 'x', priority: 'huge' } }],
      {},
      crew.id,
    )
    expect((await run('wrong')).error_message).toMatch(/priority must be one of/)
  })

  it('relates issues', async () => {
    const { save, run, call } = await routines()
    const crew = (await call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body
    const issue = async (title: string) =>
      (await call('OWNER', 'POST', `/crews/${crew.id}/issues`, { title })).body.identifier as string
    const [one, other] = [await issue('one'), await issue('other')]
    const args = { identifier: one, relation_type: 'blocks', target_identifier: other }
    await save('link', [{ id: 'a', type: 'platform', action: 'issue.link', args }], {}, crew.id)
    expect(await run('link')).toMatchObject({
      status: 'COMPLETED',
      output: { identifier: one, relation_type: 'blocks' },
    })
    const relations = (await call('VIEWER', 'GET', `/crews/${crew.id}/issues/${one}/relations`)).body
    expect(relations).toMatchObject([{ relation_type: 'blocks', target_identifier: other }])
    expect((await run('link')).error_message).toMatch(/are related already/)
  })

  it('looks up what was run', async () => {
    const { save, run } = await routines()
    await save('one', [give('a', '1')])
    await run('one')
    await save('look', [{ id: 'q', type: 'query', query: { source: 'pipeline_runs', pipeline_slug: 'one' } }])
    expect((await run('look')).output).toMatchObject({
      total: 1,
      completed: 1,
      runs: [{ pipeline_slug: 'one', status: 'completed' }],
    })
    await save('costs', [{ id: 'q', type: 'query', query: { source: 'agent_costs', window_hours: 168 } }])
    expect((await run('costs')).output).toMatchObject({ total_usd: 0, agents: [], text: 'No agent worked.' })
  })

  it('begins once for one idempotency key, of the body or the header', async () => {
    const { save, run, call, W } = await routines()
    await save('one', [give('a', '1')])
    const first = await run('one', { idempotency_key: 'k' })
    expect(await run('one', { idempotency_key: 'k' })).toEqual({ run_id: first.run_id, status: 'DEDUPED' })
    const again = await call('MANAGER', 'POST', `${W}/pipelines/one/run`, {}, { 'idempotency-key': 'k' })
    expect(again.body).toEqual({ run_id: first.run_id, status: 'DEDUPED' })
    expect((await run('one', { idempotency_key: 'other' })).run_id).not.toBe(first.run_id)
  })

  it('is refused where as many are at work as may be, by its key', async () => {
    const { save, call, W } = await routines()
    await save('one', [wait('a')], {
      concurrency_key: '{{ inputs.branch }}',
      inputs: [{ name: 'branch', type: 'string' }],
    })
    const on = (branch: string) => call('MANAGER', 'POST', `${W}/pipelines/one/run`, { inputs: { branch } })
    expect((await on('main')).status).toBe(200)
    const second = await on('main')
    expect(second).toMatchObject({ status: 429, body: { code: 'routine_busy' }, headers: { 'retry-after': '5' } })
    expect((await on('dev')).status).toBe(200)
  })

  it('begins later, and not at all when it waited for too long', async () => {
    const { save, run, call, W, pass } = await routines()
    await save('one', [wait('a')], { max_concurrent: 1 })
    const runs = async () => (await call('VIEWER', 'GET', `${W}/pipeline-runs`)).body.rows
    const later = await run('one', { delay_seconds: 60, priority: 3 })
    expect(later).toMatchObject({ status: 'SCHEDULED', fire_at: '2026-01-01T00:01:00.000Z', coalesced: false })
    await run('one', { delay_seconds: 61, ttl_seconds: 120 })
    expect((await call('VIEWER', 'GET', `${W}/pipelines/pending`)).body).toHaveLength(2)
    expect(await runs()).toEqual([])
    pass(62_000)
    await expect.poll(runs).toHaveLength(1)
    pass(120_000)
    await expect.poll(async () => (await call('VIEWER', 'GET', `${W}/pipelines/pending`)).body).toEqual([])
    expect(await runs()).toHaveLength(1)
  })

  it('begins by priority what is due at the same time, and of equals the first', async () => {
    const { app, clock, save, run, pass } = await routines()
    await save('one', [give('a', '1')], { max_concurrent: 10, inputs: [{ name: 'n', type: 'number' }] })
    for (const [n, priority] of [0, 5, 5, 9].entries()) {
      await run('one', { delay_seconds: 60, priority, inputs: { n } })
      clock.advance(1)
    }
    pass(60_000)
    const begun = () =>
      app.db
        .prepare<[], string>('SELECT inputs_json FROM routine_runs ORDER BY rowid')
        .pluck()
        .all()
        .map((json) => JSON.parse(json).n)
    await expect.poll(begun).toEqual([3, 1, 2, 0])
  })

  it('begins with eleven others at most in one change, however many are due', async () => {
    const { app, save, run, pass } = await routines()
    await save('one', [give('a', '1')], { max_concurrent: 40 })
    for (let n = 0; n < 30; n++) await run('one', { delay_seconds: 60 })
    const begun = app.db.prepare<[], number>('SELECT count(*) FROM routine_runs').pluck()
    const seen = new Set<number>()
    // Told after each change that begins runs.
    const look = () => void seen.add(begun.get()!)
    app.bus.on('routine', look)
    pass(60_000)
    await expect.poll(() => begun.get()).toBe(30)
    await expect.poll(() => [...seen]).toEqual([12, 24, 30])
    app.bus.off('routine', look)
  })

  it('is a row in which what is not there is empty, and failures alike have one fingerprint', async () => {
    const { save, run, call, W, until } = await routines()
    await save('ask', [wait('a'), fail('b')], { max_concurrent: 3 })
    const ids: string[] = []
    for (const _ of [1, 2]) ids.push((await run('ask')).run_id)
    const rows = async () => (await call('VIEWER', 'GET', `${W}/pipeline-runs`)).body.rows
    const blank = { ended_at: '', error_message: '', failed_at_step: '', issue_identifier: '' }
    expect(await rows()).toMatchObject(
      [1, 2].map(() => ({ ...blank, current_step_id: 'a', cost_usd: 0, duration_ms: 0 })),
    )
    expect((await rows())[0]).not.toHaveProperty('error_fingerprint')
    for (const { token } of (await call('MANAGER', 'GET', `${W}/pipelines/waitpoints`)).body)
      await call('MANAGER', 'POST', `${W}/pipelines/waitpoints/${token}/approve`, { approved: true })
    for (const id of ids) expect((await until(id, 'failed')).step_outputs).toHaveProperty('a')
    const [one, other] = await rows()
    expect(one).toMatchObject({ current_step_id: '', failed_at_step: 'b', error_fingerprint: other.error_fingerprint })
  })

  it('is one for requests with the same key, the last of which wins', async () => {
    const { save, run, call, W, pass } = await routines()
    await save('one', [give('a', 'inputs.n')], { inputs: [{ name: 'n', type: 'number' }] })
    const ask = (n: number) =>
      run('one', { inputs: { n }, debounce_key: 'k', debounce_window_seconds: 10, debounce_max_seconds: 15 })
    expect(await ask(1)).toMatchObject({ coalesced: false, fire_at: '2026-01-01T00:00:10.000Z' })
    pass(9000)
    expect(await ask(2)).toMatchObject({ coalesced: true, fire_at: '2026-01-01T00:00:15.000Z' })
    pass(6000)
    const rows = async () => (await call('VIEWER', 'GET', `${W}/pipeline-runs?status=completed`)).body.rows
    await expect.poll(rows).toHaveLength(1)
    expect((await rows())[0]).toMatchObject({ metadata: { coalesced_events: 2 } })
  })

  it('is cancelled before it begins', async () => {
    const { save, run, call, W } = await routines()
    await save('one', [give('a', '1')])
    const { pending_id } = await run('one', { delay_seconds: 60 })
    const cancel = () => call('MANAGER', 'POST', `${W}/pipelines/pending/${pending_id}/cancel`)
    expect((await cancel()).body).toEqual({ id: pending_id, status: 'cancelled' })
    expect((await cancel()).status).toBe(409)
  })

  it('is replayed, from a step on if asked for', async () => {
    const it = await routines()
    const { save, run, call, W, result } = it
    await save('one', [give('a', 'inputs.n'), fail('b')], { inputs: [{ name: 'n', type: 'number' }] })
    const { run_id } = await run('one', { inputs: { n: 7 } })
    const again = await call('MANAGER', 'POST', `${W}/pipelines/runs/${run_id}/replay`, { from_step: 'b' })
    expect(again.body).toMatchObject({ status: 'FAILED', failed_at_step: 'b' })
    expect(await result(again.body.run_id)).toMatchObject({ replay_of: run_id, is_replay: true, inputs: { n: 7 } })
    const { steps } = await result(again.body.run_id)
    expect(steps.map(({ key, output }: { key: string; output?: unknown }) => [key, output])).toEqual([
      ['a', 7],
      ['b', undefined],
    ])
    await save('two', [
      give('a', '1', { hooks: { before: [give('a_first', '0')], after: [give('a_last', '2')] } }),
      give('b', '3', { hooks: { before: [give('b_first', '4')] } }),
      fail('c'),
    ])
    const two = await run('two')
    const second = await call('MANAGER', 'POST', `${W}/pipelines/runs/${two.run_id}/replay`, { from_step: 'b' })
    const of = (id: string) =>
      it.app.db
        .prepare('SELECT key FROM routine_steps WHERE run_id = ? AND id LIKE ? ORDER BY key')
        .pluck()
        .all(id, `${id}_%`)
    expect(of(second.body.run_id)).toEqual(['a', 'a_first', 'a_last'])
    const hook = await call('MANAGER', 'POST', `${W}/pipelines/runs/${two.run_id}/replay`, { from_step: 'b_first' })
    expect(hook).toMatchObject({ status: 400, body: { field: 'from_step' } })
    const wrong = await call('MANAGER', 'POST', `${W}/pipelines/runs/${run_id}/replay`, { from_step: 'z' })
    expect(wrong).toMatchObject({ status: 400, body: { field: 'from_step' } })
  })

  it.each([
    ['a missing input', {}, 'The input "n" is required'],
    ['another type', { n: '1' }, 'The input "n" must be of type number'],
    ['too little', { n: 0 }, 'The input "n" must be at least 1'],
    ['too much', { n: 11 }, 'The input "n" must be at most 10'],
  ])('refuses %s', async (_, inputs, detail) => {
    const { save, run } = await routines()
    await save('one', [give('a', '1')], { inputs: [{ name: 'n', type: 'number', required: true, min: 1, max: 10 }] })
    expect(await run('one', { inputs })).toMatchObject({ status: 400, code: 'invalid_inputs', detail })
  })

  it('notices that its definition was changed below it', async () => {
    const { save, run, app, until, call, W } = await routines({ quiet: true })
    await save('one', [wait('a'), give('b', '1')])
    const { run_id, waitpoint_token } = await run('one')
    app.db.prepare('UPDATE routine_versions SET definition_json = replace(definition_json, \'"1"\', \'"2"\')').run()
    app.db.prepare("UPDATE routine_runs SET definition_hash = 'other'").run()
    await call('MANAGER', 'POST', `${W}/pipelines/waitpoints/${waitpoint_token}/approve`, { approved: true })
    expect(await until(run_id, 'interrupted')).toMatchObject({
      error_message: 'The definition was changed while it ran',
    })
  })
})
