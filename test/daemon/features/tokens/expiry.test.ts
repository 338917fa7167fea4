import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { closing, daemon, fixedClock } from '#test'
import { watchTokenExpiry } from '../../../../daemon/features/tokens/jobs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

async function watched() {
  const clock = fixedClock()
  const it = await daemon({ clock })
  it.person('OWNER')
  const ended: string[] = []
  it.app.bus.on('revoked', (id) => ended.push(id))
  closing(watchTokenExpiry(it.app))
  const mint = async (seconds: number) =>
    (await it.call('OWNER', 'POST', '/auth/cli-token', { expires_in_seconds: seconds })).body
  const pass = (ms: number) => {
    clock.advance(ms)
    vi.advanceTimersByTime(ms)
  }
  return { ...it, ended, mint, pass }
}

it('says so at the moment a token runs out, whichever was made first', async () => {
  const { mint, pass, ended } = await watched()
  const late = await mint(100)
  const soon = await mint(10)
  pass(9999)
  expect(ended).toEqual([])
  pass(1)
  expect(ended).toEqual([soon.id])
  pass(90_000)
  expect(ended).toEqual([soon.id, late.id])
})

it('says nothing of tokens that were revoked before', async () => {
  const { mint, pass, ended, call } = await watched()
  const { id } = await mint(10)
  await call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)
  expect(ended).toEqual([id])
  pass(20_000)
  expect(ended).toEqual([id])
})

it('waits for what lies further away than a timer reaches', async () => {
  const { mint, pass, ended } = await watched()
  const { id } = await mint(40 * 86_400)
  for (let day = 0; day < 39; day += 1) pass(86_400_000)
  expect(ended).toEqual([])
  pass(86_400_000)
  expect(ended).toEqual([id])
})
