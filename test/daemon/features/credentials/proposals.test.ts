import { describe, expect, it } from 'vitest'
import type { Actor } from '#kernel/feature'
import { deliveryOf, knownSecrets } from '../../../../daemon/features/credentials/delivery/service.ts'
import {
  acceptProposal,
  type Proposal,
  propose,
  readProposal,
  refuseProposal,
} from '../../../../daemon/features/credentials/proposals/service.ts'
import { agentWithCredentials } from '../../../support/granted.ts'

const later = '2026-01-01T00:00:05Z'
const secret: Proposal = { name: 'deploy key', value: 'hush-1', type: 'SECRET', provider: 'GITHUB' }
const key: Proposal = { name: 'claude', value: ' sk-ant-1\n', type: 'API_KEY', provider: 'ANTHROPIC' }

async function setUp() {
  const it = await agentWithCredentials()
  const { app, workspace, crew, agent } = it
  const { userId: id } = it.person('MANAGER')
  const manager: Actor = { type: 'user', id, email: null, workspace, role: 'MANAGER', token: null, session: null }
  return {
    ...it,
    manager,
    offer: (proposal: Proposal) =>
      app.writeNow(() => propose(app, { workspace, crew, agent, now: '2026-01-01T00:00:01Z' }, proposal)).id,
    accept: (id: string, actor = manager) => app.writeNow(() => acceptProposal(app, actor, { id, agent, now: later })),
    refuse: (id: string, actor: Actor | null = manager) => app.writeNow(() => refuseProposal(app, actor, id, later)),
    row: (id: string) =>
      app.db
        .prepare(
          `SELECT status, created_by, created_at, updated_at, deleted_at, encrypted_value IS NULL AS erased
           FROM credentials WHERE id = ?`,
        )
        .get(id),
    crews: () => app.db.prepare('SELECT credential_id, crew_id FROM credential_crews').all(),
    record: (id: string) =>
      app.db.prepare('SELECT event, actor_type, detail_json FROM credential_audit WHERE credential_id = ?').all(id),
  }
}

describe('readProposal', () => {
  it('takes name, value, type and provider', () => expect(readProposal(secret)).toEqual(secret))

  it.each([
    [{ name: 'x' }, 'missing_field', 'value'],
    [{ value: 'x' }, 'missing_field', 'name'],
    [{ name: 'x', value: 'x', type: 'secret' }, 'invalid_field', 'type'],
    [{ name: 'x', value: 'x', provider: 'ACME' }, 'invalid_field', 'provider'],
  ])('refuses %j', (given, code, field) =>
    expect(() => readProposal(given)).toThrow(expect.objectContaining({ code, field })),
  )
})

