import { describe, expect, it } from 'vitest'
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

describe('muster preferences notifications', () => {
  async function grid(more: object[] = []) {
    const place = await daemon()
    const { call, workspace } = place
    const hooks: string[] = []
    for (const body of [{ url: 'https://example.com/hook' }, ...more])
      hooks.push(
        (await call('MEMBER', 'POST', '/notification-channels', { type: 'webhook', personal: true, ...body })).body.id,
      )
    const cells = [{ category: 'issues.created', channel_id: hooks[0], state: 'immediate' }]
    await call('MEMBER', 'PUT', '/me/notification-prefs', { cells })
    const muster = await cliFor(place, 'MEMBER')
    const stored = async () =>
      (await call('MEMBER', 'GET', '/me/notification-prefs')).body.cells
        .filter(({ state }: { state: string }) => state !== 'off')
        .map(({ category, channel_id }: Record<string, string>) => `${category} ${hooks.indexOf(channel_id!)}`)
        .sort()
    return { ...place, workspace, muster, stored }
  }
  const size = { cols: 100, rows: 40, env: { NO_COLOR: '1' } }

  it('shows a grid that the keyboard changes, and stores it when that is confirmed', async () => {
    const { muster, stored } = await grid([{ url: 'https://example.com/other' }])
    const screen = muster.terminal(['preferences', 'notifications'], size)
    await screen.until(/webhook …/)
    await screen.until(/issues\.created\s+>?\[/)
    // Moves stop at the edges: up and left stay where they are.
    screen.type('\u001b[A\u001b[D ')
    await screen.until(/1 change /)
    screen.type('\u001b[B\u001b[C ')
    await screen.until(/2 changes/)
    screen.type('\r')
    await screen.until(/Save 2 changes\?/)
    expect(await stored()).toHaveLength(1)
    screen.type('n')
    await screen.until(/2 changes · arrows/)
    screen.type('\ry')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Saved 2 changes.')
    // The newest channel comes first.
    expect(await stored()).toEqual(['issues.created 0', 'routines.completed 1', 'routines.failed 0'])
  })

  it('turns a whole row or channel on, and leaves without storing when that is meant', async () => {
    const { muster, stored } = await grid()
    const before = await stored()
    const screen = muster.terminal(['preferences', 'notifications'], { ...size, cols: 40, rows: 10 })
    await screen.until(/arrows/)
    screen.type('c')
    await screen.until(/\d\d changes/)
    screen.type('q')
    await screen.until(/Leave without saving/)
    screen.type('n')
    screen.type('q')
    screen.type('y')
    expect(await screen.ended).toBe(0)
    expect(await stored()).toEqual(before)

    const again = muster.terminal(['preferences', 'notifications'], size)
    await again.until(/arrows/)
    again.type('c\ry')
    expect(await again.ended).toBe(0)
    expect((await stored()).length).toBeGreaterThan(10)
    expect(await stored()).not.toContain('* 0')
  })

  it('is a list where nobody sits, and where there is no channel', async () => {
    const { muster, stored } = await grid()
    expect((await muster.run('preferences', 'notifications')).stdout).toContain('issues.created')
    expect(JSON.parse((await muster.run('preferences', 'notifications', '--json')).stdout)).toHaveLength(1)
    expect(await stored()).toEqual(['issues.created 0'])
    const bare = await cliFor(await daemon(), 'MEMBER')
    const screen = bare.terminal(['preferences', 'notifications'], size)
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Everything is off')
  })
})
