import { afterEach, describe, expect, it, vi } from 'vitest'
import { calls, gets, init, result, says, thinks } from '../../support/claude-lines.ts'
import { delegating } from '../../support/delegating.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { type Line, openStream, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

const types = (lines: Line[]) => lines.map(({ type }) => type)
const numbers = (lines: Line[]) => lines.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))

afterEach(() => void vi.useRealTimers())

/** A chat with a run that has begun and said nothing yet. */
async function working(it: Place) {
  const chat = await it.openChat()
  const owner = it.person('OWNER')
  const { run_id } = await it.send(chat, 'Work')
  const program = await it.runtime.program(it.runtime.programs.size)
  return { chat, owner, run_id, program }
}

describe('the run stream', () => {
  it('warns the operator of nothing, however many watch', async () => {
    const it = await workplace()
    const warned = vi.fn()
    process.on('warning', warned)
    const { chat, owner, program } = await working(it)
    const streams = await Promise.all(Array.from({ length: 12 }, () => openStream(it.base, owner, chat)))
    it.runtime.print(program, init, result())
    it.runtime.finish(program)
    for (const stream of streams) expect((await stream.rest()).at(-1)).toMatchObject({ reason: 'run_complete' })
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it('replays a run from its beginning, goes on live, and ends with it', async () => {
    const it = await workplace()
    const { chat, owner, program, run_id } = await working(it)
    it.runtime.print(program, init, says('one'))
    const stream = await openStream(it.base, owner, chat)
    expect(stream.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    const before = await stream.until('text')
    expect(before[0]).toEqual({ type: 'stream.open', chat_id: chat, from_seq: 1, active: true })
    it.runtime.print(program, says('two'), result())
    it.runtime.finish(program)
    const lines = [...before, ...(await stream.rest())]
    expect(types(lines)).toEqual([
      'stream.open',
      'run_begin',
      'user_message',
      'status',
      'status',
      'system',
      'text',
      'text',
      'result',
      'done',
      'stream.end',
    ])
    expect(numbers(lines)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(lines[1]).toEqual({ type: 'run_begin', from_seq: 1, seq: 1 })
    expect(lines[2]).toMatchObject({ content: 'Work', metadata: { author_user_id: owner.userId } })
    expect(lines.at(-2)).toEqual({ type: 'done', content: '', metadata: { trace_id: run_id }, seq: 9 })
    expect(lines.at(-1)).toEqual({ type: 'stream.end', reason: 'run_complete', last_seq: 9 })
  })

  it('names events as they are called, without an envelope', async () => {
    const it = await workplace()
    const { chat, owner, program } = await working(it)
    const stream = await openStream(it.base, owner, chat, '?last_seq=5')
    it.runtime.print(program, init, thinks('hm'), calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a.txt'))
    it.runtime.print(program, says('One file.'))
    it.runtime.finish(program, { kind: 'exit', code: 3, timedOut: false }, 'broken')
    const lines = await stream.rest()
    expect(lines.slice(1, -1)).toEqual([
      { type: 'thinking', content: 'hm', metadata: { streaming: false }, seq: 6 },
      {
        type: 'tool_call',
        content: 'Bash',
        metadata: { tool_name: 'Bash', tool_id: 't1', input: { command: 'ls' } },
        seq: 7,
      },
      expect.objectContaining({ type: 'tool_result', content: 'a.txt', seq: 8 }),
      { type: 'text', content: 'One file.', seq: 9 },
      expect.objectContaining({ type: 'error', content: expect.stringContaining('broken'), seq: 10 }),
      expect.objectContaining({ type: 'done', content: '', seq: 11 }),
    ])
    expect(lines.filter(({ type }) => type.startsWith('stream.')).map(({ type }) => type)).toEqual([
      'stream.open',
      'stream.end',
    ])
  })

  it('has nothing of a run without a chat', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const owner = it.person('OWNER')
    const following = await openStream(it.base, owner, chat, '?follow=true')
    await following.until('stream.open')
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I water.'), result())
    expect(types(await (await openStream(it.base, owner, chat)).rest())).toEqual(['stream.open', 'stream.end'])
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect((await it.call('OWNER', 'GET', `/chats/${run}/stream`)).status).toBe(404)
    it.app.stopping.abort()
    expect(await following.rest()).toMatchObject([{ type: 'stream.end', last_seq: 0 }])
  })

  it('has nothing of a run that another agent asked for', async () => {
    const it = await delegating()
    const owner = it.person('OWNER')
    const following = await openStream(it.base, owner, it.chat, '?follow=true')
    await following.until('stream.open')
    const { body } = await it.assign('bob', 'Water the ferns')
    const { run_id } = await it.shown((body as { assignment_id: string }).assignment_id)
    await it.says(run_id, 'The ferns are wet')
    await it.settled()
    expect((await it.call('OWNER', 'GET', `/chats/${run_id}/stream`)).status).toBe(404)
    it.runtime.print(await it.started(it.runId), init, says('All is done'), result())
    const lines = await following.until('result')
    const frames = lines.filter(({ type }) => !type.startsWith('stream.'))
    expect(numbers(frames)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(frames.flatMap(({ type, content }) => (type === 'text' ? [content] : []))).toEqual(['All is done'])
  })

  it.each(['query', 'header'])('goes on after the number given by %s', async (by) => {
    const it = await workplace()
    const { chat, owner, program } = await working(it)
    it.runtime.print(program, init, says('one'), says('two'), result())
    await (await openStream(it.base, owner, chat)).until('result')
    const stream = await openStream(
      it.base,
      owner,
      chat,
      by === 'query' ? '?last_seq=6' : '',
      by === 'header' ? { 'last-event-id': '6' } : {},
    )
    it.runtime.finish(program)
    const lines = await stream.rest()
    expect(types(lines)).toEqual(['stream.open', 'text', 'result', 'done', 'stream.end'])
    expect(lines[0]).toMatchObject({ from_seq: 7, active: true })
    expect(numbers(lines)).toEqual([7, 8, 9])
  })

  it('numbers on across runs', async () => {
    const it = await workplace()
    const first = await working(it)
    it.runtime.finish(first.program)
    await it.runs.ended(first.run_id)
    const { run_id } = await it.send(first.chat, 'Again')
    const program = await it.runtime.program(1)
    const stream = await openStream(it.base, first.owner, first.chat)
    it.runtime.finish(program)
    const lines = await stream.rest()
    // The first run: run_begin, user_message, two of status, error, done.
    expect(lines[1]).toEqual({ type: 'run_begin', from_seq: 7, seq: 7 })
    expect(lines.at(-2)).toMatchObject({ type: 'done', seq: 12, metadata: { trace_id: run_id } })
  })

  it('ends at once where nothing runs, whatever ran before', async () => {
    const it = await workplace()
    const idle = await it.openChat()
    expect(await (await openStream(it.base, it.person('OWNER'), idle)).rest()).toEqual([
      { type: 'stream.open', chat_id: idle, from_seq: 1, active: false },
      { type: 'stream.end', reason: 'no_active_run', last_seq: 0 },
    ])
    const { chat, owner, program, run_id } = await working(it)
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(types(await (await openStream(it.base, owner, chat)).rest())).toEqual(['stream.open', 'stream.end'])
  })

  it('gives who lost the connection the end of a run that is over, for two minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const it = await workplace()
    const { chat, owner, program, run_id } = await working(it)
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const again = async () => (await openStream(it.base, owner, chat, '?last_seq=4')).rest()
    expect(types(await again())).toEqual(['stream.open', 'error', 'done', 'stream.end'])
    vi.advanceTimersByTime(120_001)
    expect(await again()).toMatchObject([{ active: false }, { reason: 'no_active_run', last_seq: 4 }])
  })

  it('gives the same to who comes back at once, while the run is being tidied up', async () => {
    const it = await workplace()
    let tidied = () => {}
    const tidying = new Promise<void>((resolve) => {
      tidied = resolve
    })
    it.runtime.discardRun = () => tidying
    const { chat, owner, program, run_id } = await working(it)
    const stream = await openStream(it.base, owner, chat)
    it.runtime.finish(program)
    await stream.rest()
    expect(types(await (await openStream(it.base, owner, chat, '?last_seq=4')).rest())).toEqual([
      'stream.open',
      'error',
      'done',
      'stream.end',
    ])
    tidied()
    await it.runs.ended(run_id)
    expect(types(await (await openStream(it.base, owner, chat, '?last_seq=4')).rest())).toEqual([
      'stream.open',
      'error',
      'done',
      'stream.end',
    ])
  })

  it('stays for the next run when it follows', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const stream = await openStream(it.base, it.person('OWNER'), chat, '?follow=true')
    expect(await stream.next()).toMatchObject({ type: 'stream.open', active: false })
    for (const n of [0, 1]) {
      await it.send(chat, 'Work')
      it.runtime.finish(await it.runtime.program(n))
      expect(types(await stream.until('done'))[0]).toBe('run_begin')
    }
  })

  it.each([
    ['&idle=7', 7000],
    ['&idle=0', 300_000],
    ['', 300_000],
  ])('leaves when it follows and nothing happens: %s', async (query, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const it = await workplace()
    const { chat, owner, program } = await working(it)
    const stream = await openStream(it.base, owner, chat, `?follow=true${query}`)
    await stream.until('run_begin')
    // A run that says nothing is no reason to leave.
    vi.advanceTimersByTime(ms + 1000)
    it.runtime.finish(program)
    await stream.until('done')
    vi.advanceTimersByTime(ms - 100)
    vi.advanceTimersByTime(200)
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'idle_timeout' })
  })

  it('beats every 20 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const it = await workplace()
    const { chat, owner } = await working(it)
    const stream = await openStream(it.base, owner, chat, '?last_seq=4')
    await stream.until('stream.open')
    vi.advanceTimersByTime(40_000)
    expect([await stream.next(), await stream.next()]).toEqual([
      { type: 'stream.heartbeat' },
      { type: 'stream.heartbeat' },
    ])
  })
})

