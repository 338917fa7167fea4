import { describe, expect, it } from 'vitest'
import type { TestDaemon } from '#test'
import { proposeRemovals } from '../../../../daemon/features/consolidate/runs.ts'
import { propose } from '../../../../daemon/features/consolidate/service.ts'
import { noteUses, outcomeOf, rulesIn } from '../../../../daemon/features/memory/rules/service.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

type Place = Pick<Workplace<FakeRuntime>, keyof TestDaemon | 'crewId'> &
  Pick<Workplace<FakeRuntime>, 'runtime' | 'runs'>
type Workshop = Workplace<FakeRuntime>
const day = 86_400_000

async function place(): Promise<Workshop> {
  const it = await workplace()
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { memory_enabled: true })
  return it
}

/** Rules that the crew is to remember, approved. */
async function learn(it: Place, ...patterns: string[]): Promise<void> {
  const rules = patterns.map((pattern) => ({ pattern, action: 'Ask first', evidence: ['j_1', 'j_2'], confidence: 0.9 }))
  const crew = { id: it.crewId, workspace_id: it.workspace, slug: 'backend', name: 'Backend' }
  const more = { entriesScanned: 10, model: 'm', actor: { actor_type: 'system' as const }, now: it.app.now() }
  const id = it.app.writeNow(() => propose(it.app, { crew, rules, ...more }))
  expect((await it.call('ADMIN', 'POST', `/consolidate/proposed/${id}/approve`)).status).toBe(200)
}

/** A run of the agent, to its end; its id. */
async function work(it: Workshop, ends: 'well' | 'badly' = 'well'): Promise<string> {
  const before = it.runtime.programs.size
  const { run_id } = await it.send(await it.openChat(), 'Build it')
  const program = await it.runtime.program(before)
  if (ends === 'well') it.runtime.print(program, init, says('Done'), result())
  it.runtime.finish(program, ends === 'well' ? undefined : { kind: 'exit', code: 1, timedOut: false })
  await it.runs.ended(program.spec.runId)
  return run_id
}

const rules = async (it: Place, query = '') => (await it.call('MEMBER', 'GET', `/memory/rules${query}`)).body.rules
const file = async (it: Place, name = 'topics/learned-2026-01-01.md') =>
  (await it.call('VIEWER', 'GET', `/memory/file?path=crew:backend/${name}`)).body.content as string | undefined
const proposals = async (it: Place) => (await it.call('MEMBER', 'GET', '/consolidate/proposed')).body.proposals
const ask = (it: Place) => it.app.writeNow(() => proposeRemovals(it.app))

describe('a learned rule', () => {
  it('has a record of the runs in whose prompt it was, and of how those ended', async () => {
    const it = await place()
    const before = await work(it)
    await learn(it, 'When a deploy waits', 'When tests fail')
    const good = await work(it)
    it.clock.advance(1000)
    const bad = await work(it, 'badly')
    const [second, first] = await rules(it)
    expect(first).toMatchObject({
      pattern: 'When a deploy waits',
      action: 'Ask first',
      crew_slug: 'backend',
      path: `crew:${it.crewId}/topics/learned-2026-01-01.md`,
      present: true,
      uses: 2,
      completed: 1,
      failed: 1,
      corrected: 0,
      redirected: 0,
      running: 0,
    })
    expect(first.runs.map((run: { run_id: string; outcome: string }) => [run.run_id, run.outcome])).toEqual([
      [bad, 'failed'],
      [good, 'completed'],
    ])
    expect(JSON.stringify(first)).not.toContain(before)
    expect(second.uses).toBe(2)
    expect(await rules(it, '?crew_id=none')).toEqual([])
    expect((await it.call('VIEWER', 'GET', '/memory/rules')).status).toBe(403)
    expect((await it.call(it.stranger(), 'GET', '/memory/rules')).body.rules).toEqual([])
  })

  it('that was taken out of its file, or that the agent is not given, is not used', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits')
    const path = 'crew:backend/topics/learned-2026-01-01.md'
    await it.call('OWNER', 'PUT', '/memory/file', { path, content: 'Nothing.' })
    await work(it)
    expect((await rules(it))[0]).toMatchObject({ uses: 0, present: false })
  })

  it('that went with its crew is no reason not to start a run', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits')
    const [number] = rulesIn(it.app, it.crewId, (await file(it))!)
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBeLessThan(300)
    expect(() => it.app.writeNow(() => noteUses(it.app, 'run', [number!], it.app.now()))).not.toThrow()
    expect(await rules(it)).toEqual([])
  })

  it.each([
    ['running', { status: 'RUNNING' }],
    ['running', { status: null }],
    ['completed', { status: 'COMPLETED' }],
    ['failed', { status: 'FAILED' }],
    ['failed', { status: 'TIMEOUT' }],
    ['corrected', { status: 'CANCELLED' }],
    ['corrected', { status: 'COMPLETED', refused: 1 as const, steered: 1 as const }],
    ['redirected', { status: 'COMPLETED', steered: 1 as const }],
    ['redirected', { status: 'FAILED', redirected: 1 as const }],
  ])('was in a run that counts as %s: %j', (outcome, how) =>
    expect(outcomeOf({ steered: 0, redirected: 0, refused: 0, ...how })).toBe(outcome),
  )

  it('counts as corrected where the run was cancelled', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits')
    const { run_id } = await it.send(await it.openChat(), 'Build it')
    const program = await it.runtime.program(0)
    expect((await rules(it))[0]).toMatchObject({ uses: 1, running: 1 })
    await it.call('OWNER', 'POST', `/runs/${run_id}/cancel`)
    await it.runs.ended(program.spec.runId)
    expect((await rules(it))[0]).toMatchObject({ uses: 1, running: 0, corrected: 1 })
  })

  it('counts as redirected where somebody spoke to the run while it worked', async () => {
    const it = await agentAtWork()
    await learn(it, 'When a deploy waits')
    const chat = it.app.db.prepare('SELECT chat_id FROM runs WHERE id = ?').pluck().get(it.runId)
    const [number] = rulesIn(it.app, it.crewId, (await file(it))!)
    it.app.writeNow(() => noteUses(it.app, it.runId, [number!], it.app.now()))
    await it.call('OWNER', 'POST', `/chats/${chat}/steer`, { message: 'Use SQLite' })
    const { receipt } = (await it.ask('/notes', {})).body as { receipt: string }
    await it.ask('/notes/taken', { receipt })
    const program = await it.runtime.program(0)
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(program.spec.runId)
    expect((await rules(it))[0]).toMatchObject({ uses: 1, completed: 0, redirected: 1 })
  })
})

