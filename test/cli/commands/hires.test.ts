import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function place(level?: 'strict' | 'trusted') {
  const it = await daemon()
  const commands = await cliFor(it, 'OWNER')
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
  if (level) await it.call('OWNER', 'PUT', `/crews/${crew}/policy`, { autonomy_level: level, behavior_mode: 'warn' })
  const hire = (...more: string[]) =>
    commands.run('hire', '--crew', 'web', '--template', 'security-audit', '--reason', 'review', ...more)
  const slugs = async () =>
    (await it.call('OWNER', 'GET', '/agents?ephemeral=1')).body.map(({ slug }: { slug: string }) => slug) as string[]
  return { ...it, ...commands, crew, hire, slugs }
}

describe('muster hire', () => {
  it('hires, and prints the name', async () => {
    const it = await place('trusted')
    const ran = await it.hire('--ttl', '2h', '--model', 'claude-sonnet-4-6')
    const [slug] = await it.slugs()
    expect(ran).toMatchObject({ code: 0, stdout: `${slug}\n`, stderr: expect.stringContaining(`Hired ${slug}.`) })
    const shown = JSON.parse((await it.run('agents', 'show', slug!, '--json')).stdout)
    expect(shown).toMatchObject({ llm_model: 'claude-sonnet-4-6', ephemeral: true })
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(2 * 3_600_000)
  })

  it('prints JSON with the members that are asked for', async () => {
    const it = await place('trusted')
    const { stdout } = await it.hire('--json=status,decision')
    expect(JSON.parse(stdout)).toEqual({ status: 'IDLE', decision: 'auto_log_journal' })
  })

  it('says what comes next when people have to approve it', async () => {
    const it = await place()
    const ran = await it.hire()
    const [slug] = await it.slugs()
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(`Next: muster hires approve ${slug}`) })
    expect(await it.run('hires', 'approve', slug!)).toMatchObject({
      code: 0,
      stdout: `${slug}\n`,
      stderr: expect.stringContaining(`Approved the hire of ${slug}.`),
    })
    expect(await it.run('hires', 'approve', slug!)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('muster hires list'),
    })
  })

  it.each([
    ['approved', 0, 'Hired'],
    ['denied', 1, 'The hire was not approved.'],
  ])('waits until the hire is %s', async (status, code, said) => {
    const it = await place()
    const deciding = new Promise<void>((resolve, reject) =>
      it.app.bus.on('entry', ({ entry }) => {
        if (entry.entry_type !== 'approval.requested') return
        const { approval_id } = entry.payload as { approval_id: string }
        it.call('OWNER', 'POST', `/approvals/${approval_id}/decide`, { status }).then(() => resolve(), reject)
      }),
    )
    const ran = it.hire('--wait')
    await deciding
    expect(await ran).toMatchObject({ code, stderr: expect.stringContaining(said) })
  })

  it('waits no longer than it is told', async () => {
    const it = await place()
    expect(await it.hire('--wait', '--timeout', '10ms')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Nobody has decided yet.'),
    })
  })

  it.each([['10'], ['30s'], ['soon']])('refuses --ttl %s', async (ttl) => {
    const it = await place('trusted')
    expect(await it.hire('--ttl', ttl)).toMatchObject({ code: 2, stderr: expect.stringContaining('--ttl must be') })
    expect(await it.slugs()).toEqual([])
  })

  it('explains a refusal', async () => {
    const it = await place('strict')
    expect(await it.hire()).toMatchObject({ code: 4, stderr: expect.stringContaining('The crew is strict') })
    const none = await it.run('hire', '--crew', 'web', '--template', 'nothing', '--reason', 'x')
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('--template') })
    expect(await it.run('hire', '--crew', 'web', '--reason', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('template'),
    })
  })

  it('completes the names of templates', async () => {
    const { run } = await place()
    const { stdout } = await run('__complete', 'hire', '--template', 'd')
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'devops-sre',
      'data-engineering',
      'documentation-team',
      '',
    ])
  })
})

describe('muster hires and rehire', () => {
  it('list hired agents and keep them longer', async () => {
    const it = await place('trusted')
    await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: it.crew })
    expect((await it.run('hires', '-q')).stdout).toBe('')
    await it.hire()
    const [slug] = await it.slugs()
    expect((await it.run('hires', 'list', '--crew', 'web', '-q')).stdout).toBe(`${slug}\n`)
    const ran = await it.run('rehire', slug!, '--ttl', '3h', '--reason', 'takes longer')
    expect(ran).toMatchObject({ code: 0, stdout: `${slug}\n`, stderr: expect.stringContaining(`${slug} stays until`) })
    expect((await it.run('hires', 'list')).stdout).toContain('takes longer')
    expect(await it.run('rehire', 'ada', '--reason', 'x')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it is there to stay'),
    })
  })

  it('show a ghost as one', async () => {
    const it = await place('trusted')
    await it.hire()
    it.app.db.prepare("UPDATE agents SET expired_at = '2026-01-01T00:00:00Z' WHERE ephemeral = 1").run()
    expect((await it.run('hires', 'list')).stdout).toMatch(/expired/i)
    const [slug] = await it.slugs()
    expect((await it.run('agents', 'show', slug!)).stdout).toMatch(/expired/i)
  })

  it('are told when they ask a ghost', async () => {
    const it = await workplace()
    const { run } = await cliFor(it, 'OWNER')
    it.app.db.prepare("UPDATE agents SET ephemeral = 1, expired_at = '2026-01-01T00:00:00Z'").run()
    expect(await run('ask', 'ada', 'Hello?')).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('The agent was hired for a time that is over'),
    })
  })
})
