import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addPerson, daemon, type Person } from '#test'
import { browser, knownPassword, quickHash } from '../support/browser.ts'
import { chromiumMissing, realBrowser } from '../support/chromium.ts'
import { type Cli, cli } from '../support/cli.ts'
import { leaveOut } from '../support/leave-out.ts'
import { server as loopback } from '../support/server.ts'
import { codeAt } from '../support/totp.ts'

// The pages in a real browser, in front of a daemon that listens, and the real command line beside it.

leaveOut(chromiumMissing)
const open = realBrowser()

async function setUp(look = {}) {
  const it = await daemon()
  const at = await it.http.listen({ port: 0, host: '127.0.0.1' })
  const ada = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  return { it, at, ada, page: await open({ at, ...look }) }
}

async function signIn(page: Page, { email }: Pick<Person, 'email'>, password = knownPassword) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const count = (it: { app: { db: { prepare(sql: string): { pluck(): { get(): unknown } } } } }, table: string) =>
  it.app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
/** The page after a sign-in, whose scripts have come to their end. */
async function home(page: Page, at: string): Promise<void> {
  await page.waitForURL(`${at}/`)
  await page.getByText('Signed in as').waitFor()
}
const hereSays = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe.skipIf(chromiumMissing)('/login', () => {
  it('signs in, says who is signed in, and signs out', async () => {
    const { it: server, page, ada, at } = await setUp()
    await page.goto('/login')
    await signIn(page, ada)
    await home(page, at)
    await hereSays(page, ada.email)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await hereSays(page, 'You are signed out.')
    expect(await page.context().cookies()).toMatchObject([{ name: 'authjs.csrf-token' }])
    expect(server.app.db.prepare('SELECT revoked_reason FROM user_sessions').pluck().all()).toEqual(['logout'])
  })

  it('says aloud that the password is wrong, and goes on from there', async () => {
    const { page, ada, at } = await setUp()
    await page.goto('/login?callbackUrl=%2Fapi%2Fv1%2Fusers%2Fme')
    await signIn(page, ada, 'not the password')
    const alert = page.getByRole('alert')
    await alert.getByText('The email address or the password is wrong').waitFor()
    const password = page.getByLabel('Password')
    expect(await password.inputValue()).toBe('')
    expect(await password.evaluate((it) => it.matches(':focus'))).toBe(true)
    expect(page.url()).not.toContain('not')
    await password.fill(knownPassword)
    await password.press('Enter')
    await page.waitForURL(`${at}/api/v1/users/me`)
  })

  it('offers the identity provider when there is one, and leads back to where one came from', async () => {
    const { page } = await setUp()
    await page.goto('/login')
    await page.waitForLoadState('networkidle')
    const link = page.getByRole('link', { name: 'Sign in with' })
    expect(await link.count()).toBe(0)
    const other = await daemon({ config: { idpClientId: 'muster', idpClientSecret: 'secret' } })
    const at = await other.http.listen({ port: 0, host: '127.0.0.1' })
    await page.goto(`${at}/login?callbackUrl=%2Flogin%2Fcli%3Fa%3D1`)
    await link.waitFor()
    expect(await link.textContent()).toBe('Sign in with Google')
    expect(await link.getAttribute('href')).toBe('/api/v1/auth/idp/redirect?redirect=%2Flogin%2Fcli%3Fa%3D1')
  })

  it('asks for the second factor when the account has one', async () => {
    const { it: server, page, ada, at } = await setUp()
    const before = browser(server)
    await before.signIn(ada.email, knownPassword)
    const { secret } = (await before.call('POST', '/users/me/totp', { password: knownPassword })).body
    await before.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, server.clock()) })
    server.clock.advance(60_000)

    await page.goto('/login')
    const code = page.getByLabel('Code of your second factor')
    expect(await code.isVisible()).toBe(false)
    await signIn(page, ada)
    await code.waitFor()
    expect(await code.evaluate((it) => it.matches(':focus'))).toBe(true)
    const right = codeAt(secret, server.clock())
    await code.fill(right === '000000' ? '111111' : '000000')
    await code.press('Enter')
    await page.getByRole('alert').getByText('This code is not right').waitFor()
    await code.fill(right)
    await code.press('Enter')
    await home(page, at)
    await hereSays(page, ada.email)
  })

  it.each(['//evil.example/', 'https://evil.example/', '/\\evil.example', '/.//evil.example/', 'javascript:alert(1)'])(
    'leads nowhere else: %s',
    async (callbackUrl) => {
      const { page, ada, at } = await setUp()
      await page.goto(`/login?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      await signIn(page, ada)
      await home(page, at)
      await page.goto(`/login?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      await page.getByRole('link', { name: 'Go on' }).click()
      await home(page, at)
    },
  )

  it('shows what an address says as text alone', async () => {
    const { page } = await setUp()
    await page.goto(`/login?error=${encodeURIComponent('<img src=x onerror=alert(1)>')}`)
    await page.getByRole('alert').getByText('Signing in failed; try again.').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    await page.goto('/login?error=Verification')
    await page.getByRole('alert').getByText('The link is no longer valid').waitFor()
  })

  it('answers the request for a new password alike for everybody', async () => {
    const { page, ada } = await setUp()
    await page.goto('/login')
    const forgotten = page.getByRole('button', { name: 'Forgotten your password?' })
    await forgotten.click()
    await page.getByRole('alert').getByText('Enter your email address first').waitFor()
    for (const email of [ada.email, 'nobody@example.com']) {
      await page.getByLabel('Email').fill(email)
      await forgotten.click()
      await page.getByRole('status').getByText('If the address has an account').waitFor()
    }
  })

  it('can be used with the keyboard alone, at 320 pixels', async () => {
    const { page, ada, at } = await setUp({ width: 320, height: 560 })
    await page.goto('/login')
    await page.keyboard.type(ada.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(knownPassword)
    await page.keyboard.press('Tab')
    expect(
      await page.getByRole('button', { name: 'Sign in', exact: true }).evaluate((it) => it.matches(':focus-visible')),
    ).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.keyboard.press('Enter')
    await home(page, at)
  })
})

