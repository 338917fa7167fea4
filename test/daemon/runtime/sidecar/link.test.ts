import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { createControl } from '#runtime/sidecar/control'
import { lineLimit, lineReader, parseLine } from '#runtime/sidecar/lines'
import { SidecarLink } from '#runtime/sidecar/link'
import type { SidecarAnswer, SidecarCall, SidecarReport } from '#runtime/types'
import { config } from './support.ts'

const some = config([], {})
const limited = (credentialId: string): SidecarReport => ({
  type: 'credential_limited',
  credentialId,
  retryAfterSeconds: 300,
})

/** A sidecar program and its streams; `attach` is a daemon that comes along. */
function program({
  refuses = false,
  answer = async (_: SidecarCall, __: AbortSignal): Promise<SidecarAnswer> => ({ status: 200, body: {} }),
} = {}) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const configured: unknown[] = []
  const start = () => {
    const control = createControl(stdout)
    control.serve(9119, stdin, (raw) => {
      if (refuses) throw new Error('network.mode is neither restricted nor free')
      configured.push(raw)
    })
    return control
  }
  const attach = (answers = answer) => {
    const events = { report: vi.fn(), down: vi.fn(), call: vi.fn(answers) }
    return { link: new SidecarLink(stdin, stdout, events), ...events }
  }
  return { stdin, stdout, start, attach, configured }
}

describe('the link between daemon and sidecar', () => {
  it('configures, again and again, and hears reports', async () => {
    const { start, attach, configured } = program()
    const { report: send } = start()
    const { link, report } = attach()
    await link.configure(some)
    await link.configure({ ...some, upstreams: { OPENAI: 'http://x.example' } })
    expect(configured).toEqual([some, { ...some, upstreams: { OPENAI: 'http://x.example' } }])
    send(limited('one'))
    await vi.waitUntil(() => report.mock.calls.length)
    expect(report).toHaveBeenCalledWith(limited('one'))
  })

  it('says why a configuration was refused', async () => {
    const { start, attach } = program({ refuses: true })
    start()
    await expect(attach().link.configure(some)).rejects.toThrow('network.mode is neither')
  })

  it('comes into the middle of a line without harm, in both directions', async () => {
    const { stdin, stdout, start, attach, configured } = program()
    start()
    stdin.write('{"type":"config","id":"half","config":{"netw') // a daemon was killed while it wrote
    stdout.write('{"type":"report","seq":1,"rep')
    const { link } = attach()
    await link.configure(some)
    expect(configured).toEqual([some])
  })

  it('sends a report again to the next daemon until one has it', async () => {
    const { stdin, stdout, start, attach } = program()
    const { report: send } = start()
    send(limited('unheard'))
    await once(stdout, 'readable')
    stdout.read() // went to nobody
    const first = attach()
    await first.link.ready
    await vi.waitUntil(() => first.report.mock.calls.length)
    await vi.waitUntil(() => stdin.readableLength === 0)
    stdout.removeAllListeners('data')
    const second = attach()
    await second.link.ready
    await second.link.configure(some)
    expect(first.report).toHaveBeenCalledTimes(1)
    expect(second.report).not.toHaveBeenCalled()
  })

  it('configures a program that crashed and began again', async () => {
    const { stdin, start, attach, configured } = program()
    start()
    const { link, report } = attach()
    await link.configure(some)
    stdin.removeAllListeners('data')
    const waiting = link.configure({ ...some, upstreams: { GOOGLE: 'http://x.example' } })
    const { report: send } = start()
    await waiting
    expect(configured.at(-1)).toEqual({ ...some, upstreams: { GOOGLE: 'http://x.example' } })
    send(limited('after'))
    await vi.waitUntil(() => report.mock.calls.length)
  })

  it('tells everybody who waits that the sidecar is gone, once', async () => {
    const { stdout, attach } = program()
    const { link, down } = attach()
    const waiting = link.configure(some)
    stdout.destroy()
    await expect(waiting).rejects.toThrow('gone')
    await expect(link.configure(some)).rejects.toThrow('gone')
    expect(down).toHaveBeenCalledTimes(1)
  })

  it.each(['end', 'close', 'error'])('is down once its output says %s', (event) => {
    const { stdin, stdout, attach } = program()
    const { link, down } = attach()
    stdout.emit(event)
    expect(down).toHaveBeenCalledTimes(1)
    stdin.emit('close')
    expect(down).toHaveBeenCalledTimes(1)
    return expect(link.ready).rejects.toThrow('the sidecar is gone')
  })

  it('tells so who waits for a program that had answered before', async () => {
    const { stdin, stdout, start, attach } = program()
    start()
    const { link } = attach()
    await link.configure(some)
    stdin.removeAllListeners('data')
    const waiting = link.configure(some)
    await new Promise(setImmediate)
    stdout.destroy()
    await expect(waiting).rejects.toThrow('the sidecar is gone')
  })
})

