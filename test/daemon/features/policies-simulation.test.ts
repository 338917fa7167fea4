import { describe, expect, it } from 'vitest'
import { autonomyLevels, behaviorModes } from '#contract/policies'
import { daemon, type TestDaemon } from '#test'
import { verdictUnder } from '../../../daemon/features/policies/simulation/rules.ts'
import { entryLimit } from '../../../daemon/features/policies/simulation/service.ts'
import { verdicts } from '../../support/policies.ts'
import { type RawEntry, rawEntry } from '../../support/raw-entry.ts'

type Place = TestDaemon & { crew: string }
type Seed = Partial<Omit<RawEntry, 'type'>> & { type: string }

async function place(): Promise<Place> {
  const it = await daemon()
  const { body } = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  return { ...it, crew: body.id }
}

/** Writes entries as the features do which decide and which let agents do things. */
function seed({ app, workspace, crew }: Place, ...seeds: Seed[]): void {
  app.writeNow(() => {
    for (const { type, ...it } of seeds)
      rawEntry(app, {
        workspace_id: workspace,
        crew_id: crew,
        summary: `${type} ${it.payload?.['policy_action'] ?? ''}`,
        actor_type: type.startsWith('approval.g') || type.startsWith('approval.d') ? 'user' : 'agent',
        severity: 'notice',
        ...it,
        type: type,
      })
  })
}

const simulate = async ({ call, crew }: Place, query: string) =>
  (await call('VIEWER', 'GET', `/crews/${crew}/policy/simulate?${query}`)).body
const asked = (policy_action: string, approval_id: string): Seed => ({
  type: 'approval.requested',
  payload: { policy_action, approval_id, kind: 'autonomy_gate' },
})
const answered = (outcome: 'granted' | 'denied', approval_id: string, more = {}): Seed => ({
  type: `approval.${outcome}`,
  payload: { approval_id, ...more },
})
const applied = (policy_action: string, more: Seed = { type: 'audit.entity_created' }): Seed => ({
  ...more,
  payload: { policy_action, ...more.payload },
})

