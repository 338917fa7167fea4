import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fact } from '#contract/entries'
import { closing, daemon } from '#test'
import { asked, openTraces } from '../../../daemon/streams/traces/index.ts'
import { traceOf } from '../../../daemon/streams/traces/rules.ts'
import { rawEntry } from '../../support/raw-entry.ts'

afterEach(() => vi.unstubAllEnvs())

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
  events: { name: string }[]
  status: { code?: number; message?: string }
}

interface Received {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: { resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[] }
}

/** A receiver of OTLP on this machine. */
async function receiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push({ path: request.url!, headers: request.headers, body: body as Received['body'] })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing({ close: () => server.close() })
  const spans = () =>
    received.flatMap(({ body }) => body.resourceSpans.flatMap((it) => it.scopeSpans.flatMap((scope) => scope.spans)))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans }
}

/** A run of two seconds with a command of half a second, which ends so. */
async function scene(end: 'run.completed' | 'run.failed' = 'run.completed') {
  const it = await daemon()
  const about = { workspace_id: it.workspace, trace_id: 'crun', actor_type: 'system' } as const
  const record = (work: () => unknown) => it.app.writeNow(work)
  const run = () => {
    record(() => it.app.journal(fact('run.started', { trigger_type: 'USER' }, about)))
    it.clock.advance(1000)
    record(() =>
      rawEntry(it.app, { ...about, type: 'exec.command', summary: 'said by an agent', payload: { duration_ms: 500 } }),
    )
    it.clock.advance(1000)
    const metadata = { input_tokens: 7, output_tokens: 5, total_cost_usd: 0.25 }
    record(() => it.app.journal(fact(end, { exit_code: 0, error_message: 'a reason', metadata }, about)))
  }
  return { ...it, run }
}

describe('traces', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, false],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, false],
  ])('with %j are sent: %s', (env, sent) => expect(asked(env)).toBe(sent))

  it('are sent one for each run, with its parts, by the standard variables', async () => {
    const { url, received, spans } = await receiver()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-team=blue')
    vi.stubEnv('OTEL_SERVICE_NAME', 'muster-of-ours')
    const it = await scene()
    const traces = await openTraces(it.app)
    it.run()
    await traces.close()
    expect(received).toMatchObject([{ path: '/v1/traces', headers: { 'x-team': 'blue' } }])
    const { attributes } = received[0]!.body.resourceSpans[0]!.resource
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'muster-of-ours' } })
    const run = spans().find(({ name }) => name === 'run')!
    const part = spans().find(({ name }) => name === 'exec.command')!
    expect(spans()).toHaveLength(2)
    expect(part).toMatchObject({ traceId: run.traceId, parentSpanId: run.spanId })
    expect(run.parentSpanId).toBeUndefined()
    expect(Number(BigInt(run.endTimeUnixNano) - BigInt(run.startTimeUnixNano)) / 1e6).toBe(2000)
    expect(Number(BigInt(part.endTimeUnixNano) - BigInt(part.startTimeUnixNano)) / 1e6).toBe(500)
    const told = Object.fromEntries(run.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    expect(told).toMatchObject({
      'muster.run.id': 'crun',
      'muster.run.status': 'COMPLETED',
      'muster.run.trigger': 'USER',
      'gen_ai.usage.input_tokens': 7,
      'muster.run.cost_usd': 0.25,
    })
    expect(run.events.map(({ name }) => name)).toEqual(['run.started', 'run.completed'])
    expect(JSON.stringify(received), 'what was said stays in the journal').not.toContain('said by an agent')
  })

  it('tell that a run failed, not in which words', async () => {
    const { url, received, spans } = await receiver()
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${url}/elsewhere`)
    const it = await scene('run.failed')
    const traces = await openTraces(it.app)
    it.run()
    await traces.close()
    expect(received.map(({ path }) => path)).toEqual(['/elsewhere'])
    expect(spans().find(({ name }) => name === 'run')!.status).toEqual({ code: 2, message: 'FAILED' })
    expect(JSON.stringify(received)).not.toContain('a reason')
  })

  it('are not sent unless that is asked for', async () => {
    const { received } = await receiver()
    const it = await scene()
    const traces = await openTraces(it.app, {})
    it.run()
    await traces.close()
    expect(received).toEqual([])
  })

  it('hold nothing up where nobody receives them', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200')
    const it = await scene()
    it.app.log.level = 'silent'
    const traces = await openTraces(it.app)
    it.run()
    await traces.close()
    expect(it.entries().map(({ entry_type }) => entry_type)).toContain('run.completed')
  })

  it('of the same run always have the same ids, and none without its start', async () => {
    const it = await scene()
    it.run()
    const entries = it.entries()
    const [made, again] = [traceOf(entries, entries.at(-1)!)!, traceOf(entries, entries.at(-1)!)!]
    expect(made.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(made.spanId).toMatch(/^[0-9a-f]{16}$/)
    expect([again.traceId, again.spanId]).toEqual([made.traceId, made.spanId])
    expect(traceOf(entries.slice(1), entries.at(-1)!)).toBeNull()
  })
})
