import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { daemon, type TestDaemon } from '#test'
import { cliFor } from '../../support/cli.ts'

const publicUrl = 'https://muster.example'
const slugOf = async (it: TestDaemon) =>
  (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}`)).body.slug as string

describe('muster members', () => {
  it('are added, changed and removed by address', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    const guest = it.stranger()
    expect(await run('members', 'add', guest.userId, '--role', 'manager')).toMatchObject({
      code: 0,
      stderr: `✓ ${guest.userId} is a MANAGER now.\n`,
    })
    expect((await run('members')).stdout).toMatch(new RegExp(`^${guest.email}\\tThe OWNER\\tMANAGER\\t`, 'm'))
    expect(await run('members', 'set-role', guest.email.toUpperCase(), 'Viewer')).toEqual({
      code: 0,
      stdout: '',
      stderr: `✓ ${guest.email} is VIEWER now.\n`,
    })
    expect(await run('members', 'update', guest.userId, 'member')).toMatchObject({ code: 0 })
    expect(await run('members', 'remove', guest.email)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await run('members', 'rm', guest.email, '--yes')).toMatchObject({ code: 0 })
    expect(await run('members', 'rm', guest.email, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster members list'),
    })
  })

  it('says what to type instead', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    const { email } = it.person('MEMBER')
    expect(await run('members', 'add', 'new@example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('muster invitations create new@example.com'),
    })
    expect(await run('members', 'set-role', email, 'owner')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`muster members transfer ${email}`),
    })
    expect(await run('members', 'set-role', email, 'king')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('viewer, member, manager, admin'),
    })
    expect(await run('members', 'leave', '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('muster members transfer MEMBER'),
    })
    expect(await run('members', 'transfer', email, '--yes')).toMatchObject({
      code: 0,
      stderr: `✓ ${email} is OWNER now, and you are ADMIN.\n`,
    })
    expect(await run('members', 'leave', '--yes')).toMatchObject({ code: 0 })
    expect(await run('members')).toMatchObject({ code: 4 })
  })

  it('are provisioned with a link on standard output alone', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { run } = await cliFor(it, 'OWNER')
    const made = await run('members', 'provision', 'Ada@example.com', '--name', 'Ada', '--role', 'admin')
    expect(made.stdout).toMatch(/^https:\/\/muster\.example\/reset-password\?token=[0-9a-f]{64}\n$/)
    expect(made.stderr).toContain('ada@example.com is ADMIN')
    expect(await run('members', 'provision', 'ada@example.com')).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('Next: muster members list'),
    })
    expect(JSON.parse((await run('members', 'provision', 'bob@example.com', '--json')).stdout)).toMatchObject({
      email: 'bob@example.com',
      role: 'MEMBER',
    })
  })
})

describe('muster invitations', () => {
  it('are sent, listed and taken back', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { run } = await cliFor(it, 'ADMIN')
    expect(await run('invitations')).toEqual({ code: 0, stdout: '', stderr: '' })
    const made = await run('members', 'invite', 'Ada@example.com', '--role', 'manager')
    expect(made.stdout).toMatch(/^https:\/\/muster\.example\/invitation\?token=[0-9a-f]{64}\n$/)
    expect(await run('invitations', 'create', 'ada@example.com')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster invitations revoke'),
    })
    const { stdout } = await run('invitations', 'list')
    expect(stdout).toMatch(/^ada@example\.com\tMANAGER\t/)
    expect(stdout).not.toContain(made.stdout.trim().split('=')[1])
    expect(await run('invitations', 'revoke', 'ADA@example.com', '--yes')).toMatchObject({ code: 0 })
    expect(await run('invitations', 'revoke', 'ada@example.com', '--yes')).toMatchObject({ code: 3 })
  })

  it('are accepted and declined by the slug of the workspace', async () => {
    const it = await daemon()
    const guest = it.stranger()
    const { run } = await cliFor(it, guest)
    const slug = await slugOf(it)
    const invite = () => it.call('OWNER', 'POST', `/workspaces/${it.workspace}/invitations`, { email: guest.email })
    await invite()
    expect(await run('invitations', 'mine', '-q')).toMatchObject({ stdout: `${slug}\n` })
    expect(await run('invitations', 'decline', slug, '--yes')).toMatchObject({ code: 0 })
    expect(await run('invitations', 'accept', slug)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster invitations mine'),
    })
    await invite()
    expect(await run('invitations', 'accept', slug)).toEqual({
      code: 0,
      stdout: `${slug}\n`,
      stderr: `✓ You are MEMBER of ${slug} now.\n`,
    })
  })

  it('are redeemed by a token or link that never stands on the command line', async () => {
    const it = await daemon({ config: { publicUrl } })
    const [one, two] = [it.stranger(), it.stranger()]
    const invite = async (email: string) =>
      (await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/invitations`, { email })).body
    const first = await (await cliFor(it, one)).pipe(
      `${(await invite('ada@example.com')).link}\n`,
      'invitations',
      'redeem',
    )
    expect(first).toMatchObject({ code: 0, stdout: `${await slugOf(it)}\n` })
    const second = await cliFor(it, two)
    const { token } = await invite('bob@example.com')
    expect(await second.pipe(token, 'invitations', 'redeem', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"MEMBER"'),
    })
    expect(await second.pipe(token, 'invitations', 'redeem')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Next: ask for another invitation'),
    })
  })
})

