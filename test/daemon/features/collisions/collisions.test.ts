import { describe, expect, it } from 'vitest'
import type { SeenWrite } from '#runtime/types'
import { createCollisions } from '../../../../daemon/runtime/collisions/watches.ts'
import { calls, gets, init, result, says } from '../../../support/claude-lines.ts'
import { cliFor } from '../../../support/cli.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { closing } from '../../../support/index.ts'
import { openStream, type Workplace, workplace } from '../../../support/runs.ts'

type Program = Awaited<ReturnType<FakeRuntime['program']>>

interface Office extends Workplace<FakeRuntime> {
  bob: string
  /** The chat, run and program of each. */
  ada: Began
  grace: Began
}

interface Began {
  chat: string
  run: string
  program: Program
  uid: number
}

const watched = (it: Workplace<FakeRuntime>) => it.runtime.writeSinks.get(it.crewId)

async function begin(it: Workplace<FakeRuntime>, agent: string, n: number): Promise<Began> {
  const chat = await it.openChat(agent)
  const { run_id: run } = await it.send(chat, 'Work')
  const program = await it.runtime.program(n)
  return { chat, run, program, uid: program.spec.agent.uid }
}

/** Ada and Bob of one crew, both at work, each in a chat. */
async function office(): Promise<Office> {
  const it = await beginning()
  watched(it)!.sink.ready(3)
  return it
}

/** The same, before their folders are watched. */
async function beginning(): Promise<Office> {
  const it = await workplace()
  const collisions = createCollisions(it.app, it.runtime)
  it.app.collisions = collisions
  closing({ close: async () => collisions.close() })
  const bob = await it.mate('bob')
  const ada = await begin(it, it.agentId, 0)
  expect(it.runtime.writeWatches).toBe(0)
  const grace = await begin(it, bob, 1)
  await expect.poll(() => watched(it)).toBeDefined()
  return { ...it, bob, ada, grace }
}

function wrote(it: Office, who: Began, path: string, how: SeenWrite['how'] = 'new', at = it.app.clock()): void {
  watched(it)!.sink.write({ how, uid: who.uid, at, path: `/crew/shared/${path}` })
}

async function both(it: Office, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    wrote(it, it.ada, path)
    wrote(it, it.grace, path)
  }
}

const listed = async (it: Workplace<FakeRuntime>, query = '') =>
  (await it.call('VIEWER', 'GET', `/collisions${query}`)).body as Record<string, unknown>[]

