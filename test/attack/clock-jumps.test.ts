import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '#client/events'
import { closing, daemon, fixedClock } from '#test'
import { watchTokenExpiry } from '../../daemon/features/tokens/jobs.ts'
import { Reconciler } from '../../daemon/runtime/reconcile.ts'
import { EngineInMemory } from '../daemon/runtime/engine-in-memory.ts'
import { browser, knownPassword, quickHash } from '../support/browser.ts'
import { init, result, says } from '../support/claude-lines.ts'
import { endsIn, type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { openStream, workplace } from '../support/runs.ts'

const hour = 3_600_000
const jumps = [
  ['forwards', hour],
  ['backwards', -hour],
] as const

/** A daemon whose clock is set while time goes on as ever. */
function clocks() {
  const [clock, steady] = [fixedClock(), fixedClock()]
  const pass = (ms: number) => {
    clock.advance(ms)
    steady.advance(ms)
  }
  return { clock, steady, pass }
}

describe.each(jumps)('a clock that is set an hour %s', (_, jump) => {
  it('neither refills nor empties what limits requests', async () => {
    const { clock, steady, pass } = clocks()
    const { app } = await daemon({ clock, steady, config: { rateLimitDisabled: false, authPerMinute: 6 } })
    const took = (times: number) => Array.from({ length: times }, () => app.limits.take('auth', '192.0.2.1') === null)
    expect(took(7)).toEqual([true, true, true, true, true, true, false])
    clock.advance(jump)
    expect(took(1)).toEqual([false])
    pass(10_000)
    expect(took(2)).toEqual([true, false])
    const refused = app.limits.take('auth', '192.0.2.1')!
    expect(Number(refused.headers?.['x-ratelimit-reset']) - clock() / 1000).toBeGreaterThan(0)
    expect(Number(refused.headers?.['x-ratelimit-reset']) - clock() / 1000).toBeLessThanOrEqual(10)
  })

  it('neither ends nor prolongs a run, and its duration is that of its work', async () => {
    const { clock, steady, pass } = clocks()
    const it = await workplace({ clock, steady })
    const chatId = await it.openChat()
    const stream = await openStream(it.base, it.person('OWNER'), chatId, '?follow=true')
    const { run_id } = await it.send(chatId, 'Work.')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Working.'))
    await stream.until('text')
    clock.advance(jump)
    pass(5_000)
    it.runtime.breakAll()
    it.runtime.print(program, result())
    it.runtime.finish(program)
    await stream.until('done')
    const entries = it.entries().filter(({ trace_id }) => trace_id === run_id)
    expect(endsIn(entries)).toMatchObject([{ entry_type: 'run.completed' }])
    expect(workOf(entries)).toEqual([5_000])
    expect(it.runtime.ended).toEqual([])
  })

  it('keeps a pairing code no longer than its ten minutes', async () => {
    const { clock, steady, pass } = clocks()
    const { call } = await daemon({ clock, steady })
    const { code } = (await call('MEMBER', 'POST', '/auth/pair/start')).body
    pass(60_000)
    clock.advance(jump)
    expect((await call(null, 'POST', '/auth/pair/redeem', { code })).status).toBe(400)
  })

  it('locks nobody out for longer than a lock lasts', async () => {
    const { clock, steady } = clocks()
    const it = await daemon({ clock, steady, config: { lockoutThreshold: 2, lockoutDuration: 300 } })
    const { userId, email } = it.person('OWNER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    const web = browser(it)
    const right = () => web.signIn(email, knownPassword)
    for (let n = 0; n < 2; n++) await web.signIn(email, 'wrong')
    expect((await right()).body.ok).toBe(false)
    clock.advance(jump)
    expect((await right()).body.ok).toBe(true)
  })

  it('does not keep a crew from its next try', async () => {
    const { clock, steady, pass } = clocks()
    const it = await workplace({ clock, steady, quiet: true })
    const engine = new EngineInMemory()
    engine.failures = [new Error('not now')]
    const reconciler = closing(
      new Reconciler({
        app: it.app,
        runtime: engine.runtime,
        sidecarConfig: () => ({
          network: { mode: 'free', allowedDomains: [], allowPrivateEndpoints: false },
          agents: {},
          upstreams: {},
        }),
        tidy: () => {},
        isLive: () => false,
        endRuns: async () => {},
      }),
    )
    it.app.runtime = reconciler
    expect((await it.call('OWNER', 'POST', `/crews/${it.crewId}/container-start`)).status).toBe(502)
    clock.advance(jump)
    pass(1_000)
    const again = new Promise<void>((resolve) =>
      it.app.bus.on('entry', ({ entry }) => entry.entry_type === 'container.started' && resolve()),
    )
    reconciler.look(it.crewId)
    await again
    expect(engine.done.filter((did) => did.startsWith('ensure'))).toHaveLength(2)
  })
})

it('ends what a token holds open when it runs out, also after the clock was set back', async () => {
  const { clock, steady } = clocks()
  const it = await daemon({ clock, steady })
  it.person('OWNER')
  closing(watchTokenExpiry(it.app))
  clock.advance(-hour)
  const ended = new Promise<string>((resolve) => it.app.bus.on('revoked', resolve))
  const token = (await it.call('OWNER', 'POST', '/auth/cli-token', { expires_in_seconds: 1 })).body
  clock.advance(1_000)
  expect(await ended).toBe(token.id)
})

/** How long the programs of a run worked, in milliseconds. */
const workOf = (entries: readonly { payload?: Record<string, unknown> }[]) =>
  entries.flatMap(({ payload }) => (payload?.['duration_ms'] as number | undefined) ?? [])

const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path))
const missing = faketime ? false : 'there is no libfaketime (Debian: faketime)'
leaveOut(missing)