describe('muster workspaces', () => {
  it('follow another slug in the contexts of this machine, and forget one that is gone', async () => {
    const it = await daemon()
    const { run, home } = await cliFor(it, 'OWNER', { SVC_WORKSPACE: '' })
    const stored = () => parse(readFileSync(join(home, '.config/muster/config.yaml'), 'utf8')).contexts
    await run('workspaces', 'create', 'Research')
    expect(existsSync(join(home, '.config/muster/config.yaml'))).toBe(false)
    await run('workspaces', 'use', 'research')
    expect(Object.values(stored())).toMatchObject([{ workspace: 'research' }])
    expect(await run('workspaces', 'update', 'research', '--slug', 'lab', '--name', 'Lab', '--language', 'de')).toEqual(
      {
        code: 0,
        stdout: 'lab\n',
        stderr: '✓ Changed workspace lab.\n',
      },
    )
    expect(Object.values(stored())).toMatchObject([{ workspace: 'lab' }])
    expect((await run('workspaces', 'show', '--json')).stdout).toContain('"lab"')
    expect(await run('workspaces', 'update', '--credential-audit-days', '30')).toMatchObject({ code: 0 })
    expect(await run('workspaces', 'update', '--require-two-factor')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('second factor'),
    })
    const shown = async () =>
      JSON.parse((await run('workspaces', 'show', '--json')).stdout).journal_tool_arguments as boolean
    expect(await run('workspaces', 'update', '--tool-arguments')).toMatchObject({ code: 0 })
    expect(await shown()).toBe(true)
    expect(await run('workspaces', 'update', '--no-tool-arguments')).toMatchObject({ code: 0 })
    expect(await shown()).toBe(false)
    expect(await run('workspaces', 'update')).toMatchObject({ code: 2 })
    expect(await run('workspaces', 'remove', 'lab')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('repeat the command with --confirm lab'),
    })
    expect(await run('workspaces', 'rm', 'lab', '--confirm', 'lab')).toMatchObject({
      code: 0,
      stderr: '✓ Deleted workspace lab.\n',
    })
    expect(Object.values(stored())).toEqual([expect.not.objectContaining({ workspace: expect.anything() })])
    expect(await run('workspaces', 'rm', await slugOf(it), '--yes')).toMatchObject({ code: 5 })
  })

  it('ask a person to type the slug', async () => {
    const it = await daemon()
    const { screen } = await cliFor(it, 'OWNER')
    await it.call('OWNER', 'POST', '/workspaces', { name: 'Research', slug: 'research' })
    const wrong = screen(['workspaces', 'remove', 'research'])
    await wrong.until(/Type research to go on/)
    wrong.type('resarch\r')
    expect(await wrong.ended).toBe(1)
    const right = screen(['workspaces', 'remove', 'research'])
    await right.until(/Type research to go on/)
    right.type('research\r')
    expect(await right.ended).toBe(0)
    expect(right.text()).toContain('Deleted workspace research')
  })
})