describe('policies.simulate', () => {
  it('says honestly that there is nothing to judge by', async () => {
    const it = await place()
    expect(await simulate(it, 'autonomy_level=trusted')).toMatchObject({
      crew_id: it.crew,
      autonomy_level: 'trusted',
      behavior_mode: 'warn',
      since: '2025-12-02T00:00:00.000Z',
      truncated: false,
      decisions: { total: 0, no_longer_asked: 0 },
      held: { total: 0 },
      applied: { total: 0 },
      differences: [],
      differences_total: 0,
      by_action: [],
    })
  })

  it('counts decisions that would no longer be asked, and lists those that people decided otherwise', async () => {
    const it = await place()
    seed(
      it,
      asked('mission_create', 'a1'),
      answered('granted', 'a1'),
      asked('mission_create', 'a2'),
      answered('denied', 'a2', { policy_action: 'mission_create' }),
      asked('skill_create', 'a3'),
      answered('granted', 'a3'),
    )
    const denial = it.entries().find(({ entry_type }) => entry_type === 'approval.denied')!
    const trusted = await simulate(it, 'autonomy_level=trusted')
    expect(trusted.decisions).toEqual({
      total: 3,
      granted: 2,
      denied: 1,
      still_asked: 1,
      no_longer_asked: 2,
      refused: 0,
    })
    expect(trusted.differences).toEqual([
      {
        entry_id: denial.id,
        ts: denial.ts,
        entry_type: 'approval.denied',
        policy_action: 'mission_create',
        outcome: 'denied',
        would: 'notice',
        summary: denial.summary,
      },
    ])
    expect(trusted.by_action).toEqual([
      { policy_action: 'mission_create', verdict: 'notice', granted: 1, denied: 1, held: 0, applied: 0 },
      { policy_action: 'skill_create', verdict: 'ask', granted: 1, denied: 0, held: 0, applied: 0 },
    ])
    expect((await simulate(it, 'autonomy_level=strict')).decisions).toMatchObject({
      still_asked: 3,
      no_longer_asked: 0,
    })
  })

  it('takes what would be refused for a difference when people granted it', async () => {
    const it = await place()
    seed(
      it,
      asked('agent_create', 'a1'),
      answered('granted', 'a1'),
      asked('agent_create', 'a2'),
      answered('denied', 'a2'),
    )
    const { decisions, differences } = await simulate(it, 'autonomy_level=strict')
    expect(decisions).toMatchObject({ refused: 2 })
    expect(differences).toMatchObject([{ outcome: 'granted', would: 'refuse', policy_action: 'agent_create' }])
  })

  it('counts what nobody decided once, answered questions by their answer', async () => {
    const it = await place()
    seed(
      it,
      asked('issue_write', 'open'),
      asked('issue_write', 'late'),
      { type: 'approval.timeout', actor_type: 'system', payload: { approval_id: 'late' } },
      asked('issue_write', 'gone'),
      { type: 'approval.cancelled', payload: { approval_id: 'gone', policy_action: 'issue_write' } },
      asked('issue_write', 'done'),
      answered('granted', 'done'),
    )
    const body = await simulate(it, 'autonomy_level=guided')
    expect(body.held).toEqual({ total: 3, still_held: 0, no_longer_held: 3, refused: 0 })
    expect(body.decisions).toMatchObject({ total: 1, no_longer_asked: 1 })
  })

  it('counts what agents did without asking that would be asked or refused anew', async () => {
    const it = await place()
    seed(
      it,
      applied('agent_create'),
      applied('assignment_create', { type: 'assignment.created' }),
      // What a person did, what a decision let happen, and what was held or refused are no such things.
      applied('agent_create', { type: 'audit.entity_created', actor_type: 'user' }),
      applied('agent_create', { type: 'audit.entity_created', refs: { approval_id: 'a1' } }),
      applied('agent_create', { type: 'audit.entity_created', payload: { policy_verdict: 'refuse' } }),
      { type: 'audit.entity_created', payload: { entity_type: 'agent' } },
    )
    expect((await simulate(it, 'autonomy_level=strict')).applied).toEqual({ total: 2, newly_asked: 1, refused: 1 })
    expect((await simulate(it, 'autonomy_level=guided')).applied).toEqual({ total: 2, newly_asked: 1, refused: 0 })
    expect((await simulate(it, 'autonomy_level=full&behavior_mode=warn')).applied).toEqual({
      total: 2,
      newly_asked: 0,
      refused: 0,
    })
  })

  it('leaves questions of agents alone: no level asks them, or keeps them from asking', async () => {
    const it = await place()
    const escalation = (payload: Record<string, unknown>): Seed => ({ type: 'peer.escalation', payload })
    seed(
      it,
      escalation({ state: 'pending' }),
      escalation({ state: 'resolved', action: 'approve' }),
      escalation({ state: 'resolved', action: 'reject' }),
      escalation({ state: 'resolved', action: 'approve', auto_resolved: true }),
      escalation({ state: 'expired' }),
    )
    for (const level of autonomyLevels) {
      const { decisions, applied, differences } = await simulate(it, `autonomy_level=${level}`)
      expect([decisions, applied, differences]).toEqual([
        { total: 2, granted: 1, denied: 1, still_asked: 2, no_longer_asked: 0, refused: 0 },
        { total: 1, newly_asked: 0, refused: 0 },
        [],
      ])
    }
  })

  it('takes approvals of tools and of kinds that no level speaks of as what they are', async () => {
    const it = await place()
    const kind = (name: string, id: string): Seed[] => [
      { type: 'approval.requested', payload: { kind: name, approval_id: id } },
      { type: 'approval.denied', payload: { kind: name, approval_id: id } },
    ]
    seed(
      it,
      ...kind('tool_call', 'a1'),
      ...kind('destructive_op', 'a2'),
      ...kind('ephemeral_hire', 'a3'),
      answered('denied', 'a4', { kind: 'autonomy_gate' }),
    )
    const { decisions, differences, by_action } = await simulate(it, 'autonomy_level=trusted')
    expect(decisions).toMatchObject({ total: 4, still_asked: 2, no_longer_asked: 2 })
    expect(differences.map(({ policy_action }: { policy_action: string }) => policy_action)).toEqual([
      'ephemeral_spawn',
      'tool_call',
    ])
    expect(by_action.map(({ policy_action, verdict }: Record<string, string>) => [policy_action, verdict])).toEqual([
      ['destructive_op', 'ask'],
      ['ephemeral_spawn', 'notice'],
      ['tool_call', 'inbox'],
      ['unknown', 'ask'],
    ])
  })

  it('reads the period and the crew that it was asked about', async () => {
    const it = await place()
    const { body: other } = await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    seed(it, answered('granted', 'old', { policy_action: 'mission_create' }))
    it.clock.advance(3_600_000)
    seed(it, answered('granted', 'new', { policy_action: 'mission_create' }), {
      ...answered('granted', 'elsewhere', { policy_action: 'mission_create' }),
      crew_id: other.id,
    })
    expect((await simulate(it, 'autonomy_level=full&since=2026-01-01T00:30:00Z')).decisions.total).toBe(1)
    expect((await simulate(it, 'autonomy_level=full&since=2025-01-01T00:00:00Z')).decisions.total).toBe(2)
  })

  it('stops at a limit, and says how far back it went', async () => {
    const it = await place()
    seed(it, answered('denied', 'first', { policy_action: 'mission_create' }))
    for (let n = 0; n < entryLimit; n += 1000)
      seed(
        it,
        ...Array.from({ length: 1000 }, (_, at) =>
          answered('denied', `a${n + at}`, { policy_action: 'mission_create' }),
        ),
      )
    const body = await simulate(it, 'autonomy_level=full')
    expect(body).toMatchObject({
      entries: entryLimit,
      truncated: true,
      decisions: { total: entryLimit },
      differences_total: entryLimit,
    })
    expect(body.differences).toHaveLength(100)
    expect(body.covered_since).toBe('2026-01-01T00:00:00.000Z')
  })

  it('keeps the mode of the crew, but for the pair that cannot be', async () => {
    const it = await place()
    await it.call('OWNER', 'PUT', `/crews/${it.crew}/policy`, { autonomy_level: 'guided', behavior_mode: 'block' })
    expect((await simulate(it, 'autonomy_level=strict')).behavior_mode).toBe('block')
    expect((await simulate(it, 'autonomy_level=full')).behavior_mode).toBe('warn')
    expect(await simulate(it, 'autonomy_level=full&behavior_mode=block')).toMatchObject({
      code: 'forbidden_pairing',
      field: 'behavior_mode',
    })
    expect((await it.call('VIEWER', 'GET', `/crews/${it.crew}/policy`)).body).toMatchObject({
      autonomy_level: 'guided',
      behavior_mode: 'block',
    })
  })

  it.each([
    ['', 'autonomy_level'],
    ['autonomy_level=wild', 'autonomy_level'],
    ['autonomy_level=full&behavior_mode=shout', 'behavior_mode'],
    ['autonomy_level=full&since=yesterday', 'since'],
  ])('refuses ?%s', async (query, field) =>
    expect(await simulate(await place(), query)).toMatchObject({ status: 400, field }),
  )

  it('answers for foreign and absent crews alike', async () => {
    const it = await place()
    for (const [who, crew] of [
      [it.stranger(), it.crew],
      ['OWNER', 'none'],
    ] as const)
      expect((await it.call(who, 'GET', `/crews/${crew}/policy/simulate?autonomy_level=full`)).body.code).toBe(
        'not_found',
      )
  })
})

