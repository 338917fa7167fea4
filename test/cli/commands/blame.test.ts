import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { place, report, shared, wrote } from '../../support/disk-runtime.ts'

/** A file of two runs. */
async function scene() {
  const it = await place()
  const first = await wrote(it, 'Write the report', { text: 'one\n  two\n', made: true })
  const second = await wrote(it, 'Add a\nline', { text: 'one\n  two\nthree\n' })
  return { it, first, second, ...(await cliFor(it)) }
}

describe('muster blame', () => {
  it('lists the lines with who wrote them', async () => {
    const { run, first } = await scene()
    const { code, stdout } = await run('blame', report)
    expect(code).toBe(0)
    const rows = stdout.split('\n').map((row) => row.split('\t'))
    expect(rows.slice(0, 3).map(([line, by, , text]) => [line, by, text])).toEqual([
      ['1', 'ada', 'one'],
      ['2', 'ada', '  two'],
      ['3', 'ada', 'three'],
    ])
    const json = JSON.parse((await run('blame', report, '--json=line,version.run')).stdout)
    expect(json[1]).toMatchObject({ line: 2, 'version.run': { id: first, asked: 'Write the report' } })
  })

  it('shows of one line the run, what was asked, and where the journal has it', async () => {
    const { run, it: place, second } = await scene()
    const end = place
      .entries()
      .find(({ entry_type, trace_id }) => entry_type === 'run.completed' && trace_id === second)
    const { stdout } = await run('blame', 'report.md:3', '--agent', 'ada', '-o', 'table')
    expect(stdout).toMatch(/Text\s+three/)
    expect(stdout).toContain(second)
    expect(stdout).toContain('"Add a line"')
    expect(stdout).toContain(`muster journal show ${end!.id}`)
  })

  it('takes some lines, and says how many there are', async () => {
    const { run } = await scene()
    expect((await run('blame', `${report}:2-3`)).stdout.split('\n').filter(Boolean)).toHaveLength(2)
    const { code, stderr } = await run('blame', `${report}:9`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('has 3 lines')])
  })

  it('finds shared files by a relative path, and says what it does not know', async () => {
    const { run, it: place } = await scene()
    await wrote(place, 'Begin', { path: shared, text: 'a\n' })
    expect((await run('blame', 'app.ts', '--crew', 'backend')).stdout).toContain('ada or before')
    place.runtime.files.set(shared, 'a\nb\n')
    expect((await run('blame', 'app.ts:2')).stdout).toContain('b')
    place.runtime.files.delete(shared)
    expect((await run('blame', 'app.ts')).stderr).toContain('deleted')
    place.runtime.up = false
    expect((await run('blame', 'app.ts')).stderr).toContain('does not run')
    expect(await run('blame', 'gone.ts')).toMatchObject({ code: 3, stderr: expect.stringContaining('gone.ts') })
  })

  it('asks which crew where there are several', async () => {
    const { run, it: place } = await scene()
    await place.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    expect(await run('blame', report)).toMatchObject({ code: 2, stderr: expect.stringContaining('--crew') })
  })
})