describe('a call of an agent', () => {
  const call = (id: string): SidecarCall => ({
    id,
    agentId: 'agent-ada',
    runId: null,
    route: '/escalate',
    body: { reason: 'why' },
  })
  const fine = { status: 201, body: { ok: true } }

  it('is answered by the daemon', async () => {
    const { start, attach } = program({ answer: async () => fine })
    const { ask } = start()
    const { link, call: heard } = attach()
    await link.ready
    expect(await ask(call('one')).answer).toEqual(fine)
    expect(heard).toHaveBeenCalledExactlyOnceWith(call('one'), expect.any(AbortSignal))
  })

  it('is asked again of the next daemon, under the same id, and only while somebody waits', async () => {
    const { stdin, stdout, start, attach } = program({ answer: () => new Promise(() => {}) })
    const { ask } = start()
    const first = attach()
    await first.link.ready
    const [kept, dropped] = [ask(call('kept')), ask(call('dropped'))]
    await vi.waitUntil(() => first.call.mock.calls.length === 2)
    dropped.hangUp()
    stdout.removeAllListeners('data')
    const second = attach(async () => fine)
    await second.link.ready
    expect(await kept.answer).toEqual(fine)
    expect(second.call.mock.calls.map(([{ id }]) => id)).toEqual(['kept'])
    expect(stdin.destroyed).toBe(false)
  })

  it('is given up when the agent hangs up, when its sidecar restarts and when the streams end', async () => {
    const signals: AbortSignal[] = []
    const pending = async (_: SidecarCall, signal: AbortSignal) => {
      signals.push(signal)
      return new Promise<SidecarAnswer>(() => {})
    }
    const { stdin, stdout, start, attach } = program({ answer: pending })
    const control = start()
    await attach().link.ready
    const first = control.ask(call('one'))
    await vi.waitUntil(() => signals.length === 1)
    first.hangUp()
    await vi.waitUntil(() => signals[0]!.aborted)
    control.ask(call('two'))
    await vi.waitUntil(() => signals.length === 2)
    stdin.removeAllListeners('data')
    const again = start()
    await vi.waitUntil(() => signals[1]!.aborted)
    again.ask(call('three'))
    await vi.waitUntil(() => signals.length === 3)
    stdout.destroy()
    await vi.waitUntil(() => signals[2]!.aborted)
  })
})

describe('lines', () => {
  it('cuts wherever the chunks end, and drops what is too long', () => {
    const seen: string[] = []
    const read = lineReader((line) => seen.push(line))
    read(Buffer.from('a\nb'))
    read(Buffer.from('c\n\nd\nöl'))
    read(Buffer.from('\n'))
    read(Buffer.alloc(lineLimit, 'x'))
    read(Buffer.from('yy\nlast\n'))
    expect(seen).toEqual(['a', 'bc', 'd', 'öl', 'last'])
  })

  it('may be as long as the limit, each of them', () => {
    const sizes: number[] = []
    const read = lineReader((line) => sizes.push(line.length))
    const long = Buffer.alloc(lineLimit, 'x')
    for (const bytes of ['a\n', long, '\n', long, 'x\n', long, '\nb\n']) read(Buffer.from(bytes))
    expect(sizes).toEqual([1, lineLimit, lineLimit, 1])
  })

  it('takes only objects', () => {
    expect(['1', 'null', '"x"', '{', ''].map(parseLine)).toEqual([null, null, null, null, null])
    expect(parseLine('{"a":1}')).toEqual({ a: 1 })
  })
})
