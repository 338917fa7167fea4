import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

it('notifications are listed, counted, read and removed', async () => {
  const place = await daemon()
  place.clock.advance(Date.now() - place.clock())
  const crew = (await place.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const mine = { assignee_type: 'user', assignee_id: place.person('MEMBER').userId }
  for (const title of ['First', 'Second'])
    await place.call('MANAGER', 'POST', `/crews/${crew.id}/issues`, { title, ...mine })
  const { run } = await cliFor(place, 'MEMBER')
  const listed = await run('notifications')
  expect(listed.stdout.trim().split('\n')).toHaveLength(2)
  expect(listed.stdout).toContain('The MANAGER')
  expect((await run('notifications', 'count')).stdout).toMatch(/\b2\b/)
  const [newest] = JSON.parse((await run('notifications', 'list', '--json')).stdout)
  expect((await run('notifications', 'read', newest.id)).code).toBe(0)
  expect((await run('notifications', 'count')).stdout).toMatch(/\b1\b/)
  expect((await run('notifications', 'read-all')).code).toBe(0)
  expect((await run('notifications', 'count')).stdout).toMatch(/\b0\b/)
  expect((await run('notifications', 'remove', newest.id, '--yes')).code).toBe(0)
  expect((await run('notifications')).stdout.trim().split('\n')).toHaveLength(1)
  expect((await run('notifications', 'remove', newest.id, '--yes')).code).toBe(3)
})
