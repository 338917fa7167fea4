import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { renderUnicodeCompact } from 'uqr'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { readTarget } from '../../../cli/contexts/session.ts'
import { passwordOf } from '../../../cli/two-factor/proof.ts'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'
import { cliFor } from '../../support/cli.ts'
import { seen } from '../../support/eyes.ts'
import { codeAt } from '../../support/totp.ts'

const codeLine = /^[0-9a-z]{5}-[0-9a-z]{5}$/

async function setUp() {
  const server = await daemon()
  const ada = server.person('MEMBER')
  server.app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
  const terminal = await cliFor(server, ada)
  const run = (...args: string[]) => terminal.run('account', '2fa', ...args)
  const pipe = (stdin: string, ...args: string[]) => terminal.pipe(stdin, 'account', '2fa', ...args)
  const code = (secret: string) => {
    server.clock.advance(30_000)
    return codeAt(secret, server.clock())
  }
  const enters = async (given?: string) =>
    (await browser(server).signIn(ada.email, knownPassword, given ? { code: given } : {})).body
  return { server, ada, terminal, run, pipe, code, enters }
}

/** As `setUp`, with the factor on. */
async function withFactor() {
  const all = await setUp()
  const secret = (await all.pipe(knownPassword, 'on', '--password-stdin')).stdout.trim()
  const { stdout } = await all.run('confirm', all.code(secret))
  return { ...all, secret, recovery: stdout.trim().split('\n') }
}

describe('muster account 2fa', () => {
  it('is set up at a terminal: password unseen, QR code, a first code, recovery codes', async () => {
    const { terminal, code, enters } = await setUp()
    const size = { cols: 160, rows: 60 }
    const at = terminal.terminal(['account', '2fa', 'on'], size)
    await at.until(/Your password/)
    at.type(`${knownPassword}\r`)
    await at.until(/Code that the app shows now/)
    const { lines } = await seen(at.text(), size.cols, size.rows)
    const uri = lines.find((line) => line.trim().startsWith('otpauth://'))!.trim()
    const secret = new URL(uri).searchParams.get('secret')!
    expect(lines.join('\n')).toContain(secret.replace(/.{4}(?=.)/g, '$& '))
    for (const line of renderUnicodeCompact(uri, { border: 1 }).split('\n'))
      expect(lines.join('\n')).toContain(line.trimEnd())
    expect(at.text()).not.toContain(knownPassword)

    at.type('000000\r')
    await at.until(/That is not the code/)
    at.type(`${code(secret)}\r`)
    await at.until(/Save them to a file/)
    const file = join(terminal.home, 'codes.txt')
    at.type(`${file}\r`)
    expect(await at.ended).toBe(0)
    const saved = readFileSync(file, 'utf8').trim().split('\n')
    expect(saved).toHaveLength(10)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const shown = (await seen(at.text(), size.cols, size.rows)).lines.filter((line) => codeLine.test(line))
    expect(shown).toEqual(saved)
    expect(await enters()).toMatchObject({ error: 'SecondFactorRequired' })
    expect((await enters(saved[0])).ok).toBe(true)
  })

  it('is set up by a script: the secret, then the codes, alone on standard output', async () => {
    const { pipe, run, code } = await setUp()
    expect((await run('status', '-q')).stdout).toBe('off\n')
    const begun = await pipe(`${knownPassword}\n`, 'on', '--password-stdin')
    expect(begun).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[A-Z2-7]{32}\n$/),
      stderr: expect.stringContaining('muster account 2fa confirm'),
    })
    const secret = begun.stdout.trim()
    expect(await run('confirm', '12')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('the code that the app shows now'),
    })
    const confirmed = await run('confirm', code(secret))
    expect(confirmed.code).toBe(0)
    expect(
      confirmed.stdout
        .trim()
        .split('\n')
        .filter((line) => codeLine.test(line)),
    ).toHaveLength(10)
    expect(confirmed.stdout.trim().split('\n')).toHaveLength(10)
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    expect((await run('status')).stdout).toMatch(/10/)
  })

  it('answers programs with the whole reply', async () => {
    const { pipe, run, code } = await setUp()
    const begun = JSON.parse((await pipe(knownPassword, 'on', '--json')).stdout)
    expect(begun.uri).toContain(begun.secret)
    expect(JSON.parse((await run('confirm', code(begun.secret), '--json')).stdout).recovery_codes).toHaveLength(10)
  })

  it('gives new recovery codes and keeps them in a file that is new', async () => {
    const { terminal, run, code, secret, recovery, enters } = await withFactor()
    expect(await run('codes')).toMatchObject({ code: 2, stderr: expect.stringContaining('--code') })
    const file = join(terminal.home, 'codes.txt')
    const renewed = await run('codes', '--code', code(secret), '--save', file)
    expect(renewed.code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(renewed.stdout)
    const again = await run('codes', '--code', code(secret), '--save', file)
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('there is such a file') })
    expect(readFileSync(file, 'utf8')).toBe(renewed.stdout)
    expect(await enters(recovery[0])).toMatchObject({ error: 'SecondFactorInvalid' })
    expect((await enters(again.stdout.split('\n')[0])).ok).toBe(true)
  })

  it('moves to another app with a code of the one in use', async () => {
    const { pipe, run, code, secret, enters } = await withFactor()
    expect(await pipe(knownPassword, 'on')).toMatchObject({ code: 2, stderr: expect.stringContaining('--code') })
    const next = (await pipe(knownPassword, 'on', '--code', code(secret))).stdout.trim()
    expect((await run('confirm', code(next))).code).toBe(0)
    expect(await enters(code(secret))).toMatchObject({ error: 'SecondFactorInvalid' })
    expect((await enters(code(next))).ok).toBe(true)
  })

  it('is turned off with the password and a recovery code, and says what that closes', async () => {
    const { server, pipe, run, recovery, terminal } = await withFactor()
    server.app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    expect(await pipe(knownPassword, 'off', '--code', recovery[0]!)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('you cannot enter test-'),
    })
    expect(await pipe('wrong', 'off', '--yes', '--code', recovery[0]!)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('try again'),
    })
    expect(await pipe(knownPassword, 'off', '--yes', '--code', recovery[0]!)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('You cannot enter test-'),
    })
    expect((await run('status')).stderr).toContain('muster account 2fa on')
    expect(await terminal.run('crews', 'list')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Next: muster account 2fa on'),
    })
    expect(await run('off')).toMatchObject({ code: 0, stderr: expect.stringContaining('no second factor') })
  })

  it('does not send a password where others can read it', async () => {
    await expect(passwordOf(true, readTarget('http://muster.example.com'), true)).rejects.toThrow('not encrypted')
    expect(await passwordOf(false, readTarget('http://muster.example.com'), true)).toEqual({})
  })
})
