import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'
import { cliFor } from '../../support/cli.ts'
import { pictures } from '../../support/pictures.ts'

describe('muster account', () => {
  it('shows and changes the name', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'VIEWER')
    expect(JSON.parse((await run('account', 'update', '--name', 'Ada Lovelace', '--json')).stdout)).toMatchObject({
      full_name: 'Ada Lovelace',
      email: it.person('VIEWER').email,
    })
    expect((await run('account', 'show')).stdout).toContain('Ada Lovelace')
    expect(await run('account', 'update', '--name', '  ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 to 100 characters'),
    })
  })
})

describe('muster account password', () => {
  async function withPassword() {
    const it = await daemon()
    const { userId, email } = it.person('VIEWER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    await browser(it).signIn(email, knownPassword)
    const signsIn = async (password: string) => (await browser(it).signIn(email, password)).body.ok
    return { ...(await cliFor(it, 'VIEWER')), signsIn }
  }

  it('takes both from standard input', async () => {
    const { pipe, signsIn } = await withPassword()
    const done = await pipe(`${knownPassword}\nheron orchard 7\n`, 'account', 'password')
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('1 browser session was signed out') })
    expect(done.stdout + done.stderr).not.toMatch(/heron|plover/)
    expect([await signsIn(knownPassword), await signsIn('heron orchard 7')]).toEqual([false, true])
  })

  it('says what is wrong', async () => {
    const { pipe } = await withPassword()
    expect(await pipe('only one\n', 'account', 'password')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Two lines'),
    })
    expect(await pipe('wrong\nheron orchard 7\n', 'account', 'password')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('current password is wrong'),
    })
    expect(await pipe(`${knownPassword}\nPassword123\n`, 'account', 'password')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Next: choose a less common one'),
    })
  })

  it('asks a person, and shows nothing of it', async () => {
    const { screen, signsIn } = await withPassword()
    const shown = screen(['account', 'password'])
    await shown.until(/current password/)
    shown.type(`${knownPassword}\r`)
    await shown.until(/new password/)
    shown.type('heron orchard 7\r')
    await shown.until(/password again/)
    shown.type('heron orchard 7\r')
    expect(await shown.ended).toBe(0)
    expect(shown.text()).not.toMatch(/heron|plover/)
    expect(await signsIn('heron orchard 7')).toBe(true)
  })
})

describe('muster account export', () => {
  it("is JSON, on standard output or in a file of one's own", async () => {
    const it = await daemon()
    const { run, home } = await cliFor(it, 'VIEWER')
    const { email } = it.person('VIEWER')
    expect(JSON.parse((await run('account', 'export')).stdout)).toMatchObject({
      format: 'muster-personal-data-1',
      profile: { email },
    })
    expect((await run('account', 'export', '--jq', '.memberships[].role')).stdout).toBe('VIEWER\n')
    const file = join(home, 'me.json')
    expect((await run('account', 'export', '--to', file)).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8')).profile.email).toBe(email)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await run('account', 'export', '--to', file)).code).toBe(2)
    expect((await run('account', 'export', '--to', file, '--force')).code).toBe(0)
    expect((await run('account', 'export', '--to', join(home, 'none', 'me.json'))).stderr).toContain(
      'cannot be written',
    )
  })
})

describe('muster account avatar', () => {
  it('is set from a file, fetched and removed', async () => {
    const { run, home } = await cliFor(await daemon(), 'VIEWER')
    const file = join(home, 'me.webp')
    writeFileSync(file, pictures.webp)
    expect(await run('account', 'avatar', 'show')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('muster account avatar set FILE'),
    })
    expect(await run('account', 'avatar', 'set', file)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Your picture is set.'),
    })
    expect(JSON.parse((await run('account', 'show', '--json')).stdout).avatar_url).toMatch(/\/avatar\?v=/)
    expect(JSON.parse((await run('account', 'avatar', 'show', '--json')).stdout)).toMatchObject({
      type: 'image/webp',
      bytes: pictures.webp.length,
    })
    const copy = join(home, 'copy.webp')
    expect((await run('account', 'avatar', 'show', '--to', copy)).code).toBe(0)
    expect(readFileSync(copy).equals(pictures.webp)).toBe(true)
    expect(await run('account', 'avatar', 'show', '--to', copy)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    })
    expect((await run('account', 'avatar', 'remove')).code).toBe(2)
    expect((await run('account', 'avatar', 'remove', '--yes')).code).toBe(0)
    expect((await run('account', 'avatar', 'show')).code).toBe(3)
  })

  it('says what is wrong with a file', async () => {
    const { run, home } = await cliFor(await daemon(), 'VIEWER')
    expect(await run('account', 'avatar', 'set', join(home, 'none'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read'),
    })
    writeFileSync(join(home, 'me.gif'), pictures.gif)
    expect(await run('account', 'avatar', 'set', join(home, 'me.gif'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('PNG, JPEG or WebP'),
    })
  })
})

