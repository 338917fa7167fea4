import { afterEach, describe, expect, it, vi } from 'vitest'
import { closing, daemon } from '#test'
import { knownSecrets } from '../../../../daemon/features/credentials/delivery/service.ts'
import { eraseOldValues } from '../../../../daemon/features/credentials/jobs.ts'
import { keptValues } from '../../../../daemon/features/credentials/rotations/service.ts'

afterEach(() => vi.useRealTimers())

async function rotated(grace_seconds: number) {
  const it = await daemon()
  const { body } = await it.call('OWNER', 'POST', '/credentials', { name: 'deploy', value: 'first' })
  const rotate = (grace: number) =>
    it.call('OWNER', 'POST', `/credentials/${body.id}/rotate`, { value: 'next', grace_seconds: grace })
  await rotate(grace_seconds)
  const replace = (value: string) => it.call('OWNER', 'POST', `/credentials/${body.id}/rotate`, { value })
  const kept = () =>
    it.app.db
      .prepare<[], { n: number }>('SELECT count(*) AS n FROM credential_rotations WHERE encrypted_old IS NOT NULL')
      .get()!.n
  // Timers only: the database and its commits go on in real time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const pass = async (ms: number) => {
    it.clock.advance(ms)
    await vi.advanceTimersByTimeAsync(ms)
    await it.app.write(() => undefined)
  }
  return { ...it, rotate, replace, kept, pass }
}

describe('eraseOldValues', () => {
  it('waits for the end of the grace, then erases', async () => {
    const it = await rotated(60)
    closing(eraseOldValues(it.app))
    await it.pass(59_000)
    expect(it.kept()).toBe(1)
    await it.pass(1000)
    expect(it.kept()).toBe(0)
  })

  it('erases at its start what ended while no daemon ran', async () => {
    const it = await rotated(60)
    it.clock.advance(120_000)
    closing(eraseOldValues(it.app))
    await it.pass(0)
    expect(it.kept()).toBe(0)
  })

  it('hears of rotations that end sooner', async () => {
    const it = await rotated(604_800)
    closing(eraseOldValues(it.app))
    await it.rotate(5)
    expect(it.kept()).toBe(2)
    await it.pass(5000)
    expect(it.kept()).toBe(1)
  })

  it('leaves nothing behind when it is closed', async () => {
    const it = await rotated(5)
    eraseOldValues(it.app).close()
    await it.rotate(5)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('an old value is a secret of its own workspace, and of no other', async () => {
  const it = await rotated(60)
  expect(keptValues(it.app, it.workspace)).toEqual(['first'])
  expect(keptValues(it.app, it.stranger().workspace)).toEqual([])
})

it('a new value is a secret at once, beside those before it', async () => {
  const it = await rotated(60)
  const secrets = () => [...knownSecrets(it.app, it.workspace)].sort()
  expect(secrets()).toEqual(['first', 'next'])
  expect((await it.replace('third')).status).toBeLessThan(300)
  expect(secrets()).toEqual(['first', 'next', 'third'])
})
