import { describe, expect, it } from 'vitest'
import type { Role } from '#contract/roles'
import { daemon } from '#test'
import { propose } from '../../../daemon/features/consolidate/service.ts'
import { cliFor } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { openSockets } from '../../support/live.ts'

async function place(who: Role = 'ADMIN') {
  const it = await daemon()
  const { body } = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  const { id: entryId } = it.entries().find(({ entry_type }) => entry_type === 'audit.entity_created')!
  const make = (pattern = 'When deploys fail', action = 'Read the log first') =>
    it.app.writeNow(() =>
      propose(it.app, {
        crew: { id: body.id, workspace_id: it.workspace, slug: 'web', name: 'Web' },
        rules: [{ pattern, action, evidence: [entryId, 'j_gone'], confidence: 0.9 }],
        entriesScanned: 12,
        model: 'scripted-1',
        actor: { actor_type: 'system' },
        now: it.app.now(),
      }),
    )
  const status = async (id: string) =>
    (await it.call('OWNER', 'GET', `/consolidate/proposed/${id}/diff`)).body.status as string
  return { it, make, status, entryId, ...(await cliFor(it, who)) }
}

describe('muster consolidate', () => {
  it('lists proposals, shows one for programs, and decides by its id or that of its item', async () => {
    const { run, make, status } = await place()
    const [first, second] = [make(), make('When tests fail')] as [string, string]
    expect((await run('consolidate', 'proposals', '-q')).stdout).toBe(`${second}\n${first}\n`)
    expect(
      (await run('consolidate', 'proposals', '--crew', 'web', '--limit', '1', '--jq', '.[].crew_slug')).stdout,
    ).toBe('web\n')
    const shown = JSON.parse((await run('consolidate', 'show', first, '--json')).stdout)
    expect(shown).toMatchObject({ proposal_id: first, status: 'pending', stats: { deletions: 0, rules_appended: 1 } })
    expect(shown.evidence[0].pattern).toBe('When deploys fail')
    // Short ids do, too.
    const approved = await run('consolidate', 'approve', first.slice(-8))
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('One rule was appended to crew:') })
    expect(await status(first)).toBe('approved')
    const item = `ibx_memory_consolidation_${second}`
    expect(await run('consolidate', 'reject', item, '--reason', 'too broad')).toMatchObject({ code: 0 })
    expect(JSON.parse((await run('consolidate', 'proposals', '--status', 'rejected', '--json')).stdout)).toMatchObject([
      { proposal_id: second, reason: 'too broad' },
    ])
    expect(await run('consolidate', 'approve', second)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('It was rejected already'),
    })
  })

  it('is run by hand, and says when there is no model to ask', async () => {
    const { run, it } = await place()
    expect(await run('consolidate', 'run', '--crew', 'web', '--since', '3d')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('Nothing was read. There is no model that could read the journal'),
    })
    await it.call('OWNER', 'POST', '/credentials', { name: 'k', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-x' })
    // Nothing happened that could be read, so nobody is asked.
    const { stdout, stderr } = await run('consolidate', 'run', '--jq', '.worker_id')
    expect(stderr).toContain('The journal is being read')
    expect(stdout).toMatch(/^csd_[0-9a-f]{12}\n$/)
    expect(await run('consolidate', 'run', '--crew', 'nowhere')).toMatchObject({ code: 3 })
  })

  it('lists what was learned, and whether it helped', async () => {
    const { run, make } = await place()
    expect((await run('memory', 'rules', '--jq', 'length')).stdout).toBe('0\n')
    await run('consolidate', 'approve', make())
    const { stdout } = await run('memory', 'rules', '--crew', 'web', '--json=pattern,uses,completed,present')
    expect(JSON.parse(stdout)).toEqual([{ pattern: 'When deploys fail', uses: 0, completed: 0, present: true }])
  })

  it('is decided with approve and deny as well', async () => {
    const { run, make, status } = await place()
    const [first, second] = [make(), make()] as [string, string]
    expect(await run('approve', `ibx_memory_consolidation_${first}`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The rules are appended to the memory of the crew.'),
    })
    expect(await run('deny', second, '--comment', 'no')).toMatchObject({ code: 0 })
    expect([await status(first), await status(second)]).toEqual(['approved', 'rejected'])
  })

  it.each([
    ['a', 'Approved. The rules are appended to the memory of the crew.', 'approved'],
    ['r', 'Rejected. Nothing is remembered.', 'rejected'],
    ['q', 'Nothing was decided.', 'pending'],
    ['\u001b', 'Nothing was decided.', 'pending'],
  ])('shows the diff and the evidence at a terminal, where the key %j decides', async (key, said, outcome) => {
    const { screen, make, status } = await place()
    const id = make('When deploys fail', outcome === 'pending' ? 'Read the \u001b[31mlog first' : 'Read the log first')
    const shown = screen(['consolidate', 'show', id, '--no-color'])
    await shown.until(/\[a\]pprove {2}\[r\]eject {2}\[q\]uit/)
    const text = shown.text()
    expect(text).toContain('+- **Pattern:** When deploys fail')
    expect(text).toContain('90 % sure')
    expect(text).toMatch(/j_gone\s+is gone/)
    expect(text).toContain('Crew web was created by')
    expect(text).not.toContain('\u001b[31m')
    expect(await status(id)).toBe('pending')
    shown.type(key)
    await shown.ended
    expect(shown.text()).toContain(said)
    expect(await status(id)).toBe(outcome)
  })

  it('is decided with one key in the inbox', async () => {
    const { it, terminal, make, status } = await place()
    openSockets(it)
    const id = make()
    const shown = terminal(['inbox', '--undo', '0'], { cols: 100, rows: 30, env: { NO_COLOR: '1' } })
    const shows = (text: string) => eventually(shown, (lines) => lines.some((line) => line.includes(text)))
    await shows('→ Read the log first')
    shown.type('a')
    await shows('Approved: Web: one rule to remember')
    expect(await status(id)).toBe('approved')
    shown.type('q')
    expect(await shown.ended).toBe(0)
  })
})