describe('a run that says more than is kept', () => {
  it('tells a newcomer so and goes on, and sends back who had seen some of it', async () => {
    const it = await workplace()
    const { chat, owner, program } = await working(it)
    const watching = await openStream(it.base, owner, chat, '?follow=true')
    it.runtime.print(program, ...Array.from({ length: 5_100 }, (_, n) => says(`${n} `)))
    let seen = 0
    while (seen < 5_100) if ((await watching.next())?.type === 'text') seen++
    const newcomer = await openStream(it.base, owner, chat)
    expect(await newcomer.next()).toMatchObject({ type: 'stream.open', active: true })
    expect(await newcomer.next()).toEqual({ type: 'stream.reset', reason: 'replay_truncated' })
    const late = await openStream(it.base, owner, chat, '?last_seq=3')
    expect(types(await late.rest())).toEqual(['stream.open', 'stream.reset', 'stream.end'])
    const inTime = await openStream(it.base, owner, chat, '?last_seq=1000')
    expect(types([(await inTime.next())!, (await inTime.next())!])).toEqual(['stream.open', 'text'])
    it.runtime.print(program, says('last'))
    it.runtime.finish(program)
    expect((await newcomer.rest()).at(-1)).toMatchObject({ reason: 'run_complete' })
    const { body } = await it.call('OWNER', 'GET', `/chats/${chat}/messages`)
    expect(body.messages[1].content).toMatch(/^0 1 2 .* 5099 last$/)
  })

  it('loses a client that does not read, and only that one', async () => {
    const it = await workplace()
    const { chat, owner, program, run_id } = await working(it)
    const lazy = await openStream(it.base, owner, chat)
    const eager = await openStream(it.base, owner, chat)
    lazy.reply.pause()
    // More than sockets of a machine hold for each other.
    const block = says('x'.repeat(16 * 1024))
    let got = 0
    const reading = (async () => {
      for (let line = await eager.next(); line; line = await eager.next()) if (line.type === 'text') got++
    })()
    for (let n = 0; n < 2000; n++) {
      it.runtime.print(program, block)
      await new Promise((resolve) => setImmediate(resolve))
    }
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    await reading
    expect(got).toBe(2000)
    lazy.reply.resume()
    const lines = await lazy.rest()
    expect(lines.slice(-2)).toMatchObject([
      { type: 'stream.reset', reason: 'slow_consumer' },
      { type: 'stream.end', reason: 'slow_consumer' },
    ])
    const had = numbers(lines)
    expect(had).toEqual(had.map((_, n) => n + 1))
    expect(lines.at(-1)!['last_seq']).toBe(had.at(-1))
  })
})

