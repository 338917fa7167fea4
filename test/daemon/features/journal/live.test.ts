import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Entry } from '#contract/entries'
import type { Actor } from '#kernel/feature'
import { closing, daemon, type TestDaemon } from '#test'
import { createLive } from '../../../../daemon/features/journal/live.ts'
import { createJournalReads, type JournalReads } from '../../../../daemon/features/journal/reads.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

afterEach(() => void vi.useRealTimers())

const megabyte = 1024 * 1024

/** A client's connection, which reads at once unless it is `stuck`. */
function connection(lastSeen?: string) {
  const texts: string[] = []
  const socket = new EventEmitter()
  const raw = Object.assign(new EventEmitter(), {
    socket,
    writableLength: 0,
    destroyed: false,
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (bytes: Buffer) => void texts.push(bytes.toString()),
    end: () => void raw.emit('close'),
    destroy: () => void raw.emit('close'),
  })
  const ended = vi.fn()
  raw.on('close', ended)
  const web = { reply: { hijack: () => undefined, raw, getHeaders: () => ({}) }, request: { headers: {} } }
  if (lastSeen !== undefined) Object.assign(web.request.headers, { 'last-event-id': lastSeen })
  const blocks = () => texts.join('').split('\n\n').slice(0, -1)
  return {
    web,
    ended,
    blocks,
    comments: () => blocks().filter((block) => block.startsWith(':')),
    summaries: () =>
      blocks().flatMap((block) => {
        const [, id, data] = /^id: (\S+)\nevent: entry\ndata: (.*)$/.exec(block) ?? []
        if (!data) return []
        const entry = JSON.parse(data) as Entry
        expect(entry.id).toBe(id)
        return [entry.summary]
      }),
    stick: () => Object.assign(raw, { writableLength: megabyte + 1 }),
    unstick: () => {
      raw.writableLength = 0
      socket.emit('drain')
    },
    cut: () => raw.emit('close'),
  }
}

/** The live journal of a daemon, with what is counted of its clients. */
async function scene(change: (reads: JournalReads, it: TestDaemon) => Partial<JournalReads> = () => ({})) {
  const it = await daemon({ quiet: true })
  const held = new Set<string>(['t1', 't2'])
  const revoked = { holds: (id: string) => held.has(id) }
  const open = { now: 0, most: 0 }
  const count = (by: number, { kind }: { kind: string }) => {
    if (kind === 'sse') open.now += by
    open.most = Math.max(open.most, open.now)
  }
  const metrics = {
    openStreams: {
      inc: (labels: { kind: string }) => count(1, labels),
      dec: (labels: { kind: string }) => count(-1, labels),
    },
  }
  const stopping = new AbortController()
  closing({ close: () => stopping.abort() })
  const log = { warn: vi.fn(), error: vi.fn() }
  const reads = createJournalReads(it.app)
  const app = new Proxy(it.app, {
    get: (target, name) =>
      ({ auth: revoked, metrics, stopping, log })[name as 'log'] ?? target[name as keyof typeof target],
  })
  const live = createLive(app, { ...reads, ...change(reads, it) })
  const actorOf = (role: 'VIEWER' | 'OWNER', token: string | null, workspace = it.workspace) =>
    ({ id: it.person(role).userId, workspace, token: token && { id: token }, session: null }) as unknown as Actor
  const watch = async (
    query: Record<string, string> = {},
    { lastSeen, actor = actorOf('VIEWER', 't1') }: { lastSeen?: string; actor?: Actor } = {},
  ) => {
    const client = connection(lastSeen)
    await live.open({ actor, query, web: client.web } as unknown as Parameters<typeof live.open>[0])
    return client
  }
  const note = (summary: string, more: Partial<Parameters<typeof rawEntry>[1]> = {}) =>
    it.app.writeNow(() =>
      rawEntry(it.app, { workspace_id: it.workspace, type: 'exec.command', actor_type: 'system', summary, ...more }),
    ).entry
  const notes = (from: number, to: number, more: (n: number) => Partial<Parameters<typeof rawEntry>[1]> = () => ({})) =>
    it.app.writeNow(() => {
      for (let n = from; n <= to; n++)
        rawEntry(it.app, {
          ...{ workspace_id: it.workspace, type: 'exec.command', actor_type: 'system', summary: String(n) },
          ...more(n),
        })
    })
  /** Lets everything happen that is under way. */
  const settle = async () => {
    for (let n = 0; n < 40; n++) await turn()
  }
  return { ...it, live, watch, note, notes, settle, held, open, stopping, log, actorOf }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at))

