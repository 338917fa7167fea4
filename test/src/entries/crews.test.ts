import { describe, expect, it } from 'vitest'
import { definitionOf, type FactName, type Names, type Payload } from '#contract/entries'

const names: Names = { actor: 'ada@example.com', person: 'Ada', agent: 'Grace', crew: 'backend' }
const muster: Names = { ...names, actor: 'Muster', person: 'Muster' }
const says = <N extends FactName>(name: N, payload: Payload<N>, who = names) => definitionOf(name).says(payload, who)

const member = (role: 'ADMIN' | null) => ({
  entity_id: 'm1',
  name: 'bob@example.com',
  metadata: { user_id: 'u1', role },
})
const disk = { disk_bytes: 1, disk_files: 2, disk_limit_bytes: 3, used: '8.1 GB of 10.0 GB' }
const server = { disk_free_bytes: 1, disk_total_bytes: 2, disk_reserve_bytes: 3 }
const key = { credential_id: 'c1', credential_name: 'demo key' }
const grant = {
  entity_id: 'g1',
  name: 'demo key',
  metadata: { credential_id: 'c1', agent_slug: 'grace', env_var_name: 'KEY' },
}
const refused = { denied: true, host: 'evil.test', port: 443, reason: 'evil.test is not allowed' } as const

describe('sentences of agents', () => {
  const made = { entity_id: 'a1', name: 'grace', policy_action: 'agent_create', autonomy_level: 'guided' } as const
  it.each([
    [says('agent.created', { entity_id: 'a1', name: 'grace' }), 'Agent Grace was created by ada@example.com'],
    [says('agent.created', { ...made, policy_verdict: 'inbox' }), 'Agent Grace was created by ada@example.com'],
    [
      says('agent.created', { ...made, policy_verdict: 'ask' }),
      'Agent Grace was created by ada@example.com and waits for approval',
    ],
    [
      says('agent.deleted', { entity_id: 'a1', name: 'grace', metadata: { with: 'review' } }),
      'Agent Grace was deleted: its creation was not approved',
    ],
    [
      says('agent.deleted', { entity_id: 'a1', name: 'grace', metadata: { with: 'crew' } }),
      'Agent Grace was deleted with its crew',
    ],
    [says('agent.status_change', { status: 'RUNNING', prev: 'IDLE' }), 'Grace is working'],
    [says('agent.status_change', { status: 'IDLE', prev: 'RUNNING' }), 'Grace is idle'],
    [says('agent.status_change', { status: 'ERROR', prev: 'RUNNING' }), 'Grace has stopped with an error'],
    [
      says('agent.status_change', { status: 'IDLE', prev: 'PENDING_REVIEW' }),
      'Grace was approved by ada@example.com and may work',
    ],
    [
      says('agent.throttled', { operation: 'report_confidence', refused: 3 }),
      'Grace called report_confidence more often than its limit allows',
    ],
  ])('%s', (said, expected) => expect(said).toBe(expected))
})

describe('sentences of crews', () => {
  it.each([
    [
      says('crew_member.created', member('ADMIN')),
      'bob@example.com was added to crew backend as ADMIN by ada@example.com',
    ],
    [says('crew_member.created', member(null)), 'bob@example.com was added to crew backend by ada@example.com'],
    [says('crew_member.updated', member('ADMIN')), 'bob@example.com was made ADMIN in crew backend by ada@example.com'],
    [
      says('crew_member.updated', member(null)),
      'The role of bob@example.com in crew backend was withdrawn by ada@example.com',
    ],
    [says('crew_member.deleted', member(null)), 'bob@example.com was removed from crew backend by ada@example.com'],
    [
      says('policy.changed', { autonomy_level: 'trusted', behavior_mode: 'warn' }),
      'The policy of crew backend was set to trusted with behavior mode warn by ada@example.com',
    ],
    [
      says('policy.changed', { autonomy_level: 'full', behavior_mode: 'warn', reason: 'my own\nmachine' }),
      'The policy of crew backend was set to full with behavior mode warn by ada@example.com: "my own…"',
    ],
  ])('%s', (said, expected) => expect(said).toBe(expected))
})

