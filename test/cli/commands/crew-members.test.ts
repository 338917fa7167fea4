import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

async function place() {
  const it = await daemon()
  await it.call('OWNER', 'POST', '/crews', { name: 'Web team', slug: 'web-team' })
  const { email, userId } = it.person('VIEWER')
  return { it, email, userId, ...(await cliFor(it, 'OWNER')) }
}

describe('muster crews members', () => {
  it('adds, shows, changes and removes, by address or id', async () => {
    const { email, userId, run } = await place()
    expect((await run('crews', 'members', 'web-team')).stdout).toBe('')
    expect(await run('crews', 'add-member', 'web-team', email.toUpperCase(), '--role', 'manager')).toMatchObject({
      code: 0,
      stdout: `${email}\n`,
    })
    expect((await run('crews', 'members', 'web-team')).stdout).toMatch(
      new RegExp(`^${email}\tThe VIEWER\tMANAGER\t2026-`),
    )
    expect(JSON.parse((await run('crews', 'show', 'web-team', '--json')).stdout)._count.members).toBe(1)
    expect((await run('crews', 'set-member', 'web-team', userId, '--role', 'admin')).stderr).toContain(
      `${email} is admin in the crew now.`,
    )
    expect((await run('crews', 'set-member', 'web-team', email, '--no-role')).stderr).toContain('role of the workspace')
    expect(JSON.parse((await run('crews', 'members', 'web-team', '--json=role')).stdout)).toEqual([{ role: null }])
    expect(await run('crews', 'remove-member', 'web-team', email)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await run('crews', 'remove-member', 'web-team', email, '-y')).toMatchObject({ code: 0 })
    expect((await run('crews', 'members', 'web-team')).stdout).toBe('')
  })

  it('says what is wrong and what to type next', async () => {
    const { email, run } = await place()
    await run('crews', 'add-member', 'web-team', email)
    expect(await run('crews', 'add-member', 'web-team', email)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster crews set-member'),
    })
    expect(await run('crews', 'add-member', 'web-team', 'nobody@example.com')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster members list'),
    })
    expect(await run('crews', 'set-member', 'web-team', 'nobody@example.com', '--role', 'admin')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster crews members'),
    })
    expect(await run('crews', 'set-member', 'web-team', email)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--no-role'),
    })
    expect(await run('crews', 'add-member', 'web-team', email, '--role', 'boss')).toMatchObject({ code: 2 })
  })
})

describe('muster members capabilities', () => {
  it('lists, grants, revokes, sets and presets', async () => {
    const { email, run } = await place()
    const may = async () =>
      (await run('members', 'capabilities', 'show', email, '--jq', '.capabilities | join(" ")')).stdout.trim()
    expect((await run('members', 'capabilities')).stdout).toContain(`${email}\tviewer\tchat\n`)
    expect(await run('members', 'capabilities', 'grant', email, 'credential.rotate')).toMatchObject({
      code: 0,
      stdout: `${email}\n`,
    })
    expect(await may()).toBe('chat credential.rotate')
    await run('members', 'capabilities', 'preset', email, 'admin')
    expect(await may()).toBe(
      'chat routine.create routine.run skill.create credential.create credential.rotate issue.create memory.write',
    )
    await run('members', 'capabilities', 'revoke', email, 'credential.create,credential.rotate')
    expect(await may()).toBe('chat routine.create routine.run skill.create issue.create memory.write')
    await run('members', 'capabilities', 'set', email, 'credential.create')
    expect(await may()).toBe('chat credential.create')
    expect(JSON.parse((await run('members', 'capabilities', 'list', '--json')).stdout)).toHaveLength(2)
    expect(await run('members', 'capabilities', 'grant', email, 'page.create')).toMatchObject({ code: 0 })
    expect(await may()).toBe('chat credential.create page.create')
    expect(await run('members', 'capabilities', 'grant', email, 'chat,fly')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Error: A capability is one of chat, .*, not "fly"\.\n$/),
    })
    expect(await run('members', 'capabilities', 'preset', email, 'root')).toMatchObject({ code: 2 })
  })
})

describe('muster limits', () => {
  it('lists, sets and resets, also under the older name', async () => {
    const { it, run } = await place()
    const { stdout } = await run('limits')
    expect(stdout).toContain('login.lockout_threshold\t10\t10\tattempts\tconfiguration\n')
    expect((await run('admin', 'ratelimits', 'list')).stdout).toBe(stdout)
    expect(await run('limits', 'set', 'login.lockout_threshold', '5')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is 5 attempts now'),
    })
    expect(it.app.limits.value('login.lockout_threshold')).toBe(5)
    expect((await run('limits')).stdout).toContain('login.lockout_threshold\t5\t10\tattempts\tset\n')
    expect(await run('limits', 'reset', 'login.lockout_threshold')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is 10 attempts again'),
    })
    expect(await run('limits', 'set', 'login.lockout_threshold', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 to 1000'),
    })
    expect(await run('limits', 'set', 'login.lockout_threshold', 'few')).toMatchObject({
      code: 2,
      stderr: 'Error: VALUE must be a whole number, not "few".\nNext: muster limits set --help\n',
    })
    expect(await run('limits', 'set', 'nothing', '5')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster limits list'),
    })
    expect(await (await cliFor(it, 'MANAGER')).run('limits')).toMatchObject({ code: 4 })
  })
})