describe('a stream', () => {
  it('begins with the newest 50, and goes on with each entry that its filter takes', async () => {
    const { watch, notes, note, settle, stranger } = await scene()
    notes(1, 60, (n) => ({ severity: n % 2 ? 'warn' : 'info' }))
    const [all, warned, said] = [await watch(), await watch({ severity: 'warn' }), await watch({ q: 'harbour' })]
    expect(all.summaries()).toEqual(numbers(11, 60))
    expect(warned.summaries()).toEqual(numbers(1, 60).filter((n) => Number(n) % 2))
    expect([said.summaries(), said.blocks()]).toEqual([[], []])
    note('at the harbour', { severity: 'warn' })
    note('elsewhere')
    note('not here', { workspace_id: stranger().workspace, severity: 'warn' })
    await settle()
    expect(all.summaries().slice(50)).toEqual(['at the harbour', 'elsewhere'])
    expect(warned.summaries().slice(30)).toEqual(['at the harbour'])
    expect(said.summaries()).toEqual(['at the harbour'])
  })

  it('goes on after the last entry that the client saw', async () => {
    const { watch, note, notes, log } = await scene()
    const first = note('first')
    notes(1, 500)
    expect((await watch({}, { lastSeen: first.id })).blocks()).toHaveLength(500)
    expect(log.warn).not.toHaveBeenCalled()
    notes(501, 501)
    const cut = await watch({}, { lastSeen: first.id })
    expect(cut.comments()).toEqual([': more than 500 entries were missed; ask for the older ones with since'])
    expect(cut.summaries()).toEqual(numbers(2, 501))
    expect(log.warn).toHaveBeenCalledOnce()
    for (const odd of ['nonsense', 'j_00', 'x_0000000000000000'])
      expect((await watch({}, { lastSeen: odd })).summaries(), odd).toEqual(numbers(452, 501))
    expect(log.warn).toHaveBeenCalledOnce()
  })

  it('begins with the first entry for a client whose last one is older than all', async () => {
    const { watch, notes } = await scene()
    notes(1, 60)
    expect((await watch({}, { lastSeen: 'j_0000000000000000' })).summaries()).toEqual(numbers(1, 60))
  })

  it('shares what it sends with those that watch the same, whoever leaves', async () => {
    const { watch, note, settle, open } = await scene()
    const [one, two] = [await watch({ severity: 'info' }), await watch({ severity: 'info' })]
    expect(open.now).toBe(2)
    one.cut()
    one.cut()
    expect(open.now).toBe(1)
    note('for two')
    await settle()
    expect([one.summaries(), two.summaries()]).toEqual([[], ['for two']])
    const three = await watch({ severity: 'info' })
    two.cut()
    note('for three')
    await settle()
    expect([two.summaries(), three.summaries()]).toEqual([['for two'], ['for two', 'for three']])
    three.cut()
    expect(open.now).toBe(0)
    note('for nobody')
    const four = await watch({ severity: 'info' })
    note('for four')
    await settle()
    expect(four.summaries()).toEqual(['for two', 'for three', 'for nobody', 'for four'])
  })

  it('holds back what comes while it begins', async () => {
    let meanwhile = () => {}
    const { watch, note, settle } = await scene((reads) => ({
      docs: async (...args) => {
        const found = await reads.docs(...args)
        meanwhile()
        return found
      },
    }))
    note('before')
    meanwhile = () => void note('meanwhile')
    const client = await watch()
    meanwhile = () => {}
    note('after')
    await settle()
    expect(client.summaries()).toEqual(['before', 'meanwhile', 'after'])
  })

  it('holds back the first entry of all too, and more than it can hold', async () => {
    let meanwhile = async () => {}
    const { watch, note, notes, settle } = await scene((reads) => ({
      docs: async (...args) => {
        const found = await reads.docs(...args)
        await meanwhile()
        return found
      },
    }))
    meanwhile = async () => {
      meanwhile = async () => {}
      note('1')
      await settle()
    }
    expect((await watch()).summaries()).toEqual(['1'])
    meanwhile = async () => {
      meanwhile = async () => {}
      for (let n = 2; n <= 5; n++) {
        notes(n, n, () => ({ payload: { text: 'x'.repeat(300_000) } }))
        await settle()
      }
    }
    const client = await watch()
    await settle()
    expect(client.summaries()).toEqual(numbers(1, 5))
  })

  it('that cannot begin is refused, and counted no longer', async () => {
    const { watch, note, open, settle } = await scene(() => ({
      docs: async () => {
        throw new Error('no reads')
      },
    }))
    await expect(watch()).rejects.toThrow('no reads')
    expect(open).toEqual({ now: 0, most: 1 })
    note('nobody hears')
    await settle()
  })
})

