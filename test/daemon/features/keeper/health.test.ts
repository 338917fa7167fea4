import { describe, expect, it } from 'vitest'
import { daemon, fixedClock } from '#test'
import { count } from '../../../../daemon/features/keeper/health/service.ts'

type Sample = Parameters<typeof count>[2]

async function place() {
  const clock = fixedClock()
  const it = await daemon({ clock })
  const add = (times: number, sample: Partial<Sample>) =>
    it.app.writeNow(() => {
      for (let n = 0; n < times; n++)
        count(it.app, it.workspace, { decision: 'ALLOW', failed: false, latency: 10, ...sample })
    })
  const health = async () => (await it.call('ADMIN', 'GET', '/admin/keeper/health')).body
  const cards = async () => (await it.call('ADMIN', 'GET', '/inbox?kind=escalation')).body.rows
  return { ...it, clock, add, health, cards }
}

describe('keeper.health', () => {
  it('is all zero before anything was decided, and names no alarm', async () => {
    const { health, workspace } = await place()
    expect(await health()).toMatchObject({ workspace_id: workspace, samples: 0, progressed_rate: 0, oldest: null })
    expect(await health()).not.toHaveProperty('alarm')
  })

  it('counts the newest 200 with their rates and the time of judges', async () => {
    const { add, health } = await place()
    add(50, { decision: 'DENY' })
    add(150, { latency: null })
    add(50, { decision: 'ESCALATE', latency: 400 })
    expect(await health()).toMatchObject({
      samples: 200,
      allow: 150,
      deny: 0,
      escalate: 50,
      progressed_rate: 1,
      p95_latency_ms: 400,
    })
  })

  it('is alarmed by denials and by failures, from twenty on, with one card in six hours', async () => {
    const { add, health, cards, clock } = await place()
    add(19, { decision: 'DENY' })
    expect(await health()).not.toHaveProperty('alarm')
    add(2, { decision: 'DENY' })
    expect((await health()).alarm).toMatchObject({ kind: 'allow_rate_collapsed' })
    expect(await cards()).toHaveLength(1)
    add(10, { decision: 'DENY', failed: true })
    expect((await health()).alarm).toMatchObject({ kind: 'judge_failure_spike' })
    expect(await cards()).toHaveLength(2)
    clock.advance(6 * 3_600_000)
    add(1, { decision: 'DENY', failed: true })
    expect(await cards()).toHaveLength(3)
    add(190, {})
    expect(await health()).not.toHaveProperty('alarm')
  })
})
