import { describe, expect, it } from 'vitest'
import { answerHeld } from '../../../../daemon/runtime/monitor/held.ts'
import { createMonitor } from '../../../../daemon/runtime/monitor/monitor.ts'
import { calls, gets, init, result, says } from '../../../support/claude-lines.ts'
import { judgeServer, type Said, type Says } from '../../../support/judge.ts'
import { workplace } from '../../../support/runs.ts'

type Options = { mode?: 'warn' | 'block'; level?: string; on?: boolean; most?: { waiting: number; ofRun: number } }

/** A run of an agent whose calls are judged. Nothing that waits goes on before `timeIsOver`. */
async function scene(answer: Says | Said, { mode = 'warn', level = 'guided', on = true, most }: Options = {}) {
  const judge = await judgeServer(typeof answer === 'function' ? answer : () => answer)
  const it = await workplace()
  it.app.scrub = () => (value) => JSON.parse(JSON.stringify(value).replaceAll('hunter2-hunter2', '[redacted]'))
  // A clock of the machine does not stand at whole milliseconds.
  const { steady } = it.app
  let reads = 0
  Object.assign(it.app, { steady: () => steady() + (reads++ % 2) / 2 })
  let over: () => void = () => undefined
  const waited: number[] = []
  const monitor = createMonitor({
    app: it.app,
    stop: (id, reason) => it.runs.fail(id, reason),
    wait: (ms) => {
      waited.push(ms)
      return new Promise((resolve) => {
        over = resolve
      })
    },
    ...(most && { most }),
  })
  it.app.monitor = monitor
  const ok = async (...request: Parameters<typeof it.call>) => {
    const { status, text, body } = await it.call(...request)
    expect(status, text).toBe(200)
    return body
  }
  await ok('OWNER', 'PUT', '/admin/keeper/config', { judge_endpoint_url: judge.url, judge_model: 'qwen3' })
  await ok('OWNER', 'POST', '/admin/keeper/aux/use-judge')
  if (on) await ok('ADMIN', 'PUT', '/admin/keeper/governance', { monitor_tool_calls: true })
  await ok('OWNER', 'PUT', `/crews/${it.crewId}/policy`, { autonomy_level: level, behavior_mode: mode })
  const { run_id } = await it.send(await it.openChat(), 'Please begin.')
  const program = await it.runtime.program()
  it.runtime.print(program, init)
  const print = (...lines: object[]) => it.runtime.print(program, ...lines)
  const finish = async () => {
    print(says('Done.'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
  }
  const requests = () =>
    ok('ADMIN', 'GET', '/admin/keeper/requests?request_type=behavior') as Promise<Record<string, unknown>[]>
  const cards = async () =>
    (await ok('OWNER', 'GET', '/inbox?kind=escalation')).rows as { blocking: boolean; body_md: string; title: string }[]
  /** Resolves once so many calls are decided, by what is told to those who watch. */
  const decided = (count: number) =>
    new Promise<void>((resolve) => {
      const seen = { n: 0 }
      it.app.bus.on('entry', ({ entry: { entry_type } }) => {
        if (entry_type === 'keeper.decision' && ++seen.n === count) resolve()
      })
    })
  const run = () => ok('OWNER', 'GET', `/runs/${run_id}`)
  const ask = (call_id: string, input: object = {}) => answerHeld(it.app, run_id, { call_id, tool_name: 'Bash', input })
  return {
    ...it,
    judge,
    program,
    run_id,
    print,
    finish,
    requests,
    cards,
    decided,
    run,
    ask,
    waited,
    timeIsOver: () => over(),
  }
}

const rm = { command: 'rm -rf /' }

describe('calls of tools', () => {
  it('are judged by nobody unless the workspace asks for it', async () => {
    const it = await scene({ decision: 'DENY' }, { on: false, mode: 'block' })
    it.print(calls('c1', 'Bash', rm), gets('c1', ''))
    await it.finish()
    expect(await it.run()).toMatchObject({ status: 'COMPLETED' })
    expect(it.judge.asked).toEqual([])
    expect(it.program.spec.argv.join(' ')).not.toContain('PreToolUse')
  })

  it('are judged beside the run in the mode warn, with one open card for a run', async () => {
    const it = await scene({ decision: 'DENY', reason: 'It deletes everything' })
    const decided = it.decided(2)
    it.print(calls('c1', 'Bash', rm), gets('c1', ''), calls('c2', 'Bash', { command: 'rm -r ~' }), gets('c2', ''))
    await decided
    await it.finish()
    expect(await it.run()).toMatchObject({ status: 'COMPLETED' })
    expect((await it.requests()).map(({ decision }) => decision)).toEqual(['DENY', 'DENY'])
    const cards = await it.cards()
    expect(cards).toHaveLength(1)
    expect(cards[0]).toMatchObject({ blocking: false, body_md: expect.stringContaining('It deletes everything') })
    expect(it.program.spec.argv.join(' ')).not.toContain('PreToolUse')
    expect(
      it.entries().filter(({ entry_type, trace_id }) => entry_type === 'keeper.decision' && trace_id === it.run_id),
    ).toHaveLength(2)
  })

  it('make no card when they are allowed', async () => {
    const it = await scene({ decision: 'ALLOW' })
    const decided = it.decided(1)
    it.print(calls('c1', 'Bash', { command: 'ls' }), gets('c1', ''))
    await decided
    await it.finish()
    expect(await it.cards()).toEqual([])
    expect(await it.requests()).toMatchObject([{ decision: 'ALLOW', intent: expect.stringContaining('Bash') }])
  })

  it('are told to the judge without secrets, shortened, and with those before them', async () => {
    const it = await scene({ decision: 'ALLOW' })
    const decided = it.decided(2)
    it.print(calls('c1', 'Bash', { command: `echo hunter2-hunter2 ${'x'.repeat(20_000)}` }), gets('c1', ''))
    it.print(calls('c2', 'Read', { file_path: '/etc/passwd' }), gets('c2', ''))
    await decided
    const told = it.judge.asked.map(({ prompt }) => prompt)
    expect(told.join('\n')).not.toContain('hunter2')
    expect(told.map((it) => it.length < 12_000)).toEqual([true, true])
    expect(told.find((it) => it.includes('/etc/passwd'))).toContain('Bash {\\"command\\":\\"echo [redacted]')
    await it.finish()
  })

  it('end their run in the mode block when they cannot be held, with what was judged', async () => {
    const it = await scene({ decision: 'DENY', reason: 'It deletes everything' }, { mode: 'block' })
    it.print(calls('c1', 'Bash', rm), gets('c1', ''))
    await it.runs.ended(it.run_id)
    expect(await it.run()).toMatchObject({ status: 'FAILED' })
    const failed = it.entries().find(({ entry_type }) => entry_type === 'run.failed')
    expect(JSON.stringify(failed)).toContain('The call of Bash was judged harmful: It deletes everything')
    expect(await it.cards()).toMatchObject([{ blocking: true }])
    expect(await it.requests()).toMatchObject([{ decision: 'DENY', reason: 'It deletes everything' }])
  })

  it('leave no card where a trusted crew blocks', async () => {
    const it = await scene({ decision: 'DENY' }, { mode: 'block', level: 'trusted' })
    it.print(calls('c1', 'Bash', rm), gets('c1', ''))
    await it.runs.ended(it.run_id)
    expect(await it.run()).toMatchObject({ status: 'FAILED' })
    expect(await it.cards()).toEqual([])
  })

  it('are held until the verdict where their client asks, and the run goes on without them', async () => {
    const order: string[] = []
    const it = await scene(
      async () => {
        order.push('judged')
        return { decision: 'DENY', reason: 'It deletes everything' }
      },
      { mode: 'block' },
    )
    expect(it.program.spec.argv.join(' ')).toContain('PreToolUse')
    it.print(calls('c1', 'Bash', rm))
    const { body } = await it.ask('c1', rm)
    order.push('answered')
    expect(body).toEqual({ stopped: expect.stringContaining('It deletes everything') })
    it.print(gets('c1', 'stopped', true))
    await it.finish()
    expect(order).toEqual(['judged', 'answered'])
    expect(await it.run()).toMatchObject({ status: 'COMPLETED' })
    expect(it.judge.asked).toHaveLength(1)
  })

  it('are held no longer than their time by a judge that hangs', async () => {
    const it = await scene(() => null, { mode: 'block' })
    it.print(calls('c1', 'Bash', rm))
    const order: string[] = []
    const answered = it.ask('c1', rm).then(({ body }) => {
      order.push('answered')
      return body
    })
    await new Promise(setImmediate)
    order.push('time is over')
    it.timeIsOver()
    expect(await answered).toEqual({})
    expect(order).toEqual(['time is over', 'answered'])
    expect(it.waited).toEqual([20_000])
    it.print(gets('c1', ''))
    await it.finish()
    expect(await it.run()).toMatchObject({ status: 'COMPLETED' })
  })

  it('are let through by a judge that answers prose, with a warning', async () => {
    const it = await scene(() => 'Looks fine to me.', { mode: 'block' })
    it.print(calls('c1', 'Bash', rm))
    expect((await it.ask('c1', rm)).body).toEqual({})
    it.print(gets('c1', ''))
    await it.finish()
    expect(await it.requests()).toMatchObject([{ decision: 'WARN' }])
    expect(await it.cards()).toMatchObject([{ blocking: false }])
  })

  it('are judged once, also when a run is read again', async () => {
    const it = await scene({ decision: 'ALLOW' })
    const decided = it.decided(1)
    it.print(calls('c1', 'Bash', rm), gets('c1', ''))
    await decided
    const again = createMonitor({ app: it.app, stop: () => undefined })
    const asked = it.judge.asked.length
    const run = { id: it.run_id, workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, chat_id: null }
    expect(await again.hold(run, { call_id: 'c1', tool_name: 'Bash', input: rm })).toBeNull()
    expect(it.judge.asked).toHaveLength(asked)
    again.close()
    await it.finish()
  })

  it('beyond the bound of a run are said once not to be judged', async () => {
    const it = await scene({ decision: 'ALLOW' }, { most: { waiting: 64, ofRun: 1 } })
    const decided = it.decided(2)
    for (const id of ['c1', 'c2', 'c3']) it.print(calls(id, 'Bash', { command: id }), gets(id, ''))
    await decided
    await it.finish()
    expect(it.judge.asked).toHaveLength(1)
    expect((await it.requests()).map(({ decision }) => decision).sort()).toEqual(['ALLOW', 'WARN'])
  })

  it('that are asked about and never made do not use up what is judged of a run', async () => {
    const it = await scene({ decision: 'ALLOW' }, { mode: 'block' })
    for (let n = 0; n < 20; n++) await it.ask(`made-up-${n}`, { command: `${n}` })
    expect(it.judge.asked).toHaveLength(16)
    const decided = it.decided(1)
    it.print(calls('c1', 'Bash', rm), gets('c1', ''))
    await decided
    expect(it.judge.asked).toHaveLength(17)
    await it.finish()
  })

  it('of a client that does not ask cannot be said to be held', async () => {
    const it = await scene({ decision: 'DENY' })
    expect((await it.ask('c1', rm)).body).toEqual({})
    expect(it.judge.asked).toEqual([])
    await expect(answerHeld(it.app, null, {})).rejects.toMatchObject({ code: 'not_found' })
    await it.finish()
  })
})
