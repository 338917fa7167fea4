import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'
import { seen } from '../../support/eyes.ts'
import { rawEntry } from '../../support/raw-entry.ts'

/** A journal with a crew and an agent in it, and the command line of its owner. */
async function office() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body
  it.clock.advance(1000)
  await it.call('OWNER', 'POST', '/agents', { name: 'Grace', slug: 'grace', crew_id: crew.id })
  const write = async (summary: string, more: object = {}) => {
    it.clock.advance(1000)
    await it.app.write(() =>
      rawEntry(it.app, {
        workspace_id: it.workspace,
        type: 'system.migration',
        summary,
        actor_type: 'system',
        ...more,
      }),
    )
  }
  return { ...it, crew, write, muster: await cliFor(it, 'OWNER', { TZ: 'UTC' }) }
}

describe('muster journal tail', () => {
  it('writes tab-separated lines, the newest last, with names for ids', async () => {
    const { muster, write } = await office()
    await write('it\tran\nhere')
    const { code, stdout } = await muster.run('journal', 'tail', '-n', '3')
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(code).toBe(0)
    expect(rows.map((row) => row.slice(1, 5))).toEqual([
      ['notice', 'audit.entity_created', 'backend', expect.stringContaining('Crew backend was created by')],
      ['notice', 'audit.entity_created', 'grace', expect.stringContaining('Agent Grace was created by')],
      ['info', 'system.migration', 'system', 'it ran here'],
    ])
    expect(rows[2]![0]).toBe('2026-01-01T00:00:02.000Z')
    expect(rows[2]![5]).toMatch(/^j_[0-9a-f]{16}$/)
  })

  it('names the person who did what is about nobody else', async () => {
    const it = await office()
    await it.write('something', { actor_type: 'user', actor_id: it.person('OWNER').userId })
    expect((await it.muster.run('journal', 'tail', '-n', '1')).stdout).toContain(`\t${it.person('OWNER').email}\t`)
  })

  it('filters, by names too', async () => {
    const { muster, write, crew } = await office()
    await write('warned', { severity: 'warn', crew_id: crew.id })
    await write('plain')
    const summaries = async (...flags: string[]) =>
      (await muster.run('journal', 'tail', ...flags, '--jq', '.summary')).stdout.trimEnd().split('\n')
    expect(await summaries('--severity', 'warn,error')).toEqual(['warned'])
    expect(await summaries('--crew', 'backend', '--type', 'system.migration')).toEqual(['warned'])
    expect(await summaries('--type', 'system.migration', '-n', '1')).toEqual(['plain'])
    expect(await summaries('--search', 'warned')).toEqual(['warned'])
    expect(await muster.run('journal', 'tail', '--crew', 'nonsense')).toMatchObject({ code: 3 })
  })

  it('begins at a moment', async () => {
    const { muster, write } = await office()
    for (const n of [1, 2, 3, 4]) await write(`entry ${n}`)
    const { stdout } = await muster.run('journal', 'tail', '--since', '2026-01-01T00:00:03Z', '--jq', '.summary')
    expect(stdout).toBe('entry 2\nentry 3\nentry 4\n')
    expect((await muster.run('journal', 'tail', '--since', 'yesterday')).code).toBe(2)
  })

  it('gives JSON lines and ids', async () => {
    const { muster, write } = await office()
    await write('x')
    expect(JSON.parse((await muster.run('journal', 'tail', '-n', '1', '-o', 'ndjson')).stdout)).toMatchObject({
      summary: 'x',
      entry_type: 'system.migration',
    })
    expect((await muster.run('journal', 'tail', '-n', '1', '-q')).stdout).toMatch(/^j_[0-9a-f]{16}\n$/)
  })

  it('goes on with what is written, each entry once', async () => {
    const { muster, write } = await office()
    const terminal = muster.terminal(['journal', 'tail', '-f', '-n', '1', '--jq', '.summary'])
    await terminal.until(/Agent Grace/)
    for (const n of [1, 2, 3]) await write(`entry ${n}`)
    await terminal.until(/entry 3/)
    expect(terminal.text().match(/entry \d/g)).toEqual(['entry 1', 'entry 2', 'entry 3'])
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  it('begins with nothing when asked, also where the journal is empty', async () => {
    const { muster, write } = await office()
    const terminal = muster.terminal([
      'journal',
      'tail',
      '-f',
      '-n',
      '0',
      '--type',
      'system.migration',
      '--jq',
      '.summary',
    ])
    // Whether it listens already cannot be seen, so this is written until it does.
    const shown = terminal.until(/entry/)
    let listening = false
    void shown.then(() => {
      listening = true
    })
    while (!listening) {
      await write('entry')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(terminal.text()).toMatch(/^entry/)
  })

  it('aligns its lines on a terminal, wraps within them and names the day once', async () => {
    const { muster, write } = await office()
    await write('a summary that is too long for one line of this terminal')
    const size = { cols: 80, rows: 20 }
    const terminal = muster.screen(['journal', 'tail', '-n', '2', '--no-color'], size)
    await terminal.ended
    const { lines } = await seen(terminal.text(), size.cols, size.rows)
    expect(lines).toEqual([
      '2026-01-01',
      '00:00:01  notice  audit.entity_created  grace     Agent Grace was created by',
      expect.stringMatching(/^ {50}owner-\w+@example\.com$/),
      '00:00:02  info    system.migration      system    a summary that is too long for',
      '                                                  one line of this terminal',
    ])
  })

  it('keeps what entries say from acting on the terminal', async () => {
    const { muster, write } = await office()
    await write('a\u001b[2Jb\u202ec')
    const terminal = muster.screen(['journal', 'tail', '-n', '1', '--no-color'])
    await terminal.ended
    expect(terminal.text()).toContain('a [2Jbc')
    expect(terminal.text()).not.toMatch(/[\u001b\u202e]/)
  })
})

it('lines up where there is little room', async () => {
  const { muster, write } = await office()
  await write('a summary of some words')
  const terminal = muster.screen(['journal', 'tail', '-n', '1', '--no-color'], { cols: 50, rows: 10 })
  await terminal.ended
  const { lines } = await seen(terminal.text(), 50, 10)
  expect(lines).toEqual(['2026-01-01', '00:00:02  info    system.migration      system', '    a summary of some words'])
})
