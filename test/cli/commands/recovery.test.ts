import { describe, expect, it } from 'vitest'
import { createPasswords } from '#kernel/auth/passwords'
import { daemon } from '#test'
import { cli } from '../../support/cli.ts'
import { mailServer } from '../../support/mail-server.ts'

/** A daemon with mail and sign-up, and a command line that knows its address alone. */
async function server(config: object = {}) {
  const mail = await mailServer()
  const smtpUrl = `smtp://127.0.0.1:${mail.port}`
  const it = await daemon({
    config: {
      allowSignup: true,
      smtpUrl,
      mailerFrom: 'muster@example.com',
      publicUrl: 'https://muster.example.com',
      ...config,
    },
  })
  Object.assign(it.app, { passwords: createPasswords(4) })
  const url = await it.http.listen({ port: 0, host: '127.0.0.1' })
  const hashOf = (email: string) =>
    String(it.app.db.prepare('SELECT password_hash FROM users WHERE email = ?').pluck().get(email))
  return {
    it,
    mail,
    url,
    fits: (email: string, password: string) => it.app.passwords.verify(password, hashOf(email)),
    ...cli({ SVC_SERVER: url }),
  }
}

describe('muster signup', () => {
  it('makes an account, with the password from standard input', async () => {
    const { pipe, fits, url } = await server()
    const made = await pipe('correct horse battery\n', 'signup', '--email', 'ada@example.com', '--name', 'Ada Lovelace')
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`Next: muster login -s ${url}`) })
    expect(await fits('ada@example.com', 'correct horse battery')).toBe(true)
    const again = await pipe('another good password', 'signup', '--email', 'ada@example.com', '--name', 'Eve', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ok: true, message: expect.any(String) })
    expect(made.stderr).toContain(JSON.parse(again.stdout).message)
    expect(await fits('ada@example.com', 'correct horse battery')).toBe(true)
  })

  it('asks a person, and shows no password', async () => {
    const { screen, fits } = await server()
    const shown = screen(['signup'])
    for (const [question, answer] of [
      [/email address/, 'ada@example.com'],
      [/full name/, 'Ada'],
      [/Your password/, 'correct horse battery'],
      [/password again/, 'correct horse battery'],
    ] as const) {
      await shown.until(question)
      shown.type(`${answer}\r`)
    }
    expect(await shown.ended).toBe(0)
    expect(shown.text()).not.toContain('correct')
    expect(await fits('ada@example.com', 'correct horse battery')).toBe(true)
  })

  it.each([
    [['--name', 'Ada'], 'correct horse battery', '--email is missing'],
    [['--email', 'a@b.co', '--name', 'Ada'], 'short', 'at least 8 characters'],
    [['--email', 'a@b.co', '--name', 'Ada'], 'ü'.repeat(40), 'at most 72 bytes'],
    [['--email', 'a@b.co', '--name', 'Ada'], 'password123', 'most common'],
    [['--email', 'аda@b.co', '--name', 'Ada'], 'correct horse battery', 'email'],
  ])('refuses %j with the password "%s"', async (flags, password, reason) => {
    const { pipe } = await server()
    expect(await pipe(password, 'signup', ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  })

  it('says where to turn when the server does not allow it', async () => {
    const { pipe } = await server({ allowSignup: false })
    expect(await pipe('correct horse battery', 'signup', '--email', 'a@b.co', '--name', 'Ada')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/SVC_ALLOW_SIGNUP[\s\S]*Next: ask an admin/),
    })
  })

  it('sends no password over an open line', async () => {
    const { pipe } = cli({ SVC_SERVER: 'http://muster.example:8080' })
    expect(await pipe('correct horse battery', 'signup', '--email', 'a@b.co', '--name', 'Ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not encrypted'),
    })
  })
})

describe('a forgotten password', () => {
  it('is replaced by a person at a terminal, with the link from the mail', async () => {
    const { it, mail, run, screen, fits } = await server()
    const { email } = it.person('MEMBER')
    expect(await run('account', 'forgot', email)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Next: muster account reset'),
    })
    const [letter] = await mail.until(1)
    const link = /https:\/\/\S+token=\S+/.exec(letter!.text)![0]
    const shown = screen(['account', 'reset'])
    await shown.until(/Token from the mail/)
    shown.type(`${link}\r`)
    await shown.until(/New password/)
    shown.type('a brand new password\r')
    await shown.until(/New password again/)
    shown.type('a brand new password\r')
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('The password is set')
    expect(shown.text()).not.toContain('brand new')
    expect(shown.text()).not.toContain(link.slice(-20))
    expect(await fits(email, 'a brand new password')).toBe(true)
  })

  it('is replaced by a script', async () => {
    const { it, mail, run, pipe, fits } = await server()
    const { email } = it.person('MEMBER')
    await run('account', 'forgot', email)
    const token = /token=([0-9a-f]{64})/.exec((await mail.until(1))[0]!.text)![1]!
    expect(await pipe(`${token}\nshort\n`, 'account', 'reset')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 8'),
    })
    expect(await pipe(token, 'account', 'reset')).toMatchObject({ code: 2, stderr: expect.stringContaining('second') })
    const ran = await pipe(`${token}\na brand new password\n`, 'account', 'reset', '--json')
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, { ok: true }])
    expect(await fits(email, 'a brand new password')).toBe(true)
    expect(await pipe(`${token}\nyet another password\n`, 'account', 'reset')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Invalid or expired token[\s\S]*Next: muster account forgot/),
    })
  })

  it('answers the same for addresses that nobody has', async () => {
    const { it, run } = await server()
    const [known, unknown] = [
      await run('account', 'forgot', it.person('MEMBER').email),
      await run('account', 'forgot', 'nobody@example.com'),
    ]
    expect(unknown).toEqual(known)
    expect(await run('account', 'forgot')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EMAIL is missing'),
    })
  })
})
