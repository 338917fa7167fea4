import { describe, expect, it } from 'vitest'
import { askPlace } from '../../support/asks.ts'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { attachRuns, openLines, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

const entriesOf = (it: Place, run: string) => it.entries().filter(({ trace_id }) => trace_id === run)
const typesOf = (it: Place, run: string) => entriesOf(it, run).map(({ entry_type }) => entry_type)
const terminals = (it: Place, run: string) =>
  typesOf(it, run).filter((type) => /^run\.(completed|failed|cancelled|timeout)$/.test(type))
const show = async (it: Place, run: string) => (await it.call('OWNER', 'GET', `/runs/${run}`)).body

/** What a run's log says, from beginning to end. */
async function logOf(it: Place, run: string) {
  const log = await openLines(it.base, it.person('OWNER'), `/runs/${run}/logs`)
  expect(log.status).toBe(200)
  return log.rest()
}

describe('a run of a source without a chat', () => {
  it('is told what its source says, and keeps what it said', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    expect(program.spec.stdin).toMatch(/Be brief[\s\S]*Look after the garden$/)
    expect(program.spec.env).not.toHaveProperty('SVC_CHAT_ID')
    expect(program.spec.argv).toContain('--max-turns=20')
    it.runtime.print(program, init, says('I water.'), calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect(typesOf(it, run)).toEqual([
      'run.started',
      'exec.command',
      'run.session_init',
      'exec.command',
      'chat.agent_response',
      'run.completed',
    ])
    expect(entriesOf(it, run)[0]!.payload).not.toHaveProperty('chat_id')
    expect(await show(it, run)).toMatchObject({ status: 'COMPLETED', trigger_type: 'CRON', chat_id: null })
    const lines = await logOf(it, run)
    expect(lines.map(({ type, content }) => [type, content ?? null])).toEqual([
      ['stream.open', null],
      ['user_message', 'Look after the garden'],
      ['text', 'I water.'],
      ['tool_call', 'Bash'],
      ['tool_result', 'a'],
      ['stream.end', null],
    ])
    expect(lines[0]).toEqual({
      type: 'stream.open',
      run_id: run,
      chat_id: null,
      status: 'COMPLETED',
      active: false,
    })
    const logs = (await it.call('OWNER', 'GET', `/agents/${it.agentId}/logs`)).body as { event: string }[]
    expect(logs.map(({ event }) => event)).toEqual(['run.completed', 'tool_result', 'tool_call', 'text', 'run.started'])
  })

  it('is listed by its trigger, and begins beside the run of a chat', async () => {
    const it = await workplace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const run = await beginMadeUp(it, it.agentId)
    const other = await beginMadeUp(it, it.agentId)
    await it.runtime.program(2)
    const { data } = (await it.call('OWNER', 'GET', '/runs?trigger=CRON')).body as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual([other, run])
    expect(await show(it, run_id)).toMatchObject({ status: 'RUNNING', trigger_type: 'USER' })
  })

  it('waits for its place like every run', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    const first = await beginMadeUp(it, it.agentId)
    const second = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    const log = await openLines(it.base, it.person('OWNER'), `/runs/${second}/logs?follow=true`)
    expect((await log.until('status')).at(-1)).toMatchObject({ content: 'Waiting for a free place' })
    expect(it.runtime.programs.size).toBe(1)
    it.runtime.finish(program)
    await it.runs.ended(first)
    expect((await it.runtime.program(1)).spec.runId).toBe(second)
  })

  it('is refused past the limit of runs that wait', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    await beginMadeUp(it, it.agentId)
    const fill = it.app.db.prepare(
      `INSERT INTO runs (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, source, trigger_type, max_turns,
        phase, stream, first_frame, created_at)
       VALUES (?, 'w', 'c', 'a', 'A', 'a', 'x', 'CRON', 0, 'queued', ?, 1, 0)`,
    )
    for (let n = 1; n < 1000; n++) fill.run(`filler${n}`, `filler${n}`)
    await expect(beginMadeUp(it, it.agentId)).rejects.toMatchObject({ code: 'unavailable' })
    it.app.db.exec("DELETE FROM runs WHERE id = 'filler1'")
    await beginMadeUp(it, it.agentId)
  })

  it('survives a restart of the daemon, ends once, and is read from its beginning', async () => {
    const it = await workplace()
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Half'))
    await it.runs.close()
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    it.runtime.print(program, says(' and half'), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
    expect(terminals(it, run)).toEqual(['run.completed'])
    const texts = (await logOf(it, run)).filter(({ type }) => type === 'text').map(({ content }) => content)
    expect(texts).toEqual(['Half and half'])
    expect(it.runtime.discarded).toEqual([run])
  })

  it('that was in line at a restart begins after it', async () => {
    const it = await workplace({ config: { maxConcurrentRuns: 1 } })
    await beginMadeUp(it, it.agentId)
    const waiting = await beginMadeUp(it, it.agentId)
    const first = await it.runtime.program()
    await it.runs.close()
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    it.runtime.finish(first)
    it.runtime.finish(await it.runtime.program(1))
    await it.runs.ended(waiting)
    expect(terminals(it, waiting)).toHaveLength(1)
  })

  it('fails when its source is not there any more', async () => {
    const it = await workplace({ quiet: true, config: { maxConcurrentRuns: 1 } })
    const first = await beginMadeUp(it, it.agentId)
    const run = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    it.app.sources.delete('made-up')
    it.runtime.finish(program)
    await it.runs.ended(first)
    await expect.poll(() => terminals(it, run)).toEqual(['run.failed'])
    expect((await show(it, run)).error_message).toBe('What the agent was asked is deleted')
  })

  it('cannot ask a person, who would have no place to answer', async () => {
    const it = await askPlace()
    const runId = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    const { status, body } = await it.ask({ runId })
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'run_gone', detail: expect.stringContaining('belongs to no chat') })
    it.runtime.print(program, says('On my own'), result())
    it.runtime.finish(program)
    await it.runs.ended(runId)
    expect(terminals(it, runId)).toEqual(['run.completed'])
  })
})
