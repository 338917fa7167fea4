import { afterEach, expect, it, vi } from 'vitest'
import { closing, daemon } from '#test'
import { forgetInvitations } from '../../../../daemon/features/invitations/jobs.ts'

afterEach(() => vi.useRealTimers())

const day = 86_400_000

it('forgets invitations a month after their time', async () => {
  const it = await daemon()
  await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'ada@example.com' })
  const left = () => it.app.db.prepare('SELECT count(*) FROM workspace_invitations').pluck().get()
  it.clock.advance(36 * day)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closing(forgetInvitations(it.app))
  await it.app.idle()
  expect(left()).toBe(1)
  it.clock.advance(2 * day)
  await vi.advanceTimersByTimeAsync(day)
  await it.app.idle()
  expect(left()).toBe(0)
})