describe.skipIf(missing)('the clock of a daemon that works', () => {
  let folder: string
  let it_: Installation
  let agentId: string
  const go = () => join(folder, 'go')
  const set = (text: string) => {
    writeFileSync(join(folder, 'time.new'), `${text}\n`)
    renameSync(join(folder, 'time.new'), join(folder, 'time'))
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-clock-'))
    set('+0')
    const agent = join(folder, 'agent')
    const say = (...lines: object[]) => lines.map((line) => `echo '${JSON.stringify(line)}'`).join('\n')
    const waits = `until [ -e ${go()} ]; do sleep 0.05; done`
    writeFileSync(
      agent,
      `#!/bin/sh\nread -r prompt\n${say(init, says('Working.'))}\ncase "$prompt" in *wait*) ${waits};; ` +
        `esac\n${say(says('Done.'), result())}\n`,
      { mode: 0o755 },
    )
    it_ = await install({
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_CLAUDE_COMMAND: agent,
      SVC_MAX_CONCURRENT_RUNS: '4',
      LD_PRELOAD: faketime!,
      FAKETIME_TIMESTAMP_FILE: join(folder, 'time'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    })
    const crew = await it_.client.crews.create({ body: { name: 'Works', slug: 'works' } })
    agentId = (
      await it_.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crew.id, timeout_seconds: 60 } })
    ).id
  })
  afterAll(async () => {
    await it_?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it('may jump an hour forwards and back under load: nothing is lost, doubled, out of order or ended', {
    timeout: 240_000,
  }, async () => {
    const { client, connection } = it_
    const long = it_.turn(agentId, 'Please wait.', (frame) => frame.type === 'text' && begun())
    let begun = () => {}
    await new Promise<void>((resolve) => {
      begun = resolve
    })
    const before = new Set(
      (await client.journal.list({ query: { entry_type: 'chat.user_message' } })).entries.map(({ id }) => id),
    )
    const heard: string[] = []
    const listening = (async () => {
      for await (const { data } of events(connection, '/api/v1/journal/stream?entry_type=chat.user_message')) {
        const { id } = JSON.parse(data) as { id: string }
        if (!before.has(id) && heard.push(id) === 16) return
      }
    })()
    const ids: string[] = []
    const said: string[] = []
    for (const text of ['+1h', '+0', '-1h', '+0']) {
      set(text)
      const made = await Promise.all(Array.from({ length: 4 }, (_, n) => it_.turn(agentId, `Hello ${text} ${n}.`)))
      for (const { run, entries, answer } of made) {
        expect(run.status).toBe('COMPLETED')
        expect(endsIn(entries)).toHaveLength(1)
        expect(answer?.content).toBe('Working.Done.')
        const [worked] = workOf(entries)
        expect(worked).toBeGreaterThan(0)
        expect(worked).toBeLessThan(60_000)
        said.push(...entries.filter(({ entry_type }) => entry_type === 'chat.user_message').map(({ id }) => id))
        ids.push(run.id)
      }
      expect(await client.system.health()).toEqual({ status: 'ok' })
    }
    writeFileSync(go(), '')
    const { run, entries } = await long
    expect(run.status).toBe('COMPLETED')
    expect(endsIn(entries)).toHaveLength(1)
    expect(workOf(entries)[0]).toBeLessThan(240_000)

    // The newest page and those after it hold every entry once.
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await client.journal.list({ query: { limit: 50, ...(cursor && { cursor }) } })
      seen.push(...page.entries.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
      if (!cursor) break
    }
    expect(new Set(seen).size).toBe(seen.length)
    for (const id of ids) expect((await it_.entriesOf(id)).every((entry) => seen.includes(entry.id))).toBe(true)
    await listening
    expect([...heard].sort()).toEqual([...said].sort())
    // A second daemon on the same data finds it as it was left.
    expect(await it_.stop()).toBe(0)
    await it_.start()
    const verified = await client.journal.verify({ query: {} })
    expect(verified).toMatchObject({ valid: true })
  })
})
