import { describe, expect, it } from 'vitest'
import { act, asked, askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { type Line, openLines, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

const show = async (it: Place, run: string) => (await it.call('OWNER', 'GET', `/runs/${run}`)).body
const terminals = (it: Place, run: string) =>
  it
    .entries()
    .filter(({ trace_id, entry_type }) => trace_id === run && /^run\.(comp|fail|canc|time)/.test(entry_type))
    .map(({ entry_type, summary }) => [entry_type, summary])
const log = (it: Place, run: string, query = '') => openLines(it.base, it.person('OWNER'), `/runs/${run}/logs${query}`)
const told = (lines: Line[]) =>
  lines.flatMap(({ type, content, reason }) =>
    ['user_message', 'text', 'stream.end'].includes(type) ? [content ?? reason] : [],
  )

describe('cancelling a run', () => {
  it.each(['of a chat', 'without a chat'])('ends one %s, once', async (kind) => {
    const it = await workplace()
    const run =
      kind === 'of a chat' ? (await it.send(await it.openChat(), 'Work')).run_id : await beginMadeUp(it, it.agentId)
    await it.runtime.program()
    const { status, body } = await it.call('OWNER', 'POST', `/runs/${run}/cancel`)
    expect([status, body]).toEqual([202, { run_id: run, status: 'RUNNING' }])
    await it.runs.ended(run)
    const { email } = it.person('OWNER')
    expect(terminals(it, run)).toEqual([['run.cancelled', `Agent ada's run was cancelled by ${email}`]])
    expect(it.runtime.ended).toEqual([run])
    const again = await it.call('OWNER', 'POST', `/runs/${run}/cancel`)
    expect([again.status, again.body]).toEqual([202, { run_id: run, status: 'CANCELLED' }])
    expect(terminals(it, run)).toHaveLength(1)
  })

  it('leaves one alone that is over', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    it.runtime.print(program, says('x'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect((await it.call('OWNER', 'POST', `/runs/${run}/cancel`)).body).toEqual({ run_id: run, status: 'COMPLETED' })
    expect(await show(it, run)).toMatchObject({ status: 'COMPLETED' })
  })

  it('ends one that waits for a person at once, and closes its card', async () => {
    const it = await askPlace()
    const { run_id, item } = await asked(it)
    const { body } = await it.call('OWNER', 'POST', `/runs/${run_id}/cancel`)
    expect(body).toEqual({ run_id, status: 'CANCELLED' })
    expect((await it.call('OWNER', 'GET', `/inbox/${item}`)).body).toMatchObject({
      state: 'resolved',
      resolved_action: 'cancelled',
    })
  })

  it('is for who began the run, and for MANAGER and above', async () => {
    const it = await workplace()
    const viewer = it.person('VIEWER')
    const own = await beginMadeUp(it, it.agentId, { by: viewer.userId })
    const nobodys = await beginMadeUp(it, it.agentId)
    for (const role of ['VIEWER', 'MEMBER'] as const)
      expect((await it.call(role, 'POST', `/runs/${nobodys}/cancel`)).body).toMatchObject({ code: 'insufficient_role' })
    expect((await it.call('VIEWER', 'POST', `/runs/${own}/cancel`)).status).toBe(202)
    expect((await it.call('MANAGER', 'POST', `/runs/${nobodys}/cancel`)).status).toBe(202)
  })

  it('does not find a run of another workspace, or one that is none', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    const stranger = await it.stranger()
    for (const [who, id] of [
      [stranger, run],
      [it.person('OWNER'), 'cnone'],
    ] as const) {
      expect((await it.call(who, 'POST', `/runs/${id}/cancel`)).status).toBe(404)
      expect((await it.call(who, 'GET', `/runs/${id}/logs`)).status).toBe(404)
    }
    expect(await show(it, run)).toMatchObject({ status: 'RUNNING' })
  })
})

describe('the log of a run', () => {
  it('tells so far and ends, or goes on to the end of the run', async () => {
    const it = await workplace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('one'))
    const following = await log(it, run_id, '?follow=true')
    const before = await following.until('text')
    const soFar = await (await log(it, run_id)).rest()
    expect(told(soFar)).toEqual(['Work', 'one', 'not_followed'])
    expect(soFar[0]).toMatchObject({ status: 'RUNNING', active: true })
    it.runtime.print(program, says('two'), result())
    it.runtime.finish(program)
    const all = [...before, ...(await following.rest())]
    expect(told(all)).toEqual(['Work', 'one', 'two', 'run_complete'])
    expect(all.at(-2)).toMatchObject({ type: 'done', metadata: { trace_id: run_id } })
    expect(told(await (await log(it, run_id)).rest())).toEqual(['Work', 'onetwo', 'run_complete'])
  })

  it('knows nothing of other runs of the chat', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const first = await it.send(chat, 'First')
    const program = await it.runtime.program()
    it.runtime.print(program, says('one'), result())
    it.runtime.finish(program)
    await it.runs.ended(first.run_id)
    const second = await it.send(chat, 'Second')
    const next = await it.runtime.program(1)
    const following = await log(it, second.run_id, '?follow=true')
    it.runtime.print(next, says('two'), result())
    it.runtime.finish(next)
    expect(told(await following.rest())).toEqual(['Second', 'two', 'run_complete'])
    expect(told(await (await log(it, first.run_id)).rest())).toEqual(['First', 'one', 'run_complete'])
  })

  it('goes on over a question to a person', async () => {
    const it = await askPlace()
    const { run_id, item, next } = await asked(it, { question: 'Which one?' })
    const following = await log(it, run_id, '?follow=true')
    const before = await following.until('text')
    await act(it, item, { action: 'answer', input: 'That' })
    const second = await next()
    it.runtime.print(second, init, says('Good.'), result())
    it.runtime.finish(second)
    const all = [...before, ...(await following.rest())]
    expect(told(all)).toEqual(['Work', 'I look.', 'Which one?', 'That', 'Good.', 'run_complete'])
  })

  it('ends when a run is cancelled that waits for a person', async () => {
    const it = await askPlace()
    const { run_id } = await asked(it)
    const following = await log(it, run_id, '?follow=true')
    await following.until('user_message')
    await it.call('OWNER', 'POST', `/runs/${run_id}/cancel`)
    expect((await following.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'run_complete' })
  })

  it('says why a run said nothing', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    it.runtime.finish(await it.runtime.program(), { kind: 'exit', code: 3, timedOut: false })
    await it.runs.ended(run)
    const lines = await (await log(it, run)).rest()
    expect(lines.map(({ type }) => type)).toEqual(['stream.open', 'user_message', 'error', 'stream.end'])
  })

  it('goes on when somebody else loses the workspace', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    const following = await openLines(it.base, it.person('VIEWER'), `/runs/${run}/logs?follow=true`)
    await following.until('user_message')
    const { userId } = it.person('MEMBER')
    const id = it.app.db.prepare('SELECT id FROM workspace_members WHERE user_id = ?').pluck().get(userId)
    expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    it.runtime.finish(program)
    const last = (await following.rest()).at(-1)
    expect(last).toMatchObject({ type: 'stream.end' })
    expect(last).not.toMatchObject({ reason: 'access_revoked' })
  })

  it('ends for who loses the workspace', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    await it.runtime.program()
    const viewer = it.person('VIEWER')
    const following = await openLines(it.base, viewer, `/runs/${run}/logs?follow=true`)
    await following.until('user_message')
    const id = it.app.db.prepare('SELECT id FROM workspace_members WHERE user_id = ?').pluck().get(viewer.userId)
    expect((await it.call(viewer, 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    expect((await following.rest()).at(-1)).toMatchObject({ type: 'stream.end', reason: 'access_revoked' })
  })
})