describe.skipIf(chromiumMissing)('/reset-password', () => {
  const token = 'ab'.repeat(32)
  async function withToken() {
    const all = await setUp()
    const hash = createHash('sha256').update(token).digest('hex')
    all.it.app.db
      .prepare(
        "INSERT INTO verification_tokens VALUES ('v1', ?, ?, 'password_reset', '2026-01-01T00:00:00Z', " +
          "'2026-01-01T00:30:00Z', NULL)",
      )
      .run(all.ada.userId, hash)
    return all
  }

  it('sets a password once, and takes the token out of the address at once', async () => {
    const { page, ada, at } = await withToken()
    await page.goto(`/reset-password?token=${token}`)
    await page.getByText(`muster account reset -s ${at}`).first().waitFor()
    expect(page.url()).toBe(`${at}/reset-password`)
    const [first, second] = [page.getByLabel('New password'), page.getByLabel('The same again')]
    const set = page.getByRole('button', { name: 'Set the password' })
    for (const [one, other, reason] of [
      ['short', 'short', 'at least 8 characters'],
      ['ü'.repeat(40), 'ü'.repeat(40), 'at most 72 bytes'],
      ['plover staple 43', 'plover staple 44', 'The two passwords differ'],
      ['password123', 'password123', /common/],
    ] as const) {
      await first.fill(one)
      await second.fill(other)
      await set.click()
      await page.getByRole('alert').getByText(reason).waitFor()
    }
    await first.fill('plover staple 43')
    await second.fill('plover staple 43')
    await set.click()
    await page.getByRole('heading', { name: 'The password is set' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, ada, 'plover staple 43')
    await home(page, at)

    await page.goto(`/reset-password?token=${token}`)
    await first.fill('plover staple 45')
    await second.fill('plover staple 45')
    await set.click()
    await page.getByRole('alert').getByText(/.+/).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Open the link of the mail' }).waitFor()
  })
})

describe.skipIf(chromiumMissing)('/invitation', () => {
  it('signs in on the way and joins with a click', async () => {
    const { it: server, page, at } = await setUp()
    const { body } = await server.call('OWNER', 'POST', `/workspaces/${server.workspace}/invitations`, {
      email: 'guest@example.com',
      role: 'MANAGER',
    })
    const guest = server.stranger()
    server.app.db
      .prepare('UPDATE users SET password_hash = ?, email = ? WHERE id = ?')
      .run(quickHash, 'guest@example.com', guest.userId)
    await page.goto(`/invitation?token=${body.token}`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    expect(page.url()).not.toContain(body.token)
    await signIn(page, { email: 'guest@example.com' })
    await page.waitForURL(`${at}/invitation`)
    const members = count(server, 'workspace_members')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await page.getByRole('heading', { name: 'You are in' }).waitFor()
    expect(count(server, 'workspace_members')).toBe((members as number) + 1)
    await page.reload()
    await page.getByRole('heading', { name: 'Open the link of the invitation' }).waitFor()
  })
})

describe.skipIf(chromiumMissing)('muster login --web', () => {
  /** The address that the command shows, and the command, which waits. */
  async function begin(shell: Cli, at: string, ...flags: string[]) {
    const shown = shell.terminal(['login', '-s', at, '--web', ...flags], { cols: 400 })
    await shown.until(/state=[\w-]{43}.*\r?\n/)
    const address = /https?:\/\/\S+\/login\/cli\S+/.exec(shown.text())![0]
    return { shown, address, asked: new URL(address).searchParams }
  }

  it('signs the command in with a click, after a sign-in on the way', async () => {
    const { it: server, page, ada, at } = await setUp()
    const shell = cli()
    const { shown, address } = await begin(shell, at, '--no-browser')
    await page.goto(address)
    await signIn(page, ada)
    await page.getByRole('heading', { name: 'Sign in to the command line?' }).waitFor()
    await hereSays(page, /muster on \S+/)
    await hereSays(page, ada.email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    expect(page.url()).toBe(`${at}/login/cli?outcome=signed-in`)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain(`as ${ada.email}`)
    expect(JSON.parse((await shell.run('whoami', '--json')).stdout)).toMatchObject({
      user_email: ada.email,
      server: at,
    })
    expect(
      server.app.db
        .prepare('SELECT name FROM cli_tokens WHERE user_id = ? ORDER BY created_at')
        .pluck()
        .all(ada.userId),
    ).toContainEqual(expect.stringMatching(/^pair-[a-z0-9_]+$/))
  })

  it('shows the second factor on the way when that was long ago', async () => {
    const { it: server, page, ada, at } = await setUp()
    await page.goto('/login')
    await signIn(page, ada)
    await home(page, at)
    const other = browser(server)
    await other.signIn(ada.email, knownPassword)
    const { secret } = (await other.call('POST', '/users/me/totp', { password: knownPassword })).body
    await other.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, server.clock()) })
    server.clock.advance(60_000)

    const shell = cli()
    const { shown, address } = await begin(shell, at, '--no-browser')
    await page.goto(address)
    const allow = page.getByRole('button', { name: 'Sign in' })
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await allow.click()
    await dialog.getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('alert').getByText('second factor').waitFor()
    expect(count(server, 'cli_pairings')).toBe(0)

    await allow.click()
    const code = dialog.getByLabel('Code of your second factor')
    expect(await code.evaluate((it) => it.matches(':focus'))).toBe(true)
    const right = codeAt(secret, server.clock())
    await code.fill(right === '000000' ? '111111' : '000000')
    await code.press('Enter')
    await dialog.getByRole('alert').getByText('The code is wrong').waitFor()
    await code.fill(right)
    await code.press('Enter')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    expect(await shown.ended).toBe(0)
    expect(await dialog.count()).toBe(0)
  })

  it('opens the browser that BROWSER names, with the address that it shows', async () => {
    const { at } = await setUp()
    const shell = cli()
    const [program, kept] = [join(shell.home, 'browser'), join(shell.home, 'opened')]
    writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > ${kept}.new && mv ${kept}.new ${kept}\n`)
    chmodSync(program, 0o755)
    shell.env['BROWSER'] = program
    const { shown, address } = await begin(shell, at)
    await expect.poll(() => readFileSync(kept, 'utf8')).toBe(address)
    expect(shown.text()).toContain('If no browser comes up')
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
  })

  it('hands out nothing without a click', async () => {
    const { it: server, page, ada, at } = await setUp()
    await page.goto('/login')
    await signIn(page, ada)
    await home(page, at)
    const trap = await loopback((_, response) => response.end())
    const secret = 'x'.repeat(43)
    await page.goto(
      `/login/cli?port=${trap.port}&state=${secret}&challenge=${secret}` +
        `&name=${encodeURIComponent('"><b>\u202enow\u202e</b> '.repeat(20))}`,
    )
    await page.getByRole('heading', { name: 'Sign in to the command line?' }).waitFor()
    expect((await page.locator('#program').textContent())!.length).toBeLessThan(60)
    expect(await page.locator('main b').count()).toBe(0)
    expect(count(server, 'cli_pairings')).toBe(0)
    expect(trap.seen).toEqual([])
    // Whoever made the address gets, after a click, a code that only the maker of the challenge can use.
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => trap.seen.length).toBeGreaterThan(0)
    const code = new URL(trap.seen[0]!.url, at).searchParams.get('code')
    for (const verifier of [undefined, secret]) {
      expect((await server.call(null, 'POST', '/auth/pair/redeem', { code, verifier })).body).toMatchObject({
        status: 400,
        code: 'invalid_code',
      })
    }
  })

  it.each([
    'port=80',
    'port=65536',
    'port=1e4',
    'port=8080@evil.example',
    'port=',
    'state=short',
    'challenge=',
    `state=${'%00'.repeat(43)}`,
  ])('refuses an address with %s', async (part) => {
    const { page, ada } = await setUp()
    await page.goto('/login')
    await signIn(page, ada)
    await hereSays(page, ada.email)
    const query = new URLSearchParams({ port: '8080', state: 'x'.repeat(43), challenge: 'x'.repeat(43) })
    const [name, value] = part.split('=') as [string, string]
    query.set(name, decodeURIComponent(value))
    await page.goto(`/login/cli?${query}`)
    await page.getByRole('heading', { name: 'This address is not complete' }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it('is refused by the person', async () => {
    const { it: server, page, ada, at } = await setUp()
    const shell = cli()
    const { shown, address } = await begin(shell, at, '--no-browser')
    await page.goto(address)
    await signIn(page, ada)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Nothing was signed in' }).waitFor()
    expect(await shown.ended).toBe(1)
    expect(shown.text()).toContain('You said no in the browser')
    expect(count(server, 'cli_pairings')).toBe(0)
  })

  it('lets another account be used', async () => {
    const { it: server, page, ada, at } = await setUp()
    const grace = server.app.writeNow(() => addPerson(server.app, 'VIEWER', server.workspace))
    server.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, grace.userId)
    const { shown, address } = await begin(cli(), at, '--no-browser')
    await page.goto(address)
    await signIn(page, ada)
    await page.getByRole('button', { name: 'Use another account' }).click()
    await signIn(page, grace)
    await hereSays(page, grace.email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain(`as ${grace.email}`)
  })

  it('takes one answer, with its own state, for its own name', async () => {
    const { it: server, ada, at } = await setUp()
    const { shown, asked } = await begin(cli(), at, '--no-browser')
    const place = `http://127.0.0.1:${asked.get('port')}`
    const state = asked.get('state')!
    const status = async (path: string, init = {}) =>
      (await fetch(`${place}${path}`, { redirect: 'manual', ...init })).status
    expect(await status('/')).toBe(404)
    expect(await status(`/callback?state=${state}`)).toBe(404)
    expect(await status(`/callback?state=${state}&code=ABCD-EFGH`, { method: 'POST' })).toBe(404)
    expect(await status(`/callback?state=${'y'.repeat(43)}&code=ABCD-EFGH`)).toBe(400)
    expect(await status('/callback?code=ABCD-EFGH')).toBe(400)
    expect((await fetch(`http://localhost:${asked.get('port')}/callback?state=${state}&code=ABCD-EFGH`)).status).toBe(
      404,
    )

    // A code that another challenge was given for is refused by the server; the command says so.
    const { code } = (await server.call(ada, 'POST', '/auth/pair/start', { challenge: 'z'.repeat(43) })).body
    const answers = await Promise.allSettled([1, 2].map(() => status(`/callback?state=${state}&code=${code}`)))
    const statuses = answers.map((it) => (it.status === 'fulfilled' ? it.value : 'refused'))
    expect(statuses).toContain(303)
    expect(statuses.filter((it) => it === 303)).toHaveLength(1)
    expect(await shown.ended).toBe(2)
    expect(shown.text()).toContain('Invalid or expired code')
    await expect(fetch(`${place}/callback?state=${state}&code=${code}`)).rejects.toThrow()
  })
})