describe('sentences of containers', () => {
  it.each([
    [says('container.started', { container_id: 'box' }), 'Crew backend is running'],
    [
      says('container.failed', { container_id: null, error: 'no engine answers' }),
      'The container of crew backend failed: no engine answers',
    ],
    [
      says('container.reaped', { container_id: 'box', crew_id: 'c9' }),
      'The container of the unknown crew c9 was removed; its volumes were kept',
    ],
    [says('crew.disk_used', { ...disk, disk_level: 'warn' }), 'Crew backend has used 8.1 GB of 10.0 GB'],
    [
      says('crew.disk_full', { ...disk, disk_level: 'full' }),
      'Crew backend was stopped: it has used 8.1 GB of 10.0 GB',
    ],
    [says('crew.stopped_for_room', { error: 'The disk is full' }), 'Crew backend was stopped: The disk is full'],
    [
      says('server.disk', { ...server, disk_level: 'full', error: 'The disk is full' }),
      'The disk is full: agents wait',
    ],
    [says('server.disk', { ...server, disk_level: 'warn' }), 'The disk of this server is four fifths full'],
    [says('server.disk', { ...server, disk_level: 'ok' }), 'There is room on the disk of this server again'],
    [
      says('provisioning.step', { step: 'starting the sidecar', status: 'running' }),
      'Crew backend is being prepared: starting the sidecar',
    ],
    [
      says('provisioning.building', { step: 'building the crew image', status: 'running' }),
      'Crew backend is being prepared: building the crew image',
    ],
    [says('provisioning.complete', {}), 'The image of crew backend is ready'],
    [
      says('provisioning.failed', { error: 'there is no image x', step: 'pulling an image' }),
      'Crew backend has no image: there is no image x',
    ],
    [
      says('network.egress', refused),
      'A connection from Grace to "evil.test:443" was refused: evil.test is not allowed',
    ],
  ])('%s', (said, expected) => expect(said).toBe(expected))
})

describe('sentences of credentials', () => {
  const offered = {
    entity_id: 'c1',
    name: 'demo key',
    metadata: { status: 'ACTIVE', assigned_to: 'a1', env_var_name: 'DEMO_KEY' },
  } as const
  const turned = { entity_id: 'c1', name: 'demo key', metadata: { status: 'REJECTED' } } as const
  it.each([
    [
      says('credential.created', { entity_id: 'c1', name: 'demo key' }),
      'Credential "demo key" was created by ada@example.com',
    ],
    [
      says('credential.updated', { entity_id: 'c1', name: 'demo key', metadata: { changed: ['name', 'tags'] } }),
      'Credential "demo key" was changed by ada@example.com: name, tags',
    ],
    [says('agent_credential.created', grant), 'Credential "demo key" was assigned to Grace as KEY by ada@example.com'],
    [says('agent_credential.deleted', grant), 'Credential "demo key" was withdrawn from Grace by ada@example.com'],
    [
      says('credential.accepted', offered),
      'Credential "demo key" was accepted by ada@example.com and assigned to Grace as DEMO_KEY',
    ],
    [
      says('credential.refused', turned),
      'Credential "demo key" was rejected by ada@example.com, and its value was erased',
    ],
    [
      says('credential.refused', turned, muster),
      'Credential "demo key" was rejected by Muster, and its value was erased',
    ],
    [
      says('credential.tested', { ...key, status: 'valid' }),
      'Credential "demo key" was tested by ada@example.com: its provider accepts it',
    ],
    [
      says('credential.tested', { ...key, status: 'unreachable' }),
      'Credential "demo key" was tested by ada@example.com: its provider gave no answer about it',
    ],
    [
      says('credential.rotated', { ...key, rotation_id: 'r1', grace_seconds: 60 }),
      'The value of credential "demo key" was replaced by ada@example.com',
    ],
    [
      says('credential.rotation_cancelled', { ...key, rotation_id: 'r1' }),
      'The old value of credential "demo key" was erased by ada@example.com',
    ],
  ])('%s', (said, expected) => expect(said).toBe(expected))
})