describe('what an agent offers', () => {
  it('waits, sealed, of the workspace or as a model key of its crew', async () => {
    const it = await setUp()
    const [one, two] = [it.offer(secret), it.offer(key)]
    const waiting = {
      status: 'PENDING_APPROVAL',
      created_by: null,
      created_at: '2026-01-01T00:00:01Z',
      updated_at: '2026-01-01T00:00:01Z',
      deleted_at: null,
      erased: 0,
    }
    expect([it.row(one), it.row(two)]).toEqual([waiting, waiting])
    expect(it.crews()).toEqual([{ credential_id: two, crew_id: it.crew }])
    expect([...knownSecrets(it.app, it.workspace)].sort()).toEqual(['hush-1', 'sk-ant-1'])
    expect(it.delivered()).toEqual({ models: [], secrets: [] })
    expect(it.record(one)).toEqual([
      { event: 'CREATED', actor_type: 'system', detail_json: JSON.stringify({ offered_by: it.agent }) },
    ])
    expect((await it.call('OWNER', 'GET', `/credentials/${one}`)).body).toMatchObject({
      type: 'SECRET',
      provider: 'GITHUB',
      scope: 'WORKSPACE',
      tags: [],
    })
  })

  it('is a secret of no provider unless it says more, with a name of its own', async () => {
    const it = await setUp()
    const id = it.offer({ name: 'plain', value: 'x' })
    expect((await it.call('OWNER', 'GET', `/credentials/${id}`)).body).toMatchObject({
      type: 'SECRET',
      provider: 'NONE',
      scope: 'WORKSPACE',
    })
    expect(() => it.offer({ name: 'plain', value: 'y' })).toThrow(
      expect.objectContaining({
        code: 'name_taken',
        field: 'metadata.name',
        message: 'Another credential has the name "plain"',
      }),
    )
  })

  it('is the agent’s alone once it is accepted, and nothing else is', async () => {
    const it = await setUp()
    const [one, two] = [it.offer(secret), it.offer({ ...secret, name: 'other', value: 'hush-2' })]
    it.accept(one)
    expect(it.row(one)).toMatchObject({ status: 'ACTIVE', created_by: it.manager.id, updated_at: later, erased: 0 })
    expect(it.row(two)).toMatchObject({ status: 'PENDING_APPROVAL', created_by: null })
    expect(it.delivered()).toEqual({
      models: [],
      secrets: [{ credentialId: one, name: 'DEPLOY_KEY', value: 'hush-1' }],
    })
    expect(await it.assigned()).toMatchObject([{ credential_id: one, priority: 0, created_at: later, expired: false }])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: it.manager.id,
      agent_id: it.agent,
      payload: {
        entity_id: one,
        name: 'deploy key',
        metadata: { status: 'ACTIVE', assigned_to: it.agent, env_var_name: 'DEPLOY_KEY' },
      },
    })
    expect(() => it.accept(one), 'once').toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('goes by its provider’s variable when it is a model’s key', async () => {
    const it = await setUp()
    it.accept(it.offer(key))
    expect(await it.assigned()).toMatchObject([{ env_var_name: 'ANTHROPIC_API_KEY' }])
    expect(it.delivered().models).toMatchObject([{ token: 'sk-ant-1', provider: 'ANTHROPIC', priority: 0 }])
  })

  it('is gone for people of other workspaces, and once it was deleted', async () => {
    const it = await setUp()
    const id = it.offer(secret)
    const gone = expect.objectContaining({
      code: 'not_found',
      message: 'The credential that was offered is gone',
    })
    expect(() => it.accept(id, { ...it.manager, workspace: it.stranger().workspace })).toThrow(gone)
    it.app.db.prepare('UPDATE credentials SET deleted_at = ? WHERE id = ?').run(later, id)
    expect(() => it.accept(id)).toThrow(gone)
    it.refuse(id)
    expect(it.row(id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  it('is erased once it is refused, and nothing else is', async () => {
    const it = await setUp()
    const [one, two] = [it.offer(key), it.offer({ ...key, name: 'other', value: 'sk-ant-2' })]
    expect(knownSecrets(it.app, it.workspace)).toHaveLength(2)
    it.refuse(one, null)
    expect(it.row(one)).toMatchObject({ status: 'REJECTED', deleted_at: later, updated_at: later, erased: 1 })
    expect(it.row(two)).toMatchObject({ status: 'PENDING_APPROVAL', deleted_at: null, erased: 0 })
    expect(it.crews()).toEqual([{ credential_id: two, crew_id: it.crew }])
    expect(knownSecrets(it.app, it.workspace)).toEqual(['sk-ant-2'])
    expect(it.record(one)).toMatchObject([{ event: 'CREATED' }, { event: 'REJECTED', actor_type: 'system' }])
    const entries = it.entries().length
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      actor_type: 'system',
      payload: { entity_id: one, name: 'claude', metadata: { status: 'REJECTED' } },
    })
    it.refuse(one)
    it.accept(two)
    it.refuse(two)
    expect(it.row(two), 'what was decided stays decided').toMatchObject({ status: 'ACTIVE', erased: 0 })
    expect(it.entries()).toHaveLength(entries + 1)
    expect(deliveryOf(it.app, it.agent).models).toHaveLength(1)
  })
})
