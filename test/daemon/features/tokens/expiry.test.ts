import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { closing, daemon, fixedClock } from '#test'
import { watchTokenExpiry } from '../../../../daemon/features/tokens/jobs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

async function watched({ started = true } = {}) {
  const clock = fixedClock()
  const it = await daemon({ clock })
  it.person('OWNER')
  const ended: string[] = []
  it.app.bus.on('revoked', (id) => ended.push(id))
  const watch = () => closing(watchTokenExpiry(it.app))
  const job = started ? watch() : null
  const mint = async (seconds: number) =>
    (await it.call('OWNER', 'POST', '/auth/cli-token', { expires_in_seconds: seconds })).body
  const pass = (ms: number) => {
    clock.advance(ms)
    vi.advanceTimersByTime(ms)
  }
  return { ...it, clock, ended, mint, pass, watch, job }
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

it('knows at the start of those that were made before', async () => {
  const { mint, pass, ended, watch } = await watched({ started: false })
  const { id } = await mint(10)
  watch()
  pass(10_000)
  expect(ended).toEqual([id])
})

it('says so again when the clock was set back and comes there a second time', async () => {
  const { mint, pass, ended, clock } = await watched()
  const { id } = await mint(10)
  pass(10_000)
  clock.advance(-8_000)
  await mint(1000)
  pass(8_000)
  expect(ended).toEqual([id, id])
})

it('keeps one timer, and none when it is closed', async () => {
  const { mint, job } = await watched()
  const before = vi.getTimerCount()
  for (const seconds of [30, 20, 10]) await mint(seconds)
  expect(vi.getTimerCount()).toBe(before + 1)
  job!.close()
  await mint(5)
  expect(vi.getTimerCount()).toBe(before)
})
