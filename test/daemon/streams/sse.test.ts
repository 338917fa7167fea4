import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { Entry } from '#contract/entries'
import { closing, daemon, type Person, type TestDaemon } from '#test'
import { type RawEntry, rawEntry } from '../../support/raw-entry.ts'

interface Tail {
  reply: IncomingMessage
  /** What came besides events. */
  comments(): string[]
  /** How many events came. */
  count(): number
  events(): { id: string; entry: Entry }[]
  summaries(): string[]
  /** Resolves when `ready` holds. */
  until(ready: () => boolean): Promise<void>
  ended: Promise<void>
  /** Cuts the connection. */
  kill(): void
}

const listening = new WeakMap<TestDaemon, Promise<string>>()

/** A client at a real socket. */
async function tail(
  it: TestDaemon,
  query = '',
  headers: Record<string, string> = {},
  who: Person = it.person('VIEWER'),
): Promise<Tail> {
  if (!listening.has(it)) listening.set(it, it.http.listen({ port: 0 }))
  await listening.get(it)
  const { port } = it.http.server.address() as AddressInfo
  const options = {
    port,
    path: `/api/v1/journal/stream${query}`,
    headers: { authorization: `Bearer ${who.token}`, 'x-workspace-id': who.workspace, ...headers },
  }
  let request!: ClientRequest
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request = get(options, resolve).on('error', reject)
  })
  const blocks: string[] = []
  let rest = ''
  const checks = new Set<() => void>()
  reply.setEncoding('utf8').on('data', (part: string) => {
    const whole = (rest + part).split('\n\n')
    rest = whole.pop()!
    blocks.push(...whole)
    for (const check of checks) check()
  })
  const ended = new Promise<void>((resolve) => reply.on('close', resolve).on('error', () => undefined))
  closing({ close: () => request.destroy() })
  const isEvent = (block: string) => block.startsWith('id: ')
  const events = () =>
    blocks.filter(isEvent).map((block) => {
      const [, id, data] = /^id: (\S+)\nevent: entry\ndata: (.*)$/.exec(block)!
      return { id: id!, entry: JSON.parse(data!) as Entry }
    })
  return {
    reply,
    comments: () => blocks.filter((block) => !isEvent(block)),
    count: () => blocks.filter(isEvent).length,
    events,
    summaries: () => events().map(({ entry }) => entry.summary),
    until: (ready) =>
      new Promise((resolve) => {
        const check = () => {
          if (!ready()) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        check()
      }),
    ended,
    kill: () => request.destroy(),
  }
}

const note = ({ app, workspace }: TestDaemon, summary: string, more: Partial<RawEntry> = {}) =>
  app
    .write(() =>
      rawEntry(app, { workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary, ...more }),
    )
    .then(({ entry }) => entry)

const notes = ({ app, workspace }: TestDaemon, from: number, count: number, size = 0) =>
  app.write(() => {
    for (let n = from; n < from + count; n++)
      rawEntry(app, {
        workspace_id: workspace,
        type: 'exec.command',
        actor_type: 'system',
        summary: String(n),
        payload: size ? { text: 'x'.repeat(size) } : undefined,
      })
  })

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => String(from + n))