const state = async (it: Workplace<FakeRuntime>) =>
  (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/collisions/watch`)).body

async function end(it: Office, who: Began): Promise<void> {
  it.runtime.print(who.program, init, says('Done'), result())
  it.runtime.finish(who.program)
  await it.runs.ended(who.run)
}

describe('two agents that write the same file', () => {
  it('are both told at their next step, each of the other, once', async () => {
    const it = await office()
    await both(it, 'web/src/app.ts')
    await expect.poll(() => listed(it)).toHaveLength(1)
    const inside = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const caller = (agent: string, { run }: Began) => ({
      workspace_id: it.workspace,
      crew_id: it.crewId,
      agent_id: agent,
      run_id: run,
    })
    for (const [agent, at, other] of [
      [it.agentId, it.ada, '@bob'],
      [it.bob, it.grace, '@ada'],
    ] as const) {
      const take = async () => (await it.call(null, 'POST', '/internal/notes', caller(agent, at), inside)).body
      const { receipt, text } = await take()
      expect(text).toContain(`(${other}) wrote "/crew/shared/web/src/app.ts"`)
      const taken = { ...caller(agent, at), receipt }
      expect((await it.call(null, 'POST', '/internal/notes/taken', taken, inside)).body).toEqual({ taken: 1 })
      expect(await take()).toEqual({ receipt: null, text: '' })
    }
    const told = (await it.call('OWNER', 'GET', '/journal?entry_type=run.note_taken')).body.entries
    expect(told).toHaveLength(2)
  })

  it('are listed once, journaled with both runs, and told to both chats', async () => {
    const it = await office()
    const streams = [it.ada, it.grace].map(({ chat }) => openStream(it.base, it.person('OWNER'), chat, '?follow=true'))
    const open = await Promise.all(streams)
    for (const stream of open) await stream.until('run_begin')
    await both(it, 'web/src/app.ts')
    await expect.poll(() => listed(it)).toHaveLength(1)
    await both(it, 'web/src/app.ts')
    const [row] = await listed(it)
    const summary = 'Agent ada and Agent bob both wrote "web/src/app.ts" while both were working'
    expect(row).toMatchObject({
      crew_id: it.crewId,
      crew_slug: 'backend',
      kind: 'file',
      path: '/crew/shared/web/src/app.ts',
      certain: true,
      count: 1,
      first_run_id: it.ada.run,
      first_agent_slug: 'ada',
      second_run_id: it.grace.run,
      second_agent_slug: 'bob',
      summary,
    })
    expect(row).not.toHaveProperty('first_chat_id')
    for (const stream of open)
      expect((await stream.until('stream.collision')).at(-1)).toMatchObject({ id: row!['id'], summary })
    const { entries } = (await it.call('OWNER', 'GET', '/journal?entry_type=files.collision')).body
    expect(entries).toMatchObject([
      {
        severity: 'warn',
        summary,
        agent_id: it.bob,
        trace_id: it.grace.run,
        payload: { first: { run_id: it.ada.run }, second: { run_id: it.grace.run } },
        refs: { run_ids: [it.ada.run, it.grace.run] },
      },
    ])
    expect(await listed(it)).toHaveLength(1)
  })

  it('are found by crew, agent, run, chat and time', async () => {
    const it = await office()
    await both(it, 'a')
    await expect.poll(() => listed(it)).toHaveLength(1)
    const { crewId: crew, bob, ada, grace } = it
    const past = new Date(it.app.clock() - 60_000).toISOString()
    const future = new Date(it.app.clock() + 60_000).toISOString()
    const finds = [`crew_id=${crew}`, `agent_id=${bob}`, `run_id=${ada.run}`, `chat_id=${grace.chat}`, `since=${past}`]
    const misses = ['crew_id=x', `agent_id=${crew}`, `run_id=${bob}`, `chat_id=${crew}`, `since=${future}`, 'offset=1']
    for (const query of finds) expect(await listed(it, `?${query}`), query).toHaveLength(1)
    for (const query of misses) expect(await listed(it, `?${query}`), query).toEqual([])
    expect((await it.call('VIEWER', 'GET', '/collisions?since=yesterday')).status).toBe(400)
  })

  it('are told of the index and the branches of a work tree as such', async () => {
    const it = await office()
    await both(it, 'web/.git/index', 'web/.git/refs/heads/main')
    await expect.poll(() => listed(it)).toHaveLength(2)
    expect((await listed(it)).map(({ summary }) => summary)).toEqual([
      'Agent ada and Agent bob both wrote the branch "main" of "web" while both were working',
      'Agent ada and Agent bob both wrote the index of the git work tree "web" while both were working',
    ])
  })

  it('are told twenty times, and then how many there were more once one of them has ended', async () => {
    const it = await office()
    await both(it, ...Array.from({ length: 33 }, (_, n) => `f${n}`))
    await expect.poll(() => listed(it)).toHaveLength(20)
    await end(it, it.grace)
    await expect.poll(() => listed(it)).toHaveLength(21)
    expect((await listed(it))[0]).toMatchObject({
      kind: 'more',
      count: 13,
      path: '',
      summary: 'Agent ada and Agent bob both wrote 13 more files while both were working',
    })
    await expect.poll(() => watched(it)).toBeUndefined()
    expect(await state(it)).toMatchObject({ state: 'idle' })
  })

  it('are told by names that move no cursor, and without secrets', async () => {
    const it = await office()
    const value = 'sk-collide-0123456789abcdef'
    const secret = { name: 'KEY', value, type: 'SECRET' }
    expect((await it.call('OWNER', 'POST', '/credentials', secret)).status).toBe(201)
    await both(it, `\u001b[2J\u202ea\nb-${value}`)
    await expect.poll(() => listed(it)).toHaveLength(1)
    const text = JSON.stringify(await listed(it))
    expect(text).not.toContain(value)
    expect(text).not.toMatch(/\\u001b|\\n|\u202e/)
  })

  it('are told as likely where a tool at work is all that speaks for it', async () => {
    const it = await office()
    wrote(it, it.ada, 'notes.md')
    it.runtime.print(it.grace.program, init, calls('1', 'Bash', { command: 'make' }))
    await expect
      .poll(async () => {
        wrote(it, it.ada, 'notes.md', 'in')
        return listed(it)
      })
      .toHaveLength(1)
    expect((await listed(it))[0]).toMatchObject({
      certain: false,
      second_agent_slug: 'bob',
      summary: 'Agent ada and Agent bob probably both wrote "notes.md" while both were working',
    })
  })

  it('are certain where the tool names the file', async () => {
    const it = await office()
    wrote(it, it.ada, 'notes.md')
    it.runtime.print(it.ada.program, init, calls('1', 'Bash', { command: 'make' }))
    it.runtime.print(it.grace.program, init, calls('1', 'Edit', { file_path: '/crew/shared/notes.md' }), gets('1', ''))
    wrote(it, it.ada, 'notes.md', 'in')
    await expect.poll(() => listed(it)).toHaveLength(1)
    expect((await listed(it))[0]).toMatchObject({ certain: true, second_agent_slug: 'bob' })
  })

  it('of a private room are told to others without its chat and its words', async () => {
    const it = await office()
    await end(it, it.ada)
    await expect.poll(() => watched(it)).toBeUndefined()
    const words = 'the merger with Initech'
    const opening = { kind: 'channel', title: words, agent_id: it.agentId, member_ids: [], client_id: 'r1' }
    const room = (await it.call('OWNER', 'POST', '/conversations', opening)).body.id
    const said = { content: `@ada prepare ${words}`, client_id: 'm1' }
    await it.call('OWNER', 'POST', `/conversations/${room}/messages`, said)
    const program = await it.runtime.program(2)
    const ada = { ...it.ada, run: program.spec.runId, program, uid: program.spec.agent.uid }
    await expect.poll(() => watched(it)).toBeDefined()
    watched(it)!.sink.ready(1)
    await both({ ...it, ada }, 'plan.md')
    await expect.poll(() => listed(it)).toHaveLength(1)
    const entries = (await it.call('VIEWER', 'GET', '/journal?entry_type=files.collision')).body.entries
    expect(entries).toHaveLength(1)
    const seen = JSON.stringify([await listed(it), entries])
    expect(seen).toContain('Agent ada and Agent bob both wrote \\"plan.md\\"')
    for (const secret of [words, room]) expect(seen).not.toContain(secret)
    for (const path of [`/runs/${ada.run}/logs`, `/conversations/${room}/messages`])
      expect((await it.call('VIEWER', 'GET', path)).status).toBe(404)
  })

  it('belong to their workspace', async () => {
    const it = await office()
    await both(it, 'a')
    await expect.poll(() => listed(it)).toHaveLength(1)
    const stranger = it.stranger()
    expect((await it.call(stranger, 'GET', `/collisions?crew_id=${it.crewId}`)).body).toEqual([])
    expect((await it.call(stranger, 'GET', `/crews/${it.crewId}/collisions/watch`)).status).toBe(404)
  })
})

describe('the shared folders of a crew', () => {
  it('are watched while two agents are at work, and again after a restart', async () => {
    const it = await office()
    expect(await state(it)).toMatchObject({ crew_id: it.crewId, state: 'watching', folders: 3, gaps: [] })
    const { since } = watched(it)!
    expect(since).toBeLessThanOrEqual(it.app.clock())
    it.app.collisions = createCollisions(it.app, it.runtime)
    const next = it.app.collisions as ReturnType<typeof createCollisions>
    closing({ close: async () => next.close() })
    next.recover()
    expect(it.runtime.writeWatches).toBe(2)
    expect(watched(it)!.since).toBe(since)
    await end(it, it.ada)
    await expect.poll(() => watched(it)).toBeUndefined()
  })

  it('are said to be off, with the reason, where they cannot be watched', async () => {
    const it = await office()
    watched(it)!.sink.ended('the image of the crew has no perl')
    expect(await state(it)).toMatchObject({ state: 'off', reason: 'the image of the crew has no perl', folders: 0 })
  })

  it('are said in the journal not to be watched where the watch cannot begin', async () => {
    const it = await beginning()
    watched(it)!.sink.ended('the image of the crew has no perl')
    const told = async () => (await it.call('OWNER', 'GET', '/journal?entry_type=files.unwatched')).body.entries
    await expect.poll(told).toMatchObject([
      {
        summary:
          'Not all collisions in the shared folders of crew backend are noticed: the image of the crew has no perl',
        payload: { what: 'off' },
      },
    ])
    expect(await state(it)).toMatchObject({ state: 'off', reason: 'the image of the crew has no perl' })
  })

  it('are nothing for the journal when they go with their container', async () => {
    const it = await office()
    watched(it)!.sink.ended('the connection to the crew closed')
    watched(it)!.sink.gap({ what: 'overflow' })
    const told = async () => (await it.call('OWNER', 'GET', '/journal?entry_type=files.unwatched')).body.entries
    await expect.poll(told).toMatchObject([{ payload: { what: 'overflow' } }])
  })

  it('are said to be watched in part, once in the journal', async () => {
    const it = await office()
    for (const path of ['/crew/shared/x', '/crew/shared/y']) watched(it)!.sink.gap({ what: 'folders', path })
    watched(it)!.sink.gap({ what: 'overflow' })
    const told = async () => (await it.call('OWNER', 'GET', '/journal?entry_type=files.unwatched')).body.entries
    await expect.poll(told).toHaveLength(2)
    expect((await told())[1].summary).toMatch(/crew backend are noticed: there are more than 8192 folders.* "x"$/)
    expect((await state(it)).gaps).toHaveLength(2)
  })
})

describe('muster collisions', () => {
  it('lists them, and says how a crew is watched', async () => {
    const it = await office()
    await both(it, 'web/app.ts')
    await expect.poll(() => listed(it)).toHaveLength(1)
    const { run } = await cliFor(it, 'VIEWER')
    const table = await run('collisions', '-o', 'table')
    expect(table.stdout).toMatch(/file +\/crew\/shared\/web\/app\.ts +ada +bob +yes/)
    const filters = ['--crew', 'backend', '--agent', 'bob', '--run', it.ada.run, '--since', '2020-01-01']
    expect((await run('collisions', 'list', ...filters, '--json=kind')).stdout).toContain('file')
    expect((await run('collisions', 'list', '--run', 'none')).stdout).not.toContain('web')
    watched(it)!.sink.gap({ what: 'overflow' })
    const shown = (await run('collisions', 'watch', 'backend', '-o', 'table')).stdout
    expect(shown).toMatch(/watching/)
    expect(shown).toMatch(/Not everything was noticed:\n- more was written/)
    expect((await run('collisions', 'watch', 'nobody')).code).toBe(3)
  })
})
