import { describe, expect, it } from 'vitest'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { knownSecrets } from '../../../../daemon/features/credentials/delivery/service.ts'
import { eraseExpired } from '../../../../daemon/features/credentials/rotations/service.ts'

const hush = 'hush-hush-7f3a'
const draft = { name: 'deploy', value: hush }

type Call = TestDaemon['call']

async function make(call: Call, path: string, body: object): Promise<{ id: string }> {
  const answer = await call('OWNER', 'POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

const events = async (call: Call, id: string) =>
  (await call('OWNER', 'GET', `/credentials/${id}/audit`)).body.map(({ event }: { event: string }) => event)

describe('credentials.rotate', () => {
  async function rotated(body: object = { value: 'second' }) {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { id } = await make(it.call, '/credentials', { ...draft, token_expires_at: '2026-01-02T00:00:00Z' })
    const { body: rotation, status } = await it.call('ADMIN', 'POST', `/credentials/${id}/rotate`, body)
    return {
      ...it,
      id,
      rotation,
      status,
      rotations: async () => (await it.call('MANAGER', 'GET', `/credentials/${id}/rotations`)).body,
    }
  }

  it('replaces the value and keeps the old one for its grace', async () => {
    const it = await rotated()
    expect({ status: it.status, body: it.rotation }).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        credential_id: it.id,
        grace_seconds: 86_400,
        rotated_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-02T00:00:00Z',
        rotated_by: it.person('ADMIN').userId,
        status: 'ACTIVE',
        old_value_gone: false,
        cancelled_at: null,
      },
    })
    expect(await it.rotations()).toEqual([it.rotation])
    expect([...knownSecrets(it.app, it.workspace)].sort()).toEqual([hush, 'second'].sort())
    expect(
      (await it.call('VIEWER', 'GET', `/credentials/${it.id}`)).body.token_expires_at,
      'the old token’s time is not the new one’s',
    ).toBe(null)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'credential.rotated',
      severity: 'notice',
      payload: { credential_id: it.id, grace_seconds: 86_400 },
    })
  })

  it('erases the old value when its grace is over', async () => {
    const it = await rotated({ value: 'second', grace_seconds: 10 })
    it.clock.advance(9000)
    expect(await it.app.write(() => eraseExpired(it.app))).toBe(0)
    it.clock.advance(1000)
    expect(await it.rotations()).toMatchObject([{ status: 'EXPIRED', old_value_gone: false }])
    expect(await it.app.write(() => eraseExpired(it.app))).toBe(1)
    expect(await it.rotations()).toMatchObject([{ status: 'EXPIRED', old_value_gone: true }])
    expect(knownSecrets(it.app, it.workspace)).toEqual(['second'])
  })

  it('keeps nothing without a grace', async () => {
    const it = await rotated({ value: 'second', grace_seconds: 0 })
    expect(it.rotation).toMatchObject({ status: 'EXPIRED', old_value_gone: true, expires_at: '2026-01-01T00:00:00Z' })
    expect(knownSecrets(it.app, it.workspace)).toEqual(['second'])
  })

  it('can be cancelled once, by administrators of the workspace', async () => {
    const it = await rotated()
    const cancel = (who: Parameters<Call>[0]) => it.call(who, 'DELETE', `/credential-rotations/${it.rotation.id}`)
    expect((await cancel(it.stranger())).body).toMatchObject({ status: 404, detail: 'There is no such rotation' })
    expect((await cancel('MANAGER')).body.code).toBe('insufficient_role')
    const { body } = await cancel('ADMIN')
    expect(body).toMatchObject({ status: 'CANCELLED', old_value_gone: true, cancelled_at: '2026-01-01T00:00:00Z' })
    expect((await cancel('ADMIN')).body).toEqual(body)
    expect(knownSecrets(it.app, it.workspace)).toEqual(['second'])
    expect(it.entries().filter(({ entry_type }) => entry_type === 'credential.rotation_cancelled')).toHaveLength(1)
    expect(await events(it.call, it.id)).toEqual(['REVOKE', 'ROTATE', 'CREATED'])
  })

  it.each([
    [{}, 'missing_field', 'value'],
    [{ value: '' }, 'invalid_field', 'value'],
    [{ value: 'x', grace_seconds: -1 }, 'invalid_field', 'grace_seconds'],
    [{ value: 'x', grace_seconds: 604_801 }, 'invalid_field', 'grace_seconds'],
    [{ value: 'x', grace_seconds: '10' }, 'invalid_field', 'grace_seconds'],
    [{ value: 'x', grace_seconds: 1.5 }, 'invalid_field', 'grace_seconds'],
  ])('refuses %j', async (body, code, field) => {
    const it = await rotated(body)
    expect({ status: it.status, code: it.rotation.code, field: it.rotation.field }).toEqual({
      status: 400,
      code,
      field,
    })
    expect(knownSecrets(it.app, it.workspace)).toEqual([hush])
  })
})
