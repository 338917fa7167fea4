import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { addPerson, closing, daemon, type Person, type TestDaemon } from '#test'
import { createSockets } from '../../../daemon/streams/ws.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { rawEntry } from '../../support/raw-entry.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

interface Frame {
  type: string
  channel?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
  payload?: any
  seq?: number
}

afterEach(() => void vi.useRealTimers())

/** docs/rules/streams.md, "Journal over a socket". */
const floods = [
  'llm.cache_hit',
  'exec.output_chunk',
  'container.metrics',
  'container.snapshot',
  'run.agent_span',
  'eval.metric',
  'memory.searched',
  'pipeline.step.container_ready',
  'pipeline.runs_swept',
  'memory.versions_swept',
]

/** A client that keeps what it hears. */
class Client {
  readonly socket: WebSocket
  readonly heard: Frame[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  private read = 0
  private wake = () => {}

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.heard.push(JSON.parse(String(data)))
      this.wake()
    })
    socket.on('error', () => undefined)
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
    closing({ close: () => socket.terminate() })
  }

  say(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** The next frame of this type, those before it passed over. */
  async next(type: string): Promise<Frame> {
    for (;;) {
      while (this.read < this.heard.length) {
        const frame = this.heard[this.read++]!
        if (frame.type === type) return frame
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  /** Everything said so far is dealt with: answers come in order. */
  async settled(): Promise<void> {
    this.say({ type: 'ping' })
    await this.next('pong')
  }
}

async function listen(it: TestDaemon): Promise<string> {
  const server: Server = createServer()
  const sockets = createSockets(it.app)
  sockets.attach(server)
  closing({ close: () => sockets.close() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing({ close: () => server.close() })
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`
}

async function dial(url: string, options: ClientOptions = {}): Promise<Client> {
  const client = new Client(new WebSocket(url, options))
  await once(client.socket, 'open')
  return client
}

const tokenOf = async (it: TestDaemon, who: Person) => (await it.call(who, 'GET', '/ws-token')).body.token as string

async function signIn(it: TestDaemon, url: string, who: Person): Promise<Client> {
  const client = await dial(url)
  client.say({ type: 'auth', token: await tokenOf(it, who) })
  expect(await client.next('ready')).toEqual({ type: 'ready', payload: { user_id: who.userId } })
  return client
}

async function place() {
  const it = await workplace()
  const url = await listen(it)
  return { it, url, owner: it.person('OWNER') }
}

async function working(it: Workplace<FakeRuntime>, who: Person | 'OWNER' = 'OWNER') {
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work', who)
  return { chat, run_id, program: await it.runtime.program(it.runtime.programs.size) }
}

describe('the first frame', () => {
  it('may be followed by others at once, which wait until the token is checked', async () => {
    const { it, url, owner } = await place()
    const channel = `workspace:${it.workspace}`
    const token = await tokenOf(it, owner)
    const client = await dial(url)
    for (const frame of [{ type: 'auth', token }, { type: 'subscribe', channel }, { type: 'ping' }]) client.say(frame)
    expect(await client.next('pong')).toEqual({ type: 'pong', payload: {} })
    await it.mate('bob')
    await client.next('agent.created')
    expect(client.heard.map(({ type }) => type)).toEqual(['ready', 'pong', 'agent.created'])
  })

  it.each([
    ['no token at all', { type: 'subscribe', channel: 'x' }],
    ['a foreign token', { type: 'auth', token: 'x.y.z' }],
    ['a token of another kind', { type: 'auth', token: 'svc_cli_0' }],
    ['no JSON', 'hello'],
  ])('is refused with code 4401: %s', async (_, frame) => {
    const it = await daemon()
    const client = await dial(await listen(it))
    client.say(frame)
    expect(await client.next('error')).toMatchObject({ payload: { message: expect.any(String) } })
    expect((await client.closed).code).toBe(4401)
  })

  it('has to come within 10 seconds', async () => {
    const it = await daemon()
    const url = await listen(it)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await dial(url)
    vi.advanceTimersByTime(10_000)
    expect((await client.closed).code).toBe(4401)
  })

  it('takes a token again and again for 15 minutes', async () => {
    const { it, url, owner } = await place()
    const token = await tokenOf(it, owner)
    for (const wait of [0, 14 * 60_000]) {
      it.clock.advance(wait)
      const client = await dial(url)
      client.say({ type: 'auth', token })
      await client.next('ready')
    }
    it.clock.advance(61_000)
    const late = await dial(url)
    late.say({ type: 'auth', token })
    expect((await late.closed).code).toBe(4401)
  })

  it('refuses a token that was issued to a CLI token revoked since', async () => {
    const { it, url, owner } = await place()
    const token = await tokenOf(it, owner)
    it.app.db.prepare('UPDATE cli_tokens SET revoked_at = ? WHERE user_id = ?').run(it.app.now(), owner.userId)
    const client = await dial(url)
    client.say({ type: 'auth', token })
    await client.next('session_revoked')
    expect((await client.closed).code).toBe(4401)
  })
})

describe('the connection', () => {
  it.each([
    ['/elsewhere', {}, 404],
    ['/ws', { origin: 'https://evil.example' }, 403],
    ['/ws', { origin: 'null' }, 403],
    ['/ws', { headers: { host: 'evil.example' } }, 403],
  ])('is refused at %s with %j', async (path, options, status) => {
    const it = await daemon()
    const url = new URL(await listen(it))
    url.pathname = path
    const socket = new WebSocket(url, options as ClientOptions)
    const [, reply] = await once(socket, 'unexpected-response')
    expect(reply.statusCode).toBe(status)
    socket.on('error', () => undefined).terminate()
  })

  it.each(['http://127.0.0.1:9', 'http://localhost'])('is accepted from %s', async (origin) => {
    const it = await daemon({ config: { env: 'development' } })
    await dial(await listen(it), { origin })
  })

  it('closes with 1009 on a frame over 64 KiB', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    client.say({ type: 'ping', payload: 'x'.repeat(65_536) })
    expect((await client.closed).code).toBe(1009)
  })

  it.each(['send_message', 'cancel_message', 'resume'])('answers %s without a chat for itself', async (type) => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    for (const payload of [{ content: 'Work', last_seq: 0 }, { session_id: '' }, { session_id: 5 }, undefined]) {
      client.say({ type, payload })
      const { channel, payload: error } = await client.next('error')
      expect({ channel, error }).toEqual({
        channel: '',
        error: { message: 'session_id is required', error: 'session_id is required', code: 'missing_field' },
      })
    }
  })

  it('survives what is no frame', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    for (const text of ['{', '[]', '5', '{"type":"fly"}', '{}']) {
      client.say(text)
      expect(await client.next('error')).toMatchObject({
        channel: '',
        payload: { message: expect.any(String), error: expect.any(String) },
      })
    }
    client.socket.send(Buffer.from([1, 2, 3]))
    await client.next('error')
    await client.settled()
  })

  it('is kept open by pings, and cut when nobody answers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    const mute = new Client(new WebSocket(url, { autoPong: false }))
    await once(mute.socket, 'open')
    mute.say({ type: 'auth', token: await tokenOf(it, owner) })
    await mute.next('ready')
    const pinged = once(client.socket, 'ping')
    vi.advanceTimersByTime(30_000)
    expect(await client.next('ping')).toEqual({ type: 'ping', payload: {} })
    await pinged
    await client.settled()
    vi.advanceTimersByTime(30_000)
    expect((await mute.closed).code).toBe(1006)
    await client.settled()
  })

  it('ends with the daemon', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    it.app.stopping.abort()
    expect((await client.closed).code).toBe(1001)
  })
})

describe('channels', () => {
  it('are heard by members of their workspace only', async () => {
    const { it, url, owner } = await place()
    const chat = await it.openChat()
    const stranger = it.stranger()
    const channels = [
      `workspace:${it.workspace}`,
      `journal:${it.workspace}`,
      `keeper:${it.workspace}`,
      `crew:${it.crewId}`,
      `files:${it.crewId}`,
      `agent:${it.agentId}`,
      `session:${chat}`,
    ]
    const [member, foreign] = [await signIn(it, url, owner), await signIn(it, url, stranger)]
    for (const channel of [...channels, 'providers', `user:${owner.userId}`]) member.say({ type: 'subscribe', channel })
    await member.settled()
    expect(member.heard.filter(({ type }) => type === 'error')).toEqual([])
    for (const channel of [
      ...channels,
      `user:${owner.userId}`,
      'mission:x',
      'session:none',
      'workspace:',
      ':',
      'x',
      '',
      `workspace:${'test-'}`,
    ]) {
      foreign.say({ type: 'subscribe', channel })
      expect(await foreign.next('error')).toEqual({
        type: 'error',
        channel,
        payload: { message: 'access denied', error: 'access denied' },
      })
    }
  })

  it('are named by ids, not by slugs', async () => {
    const { it, url, owner } = await place()
    const { slug } = it.app.db.prepare('SELECT slug FROM workspaces WHERE id = ?').get(it.workspace) as { slug: string }
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `workspace:${slug}` })
    expect((await client.next('error')).payload.message).toBe('access denied')
  })

  it('bring what is broadcast, until unsubscribed', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    const channel = `workspace:${it.workspace}`
    client.say({ type: 'subscribe', channel })
    await client.settled()
    const bob = await it.mate('bob')
    expect(await client.next('agent.created')).toEqual({
      type: 'agent.created',
      channel,
      payload: { id: bob, name: 'Agent bob', slug: 'bob', status: 'IDLE' },
    })
    client.say({ type: 'unsubscribe', channel })
    await client.settled()
    await it.mate('eve')
    await client.settled()
    expect(client.heard.filter(({ type }) => type === 'agent.created')).toHaveLength(1)
  })

  it('name the agent of a run by its slug, and say how the run ended', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `workspace:${it.workspace}` })
    await client.settled()
    const { run_id, program } = await working(it)
    const agent = { agent_id: it.agentId, agent_slug: 'ada', agent_name: 'Agent ada' }
    expect((await client.next('run.started')).payload).toEqual({ run_id, ...agent, status: 'RUNNING' })
    it.runtime.finish(program, { kind: 'exit', code: 3, timedOut: false })
    const failed = (await client.next('run.failed')).payload
    expect(failed).toMatchObject({ run_id, ...agent, status: 'FAILED', duration_ms: expect.any(Number) })
    expect(failed.error).toContain('3')
    expect(failed.error_message).toBe(failed.error)
  })

  it('mirror the journal', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `journal:${it.workspace}` })
    await client.settled()
    await it.mate('bob')
    const { payload, channel } = await client.next('journal.entry')
    expect(channel).toBe(`journal:${it.workspace}`)
    expect(payload).toEqual(it.entries().at(-1))
  })

  it('mirror none of the entries that come in floods', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `journal:${it.workspace}` })
    await client.settled()
    const about = { workspace_id: it.workspace, actor_type: 'system' } as const
    for (const type of ['agent.mentioned', ...floods, 'pipeline.step.started'])
      it.app.writeNow(() => rawEntry(it.app, { type, summary: type, ...about }))
    await client.settled()
    const mirrored = client.heard.filter((frame) => frame.type === 'journal.entry')
    expect(mirrored.map(({ payload }) => payload.entry_type)).toEqual(['agent.mentioned', 'pipeline.step.started'])
    expect(it.entries().filter(({ entry_type }) => floods.includes(entry_type))).toHaveLength(floods.length)
  })

  it('mirror the entries of their own workspace alone', async () => {
    const { it, url, owner } = await place()
    const client = await signIn(it, url, owner)
    const { workspace } = it.stranger()
    for (const id of [it.workspace, workspace]) client.say({ type: 'subscribe', channel: `journal:${id}` })
    expect(await client.next('error')).toMatchObject({ channel: `journal:${workspace}` })
    for (const id of [workspace, it.workspace])
      it.app.writeNow(() =>
        rawEntry(it.app, { type: 'agent.mentioned', summary: 'x', workspace_id: id, actor_type: 'system' }),
      )
    await client.settled()
    const mirrored = client.heard.filter((frame) => frame.type === 'journal.entry')
    expect(mirrored.map(({ payload }) => payload.workspace_id)).toEqual([it.workspace])
  })

  it('are lost within 30 seconds of leaving the workspace', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { it, url } = await place()
    const member = it.person('MEMBER')
    const client = await signIn(it, url, member)
    const channel = `workspace:${it.workspace}`
    client.say({ type: 'subscribe', channel })
    await client.settled()
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(member.userId)
    vi.advanceTimersByTime(30_000)
    expect(await client.next('error')).toMatchObject({ channel, payload: { message: 'access revoked' } })
    await it.mate('bob')
    await client.settled()
    expect(client.heard.map(({ type }) => type)).not.toContain('agent.created')
  })

  it('are lost at once on removal from the workspace, and end with it', async () => {
    const { it, url } = await place()
    const member = it.person('MEMBER')
    const [client, owner] = [await signIn(it, url, member), await signIn(it, url, it.person('OWNER'))]
    const channels = [`workspace:${it.workspace}`, `journal:${it.workspace}`]
    for (const channel of channels) for (const one of [client, owner]) one.say({ type: 'subscribe', channel })
    await Promise.all([client.settled(), owner.settled()])
    const id = it.app.db.prepare('SELECT id FROM workspace_members WHERE user_id = ?').pluck().get(member.userId)
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    for (const channel of channels)
      expect(await client.next('error')).toMatchObject({ channel, payload: { message: 'access revoked' } })
    await it.mate('bob')
    await Promise.all([client.settled(), owner.settled()])
    expect(client.heard.map(({ type }) => type)).not.toContain('agent.created')
    expect(owner.heard.map(({ type }) => type)).toContain('agent.created')
    expect(owner.heard.map(({ type }) => type)).not.toContain('error')
  })

  it('close at once when the token behind them is revoked', async () => {
    const { it, url, owner } = await place()
    const other = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    const [client, unconcerned] = [await signIn(it, url, owner), await signIn(it, url, other)]
    const { id } = it.app.db.prepare('SELECT id FROM cli_tokens WHERE user_id = ?').get(owner.userId) as { id: string }
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)
    expect(await client.next('session_revoked')).toMatchObject({ payload: { reason: 'token_revoked' } })
    expect((await client.closed).code).toBe(4401)
    await unconcerned.settled()
  })
})

describe('a chat', () => {
  it('is followed live', async () => {
    const { it, url, owner } = await place()
    const chat = await it.openChat()
    const channel = `session:${chat}`
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel })
    client.say({ type: 'send_message', payload: { session_id: chat, content: 'Work' } })
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('one'), result())
    it.runtime.finish(program)
    const frames: Frame[] = [await client.next('run_begin')]
    while (frames.at(-1)!.payload.type !== 'done') frames.push(await client.next('chat_event'))
    expect(frames[0]).toEqual({ type: 'run_begin', channel, payload: { from_seq: 1 }, seq: 1 })
    expect(frames.map(({ payload, seq }) => [payload.type, seq])).toEqual([
      [undefined, 1],
      ['user_message', 2],
      ['status', 3],
      ['status', 4],
      ['system', 5],
      ['text', 6],
      ['result', 7],
      ['done', 8],
    ])
    expect(frames[5]).toEqual({ type: 'chat_event', channel, payload: { type: 'text', content: 'one' }, seq: 6 })
  })

  it('comes without a gap, also to a client that is slower than its agent', async () => {
    const { it, url, owner } = await place()
    const chat = await it.openChat()
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `session:${chat}` })
    await client.settled()
    const { run_id } = await it.send(chat, 'Work')
    const program = await it.runtime.program()
    client.socket.pause()
    it.runtime.print(program, ...Array.from({ length: 1000 }, () => says('x'.repeat(10_000))), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    client.socket.resume()
    const seqs = [(await client.next('run_begin')).seq!]
    for (let last = ''; last !== 'done'; ) {
      const { seq, payload } = await client.next('chat_event')
      seqs.push(seq!)
      last = payload.type
    }
    expect(seqs).toEqual(Array.from({ length: 1006 }, (_, n) => n + 1))
  })

  it('takes a payload as JSON text too', async () => {
    const { it, url, owner } = await place()
    const chat = await it.openChat()
    const client = await signIn(it, url, owner)
    client.say({
      type: 'send_message',
      channel: `session:${chat}`,
      payload: JSON.stringify({ session_id: chat, content: 'Work' }),
    })
    expect((await it.runtime.program()).spec.stdin).toBe('Work')
  })

  it.each([
    [{ session_id: 'none', content: 'x' }, 'not_found'],
    [{ session_id: 'CHAT' }, 'missing_field'],
    [{ session_id: 'CHAT', content: 5 }, 'invalid_field'],
    [{ session_id: 'CHAT', content: 'x', max_turns: 201 }, 'invalid_field'],
  ])('refuses %j on its channel', async (payload, code) => {
    const { it, url, owner } = await place()
    const chat = await it.openChat()
    const client = await signIn(it, url, owner)
    const sent = JSON.parse(JSON.stringify(payload).replace('CHAT', chat))
    client.say({ type: 'send_message', payload: sent })
    expect(await client.next('error')).toMatchObject({ channel: `session:${sent.session_id}`, payload: { code } })
  })

  it('is not for a token whose scopes do not allow it', async () => {
    const { it, url } = await place()
    const chat = await it.openChat()
    const narrow = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace, { scopes: ['credentials:write'] }))
    const client = await signIn(it, url, narrow)
    client.say({ type: 'send_message', payload: { session_id: chat, content: 'x' } })
    expect((await client.next('error')).payload.code).toBe('insufficient_scope')
  })

  it('puts each use of an administrative token on record', async () => {
    const { it, url } = await place()
    const chat = await it.openChat()
    const admin = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace, { tier: 'ADMIN' }))
    const client = await signIn(it, url, admin)
    client.say({ type: 'send_message', payload: { session_id: chat, content: 'x' } })
    await it.runtime.program()
    expect(it.app.db.prepare('SELECT path, remote_addr FROM cli_token_uses ORDER BY used_at, id').all()).toContainEqual(
      {
        path: '/ws chats.send',
        remote_addr: '127.0.0.1',
      },
    )
  })

  it('says that the time of a hired agent is over', async () => {
    const { it, url, owner } = await place()
    it.app.db.prepare("UPDATE agents SET ephemeral = 1, expired_at = '2026-01-01T00:00:00Z'").run()
    const client = await signIn(it, url, owner)
    client.say({ type: 'send_message', payload: { session_id: await it.openChat(), content: 'Hello?' } })
    expect(await client.next('chat_event')).toMatchObject({
      payload: { type: 'error', metadata: { reason: 'expired', agent_id: it.agentId } },
    })
  })

  it('tells only the sender that the agent is busy', async () => {
    const { it, url, owner } = await place()
    const { chat } = await working(it)
    const [mine, others] = [await signIn(it, url, owner), await signIn(it, url, it.person('MEMBER'))]
    for (const client of [mine, others]) {
      client.say({ type: 'subscribe', channel: `session:${chat}` })
      await client.settled()
    }
    others.say({ type: 'send_message', payload: { session_id: chat, content: 'Me too' } })
    const busy = await others.next('chat_event')
    expect(busy).toMatchObject({ channel: `session:${chat}`, payload: { type: 'agent_busy' } })
    expect(busy.seq).toBeUndefined()
    mine.say({ type: 'send_message', payload: { session_id: chat, content: 'And more' } })
    expect(await mine.next('error')).toMatchObject({ channel: `session:${chat}`, payload: { code: 'chat_busy' } })
    await mine.settled()
    expect(mine.heard.filter(({ payload }) => payload?.type === 'agent_busy')).toEqual([])
  })

  it('is cancelled by who sent the message', async () => {
    const { it, url, owner } = await place()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, says('half'))
    const [member, sender] = [await signIn(it, url, it.person('MEMBER')), await signIn(it, url, owner)]
    member.say({ type: 'cancel_message', payload: { session_id: chat } })
    expect((await member.next('error')).payload.code).toBe('insufficient_role')
    sender.say({ type: 'cancel_message', payload: { session_id: chat } })
    await it.runs.ended(run_id)
    expect(it.runtime.ended).toEqual([run_id])
  })

  it('gives back what was missed, in order, then goes on', async () => {
    const { it, url, owner } = await place()
    const { chat, program } = await working(it)
    it.runtime.print(program, ...Array.from({ length: 300 }, (_, n) => says(`n${n}, `)))
    const client = await signIn(it, url, owner)
    client.say({ type: 'subscribe', channel: `session:${chat}` })
    await client.settled()
    client.say({ type: 'resume', payload: { session_id: chat, last_seq: 10 } })
    const seqs: number[] = []
    for (let last = ''; last !== 'done'; ) {
      const { seq, payload } = await client.next('chat_event')
      if (seq === 11) {
        it.runtime.print(program, says('live'), result())
        it.runtime.finish(program)
      }
      seqs.push(seq!)
      last = payload.type
    }
    // What came live before the resume was dealt with comes again, in its place.
    const resumed = seqs.slice(seqs.indexOf(11))
    expect(resumed).toEqual(resumed.map((_, n) => n + 11))
    expect(resumed.at(-1)).toBe(4 + 300 + 3)
  })

  it('says so when too much was missed, or nothing is going on', async () => {
    const { it, url, owner } = await place()
    const { chat, run_id, program } = await working(it)
    it.runtime.print(program, ...Array.from({ length: 5_100 }, (_, n) => says(`n${n}, `)))
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const client = await signIn(it, url, owner)
    client.say({ type: 'resume', payload: { session_id: chat, last_seq: 0 } })
    await client.settled()
    expect(client.heard.map(({ type }) => type)).toEqual(['ready', 'pong'])
    const again = await it.send(chat, 'Again')
    it.runtime.print(await it.runtime.program(1), ...Array.from({ length: 5_100 }, (_, n) => says(`n${n}, `)))
    await expect
      .poll(() => it.app.runs.watch(chat, null, { frame: () => undefined, closed: () => undefined }).lastSeq)
      .toBeGreaterThan(10_000)
    client.say({ type: 'resume', payload: { session_id: chat, last_seq: 1 } })
    expect(await client.next('resume_reset')).toEqual({ type: 'resume_reset', channel: `session:${chat}` })
    expect(again.run_id).toBeDefined()
    client.say({ type: 'resume', payload: { session_id: chat, last_seq: 'x' } })
    await client.next('error')
  })
})

describe('a client that does not read', () => {
  it('misses frames, and is cut off with 1013 after 128 in a row, while others hear everything', async () => {
    const { it, url, owner } = await place()
    const [lazy, eager] = [await signIn(it, url, owner), await signIn(it, url, owner)]
    for (const client of [lazy, eager]) {
      client.say({ type: 'subscribe', channel: `workspace:${it.workspace}` })
      await client.settled()
    }
    lazy.socket.pause()
    const big = 'x'.repeat(256 * 1024)
    for (let n = 0; n < 300; n++) {
      it.app.broadcast({ channel: `workspace:${it.workspace}`, type: 'load', payload: { n, big } })
      while (eager.heard.filter(({ type }) => type === 'load').length <= n) await eager.next('load')
    }
    lazy.socket.resume()
    expect((await lazy.closed).code).toBe(1013)
  })
})
