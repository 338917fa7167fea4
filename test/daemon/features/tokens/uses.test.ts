import { afterEach, expect, it, vi } from 'vitest'
import { closing, daemon } from '#test'
import { forgetTokenUses } from '../../../../daemon/features/tokens/jobs.ts'

afterEach(() => vi.useRealTimers())

const day = 86_400_000

async function used(...days: number[]) {
  const it = await daemon()
  it.person('OWNER')
  const { id } = it.app.db.prepare('SELECT id FROM cli_tokens').get() as { id: string }
  const insert = it.app.db.prepare('INSERT INTO cli_token_uses (id, token_id, used_at) VALUES (?, ?, ?)')
  for (const ago of days) insert.run(`use-${ago}`, id, new Date(it.clock() - ago * day).toISOString())
  const kept = () => it.app.db.prepare('SELECT id FROM cli_token_uses ORDER BY used_at DESC').pluck().all()
  return { ...it, id, insert, kept }
}

it('forgets at start what is older than 90 days, and the rest when its time comes', async () => {
  const it = await used(0, 89, 90.1, 400)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closing(forgetTokenUses(it.app))
  await it.app.idle()
  expect(it.kept()).toEqual(['use-0', 'use-89'])
  it.clock.advance(1.5 * day)
  await vi.advanceTimersByTimeAsync(day)
  await it.app.idle()
  expect(it.kept()).toEqual(['use-0'])
})

it('forgets any number, in pieces that let other writes pass', async () => {
  const it = await used()
  const many = it.app.db.transaction(() => {
    for (let index = 0; index < 12_000; index += 1) it.insert.run(`old-${index}`, it.id, '2020-01-01T00:00:00.000Z')
  })
  many()
  closing(forgetTokenUses(it.app))
  while (it.kept().length) await it.app.write(() => undefined)
  expect(it.kept()).toEqual([])
})

it('leaves nothing behind when it is closed', async () => {
  const it = await used(400)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  forgetTokenUses(it.app).close()
  await it.app.idle()
  await it.app.write(() => undefined)
  expect(vi.getTimerCount()).toBe(0)
})
