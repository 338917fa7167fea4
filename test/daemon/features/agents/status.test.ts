import { describe, expect, it } from 'vitest'
import { setStatus } from '../../../../daemon/features/agents/status/service.ts'
import { type Ending, endRun } from '../../../../daemon/features/runs/endings/service.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { workplace } from '../../../support/runs.ts'
import { end, type Place, told } from '../triggers/support.ts'

const place = () => workplace<FakeRuntime>()
const statusOf = async (it: Place) => (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.status
const begin = async (it: Place) => (await it.send(await it.openChat(), 'Work')).run_id

describe('the status of an agent', () => {
  it('IDLE, a run begins: RUNNING; it is completed and none is left: IDLE', async () => {
    const it = await place()
    await begin(it)
    expect(await statusOf(it)).toBe('RUNNING')
    await end(it, 0)
    expect(await statusOf(it)).toBe('IDLE')
    expect(told(it, 'agent.status_change').map(({ payload }) => payload)).toEqual([
      { status: 'RUNNING', prev: 'IDLE' },
      { status: 'IDLE', prev: 'RUNNING' },
    ])
  })

  it('RUNNING, a run ends while another one goes on: RUNNING', async () => {
    const it = await place()
    await begin(it)
    await begin(it)
    await end(it, 0, 'badly')
    expect(await statusOf(it)).toBe('RUNNING')
    await end(it, 1)
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('RUNNING, the last run fails: ERROR; the next run begins: RUNNING; it is cancelled: IDLE', async () => {
    const it = await place()
    await begin(it)
    await end(it, 0, 'badly')
    expect(await statusOf(it)).toBe('ERROR')
    const run = await begin(it)
    expect(await statusOf(it)).toBe('RUNNING')
    await it.runtime.program(1)
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)
    await it.runs.ended(run)
    expect(await statusOf(it)).toBe('IDLE')
  })

  it('RUNNING, the last run takes too long: ERROR', async () => {
    const it = await place()
    const run = await begin(it)
    it.runtime.finish(await it.runtime.program(), { kind: 'exit', code: 124, timedOut: true })
    await it.runs.ended(run)
    expect(told(it, 'run.timeout')).toHaveLength(1)
    expect(await statusOf(it)).toBe('ERROR')
  })

  it('PENDING_REVIEW is never replaced by RUNNING', async () => {
    const it = await place()
    it.app.db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(it.agentId)
    expect(it.app.writeNow(() => setStatus(it.app, it.agentId, 'RUNNING'))).toBe(false)
    expect(await statusOf(it)).toBe('PENDING_REVIEW')
  })

  it('a second end of a run changes nothing', async () => {
    const it = await place()
    const run = await begin(it)
    await end(it, 0)
    const before = it.entries().length
    const failed: Ending = {
      outcome: 'FAILED',
      agentStatus: 'ERROR',
      reason: 'late',
      exitCode: 1,
      metadata: {},
      message: null,
      command: null,
      lastFrame: 0,
    }
    expect(it.app.writeNow(() => endRun(it.app, run, failed))).toBe(false)
    expect(await statusOf(it)).toBe('IDLE')
    expect(it.entries()).toHaveLength(before)
  })
})
