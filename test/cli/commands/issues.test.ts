import { describe, expect, it } from 'vitest'
import { init, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { issuesOf } from '../../support/issues.ts'
import { withRoutines } from '../../support/routines.ts'
import { workplace } from '../../support/runs.ts'

async function scene() {
  const it = issuesOf(await workplace())
  const { run, terminal } = await cliFor(it, 'MANAGER')
  return { ...it, run, execute: run, terminal, identifier: await it.given() }
}

/** Starts an issue and follows its run, at which the program is. */
async function followed() {
  const it = await scene()
  const done = it.run('issues', 'start', it.identifier.toLowerCase(), '--follow')
  const program = await it.runtime.program()
  const [{ id }] = await it.runsOf(it.identifier)
  return { ...it, done, program, id: id as string }
}

describe('muster issues start', () => {
  it('writes the id of the run', async () => {
    const it = await scene()
    const { code, stdout, stderr } = await it.run('issues', 'start', it.identifier)
    expect(code).toBe(0)
    expect(stderr).toContain('BAC-1 is IN_PROGRESS.')
    expect(stdout).toBe(`${(await it.runsOf(it.identifier))[0].id}\n`)
  })

  it('tries it without starting anything', async () => {
    const it = await scene()
    expect((await it.run('issues', 'start', it.identifier, '--dry-run', '-f')).code).toBe(0)
    expect(await it.read(it.identifier)).toMatchObject({ status: 'BACKLOG' })
  })

  it('follows until the issue is to be reviewed', async () => {
    const it = await followed()
    await it.ends(it.id, it.program, 'It works now.')
    const { code, stdout, stderr } = await it.done
    expect(stdout).toContain('It works now.')
    expect(stderr).toContain('BAC-1 is REVIEW. Next: muster issues show BAC-1')
    expect(code).toBe(0)
  })

  it('exits with 1 when the agent failed', async () => {
    const it = await followed()
    it.runtime.print(it.program, init, says('Oh'))
    it.runtime.finish(it.program, { kind: 'exit', code: 3, timedOut: false }, 'no more credit')
    expect((await it.done).code).toBe(1)
  })

  it('exits with 130 when the issue is stopped', async () => {
    const it = await followed()
    expect(await it.run('issues', 'stop', it.identifier)).toMatchObject({ code: 0 })
    expect((await it.done).code).toBe(130)
  })

  it('says on leaving that the agent goes on', async () => {
    const it = await scene()
    const shown = it.terminal(['issues', 'start', it.identifier, '-f'])
    await shown.until(/Starting the agent/)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
    expect(shown.text()).toContain('It goes on. Next: muster issues stop BAC-1')
    expect(await it.read(it.identifier)).toMatchObject({ status: 'IN_PROGRESS' })
  })

  it('says what an issue needs', async () => {
    const it = await scene()
    const { code, stderr } = await it.run('issues', 'start', await it.open())
    expect([code, stderr]).toEqual([5, expect.stringContaining('give it to an agent or a routine first')])
  })
})

describe('muster issues runs', () => {
  it('lists them, and show tells the last one', async () => {
    const it = await scene()
    await it.start(it.identifier)
    const [{ id }] = await it.runsOf(it.identifier)
    await it.ends(id, await it.runtime.program(), 'It works now.')
    expect((await it.run('issues', 'runs', it.identifier)).stdout).toMatch(/Agent ada\tCOMPLETED\t.*It works now\./)
    const shown = await it.run('issues', 'show', it.identifier)
    expect(shown.stdout).toMatch(/Agent:?\s+idle/)
    expect(shown.stderr).toContain(`Last run: COMPLETED. Next: muster runs show ${id}`)
  })
})

describe('muster issues relations', () => {
  it('tells programs, too, who blocks whom', async () => {
    const it = await scene()
    const other = await it.given({ title: 'Other' })
    expect((await it.run('issues', 'relate', it.identifier, other, '--type', 'blocks')).code).toBe(0)
    expect((await it.run('issues', 'relations', it.identifier)).stdout).toContain(`\tblocks\t${other}\t`)
    expect((await it.run('issues', 'relations', other)).stdout).toContain(`\tblocked_by\t${it.identifier}\t`)
  })
})

it('muster triage process says how many issues it looked at, also where none matched', async () => {
  const it = await scene()
  await it.open({ title: 'Nobody works on it' })
  await it.call('MANAGER', 'POST', '/triage-rules', { name: 'one', pattern: 'xyz', match_type: 'exact' })
  const { code, stderr } = await it.run('triage', 'process')
  expect([code, stderr]).toEqual([0, expect.stringContaining('Looked at 1 issue, 0 matched.')])
})

describe('the routine of an issue', () => {
  it('is given, started, followed and seen', async () => {
    const it = withRoutines(await scene())
    const inputs = [{ name: 'text', type: 'string', required: true }]
    await it.save('echo', [{ id: 'a', type: 'code', code: { code: 'inputs.text' } }], { inputs })
    const given = ['--routine', 'echo', '--routine-inputs', '{"text":"hi"}']
    const changed = await it.execute('issues', 'update', it.identifier, ...given)
    expect(changed.code).toBe(0)
    const shown = await it.execute('issues', 'show', it.identifier)
    expect(shown.stdout).toContain('{"text":"hi"}')
    const done = await it.execute('issues', 'start', it.identifier, '--follow')
    expect([done.code, done.stdout, done.stderr]).toEqual([
      0,
      expect.stringContaining('a\tcode\tcompleted'),
      expect.stringContaining('is REVIEW'),
    ])
    expect((await it.execute('issues', 'view', it.identifier)).stdout).toContain('done by the routine echo')
    expect((await it.execute('issues', 'show', it.identifier)).stderr).toContain('muster routines result')
    expect((await it.execute('issues', 'runs', it.identifier)).stdout).toContain('echo')
    expect((await it.execute('issues', 'update', it.identifier, '--routine', '')).code).toBe(0)
    expect(await it.read(it.identifier)).toMatchObject({ routine_id: null })
    const wrong = await it.execute('issues', 'update', it.identifier, '--routine-inputs', '{')
    expect(wrong.stderr).toContain('--routine-inputs is no JSON')
  })
})