describe('journal.stream', () => {
  it('starts with the newest 50, oldest first, and goes on with every entry', async () => {
    const it = await daemon()
    await notes(it, 1, 60)
    const client = await tail(it)
    expect(client.reply.statusCode).toBe(200)
    expect(client.reply.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    await client.until(() => client.count() === 50)
    const entry = await note(it, 'sixty-one', { payload: { a: 1 } })
    await Promise.all([note(it, 'b'), note(it, 'c')])
    await client.until(() => client.count() === 53)
    expect(client.summaries()).toEqual([...numbers(11, 50), 'sixty-one', 'b', 'c'])
    expect(client.events()[50]).toEqual({ id: entry.id, entry })
  })

  it('has the filters of the list, for what was and for what comes', async () => {
    const it = await daemon()
    const say = async (summary: string) => {
      await note(it, `${summary} tests`, { severity: 'warn', crew_id: 'c1', trace_id: 'r1' })
      await note(it, `${summary} other`, { severity: 'info', crew_id: 'c1', type: 'run.started' })
      await note(it, `${summary} third`, {
        severity: 'error',
        crew_id: 'c2',
        payload: { run_id: 'r1', why: 'the test' },
        agent_id: 'a1',
      })
    }
    await say('old')
    const queries: Record<string, string[]> = {
      '?severity=warn,error': ['tests', 'third'],
      '?crew_id=c1&exclude_entry_type=run.started': ['tests'],
      '?run_id=r1': ['tests', 'third'],
      '?q=test': ['tests', 'third'],
      '?q=test&agent_id=a1': ['third'],
      '?actor_type=user': [],
      '?priority=normal&entry_type=run.started': ['other'],
      '?until=2025-01-01T00:00:00Z': [],
    }
    const clients = await Promise.all(Object.keys(queries).map((query) => tail(it, query)))
    const all = await tail(it)
    await say('new')
    await all.until(() => all.count() === 6)
    for (const [index, want] of Object.values(queries).entries()) {
      const client = clients[index]!
      const expected = [...want.map((word) => `old ${word}`), ...want.map((word) => `new ${word}`)]
      await client.until(() => client.count() >= expected.length)
      expect(client.summaries(), Object.keys(queries)[index]).toEqual(expected)
    }
  })

  it('shows nothing of another workspace', async () => {
    const it = await daemon()
    const other = it.stranger()
    const mine = await tail(it)
    const theirs = await tail(it, '', {}, other)
    await note(it, 'mine')
    await note({ ...it, workspace: other.workspace }, 'theirs')
    await note(it, 'mine again')
    await mine.until(() => mine.count() === 2)
    await theirs.until(() => theirs.count() === 1)
    expect(mine.summaries()).toEqual(['mine', 'mine again'])
    expect(theirs.summaries()).toEqual(['theirs'])
  })

  it('fills the gap after a cut without loss or repeat, while entries pour in', async () => {
    const it = await daemon()
    let written = 0
    const seen: string[] = []
    let last = ''
    for (let round = 0; round < 12; round++) {
      const client = await tail(it, '', last ? { 'last-event-id': last } : {})
      for (let burst = 0; burst < 5; burst++) {
        void notes(it, written, 7)
        written += 7
      }
      const had = seen.length
      await client.until(() => had + client.count() >= written - (round % 4) * 5)
      client.kill()
      const got = client.events()
      seen.push(...got.map(({ entry }) => entry.summary))
      last = got.at(-1)?.id ?? last
      void notes(it, written, round * 3)
      written += round * 3
    }
    const client = await tail(it, '', { 'last-event-id': last })
    await client.until(() => seen.length + client.count() >= written)
    expect([...seen, ...client.summaries()]).toEqual(numbers(0, written))
  })

  it('fills at most 500 entries of a gap, the newest, and says that more were missed', async () => {
    const it = await daemon()
    const first = await note(it, 'seen')
    const warn = vi.spyOn(it.app.log, 'warn').mockImplementation(() => undefined)
    await notes(it, 1, 500)
    const exact = await tail(it, '', { 'last-event-id': first.id })
    await exact.until(() => exact.count() === 500)
    expect(warn).not.toHaveBeenCalled()
    await notes(it, 501, 20)
    const cut = await tail(it, '', { 'last-event-id': first.id })
    await cut.until(() => cut.count() === 500)
    expect(cut.summaries()).toEqual(numbers(21, 500))
    expect(cut.comments()).toEqual([expect.stringMatching(/^: more than 500 entries were missed/)])
    expect(warn).toHaveBeenCalledOnce()
    const strange = await tail(it, '', { 'last-event-id': 'nonsense' })
    await strange.until(() => strange.count() === 50)
    expect(strange.summaries()).toEqual(numbers(471, 50))
  })

  it('begins with the first entry for a client whose last one is older than all', async () => {
    const it = await daemon()
    await notes(it, 0, 60)
    const client = await tail(it, '', { 'last-event-id': 'j_0000000000000000' })
    await client.until(() => client.count() >= 60)
    expect(client.summaries()).toEqual(numbers(0, 60))
  })

  it('gives every one of many clients every entry, in order', async () => {
    const it = await daemon()
    const clients = await Promise.all(numbers(0, 120).map((_, n) => tail(it, n % 2 ? '' : '?actor_type=system')))
    for (let n = 0; n < 40; n++) await notes(it, n * 5, 5)
    for (const client of clients) {
      await client.until(() => client.count() >= 200)
      expect(client.summaries()).toEqual(numbers(0, 200))
    }
  })

  it('lets a client that does not read fall behind without holding others up, and brings it back', async () => {
    const it = await daemon()
    const sockets: Socket[] = []
    it.http.server.on('connection', (socket: Socket) => sockets.push(socket))
    const slow = await tail(it)
    const fast = await tail(it)
    slow.reply.pause()
    let waiting = 0
    for (let n = 0; n < 300; n++) {
      await notes(it, n * 2, 2, 40_000)
      waiting = Math.max(waiting, ...sockets.map(({ writableLength }) => writableLength))
    }
    await fast.until(() => fast.count() === 600)
    expect(waiting).toBeGreaterThan(1_000_000)
    expect(waiting).toBeLessThan(4_000_000)
    expect(slow.count()).toBeLessThan(300)
    slow.reply.resume()
    await slow.until(() => slow.count() >= 600)
    expect(slow.summaries()).toEqual(numbers(0, 600))
    await note(it, 'after')
    await slow.until(() => slow.summaries().at(-1) === 'after')
    expect(slow.events()).toHaveLength(601)
  })

  it('is cut for a client that takes nothing for five minutes', async () => {
    const it = await daemon()
    const lazy = await tail(it)
    lazy.reply.pause()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const open = () => new Promise<number>((resolve) => it.http.server.getConnections((_, count) => resolve(count)))
    for (let n = 0; n < 300; n++) await notes(it, n * 2, 2, 40_000)
    expect(await open()).toBe(1)
    vi.advanceTimersByTime(5 * 60_000)
    vi.useRealTimers()
    await expect.poll(open).toBe(0)
  })

  it('ends when its token is revoked, and when the daemon stops', async () => {
    const it = await daemon()
    const [viewer, owner] = [it.person('VIEWER'), it.person('OWNER')]
    const client = await tail(it, '', {}, viewer)
    const other = await tail(it, '', {}, owner)
    const { id } = it.app.db
      .prepare<[string], { id: string }>('SELECT id FROM cli_tokens WHERE user_id = ?')
      .get(viewer.userId)!
    expect((await it.call(viewer, 'DELETE', `/auth/cli-tokens/${id}`)).status).toBeLessThan(300)
    await client.ended
    await note(it, 'still here')
    await other.until(() => other.summaries().includes('still here'))
    it.app.stopping.abort()
    await other.ended
    expect(client.reply.complete).toBe(true)
    expect(other.reply.complete).toBe(true)
  })

  it('ends at once for who is removed from the workspace, and for nobody else', async () => {
    const it = await daemon()
    const [viewer, owner] = [it.person('VIEWER'), it.person('OWNER')]
    const client = await tail(it, '', {}, viewer)
    const other = await tail(it, '', {}, owner)
    const id = it.app.db.prepare('SELECT id FROM workspace_members WHERE user_id = ?').pluck().get(viewer.userId)
    expect((await it.call(owner, 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    await client.ended
    await note(it, 'still here')
    await other.until(() => other.summaries().includes('still here'))
    expect(client.summaries()).not.toContain('still here')
  })

  it('sends heartbeats, and asks again whether the client may still watch', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const it = await daemon()
      const client = await tail(it)
      vi.advanceTimersByTime(15_000)
      await client.until(() => client.comments().includes(': heartbeat'))
      it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(it.person('VIEWER').userId)
      vi.advanceTimersByTime(15_000)
      await client.ended
      expect(client.reply.complete).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('forgets clients that leave', async () => {
    const it = await daemon()
    const count = async () =>
      (await it.app.metrics.openStreams.get()).values.find(({ labels }) => labels.kind === 'sse')?.value ?? 0
    const clients = await Promise.all([tail(it), tail(it, '?severity=warn')])
    expect(await count()).toBe(2)
    for (const client of clients) client.kill()
    await vi.waitFor(async () => expect(await count()).toBe(0))
  })
})
