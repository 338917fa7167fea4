import { describe, expect, it } from 'vitest'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { markUsed } from '../../../../daemon/features/credentials/delivery/service.ts'

const hush = 'hush-hush-7f3a'
const draft = { name: 'deploy', value: hush }

type Call = TestDaemon['call']

async function make(call: Call, path: string, body: object): Promise<{ id: string }> {
  const answer = await call('OWNER', 'POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

describe('credentials.audit', () => {
  it('is newest first and windowed', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { id } = await make(it.call, '/credentials', draft)
    clock.advance(1000)
    await it.call('ADMIN', 'POST', `/credentials/${id}/rotate`, { value: 'second' })
    const { body } = await it.call('MANAGER', 'GET', `/credentials/${id}/audit?limit=1`)
    expect(body).toEqual([
      {
        id: expect.any(String),
        credential_id: id,
        event: 'ROTATE',
        event_type: 'ROTATE',
        actor_type: 'user',
        actor_kind: 'user',
        actor_id: it.person('ADMIN').userId,
        actor_name: 'The ADMIN',
        agent_id: null,
        ip_address: null,
        detail: { rotation_id: expect.any(String), grace_seconds: 86_400 },
        metadata: { rotation_id: expect.any(String), grace_seconds: 86_400 },
        created_at: '2026-01-01T00:00:01Z',
        occurred_at: '2026-01-01T00:00:01Z',
      },
    ])
  })

  it('is the last 50 unless told otherwise', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    it.app.writeNow(() => {
      for (let n = 0; n < 50; n++) markUsed(it.app, [id], { agent_id: 'some-agent', run_id: `run-${n}` })
    })
    const { body } = await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)
    expect([body.length, body[0].detail.run_id, body[49].event]).toEqual([50, 'run-49', 'USE'])
  })

  it('names the agent that a run was given the value for, and nobody where Muster itself acted', async () => {
    const it = await daemon()
    const { id } = await make(it.call, '/credentials', draft)
    it.app.writeNow(() => markUsed(it.app, [id], { agent_id: 'some-agent', run_id: 'some-run' }))
    const [use] = (await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)).body
    expect(use).toMatchObject({
      event_type: 'USE',
      actor_kind: 'system',
      actor_id: null,
      actor_name: null,
      agent_id: 'some-agent',
      metadata: { agent_id: 'some-agent', run_id: 'some-run' },
    })
  })
})