describe('a rule that never helped', () => {
  it('within thirty days is proposed for removal, which people approve', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits', 'When tests fail')
    const whole = (await file(it))!
    it.clock.advance(30 * day - 1000)
    expect(ask(it)).toBe(0)
    it.clock.advance(1000)
    expect(ask(it)).toBe(2)
    expect(ask(it)).toBe(0)
    const [proposal] = await proposals(it)
    expect(proposal).toMatchObject({ kind: 'removal', rules_count: 2, status: 'pending' })
    expect(await file(it)).toBe(whole)
    const { proposal_id } = proposal
    const diff = (await it.call('MEMBER', 'GET', `/consolidate/proposed/${proposal_id}/diff`)).body
    expect(diff).toMatchObject({ canonical_exists: true, stats: { additions: 0, rules_appended: 0 } })
    expect(diff.diff).toContain('--- canonical (current)\n+++ canonical (post-merge)\n')
    expect(diff.diff).toContain('\n-- **Pattern:** When a deploy waits  \n-  **Action:** Ask first  \n')
    const card = (await it.call('ADMIN', 'GET', `/inbox/ibx_memory_consolidation_${proposal_id}`)).body
    expect(card.title).toBe('Backend: 2 rules that never helped')
    expect((await it.call('ADMIN', 'POST', `/consolidate/proposed/${proposal_id}/approve`)).status).toBe(200)
    expect(await file(it)).not.toContain('Pattern')
    expect(await file(it)).toContain('# Learned on 2026-01-01')
    expect(await rules(it)).toEqual([])
    const told = it.entries().findLast(({ entry_type }) => entry_type === 'memory.consolidated')
    expect(told).toMatchObject({ payload: { kind: 'removal', rules_count: 2 } })
    expect(told?.summary).toContain('took 2 rules out of the memory of crew backend')
  })

  it('stays when people say so, and is asked about again after another thirty days', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits')
    it.clock.advance(31 * day)
    expect(ask(it)).toBe(1)
    const [{ proposal_id }] = await proposals(it)
    await it.call('ADMIN', 'POST', `/consolidate/proposed/${proposal_id}/reject`, { reason: 'rare, but true' })
    expect(await file(it)).toContain('When a deploy waits')
    it.clock.advance(29 * day)
    expect(ask(it)).toBe(0)
    it.clock.advance(2 * day)
    expect(ask(it)).toBe(1)
  })

  it('is none that helped, nor one that people took out themselves', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits')
    await work(it)
    it.clock.advance(2 * day)
    await learn(it, 'When tests fail')
    await it.call('OWNER', 'DELETE', '/memory/file?path=crew:backend/topics/learned-2026-01-03.md')
    it.clock.advance(31 * day)
    expect(ask(it)).toBe(0)
    expect((await rules(it)).map(({ pattern }: { pattern: string }) => pattern)).toEqual(['When a deploy waits'])
    // It has to help again within the next thirty days.
    it.clock.advance(31 * day)
    expect(ask(it)).toBe(1)
  })

  it('is taken out with what belongs to it alone, whatever was written around it', async () => {
    const it = await place()
    await learn(it, 'When a deploy waits', 'When tests fail')
    const path = 'crew:backend/topics/learned-2026-01-01.md'
    const edited = (await file(it))!
      .replace(/ +$/gm, '')
      .replace('- **Pattern:** When tests', 'By hand.\n\n- **Pattern:** When tests')
    await it.call('OWNER', 'PUT', '/memory/file', { path, content: `${edited}\nAnd more.\n` })
    it.clock.advance(31 * day)
    expect(ask(it)).toBe(2)
    const [{ proposal_id }] = await proposals(it)
    await it.call('ADMIN', 'POST', `/consolidate/proposed/${proposal_id}/approve`)
    expect((await file(it))!.split('UTC\n')[1]).toBe('\nBy hand.\n\nAnd more.\n')
  })
})
