import { expect, it } from 'vitest'
import { daemon, fixedClock } from '#test'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'
import { cliFor } from '../../support/cli.ts'

/** A person with two browsers, the second of which was used today, and their command line. */
async function setUp() {
  const clock = fixedClock(new Date(Date.now() - 40 * 86_400_000).toISOString())
  const server = await daemon({ clock })
  const member = server.person('MEMBER')
  server.app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
  const old = browser(server, { 'user-agent': 'Old\u001b[31mFox' })
  await old.signIn(member.email, knownPassword)
  // A session lasts 30 days: the old one is as old as one can be.
  clock.advance(29 * 86_400_000)
  const recent = browser(server, { 'user-agent': 'New Fox' })
  await recent.signIn(member.email, knownPassword)
  const shell = await cliFor(server, member)
  const ids = JSON.parse((await shell.run('sessions', '--json')).stdout).map(({ id }: { id: string }) => id) as [
    string,
    string,
  ]
  return { server, member, old, recent, ids, ...shell }
}

const signedIn = async (web: ReturnType<typeof browser>) => (await web.call('GET', '/users/me')).status

it('lists browsers, the last used first, and marks those that nobody uses', async () => {
  const { run, screen, ids } = await setUp()
  const rows = (await run('sessions', 'list')).stdout.trim().split('\n')
  expect(rows.map((row) => row.split('\t')[0])).toEqual(expect.arrayContaining(ids))
  expect(rows.at(-2)).toContain('New Fox')
  expect((await run('sessions', 'list', '-q')).stdout).toBe(`${ids.join('\n')}\n`)
  const warned = await run('sessions', 'list', '--warn-stale-days', '30')
  expect(warned.stdout.split('\n').filter((row) => row.includes('stale'))).toHaveLength(1)
  expect(warned.stderr).toContain('1 of 2 unused for more than 30 days. Next: muster sessions revoke ID')
  expect((await run('sessions', 'list', '--warn-stale-days', '90')).stderr).toBe('')
  const shown = screen(['sessions'], { cols: 140 })
  expect(await shown.ended).toBe(0)
  expect(shown.text()).toContain(ids[0].slice(-8))
  expect(shown.text()).not.toContain(ids[0])
  expect(shown.text()).not.toContain('\u001b[31mFox')
})

it('signs out one browser by how its id begins, after asking', async () => {
  const { run, screen, ids, old, recent } = await setUp()
  expect(await run('sessions', 'revoke', ids[1])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const asked = screen(['sessions', 'revoke', ids[1].slice(2, 12)])
  await asked.until(/Sign out the browser/)
  asked.type('y\r')
  expect(await asked.ended).toBe(0)
  expect([await signedIn(old), await signedIn(recent)]).toEqual([401, 200])
  expect(JSON.parse((await run('sessions', '--json')).stdout)).toHaveLength(1)
})

it('signs out all of them', async () => {
  const { run, old, recent } = await setUp()
  expect(await run('sessions', 'revoke', '--all-others', '-y')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Signed out 2 browsers'),
  })
  expect([await signedIn(old), await signedIn(recent)]).toEqual([401, 401])
  expect(await run('sessions', 'revoke', '--all-others', '-y')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('no other session'),
  })
  expect(await run('sessions', '-o', 'table')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('with any browser'),
  })
})

it.each([
  [[], 2, 'Name one session'],
  [[`s_${'0'.repeat(64)}`, '--all-others'], 2, 'Name one session'],
  [['s_'], 3, 'There is no session'],
  [['s_zzz'], 3, 'There is no session'],
  [[`s_${'0'.repeat(64)}`], 3, 'muster sessions list'],
])('refuses to revoke %j', async (words, code, reason) => {
  const { run, recent } = await setUp()
  expect(await run('sessions', 'revoke', ...words, '--yes')).toMatchObject({
    code,
    stderr: expect.stringContaining(reason),
  })
  expect(await signedIn(recent)).toBe(200)
})