describe('the whole matrix, through the interface', () => {
  const pairs = autonomyLevels
    .flatMap((level) => behaviorModes.map((mode) => [level, mode] as const))
    .filter((pair) => pair.join() !== 'full,block')

  it.each(pairs)('at %s, %s', async (level, mode) => {
    const it = await place()
    const expected = Object.fromEntries(Object.entries(verdicts).map(([action, at]) => [action, at[level]]))
    const actions = Object.keys(expected)
    seed(it, ...actions.map((action) => applied(action)))
    const { by_action, applied: counts } = await simulate(it, `autonomy_level=${level}&behavior_mode=${mode}`)
    const found = by_action.map((row: Record<string, string>) => [row['policy_action'], row['verdict']])
    expect(Object.fromEntries(found)).toEqual(expected)
    const count = (verdict: string) => Object.values(expected).filter((it) => it === verdict).length
    expect(counts).toEqual({ total: actions.length, newly_asked: count('ask'), refused: count('refuse') })
  })
})

describe('what a policy makes of an action', () => {
  it('is what the matrix says, whatever the mode', () => {
    for (const [action, expected] of Object.entries(verdicts))
      for (const level of autonomyLevels)
        for (const mode of behaviorModes) expect(verdictUnder(action, level, mode)).toBe(expected[level])
  })
  it('is the mode’s affair where the monitor refuses', () => {
    expect(autonomyLevels.map((level) => verdictUnder('monitor_deny', level, 'warn'))).toEqual([
      'inbox',
      'inbox',
      'inbox',
      'journal',
    ])
    expect(autonomyLevels.slice(0, 3).map((level) => verdictUnder('monitor_deny', level, 'block'))).toEqual([
      'ask',
      'ask',
      'refuse',
    ])
  })
})
