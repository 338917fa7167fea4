import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const bin = new URL('../../bin/muster.js', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-faults-'))
let daemon: Musterd
let headers: Record<string, string> = {}
let W = ''

beforeAll(async () => {
  daemon = await startMusterd({
    SVC_DATA_DIR: data,
    SVC_PORT: '0',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_LOG_LEVEL: 'error',
    HOME: data,
  })
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const { body } = await call('POST', '/bootstrap', person)
  headers = { authorization: `Bearer ${body.cli_token}`, 'x-workspace-id': body.workspace_id }
  W = `/workspaces/${body.workspace_id}`
}, 60_000)
afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
async function call(method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  const reply = await fetch(`${daemon.url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: await reply.json() }
}

const muster = (...words: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    const token = headers['authorization']!.replace('Bearer ', '')
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: data,
      SVC_SERVER: daemon.url,
      SVC_TOKEN: token,
      SVC_WORKSPACE: headers['x-workspace-id']!,
    }
    execFile(process.execPath, [bin, ...words], { env, cwd: data }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })

type Step = Record<string, unknown>
const give = (id: string, more: object = {}): Step => ({
  id,
  type: 'transform',
  transform: { input: id, expression: '.' },
  ...more,
})
const code = (text: string): Step => ({ id: 'a', type: 'code', code: { code: text } })
const definition = (name: string, steps: Step[], more: object = {}) => ({ dsl_version: '1.0', name, steps, ...more })
const save = (of: { name: string }) =>
  call('POST', `${W}/pipelines/save`, {
    slug: of.name,
    definition: of,
    skip_test_gate: true,
    skip_governance_gate: true,
  })
const run = async (slug: string, body: object = {}) => (await call('POST', `${W}/pipelines/${slug}/run`, body)).body

describe('a definition over HTTP and at the command line', () => {
  it.each<[string, Step[], object, string, RegExp]>([
    ['501 steps', Array.from({ length: 501 }, (_, n) => give(`s${n}`)), {}, 'steps', /500/],
    ['an unknown member', [give('a', { timeout_secs: 1 })], {}, 'steps[0].timeout_secs', /mean "timeout_seconds"/],
    ['a circle', [give('a', { needs: ['b'] }), give('b', { needs: ['a'] })], {}, 'steps[0].needs', /circle/],
    [
      'a template that names nothing',
      [give('a', { transform: { input: '{{ steps.bb.output }}', expression: '.' } }), give('b')],
      {},
      'steps[0]',
      /names no step/,
    ],
    ['a condition that does not compile', [give('a', { if: 'inputs.x ==' })], {}, 'steps[0].if', /cannot be read/],
  ])('is refused for %s', async (_, steps, more, path, says) => {
    const bad = definition('bad', steps, more)
    const { status, body } = await save(bad)
    expect([status, body.code]).toEqual([422, 'routine_invalid'])
    expect(body.errors).toContainEqual({ path, message: expect.stringMatching(says) })
    const file = join(data, 'bad.json')
    writeFileSync(file, JSON.stringify(bad, null, 2))
    const told = await muster('routines', 'save', file)
    expect(told.code, told.stderr).toBe(2)
    expect(told.stderr).toMatch(new RegExp(`bad.json:\\d+: .*${says.source}`))
    expect((await call('GET', `${W}/pipelines/bad`)).status).toBe(404)
  })

  it('may have a text of 1 MiB as its code, from a file too', { timeout: 120_000 }, async () => {
    const [begin, end] = ['size("', '")']
    const text = begin + 'x'.repeat(1_048_576 - begin.length - end.length) + end
    expect(await save(definition('long', [code(text)]))).toMatchObject({ status: 201 })
    expect(await run('long')).toMatchObject({ status: 'COMPLETED', output: 1_048_568 })
    const file = join(data, 'long.json')
    writeFileSync(file, JSON.stringify(definition('long', [code(`${text} `)])))
    const told = await muster('routines', 'save', file)
    expect([told.code, told.stderr]).toEqual([2, expect.stringMatching(/steps\[0\]\.code\.code .*1048576/)])
  })
})

describe('runs over HTTP', () => {
  it('do 500 steps, and no loop over 100,000 items', { timeout: 120_000 }, async () => {
    const steps = Array.from({ length: 500 }, (_, n) => give(`s${n}`))
    expect((await save(definition('many', steps))).status).toBe(201)
    expect(await run('many', { wait_seconds: 60 })).toMatchObject({ status: 'COMPLETED', output: 's499' })
    const loop = { id: 'each', type: 'foreach', foreach: { items: '{{ inputs.list }}', steps: [give('a')] } }
    await save(definition('loop', [loop], { inputs: [{ name: 'list', type: 'array' }] }))
    const list = Array.from({ length: 100_000 }, () => 1)
    expect(await run('loop', { inputs: { list } })).toMatchObject({ status: 'FAILED', failed_at_step: 'each' })
  })

  it('call no address that is not public, by number or by name', async () => {
    for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', 'localhost']) {
      const http = { method: 'GET', url: `https://${host}/` }
      expect((await save(definition('inside', [{ id: 'a', type: 'http', http }]))).status).toBe(201)
      expect(await run('inside')).toMatchObject({ status: 'FAILED', failed_at_step: 'a' })
    }
  })
})

describe('what begins runs', () => {
  it('refuses a cron that never fires, with a hint at what it is', async () => {
    await save(definition('plain', [give('a')]))
    const told = await muster('schedules', 'create', 'never', '--routine', 'plain', '--cron', '0 0 31 2 *')
    expect([told.code, told.stderr]).toEqual([2, expect.stringMatching(/cron/i)])
    expect((await call('GET', `${W}/pipeline-schedules`)).body).toEqual([])
  })

  it('takes no call of 16 MiB, and the next one', { timeout: 60_000 }, async () => {
    const hook = { name: 'in', target_pipeline_slug: 'plain', rate_limit_per_min: 60, enabled: true }
    const { body: made } = await call('POST', `${W}/pipeline-webhooks`, hook)
    const send = (body: string) =>
      fetch(`${daemon.url}/api/v1/webhooks/${made.token}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-webhook-signature': createHmac('sha256', made.signing_secret).update(body).digest('hex'),
        },
        body,
      }).then(({ status }) => status)
    // The connection may be closed before all of it was sent.
    expect(await send(JSON.stringify({ x: 'x'.repeat(16 * 1024 * 1024) })).catch(() => 413)).toBe(413)
    expect(await send('{"x":1}')).toBe(202)
  })

  it('stops a rule that matches its own effects at depth 8, with an entry', { timeout: 60_000 }, async () => {
    const rule = {
      name: 'Again',
      event_type: 'pipeline.run.completed',
      action: { routine_slug: 'plain' },
      debounce_seconds: 0,
    }
    const { body: made } = await call('POST', '/automations', rule)
    await run('plain')
    const entries = async () =>
      (await call('GET', '/journal?entry_type=automation.depth_exceeded')).body.entries as { payload: object }[]
    await expect.poll(entries, { timeout: 50_000, interval: 250 }).not.toEqual([])
    expect(await entries()).toMatchObject([{ payload: { automation_id: made.id, max_chain_depth: 8 } }])
    const { rows } = (await call('GET', `${W}/pipeline-runs?limit=200`)).body
    expect(rows.filter(({ triggered_via }: Step) => triggered_via === 'automation').length).toBeLessThanOrEqual(8)
  })
})
