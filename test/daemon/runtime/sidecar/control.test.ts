import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createControl } from '#runtime/sidecar/control'
import type { SidecarCall, SidecarReport } from '#runtime/types'

const call = (id: string) => ({ id }) as SidecarCall
const report = (host: string) => ({ type: 'egress_denied', host }) as SidecarReport

function setUp() {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 2 ** 20 })]
  const control = createControl(output)
  const configured: unknown[] = []
  control.serve(8080, input, (raw) => {
    if (raw === 'bad') throw new Error('config is no object')
    configured.push(raw)
  })
  /** What was written since the last time, an empty line for each that ends a partial one. */
  const written = () =>
    String(output.read() ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => (line ? JSON.parse(line) : ''))
  const told = (message: object) => {
    input.write(`${JSON.stringify(message)}\n`)
    return written()
  }
  return { control, configured, told, written }
}

it('says that it is ready, behind whatever a crashed program has left', () =>
  expect(setUp().written()).toEqual(['', { type: 'ready', port: 8080 }]))

it('says in its hello whether it has a configuration', () => {
  const { told, written, configured } = setUp()
  written()
  const hello = { type: 'hello', nonce: 'n' }
  expect(told(hello)).toEqual(['', { ...hello, configured: false }])
  const rejected = { type: 'rejected', id: '1', reason: 'config is no object' }
  expect(told({ type: 'config', id: 1, config: 'bad' })).toEqual([rejected])
  expect(told(hello)).toEqual(['', { ...hello, configured: false }])
  expect(told({ type: 'config', id: 2, config: 'good' })).toEqual([{ type: 'configured', id: '2' }])
  expect(told(hello)).toEqual(['', { ...hello, configured: true }])
  expect(configured).toEqual(['good'])
})

it('repeats reports until they are acknowledged, and keeps the last 256', () => {
  const { control, told, written } = setUp()
  written()
  for (const host of ['a', 'b', 'c']) control.report(report(host))
  const seen = ['a', 'b', 'c'].map((host, index) => ({ type: 'report', seq: index + 1, report: report(host) }))
  expect(written()).toEqual(seen)
  expect(told({ type: 'ack', seq: 2 })).toEqual([])
  expect(told({ type: 'hello', nonce: 'n' }).slice(2)).toEqual(seen.slice(2))
  for (let index = 0; index < 255; index++) control.report(report('x'))
  written()
  expect(told({ type: 'hello', nonce: 'n' }).slice(2)).toHaveLength(256)
  control.report(report('y'))
  written()
  const last = told({ type: 'hello', nonce: 'n' }).slice(2)
  expect([last.length, last[0].seq, last[255].seq]).toEqual([256, 4, 259])
})

it('asks until it is answered, and again after each hello', async () => {
  const { control, told, written } = setUp()
  written()
  const { answer, hangUp } = control.ask(call('one'))
  expect(written()).toEqual([{ type: 'call', call: call('one') }])
  expect(told({ type: 'hello', nonce: 'n' }).slice(2)).toEqual([{ type: 'call', call: call('one') }])
  expect(told({ type: 'answer', id: 'other', answer: { status: 500, body: {} } })).toEqual([])
  expect(told({ type: 'answer', id: 'one', answer: { status: 200, body: {} } })).toEqual([])
  expect(await answer).toEqual({ status: 200, body: {} })
  expect(told({ type: 'hello', nonce: 'n' })).toHaveLength(2)
  hangUp()
  expect(written(), 'what was answered needs no hanging up').toEqual([])
})

it('hangs up once, and asks no more', () => {
  const { control, told, written } = setUp()
  written()
  const { hangUp } = control.ask(call('one'))
  written()
  hangUp()
  hangUp()
  expect(written()).toEqual([{ type: 'hangup', id: 'one' }])
  expect(told({ type: 'hello', nonce: 'n' })).toHaveLength(2)
})

it('reads on past what is no message', () => {
  const { told, written } = setUp()
  written()
  for (const message of [{}, { type: 'other' }, []]) expect(told(message)).toEqual([])
  expect(told({ type: 'hello', nonce: 5 })).toEqual(['', { type: 'hello', nonce: '5', configured: false }])
})