describe('a run that waits for a person', () => {
  it('is found by that, and its agent says so', async () => {
    const it = await askPlace()
    const { run_id, item } = await asked(it)
    const other = await beginMadeUp(it, await it.mate('bob'))
    const waiting = (await it.call('OWNER', 'GET', '/runs?waiting=true')).body as { data: object[] }
    expect(waiting.data).toEqual([expect.objectContaining({ id: run_id, status: 'RUNNING', inbox_item_id: item })])
    const { data } = (await it.call('OWNER', 'GET', '/runs?status=RUNNING')).body as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual([other, run_id])
    const all = await it.call('OWNER', 'GET', '/runs?status=&waiting=&agent_id=&trigger=&tag=&page=&limit=')
    expect((all.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([other, run_id])
    expect((await it.call('OWNER', 'GET', '/runs?waiting=maybe')).status).toBe(400)
    const agent = async (id: string) => (await it.call('OWNER', 'GET', `/agents/${id}`)).body
    expect(await agent(it.agentId)).toMatchObject({ status: 'IDLE', waiting_runs: 1 })
    await act(it, item, { action: 'dismiss' })
    expect(await agent(it.agentId)).toMatchObject({ waiting_runs: 0 })
    expect(((await it.call('OWNER', 'GET', '/runs?waiting=true')).body as { data: object[] }).data).toEqual([])
  })
})