describe('a client that reads slowly', () => {
  it.each([
    ['all that it missed', {}, 1, 1_200],
    ['few of many', { severity: 'warn' }, 500, 3_600],
    ['many at once after few', { severity: 'warn' }, 3_000, 3_500],
  ])('gets %s, once and in order', async (what, query: Record<string, string>, each, count) => {
    const { watch, note, notes, settle } = await scene()
    const client = await watch(query)
    client.stick()
    note('seen late', { severity: 'warn' })
    await settle()
    const dense = what === 'many at once after few'
    notes(1, count, (n) => ({ severity: n % each === 0 || (dense && n > 1_500 && n <= 2_700) ? 'warn' : 'info' }))
    await settle()
    expect(client.summaries()).toEqual([])
    client.unstick()
    const want = numbers(1, count).filter(
      (n) => !query['severity'] || Number(n) % each === 0 || (dense && Number(n) > 1_500 && Number(n) <= 2_700),
    )
    await vi.waitFor(() => expect(client.summaries()).toHaveLength(want.length + 1), { timeout: 15_000, interval: 2 })
    expect(client.summaries()).toEqual(['seen late', ...want])
    note('live again', { severity: 'warn' })
    await settle()
    expect(client.summaries().slice(want.length + 1)).toEqual(['live again'])
  })

  it('gets no more than it takes, and misses nothing that comes meanwhile', async () => {
    const { watch, note, notes, settle } = await scene()
    const client = await watch()
    client.stick()
    note('0')
    await settle()
    notes(1, 1_200)
    client.web.reply.raw.writableLength = 0
    const { write } = client.web.reply.raw
    client.web.reply.raw.write = (bytes) => {
      write(bytes)
      client.stick()
    }
    client.web.reply.raw.socket.emit('drain')
    const got: number[] = []
    for (let n = 0; n < 3; n++) {
      await settle()
      got.push(client.summaries().length)
      notes(1_201 + n, 1_201 + n)
      client.unstick()
    }
    expect(got).toEqual([500, 1_000, 1_201])
    await settle()
    client.unstick()
    await settle()
    expect(client.summaries()).toEqual(numbers(0, 1_203))
  })

  it('is left alone once it is gone', async () => {
    const { watch, note, notes, settle, open } = await scene()
    const client = await watch()
    client.stick()
    note('unseen')
    await settle()
    notes(1, 10)
    client.cut()
    await settle()
    expect(client.summaries()).toEqual([])
    expect(open.now).toBe(0)
  })

  it('is cut off when what it missed cannot be read', async () => {
    let broken = false
    const { watch, note, settle, log, open } = await scene((reads) => ({
      docs: async (...args) => {
        if (broken) throw new Error('no reads')
        return reads.docs(...args)
      },
    }))
    const client = await watch()
    client.stick()
    note('unseen')
    await settle()
    broken = true
    client.unstick()
    await settle()
    expect(client.ended).toHaveBeenCalled()
    expect(log.error).toHaveBeenCalledOnce()
    expect(open.now).toBe(0)
  })
})

