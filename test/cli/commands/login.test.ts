import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { addPerson, daemon } from '#test'
import { browserless, opener } from '../../../cli/contexts/browser.ts'
import { listenForCode } from '../../../cli/contexts/loopback.ts'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'
import { cli } from '../../support/cli.ts'
import { codeAt } from '../../support/totp.ts'

async function setUp() {
  const it = await daemon()
  const url = await it.http.listen({ port: 0, host: '127.0.0.1' })
  const ada = it.app.writeNow(() => addPerson(it.app, 'MANAGER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const shell = cli({ SVC_SERVER: url })
  const stored = () => {
    const { current, contexts } = parse(readFileSync(join(shell.home, '.config/muster/config.yaml'), 'utf8'))
    return contexts[current]
  }
  const sessions = () => it.app.db.prepare('SELECT revoked_reason FROM user_sessions').pluck().all()
  const tokens = () =>
    it.app.db.prepare("SELECT name FROM cli_tokens WHERE user_id = ? AND name <> 'test'").pluck().all(ada.userId)
  return { it, url, ada, ...shell, stored, sessions, tokens }
}

/** As `setUp`, with a second factor; `code` is what the app shows now. */
async function withFactor() {
  const all = await setUp()
  const web = browser(all.it)
  await web.signIn(all.ada.email, knownPassword)
  const { secret } = (await web.call('POST', '/users/me/totp', { password: knownPassword })).body
  await web.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, all.it.clock()) })
  all.it.clock.advance(60_000)
  const code = () => codeAt(secret, all.it.clock())
  return { ...all, code, wrong: () => (code() === '000000' ? '111111' : '000000') }
}

describe('muster login --email', () => {
  it('makes a token named after this machine, and leaves no session behind', async () => {
    const { run, pipe, ada, url, stored, sessions, tokens } = await setUp()
    const made = await pipe(`${knownPassword}\n`, 'login', '--email', ada.email.toUpperCase(), '--password-stdin')
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`as ${ada.email}`) })
    expect(stored()).toMatchObject({ server: url, user: ada.email, token: expect.stringMatching(/^svc_cli_/) })
    expect(sessions()).toEqual(['logout'])
    expect(tokens()).toEqual([`CLI login (${hostname()})`])
    expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({ user_email: ada.email })
    expect(made.stdout + made.stderr).not.toMatch(/svc_cli_|plover/)
  })

  it('asks a person for the way, the address and the password, unseen', async () => {
    const { terminal, ada, stored } = await setUp()
    const shown = terminal(['login'])
    await shown.until(/How do you want to sign in/)
    shown.type('\u001b[B\r')
    await shown.until(/Your email address/)
    shown.type(`${ada.email}\r`)
    await shown.until(/Your password/)
    shown.type(`${knownPassword}\r`)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).not.toContain('plover')
    expect(stored().user).toBe(ada.email)
  })

  it('asks for the code of the second factor, and again after a wrong one', async () => {
    const { terminal, ada, code, wrong, stored, sessions } = await withFactor()
    const shown = terminal(['login', '--email', ada.email])
    await shown.until(/Your password/)
    shown.type(`${knownPassword}\r`)
    await shown.until(/Code of your second factor/)
    shown.type(`${wrong()}\r`)
    await shown.until(/The code is wrong/)
    shown.type(`${code()}\r`)
    expect(await shown.ended).toBe(0)
    expect(stored().user).toBe(ada.email)
    expect(sessions()).toEqual([null, 'logout'])
  })

  it('takes the code as a flag, and says when it is missing or wrong', async () => {
    const { pipe, ada, code, wrong, tokens } = await withFactor()
    const login = (...more: string[]) => pipe(knownPassword, 'login', '--email', ada.email, ...more)
    expect(await login()).toMatchObject({ code: 2, stderr: expect.stringContaining('asks for a second factor') })
    expect(await login('--otp', wrong())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('repeat the command with --otp CODE'),
    })
    expect(tokens()).toEqual([])
    expect((await login('--otp', code())).code).toBe(0)
  })

  it('says what is wrong, and stores nothing', async () => {
    const { pipe, run, ada, tokens } = await setUp()
    for (const [email, password] of [
      [ada.email, 'wrong'],
      ['nobody@example.com', knownPassword],
    ] as const) {
      expect(await pipe(password, 'login', '--email', email)).toMatchObject({
        code: 4,
        stderr:
          'Error: The email address or the password is wrong\nNext: try again, or muster account forgot, for a ' +
          'new password\n',
      })
    }
    expect(await pipe('', 'login', '--email', ada.email)).toMatchObject({ code: 2 })
    expect(JSON.parse((await pipe('wrong', 'login', '--email', ada.email, '--json')).stderr)).toMatchObject({
      code: 'credentials_refused',
      exit_code: 4,
    })
    expect(tokens()).toEqual([])
    expect((await run('contexts', '-q')).stdout).toBe('')
  })

  it.each([
    [['--email', 'a@b.co', '--code', 'ABCD-EFGH']],
    [['--email', 'a@b.co', '--web']],
    [['--web', '--token-stdin']],
    [['--password-stdin']],
    [['--otp', '123456']],
    [['--no-browser']],
  ])('refuses %j', async (flags) => {
    expect(await cli({ SVC_SERVER: 'http://127.0.0.1:1' }).pipe('secret', 'login', ...flags)).toMatchObject({ code: 2 })
  })

  it.each([[['--email', 'a@b.co']], [['--web']]])('sends no password over an open line: %j', async (flags) => {
    expect(await cli({ SVC_SERVER: 'http://muster.example:8080' }).pipe('secret', 'login', ...flags)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not encrypted: a password must not travel to it'),
    })
  })
})

