import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { routines, type Step } from '../../../support/routines.ts'

const transform = (input: unknown): Step => ({ id: 'a', type: 'transform', transform: { input, expression: '.' } })
const waiting: Step = { id: 'a', type: 'wait', wait: { kind: 'event', event_type: 'go' }, timeout_seconds: 86_400 }
const sign = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const hook = '{"ref":"main","text":"a \\u00e9 secret"}'

async function scene(step: Step = transform('{{event.ref}}'), definition: object = {}, more: object = {}) {
  const it = await routines()
  await it.save('job', [step], { outputs: { a: '{{steps.a.output}}' }, ...definition })
  const path = `${it.W}/pipeline-webhooks`
  const create = (body: object = {}) =>
    it.call('MANAGER', 'POST', path, { name: 'Push', target_pipeline_slug: 'job', ...body })
  const made = await create(more)
  expect(made.status, made.text).toBe(201)
  const { id, token, signing_secret: secret } = made.body
  const post = (body: string, headers: Record<string, string>, at: string = token) =>
    it.call(null, 'POST', `/webhooks/${at}`, body, headers)
  const signed = (body = hook, headers: Record<string, string> = {}) =>
    post(body, { 'x-webhook-signature': sign(secret, body), ...headers })
  const stamped = (ageSeconds: number, body = hook) => {
    const stamp = String(Math.floor(it.clock() / 1000) - ageSeconds)
    return post(body, { 'x-webhook-signature': sign(secret, `${stamp}.${body}`), 'x-webhook-timestamp': stamp })
  }
  const shown = async () => (await it.call('MANAGER', 'GET', path)).body[0]
  const change = (body: object) => it.call('MANAGER', 'PATCH', `${path}/${id}`, body)
  const runs = async () => (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs`)).body.rows
  const inbox = async () => (await it.call('MANAGER', 'GET', '/inbox')).body.rows
  return { ...it, path, create, made: made.body, id, token, secret, post, signed, stamped, shown, change, runs, inbox }
}

describe('a call of a webhook', () => {
  it('begins a run that reads what was sent, and tells its end', async () => {
    const { signed, until, shown, id } = await scene()
    const { status, body } = await signed()
    expect([status, body]).toEqual([202, { run_id: expect.any(String), status: 'PENDING', deduped: false }])
    expect(await until(body.run_id, 'completed')).toMatchObject({
      triggered_via: 'webhook',
      triggered_by_id: id,
      tags: ['webhook'],
      output: { a: 'main' },
    })
    await expect.poll(shown).toMatchObject({ fire_count: 1, last_run_id: body.run_id, last_status: 'COMPLETED' })
  })

  it.each([
    ['in capitals', (proof: string) => ({ 'x-webhook-signature': proof.toUpperCase() })],
    ['as GitHub writes it', (proof: string) => ({ 'x-hub-signature-256': `sha256=${proof}` })],
  ])('may have its signature %s', async (_, headers) => {
    const { post, secret } = await scene()
    expect((await post(hook, headers(sign(secret, hook)))).status).toBe(202)
  })

  it('gives a routine those parts that it has as inputs, without what signs and signs in', async () => {
    const inputs = ['event', 'raw', 'headers'].map((name) => ({ name, type: name === 'raw' ? 'string' : 'object' }))
    const { signed, until } = await scene(transform('{{inputs}}'), { inputs })
    const { body } = await signed(hook, { authorization: 'Basic eHg6eXk=', cookie: 'a=b', 'x-kind': 'push' })
    const { inputs: given } = await until(body.run_id, 'completed')
    expect(given).toMatchObject({ event: { ref: 'main' }, raw: hook, headers: { 'x-kind': 'push' } })
    expect(Object.keys(given.headers)).not.toEqual(expect.arrayContaining(['authorization']))
    expect(JSON.stringify(given.headers)).not.toMatch(/cookie|signature|Basic/)
  })

  it('fills the inputs that a template names', async () => {
    const { signed, until } = await scene(
      transform('{{inputs.branch}}'),
      { inputs: [{ name: 'branch', type: 'string', required: true }] },
      { inputs_template: { branch: 'b-{{event.ref}}' } },
    )
    expect((await until((await signed()).body.run_id, 'completed')).output).toEqual({ a: 'b-main' })
  })

  it('keeps no secret that was sent along', async () => {
    const { signed, until, secret } = await scene(transform('{{event.key}}'))
    const { body } = await signed(JSON.stringify({ key: `x ${secret}` }))
    expect((await until(body.run_id, 'completed')).output.a).not.toContain(secret)
  })

  it.each([
    ['no signature', {}],
    ['a wrong signature', { 'x-webhook-signature': 'ab' }],
    ['the signature of another secret', { 'x-webhook-signature': sign('other', hook) }],
  ])('with %s is refused', async (_, headers) => {
    const { post, runs, token } = await scene()
    const { status, body, text } = await post(hook, headers)
    expect(text).not.toContain(token)
    expect([status, body.code]).toEqual([401, 'webhook_unsigned'])
    expect(await runs()).toEqual([])
  })

  it('may be five minutes off, and no more', async () => {
    const { stamped, post, secret } = await scene()
    expect((await stamped(299)).status).toBe(202)
    expect((await stamped(-299)).status).toBe(202)
    for (const seconds of [302, -302]) expect((await stamped(seconds)).status).toBe(401)
    const odd = { 'x-webhook-signature': sign(secret, `x.${hook}`), 'x-webhook-timestamp': 'x' }
    expect((await post(hook, odd)).status).toBe(401)
  })

  it('that comes again begins nothing: by its id, and by its signature under any id', async () => {
    const { signed, runs, clock } = await scene()
    const first = await signed(hook, { 'x-webhook-event-id': 'e1' })
    const deduped = { run_id: first.body.run_id, status: 'DEDUPED', deduped: true }
    expect((await signed('{"n":2}', { 'x-webhook-event-id': 'e1' })).body).toEqual(deduped)
    expect((await signed(hook, { 'x-webhook-event-id': 'e2' })).body).toEqual(deduped)
    expect((await signed(hook)).body).toEqual(deduped)
    expect(await runs()).toHaveLength(1)
    clock.advance(86_402_000)
    expect((await signed(hook)).body).toMatchObject({ deduped: false })
  })

  it('beyond its rate is told when to come again', async () => {
    const { signed, change } = await scene()
    await change({ rate_limit_per_min: 2 })
    for (const n of [1, 2]) expect((await signed(`{"n":${n}}`)).status).toBe(202)
    const refused = await signed('{"n":3}')
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 30])
  })

  it('of a busy routine is told to come again, and taken then', async () => {
    const { signed, shown } = await scene(waiting, { max_concurrent: 1 })
    expect((await signed('{"n":1}')).status).toBe(202)
    expect((await signed('{"n":2}')).status).toBe(429)
    expect(await shown()).toMatchObject({ fire_count: 1, consecutive_failures: 0 })
  })

  it('whose run fails is told to people, without inputs that are large', async () => {
    const inputs = [{ name: 'raw', type: 'string' }]
    const failing = { ...transform('x'), validation: { min_length: 9 } }
    const { signed, until, inbox } = await scene(failing, { inputs })
    for (const text of ['small', 'x'.repeat(20_000)])
      await until((await signed(JSON.stringify(text))).body.run_id, 'failed')
    const told = (await inbox()).map(({ payload }: { payload: { inputs?: object } }) => payload.inputs)
    expect(told).toHaveLength(2)
    expect(told).toEqual(expect.arrayContaining([{ raw: '"small"' }, undefined]))
  })

  it('of more than a mebibyte is refused', async () => {
    const { signed } = await scene()
    expect((await signed(JSON.stringify('x'.repeat(1024 * 1024)))).status).toBe(413)
  })

  it('of 16 MiB is refused before it is read', async () => {
    const { signed, runs } = await scene()
    expect((await signed(JSON.stringify('x'.repeat(16 * 1024 * 1024)))).status).toBe(413)
    expect(await runs()).toEqual([])
  })

  it('that is no JSON, pollutes, or is nested without end, is refused', async () => {
    const { signed } = await scene()
    for (const levels of [101, 500_000])
      expect(await signed('['.repeat(levels) + ']'.repeat(levels))).toMatchObject({
        status: 400,
        body: { code: 'invalid_json', detail: 'The body is nested more than 100 levels deep' },
      })
    for (const text of ['{', '{"__proto__":{"a":1}}']) expect((await signed(text)).status).toBe(400)
    for (const text of ['[1]', '"x"', '7']) expect((await signed(text)).status).toBe(202)
  })
})

describe('a webhook', () => {
  it('shows its token and its secret once, and keeps neither', async () => {
    const { made, shown, app } = await scene()
    expect(made).toMatchObject({ signing_secret_set: true, token: expect.stringMatching(/^[\w-]{43}$/) })
    expect(made.signing_secret).toMatch(/^[0-9a-f]{64}$/)
    expect(await shown()).toMatchObject({ token: `…${made.token.slice(-4)}` })
    expect(await shown()).not.toHaveProperty('signing_secret')
    const kept = JSON.stringify(app.db.prepare('SELECT * FROM routine_webhooks').all())
    expect(kept).not.toContain(made.token)
    expect(kept).not.toContain(made.signing_secret)
  })

  it('takes a secret of its owner, of at least 16 characters', async () => {
    const { change, create, post } = await scene()
    expect((await create({ signing_secret: 'short' })).body.field).toBe('signing_secret')
    expect((await create({ signing_secret: '' })).status).toBe(201)
    await change({ signing_secret: 'sixteen-or-more!' })
    const { status } = await post(hook, { 'x-webhook-signature': sign('sixteen-or-more!', hook) })
    expect(status).toBe(202)
  })

  it('that is disabled, deleted or unknown takes no calls', async () => {
    const { change, signed, call, path, id, post } = await scene()
    await change({ enabled: false })
    expect((await signed()).body.code).toBe('webhook_disabled')
    await change({ enabled: true })
    expect((await signed()).status).toBe(202)
    expect((await call('MANAGER', 'DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await signed('{"n":1}')).status).toBe(404)
    expect((await post(hook, {}, 'unknown')).status).toBe(404)
  })

  it('of a disabled routine answers 409, and people hear of the third call in a row', async () => {
    const { signed, call, W, inbox, entries, shown, change } = await scene()
    await call('ADMIN', 'POST', `${W}/pipelines/job/disable`)
    for (const n of [1, 2, 3, 4]) {
      const { status, body } = await signed(`{"n":${n}}`)
      expect([status, body.code]).toEqual([409, 'routine_inactive'])
    }
    expect(await inbox()).toMatchObject([{ kind: 'webhook_fire_failed', title: expect.stringContaining('Push') }])
    expect(entries().filter(({ entry_type }) => entry_type === 'webhook.failed')).toHaveLength(1)
    expect(await shown()).toMatchObject({ last_status: 'REFUSED', consecutive_failures: 4 })
    await call('ADMIN', 'POST', `${W}/pipelines/job/enable`)
    expect((await signed('{"n":1}')).status).toBe(202)
    expect(await shown()).toMatchObject({ consecutive_failures: 0 })
    await change({ name: 'Other' })
  })

  it('of a deleted routine is off until it names another one', async () => {
    const { call, W, shown, change, save, signed } = await scene()
    await call('ADMIN', 'DELETE', `${W}/pipelines/job`)
    expect(await shown()).toMatchObject({ enabled: false })
    expect((await change({ enabled: true })).status).toBe(404)
    await save('other', [transform('x')])
    expect((await change({ enabled: true, target_pipeline_slug: 'other' })).status).toBe(200)
    expect((await signed()).status).toBe(202)
  })

  it('refuses what makes no sense', async () => {
    const { create, change } = await scene()
    expect((await create({ target_pipeline_slug: undefined })).body.field).toBe('target_pipeline_slug')
    expect((await create({ target_pipeline_slug: 'none' })).status).toBe(404)
    const template = await create({ inputs_template: { a: '{{secrets.x}}' } })
    expect([template.body.field, template.status]).toEqual(['inputs_template', 400])
    expect((await create({ inputs_template: { a: 'x'.repeat(70_000) } })).body.code).toBe('body_over_limit')
    expect((await create({ rate_limit_per_min: 0 })).body.field).toBe('rate_limit_per_min')
    expect((await change({})).status).toBe(400)
  })
})