describe('a client that may watch no longer', () => {
  it('is cut off when its credential is revoked, and nobody else', async () => {
    const { watch, app, held, actorOf, note, settle } = await scene()
    const [one, two] = [await watch(), await watch({}, { actor: actorOf('OWNER', 't2') })]
    held.delete('t1')
    app.bus.emit('revoked', 't1')
    expect([one.ended.mock.calls.length, two.ended.mock.calls.length]).toEqual([1, 0])
    note('for two')
    await settle()
    expect([one.summaries(), two.summaries()]).toEqual([[], ['for two']])
  })

  it('is counted no longer, although it does not read the end', async () => {
    const { watch, app, held, open } = await scene()
    const client = await watch()
    client.web.reply.raw.end = () => undefined
    held.delete('t1')
    app.bus.emit('revoked', 't1')
    expect(open.now).toBe(0)
  })

  it('is cut off when its person loses access to the workspace, and nobody else', async () => {
    const { watch, app, actorOf, workspace, person, stranger } = await scene()
    const [one, two] = [await watch(), await watch({}, { actor: actorOf('OWNER', 't2') })]
    app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(person('VIEWER').userId)
    app.bus.emit('access_lost', stranger().workspace)
    expect(one.ended).not.toHaveBeenCalled()
    app.bus.emit('access_lost', workspace)
    expect([one.ended.mock.calls.length, two.ended.mock.calls.length]).toEqual([1, 0])
  })

  it('is found within 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { watch, held, actorOf, person, app } = await scene()
    const [one, two, daemonItself, three] = [
      await watch(),
      await watch({}, { actor: actorOf('OWNER', 't2') }),
      await watch({}, { actor: actorOf('OWNER', null) }),
      await watch({}, { actor: actorOf('VIEWER', 't2') }),
    ]
    held.delete('t1')
    vi.advanceTimersByTime(29_999)
    expect(one.ended).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    const ends = () => [one, two, daemonItself, three].map(({ ended }) => ended.mock.calls.length)
    expect(ends()).toEqual([1, 0, 0, 0])
    app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(person('VIEWER').userId)
    vi.advanceTimersByTime(30_000)
    expect(ends()).toEqual([1, 0, 0, 1])
  })

  it('is cut off at once where it lost access while the stream began', async () => {
    const { watch, held, open } = await scene((reads) => ({
      docs: async (...args) => {
        held.delete('t1')
        return reads.docs(...args)
      },
    }))
    const client = await watch()
    expect(client.ended).toHaveBeenCalled()
    expect(open).toEqual({ now: 0, most: 1 })
  })
})

describe('all streams', () => {
  it('send a heartbeat every 15 seconds, except to those that do not read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { watch } = await scene()
    const [quick, stuck] = [await watch(), await watch()]
    stuck.stick()
    vi.advanceTimersByTime(14_999)
    expect(quick.comments()).toEqual([])
    vi.advanceTimersByTime(1)
    expect([quick.comments(), stuck.comments()]).toEqual([[': heartbeat'], []])
    vi.advanceTimersByTime(15_000)
    expect(quick.comments()).toEqual([': heartbeat', ': heartbeat'])
  })

  it('send no heartbeat before they have begun', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { watch, note } = await scene((reads) => ({
      docs: async (...args) => {
        vi.advanceTimersByTime(15_000)
        return reads.docs(...args)
      },
    }))
    note('first')
    const client = await watch()
    expect([client.comments(), client.summaries()]).toEqual([[], ['first']])
  })

  it('end when the daemon stops, those that begin then too, and no clock runs on', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const before = vi.getTimerCount()
    const { watch, stopping, open } = await scene()
    const clocks = vi.getTimerCount() - before
    const clients = [await watch(), await watch({ severity: 'warn' })]
    stopping.abort()
    for (const { ended } of clients) expect(ended).toHaveBeenCalled()
    expect(vi.getTimerCount() - before).toBe(clocks - 2)
    const late = await watch()
    expect(late.ended).toHaveBeenCalled()
    expect(open.now).toBe(0)
  })
})
