import { describe, expect, it } from 'vitest'
import { type AutonomyLevel, autonomyLevels, type BehaviorMode, behaviorModes } from '#contract/policies'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarListener } from '../../../daemon/runtime/types.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

const pairs = autonomyLevels
  .flatMap((level) => behaviorModes.map((mode) => [level, mode] as const))
  .filter(([level, mode]) => level !== 'full' || mode !== 'block')

/** A crew under that policy, and the calls of its LEAD. */
async function crewUnder(level: AutonomyLevel, mode: BehaviorMode) {
  const it = await workplace()
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
  const set = await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, {
    autonomy_level: level,
    behavior_mode: mode,
    reason: 'a test',
  })
  expect(set.status, set.text).toBe(200)
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  const call = (route: '/agents', body: object) =>
    listener!(it.crewId, { id: 'c', agentId: it.agentId, runId: null, route, body }, new AbortController().signal)
  return { ...it, sidecar: call }
}

const items = async (it: Pick<Workplace<never>, 'call'>, kind: string) =>
  (await it.call('OWNER', 'GET', `/inbox?kind=${kind}`)).body.rows.length

/**
 * What becomes of an agent that a LEAD makes: status, state, approvals and notices in the inbox.
 * docs/rules/policies.md.
 */
const created: Record<AutonomyLevel, [number, string | undefined, number, number]> = {
  strict: [403, undefined, 0, 0],
  guided: [202, 'PENDING_REVIEW', 1, 0],
  trusted: [202, 'PENDING_REVIEW', 1, 0],
  full: [201, 'IDLE', 0, 1],
}

describe('what agents may do, by level and mode', () => {
  it.each(pairs)('agent_create in a crew that is %s, %s', async (level, mode) => {
    const it = await crewUnder(level, mode)
    const { status, body } = await it.sidecar('/agents', {
      name: 'Bob',
      slug: 'bob',
      system_prompt: 'You test.',
      reason: 'Somebody has to',
    })
    const state = (body as { status?: string | number }).status
    expect([
      status,
      status === 403 ? undefined : state,
      await items(it, 'waitpoint'),
      await items(it, 'message'),
    ]).toEqual(created[level])
  })

  it.each(pairs)('escalation_create in a crew that is %s, %s', async (level, mode) => {
    const it = await crewUnder(level, mode)
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const question = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'May I?' }
    expect((await it.call(null, 'POST', '/internal/escalations', question, token)).status).toBe(201)
    expect(it.entries().filter(({ entry_type }) => entry_type === 'peer.escalation')).toHaveLength(1)
  })
})

it('a held agent is accepted, not made: 202 over HTTP too', async () => {
  const ask = async (level: AutonomyLevel) => {
    const it = await crewUnder(level, 'warn')
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const who = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId }
    return it.call(null, 'POST', '/internal/agents', { ...who, name: 'Bob', slug: 'bob' }, token)
  }
  const held = await ask('guided')
  expect([held.status, held.body.status, typeof held.body.approval_id]).toEqual([202, 'PENDING_REVIEW', 'string'])
  const made = await ask('full')
  expect([made.status, made.body.status]).toEqual([201, 'IDLE'])
})

describe('a real decision', () => {
  it('is what the simulator replays', async () => {
    const it = await crewUnder('guided', 'warn')
    const { body } = await it.sidecar('/agents', {
      name: 'Bob',
      slug: 'bob',
      system_prompt: 'You test.',
      reason: 'Somebody has to',
    })
    const { approval_id } = body as { approval_id: string }
    expect((await it.call('ADMIN', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied' })).status).toBe(200)
    const full = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/policy/simulate?autonomy_level=full`)
    expect(full.body).toMatchObject({
      decisions: { total: 1, denied: 1, no_longer_asked: 1 },
      differences: [
        { policy_action: 'agent_create', outcome: 'denied', would: 'inbox', entry_type: 'approval.denied' },
      ],
    })
  })

  it('counts what was done without asking as well', async () => {
    const it = await crewUnder('full', 'warn')
    expect((await it.sidecar('/agents', { name: 'Bob', slug: 'bob', system_prompt: 'You test.' })).status).toBe(201)
    const { body } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/policy/simulate?autonomy_level=guided`)
    expect(body).toMatchObject({ by_action: [{ policy_action: 'agent_create', applied: 1, verdict: 'ask' }] })
  })
})
