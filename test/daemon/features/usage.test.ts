import { beforeAll, describe, expect, it } from 'vitest'
import type { Runs } from '#kernel/runs'
import { daemon, type TestDaemon } from '#test'
import { usedThisMonth } from '../../../daemon/features/agents/usage/service.ts'
import { endRun } from '../../../daemon/features/runs/endings/service.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'

let place: TestDaemon
let crewId: string
let agents = 0
beforeAll(async () => {
  place = await daemon({ shared: true })
  place.app.runs = { available: true } as Runs
  crewId = (await place.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body.id
})

async function agent(): Promise<string> {
  const slug = `agent-${++agents}`
  return (await place.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crewId })).body.id
}

/** A run that has ended with this report. */
async function ended(agentId: string, metadata: Record<string, unknown>): Promise<string> {
  const id = await beginMadeUp(place, agentId)
  place.app.db.prepare("UPDATE runs SET phase = 'running', launched_at = 0 WHERE id = ?").run(id)
  const rest = { exitCode: 0, reason: null, message: null, command: null, lastFrame: 1 }
  place.app.writeNow(() => endRun(place.app, id, { ...rest, outcome: 'COMPLETED', agentStatus: 'IDLE', metadata }))
  return id
}
const loadOf = async (id: string) =>
  (await place.call('VIEWER', 'GET', '/agent-load')).body.find(({ agent_id }: { agent_id: string }) => agent_id === id)
const monthOf = (id: string) => usedThisMonth(place.app, place.workspace, id)

const full = {
  input_tokens: 10,
  output_tokens: 20,
  num_turns: 3,
  usage: {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 4000,
    reasoning_output_tokens: 5,
  },
  total_cost_usd: 0.25,
  cost_source: 'prices',
  prices_as_of: '2026-10-24',
}
const unpriced = { input_tokens: 7, output_tokens: 1, usage: { input_tokens: 7, output_tokens: 1 } }

describe('the usage of a run', () => {
  it('is stored with it in columns, and shown in lists and alone', async () => {
    const one = await agent()
    const id = await ended(one, full)
    const expected = {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_tokens: 300,
      cache_write_tokens: 4000,
      reasoning_tokens: 5,
      cost_usd: 0.25,
      cost_source: 'prices',
      prices_as_of: '2026-10-24',
    }
    expect((await place.call('VIEWER', 'GET', `/runs/${id}`)).body).toMatchObject(expected)
    expect((await place.call('VIEWER', 'GET', `/agents/${one}/runs`)).body).toEqual([expect.objectContaining(expected)])
    expect(place.app.db.prepare('SELECT input_tokens, turns, cost_usd FROM run_records WHERE id = ?').get(id)).toEqual({
      input_tokens: 10,
      turns: 3,
      cost_usd: 0.25,
    })
  })

  it('is null where the client told nothing, never zero', async () => {
    const id = await ended(await agent(), {})
    expect((await place.call('VIEWER', 'GET', `/runs/${id}`)).body).toMatchObject({
      input_tokens: null,
      output_tokens: null,
      cache_read_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      cost_usd: null,
      cost_source: null,
      prices_as_of: null,
    })
  })

  it('has no cost where its price is unknown', async () => {
    const id = await ended(await agent(), unpriced)
    expect((await place.call('VIEWER', 'GET', `/runs/${id}`)).body).toMatchObject({
      input_tokens: 7,
      cost_usd: null,
      cost_source: null,
    })
  })
})

describe('the load of an agent', () => {
  it('sums tokens and cost of the runs that ended in the current UTC day', async () => {
    const one = await agent()
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 0, cost_usd_today: 0, unpriced_runs_today: 0 })
    await ended(one, full)
    await ended(one, full)
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 8660, cost_usd_today: 0.5, unpriced_runs_today: 0 })
    const midnight = place.app.clock() - (place.app.clock() % 86_400_000)
    const move = place.app.db.prepare('UPDATE run_records SET finished = ? WHERE agent_id = ?')
    move.run(midnight - 1, one)
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 0, cost_usd_today: 0 })
    move.run(midnight, one)
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 8660, cost_usd_today: 0.5 })
  })

  it('has an unknown cost while nothing of it is known, and counts the runs that are left out of one', async () => {
    const one = await agent()
    await ended(one, unpriced)
    await ended(one, {})
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 8, cost_usd_today: null, unpriced_runs_today: 1 })
    await ended(one, full)
    expect(await loadOf(one)).toMatchObject({ tokens_used_today: 4338, cost_usd_today: 0.25, unpriced_runs_today: 1 })
  })
})

describe('the month of an agent', () => {
  it('begins with the first of the calendar month in UTC, and counts no other agent', async () => {
    const [one, other] = [await agent(), await agent()]
    await ended(one, full)
    await ended(other, full)
    expect(monthOf(one)).toEqual({ tokens: 4330, llm_calls: 3, cost_usd: 0.25, unpriced_runs: 0 })
    const now = new Date(place.app.clock())
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
    const move = place.app.db.prepare('UPDATE run_records SET finished = ? WHERE agent_id = ?')
    move.run(first, one)
    expect(monthOf(one).tokens).toBe(4330)
    move.run(first - 1, one)
    expect(monthOf(one)).toEqual({ tokens: 0, llm_calls: 0, cost_usd: 0, unpriced_runs: 0 })
    expect(usedThisMonth(place.app, 'another', other).tokens).toBe(0)
  })
})