describe('who may watch', () => {
  it('answers 404 to strangers and for no chat, 400 for a bad number', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    expect((await it.call(it.stranger(), 'GET', `/chats/${chat}/stream`)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', '/chats/none/stream')).status).toBe(404)
    for (const query of ['last_seq=-1', 'last_seq=x', 'idle=3601'])
      expect((await it.call('OWNER', 'GET', `/chats/${chat}/stream?${query}`)).status, query).toBe(400)
    expect((await it.call('OWNER', 'GET', `/chats/${chat}/stream`, undefined, { 'last-event-id': 'x' })).status).toBe(
      400,
    )
  })

  it('ends within 30 seconds for who left the workspace', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const it = await workplace()
    const { chat } = await working(it)
    const member = it.person('MEMBER')
    const stream = await openStream(it.base, member, chat)
    await stream.until('run_begin')
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(member.userId)
    vi.advanceTimersByTime(30_000)
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'access_revoked' })
  })

  it('ends at once for who leaves the workspace', async () => {
    const it = await workplace()
    const { chat } = await working(it)
    const member = it.person('MEMBER')
    const stream = await openStream(it.base, member, chat)
    await stream.until('run_begin')
    const id = it.app.db.prepare('SELECT id FROM workspace_members WHERE user_id = ?').pluck().get(member.userId)
    expect((await it.call(member, 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'access_revoked' })
  })

  it('ends at once for a revoked token', async () => {
    const it = await workplace()
    const { chat, owner } = await working(it)
    const stream = await openStream(it.base, owner, chat)
    await stream.until('run_begin')
    const { id } = it.app.db.prepare('SELECT id FROM cli_tokens WHERE user_id = ?').get(owner.userId) as { id: string }
    expect((await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)).status).toBeLessThan(300)
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'access_revoked' })
  })

  it('ends when the daemon stops, and when the chat is deleted', async () => {
    const it = await workplace()
    const idle = await it.openChat()
    const watching = await openStream(it.base, it.person('OWNER'), idle, '?follow=true')
    await watching.until('stream.open')
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${idle}`)
    expect(await watching.rest()).toMatchObject([{ type: 'stream.end', reason: 'stream_closed' }])
    const { chat, owner } = await working(it)
    const stream = await openStream(it.base, owner, chat)
    await stream.until('run_begin')
    it.app.stopping.abort()
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'stream_closed' })
  })
})
