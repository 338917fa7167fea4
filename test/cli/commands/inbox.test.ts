import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { raise } from '../../../daemon/features/inbox/service.ts'
import { cliFor } from '../../support/cli.ts'
import { rawEntry } from '../../support/raw-entry.ts'

async function setUp(count = 3) {
  const it = await daemon()
  for (let n = 1; n <= count; n++)
    it.app.writeNow(() =>
      raise(it.app, {
        workspace: it.workspace,
        kind: 'message',
        source: `s${n}`,
        target: 'workspace',
        title: `News \u001b[31m${n}`,
        body: '**Read** me',
        now: it.app.now(),
      }),
    )
  return { it, ...(await cliFor(it, 'MEMBER')) }
}

describe('muster inbox', () => {
  it('lists, shows, counts and marks', async () => {
    const { it, run } = await setUp()
    expect((await run('inbox', 'list', '-q')).stdout).toBe('ibx_message_s3\nibx_message_s2\nibx_message_s1\n')
    expect((await run('inbox', 'list')).stdout).not.toContain('\u001b')
    expect((await run('inbox', 'count', '-q')).stdout).toBe('3\n')
    expect(await run('inbox', 'read', 'ibx_message_s1')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('ibx_message_s1 is read'),
    })
    expect((await run('inbox', 'show', 'ibx_message_s1', '--jq', '.state')).stdout).toBe('read\n')
    expect(await run('inbox', 'resolve', 'ibx_message_s2', 'ibx_message_s3')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 resolved'),
    })
    expect((await run('inbox', 'list', '-q')).stdout).toBe('ibx_message_s1\n')
    expect((await run('inbox', 'list', '--state', 'resolved', '-q')).stdout.split('\n')).toHaveLength(3)
    expect(await run('inbox', 'resolve', '--all', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"updated": 1'),
    })
    expect((await run('inbox', 'unread', 'ibx_message_s1')).code).toBe(0)
    expect((await run('inbox', 'read', 'ibx_message_none')).code).toBe(3)
    expect((await run('inbox', 'read', 'ibx_message_s1', 'ibx_message_none')).code).toBe(1)
    expect((await run('inbox', 'read')).code).toBe(2)
    expect((await run('inbox', 'purge', '--yes')).code).toBe(4)
    expect(await (await cliFor(it, 'ADMIN')).run('inbox', 'purge', '--yes', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"deleted": 3'),
    })
    expect((await run('inbox', 'list', '-o', 'table')).stderr).toContain('Nothing waits for you')
  })
})

it('shows cards with long ids by a short one that it takes, and calls kinds what people call them', async () => {
  const it = await daemon()
  const ids = ['c0mjuohs005e6fu6qxd87qvyr', 'c0mjuohs005e6fu6qxd87qvyz'].map(
    (chat) => `chat_reply_${chat}_c0mjuohs005e6fu6qaaaaaaaa`,
  )
  const card = { workspace: it.workspace, target: 'workspace', title: 'Grace answered', now: it.app.now() } as const
  for (const source of ids) it.app.writeNow(() => raise(it.app, { ...card, kind: 'message', source }))
  it.app.writeNow(() => raise(it.app, { ...card, kind: 'failed_run', source: 'c0mjuohs005e6fu6qxd87qaaa' }))
  const { run, screen } = await cliFor(it, 'MEMBER')
  const terminal = screen(['inbox', 'list'], { cols: 80, env: { NO_COLOR: '1' } })
  expect(await terminal.ended).toBe(0)
  expect(terminal.text()).toMatch(/ID +KIND +PRIORITY +STATE +FROM +TITLE +AGE/)
  expect(terminal.text()).toMatch(/xd87qaaa +failed run /)
  expect(terminal.text()).toMatch(/xd87qvyr +message /)
  expect((await run('inbox', 'show', 'xd87qvyr', '--jq', '.id')).stdout).toBe(`ibx_message_${ids[0]}\n`)
})

describe('muster policies', () => {
  it('lists, shows and sets, keeping what is not given', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'MANAGER')
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    expect((await run('policies')).stdout).toMatch(/^web\tguided\twarn\t/)
    expect((await run('policies', 'set', 'web', '--behavior', 'block')).code).toBe(0)
    expect(JSON.parse((await run('policies', 'show', 'web', '--json')).stdout)).toMatchObject({
      autonomy_level: 'guided',
      behavior_mode: 'block',
    })
    expect(await run('policies', 'set', 'web', '--level', 'full')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Next: repeat with --behavior warn'),
    })
    expect(await run('policies', 'set', 'web', '--level', 'full', '--behavior', 'warn')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    })
    expect(
      await run('policies', 'set', 'web', '--level', 'FULL', '--behavior', 'warn', '--reason', 'mine alone'),
    ).toMatchObject({ code: 0 })
    expect((await run('policies', 'set', 'web')).code).toBe(2)
    expect(JSON.parse((await run('policies', 'show', 'web', '--json')).stdout).reason).toBe('mine alone')
  })
  it('simulates another level, and says what it cannot tell', async () => {
    const it = await daemon()
    const { run, screen } = await cliFor(it, 'VIEWER')
    const { body: crew } = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    const simulate = (...more: string[]) =>
      run('policies', 'simulate', '--crew', 'web', '--since', '2025-12-31T00:00:00Z', ...more)
    const empty = screen(['policies', 'simulate', '--crew', 'web', '--level', 'trusted'])
    await empty.until(/nothing to judge by/)
    it.app.writeNow(() =>
      rawEntry(it.app, {
        workspace_id: it.workspace,
        crew_id: crew.id,
        type: 'approval.denied',
        severity: 'notice',
        summary: 'No \u001b[31mmission',
        actor_type: 'user',
        payload: { approval_id: 'a', policy_action: 'mission_create' },
      }),
    )
    expect(await simulate('--level', 'trusted')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Decisions no longer asked\t1$/m),
    })
    const { id } = it.entries().at(-1)!
    expect(JSON.parse((await simulate('--level', 'trusted', '--json')).stdout).differences).toMatchObject([
      { entry_id: id, would: 'notice' },
    ])
    const shown = await simulate('--level', 'trusted', '-o', 'table')
    expect(shown.stdout).toContain(`${id}  mission_create: denied by people, would be let through  No [31mmission`)
    expect(shown.stdout).not.toContain('\u001b')
    expect((await simulate()).code).toBe(2)
    expect(await simulate('--level', 'full', '--behavior', 'block')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--behavior warn'),
    })
    expect((await run('policies', 'simulate', '--crew', 'none', '--level', 'full')).code).toBe(3)
  })
})