describe('muster preferences', () => {
  it('remembers JSON and text, lists and forgets', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    expect((await run('preferences', 'list', '--json')).stdout).toBe('[]\n')
    expect((await run('preferences', 'set', 'theme', 'dark')).code).toBe(0)
    expect((await run('preferences', 'set', 'sidebar', '{"width": 240}')).code).toBe(0)
    expect(JSON.parse((await run('preferences', 'list', '--json')).stdout)).toEqual([
      { key: 'sidebar', value: { width: 240 } },
      { key: 'theme', value: 'dark' },
    ])
    expect((await run('preferences', 'list')).stdout).toMatch(/theme\t"dark"/)
    expect((await run('preferences', 'remove', 'theme')).code).toBe(2)
    expect((await run('preferences', 'remove', 'theme', '--yes')).code).toBe(0)
    expect((await run('preferences', 'list', '-q')).stdout).toBe('sidebar\n')
    expect((await run('preferences', 'set', 'a b', '1')).code).toBe(2)
  })
})

describe('muster onboarding', () => {
  it('is completed', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    expect((await run('onboarding', 'status', '--jq', '.completed')).stdout).toBe('false\n')
    expect((await run('onboarding', 'complete')).code).toBe(0)
    expect((await run('onboarding', 'status', '--jq', '.completed')).stdout).toBe('true\n')
  })
})

describe('muster account links', () => {
  it('says whether there is a provider', async () => {
    const off = await cliFor(await daemon(), 'VIEWER')
    expect((await off.run('account', 'providers')).stdout).toContain('not configured')
    const on = await cliFor(await daemon({ config: { idpClientId: 'muster', idpClientSecret: 'secret' } }), 'VIEWER')
    expect((await on.run('account', 'providers')).stdout).toContain('yes')
    expect(JSON.parse((await on.run('idp', 'status', '--json')).stdout)).toEqual({ enabled: true })
  })

  it('lists and unlinks, but never the last way in', async () => {
    const it = await daemon()
    const { userId } = it.person('VIEWER')
    const { run } = await cliFor(it, 'VIEWER')
    expect(JSON.parse((await run('account', 'links', '--json')).stdout)).toEqual([])
    const link = it.app.db.prepare('INSERT INTO linked_accounts VALUES (?, ?, ?, ?, ?, ?, ?)')
    link.run('clink', userId, it.app.config.idpIssuer, '1', 'ada@example.com', it.app.now(), it.app.now())
    expect((await run('account', 'links')).stdout).toMatch(
      /^clink\thttps:\/\/accounts\.google\.com\tada@example\.com\t/,
    )
    expect(await run('account', 'unlink', 'clink', '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster account forgot'),
    })
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    expect(await run('account', 'unlink', 'clink', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Unlinked clink'),
    })
    expect(await run('account', 'unlink', 'clink', '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster account links'),
    })
  })
})