describe('muster login --web', () => {
  it('says which other ways there are where no browser can come up', async () => {
    const { terminal } = await setUp()
    const shown = terminal(['login', '--web'], {
      cols: 300,
      env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: ':0' },
    })
    await shown.until(/Waiting for the browser/)
    expect(shown.text()).toContain(
      'No browser is opened: this is a remote shell. Other ways to sign in: muster login --email ADDRESS, or ' +
        'muster pair',
    )
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
  })

  it('goes on when the browser is not there', async () => {
    const { terminal } = await setUp()
    const shown = terminal(['login', '--web'], { cols: 300, env: { BROWSER: '/nowhere/browser' } })
    await shown.until(/No browser could be started/)
    expect(shown.text()).toMatch(/login\/cli\?port=\d+/)
    shown.kill()
  })

  it('waits no longer than it says', async () => {
    const place = await listenForCode('state', () => 'http://127.0.0.1/', 1)
    await expect(place.code).rejects.toThrow('Nobody signed in within ten minutes.')
    await place.finish('failed')
    await expect(fetch(`http://127.0.0.1:${place.port}/callback?state=state&code=x`)).rejects.toThrow()
  })

  it.each([
    ['linux', {}, 'this machine has no screen'],
    ['linux', { DISPLAY: ':0' }, undefined],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, undefined],
    ['linux', { DISPLAY: ':0', SSH_TTY: '/dev/pts/1' }, 'this is a remote shell'],
    ['linux', { SSH_TTY: '/dev/pts/1', BROWSER: 'lynx' }, undefined],
    ['darwin', {}, undefined],
  ] as const)('on %s with %j a browser: %s', (platform, env, why) => expect(browserless(env, platform)).toBe(why))

  it.each([
    ['linux', {}, ['xdg-open', ['URL']]],
    ['darwin', {}, ['open', ['URL']]],
    ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['rundll32.exe', ['url.dll,FileProtocolHandler', 'URL']]],
    ['linux', { BROWSER: 'firefox --new-window:lynx' }, ['firefox', ['--new-window', 'URL']]],
    ['linux', { BROWSER: 'x --at %s --wait' }, ['x', ['--at', 'URL', '--wait']]],
  ] as const)('on %s with %j it is opened by %j', (platform, env, wanted) =>
    expect(opener('URL', env, platform)).toEqual(wanted),
  )
})
