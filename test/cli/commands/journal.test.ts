import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing, daemon, type TestDaemon } from '#test'
import { eraseAsked } from '../../../daemon/features/journal/erasure/jobs.ts'
import { cli, cliFor } from '../../support/cli.ts'
import { compact } from '../../support/compaction.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { type RawEntry, rawEntry } from '../../support/raw-entry.ts'

const note = ({ app, workspace }: TestDaemon, more: Partial<RawEntry> = {}) =>
  app.writeNow(() =>
    rawEntry(app, { workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary: 'ls', ...more }),
  ).entry

describe('muster journal', () => {
  it('lists with filters, page by page or all of it', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    await run('crews', 'create', 'Web')
    await run('agents', 'create', 'Ada', '--crew', 'web')
    const agent = JSON.parse((await run('agents', 'show', 'ada', '--json')).stdout)
    for (let n = 0; n < 7; n++)
      note(it, { summary: `step ${n}`, agent_id: agent.id, crew_id: agent.crew_id, severity: n % 2 ? 'info' : 'error' })
    const summaries = async (...flags: string[]) =>
      JSON.parse((await run('journal', 'list', ...flags, '--jq', '[.[].summary]')).stdout)
    expect(await summaries('--agent', 'ada', '--type', 'exec.command')).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((n) => `step ${n}`),
    )
    expect(await summaries('--crew', 'web', '--severity', 'error', '--type', 'exec.command', '--limit', '2')).toEqual([
      'step 6',
      'step 4',
    ])
    expect(await summaries('--search', 'step 3')).toEqual(['step 3'])
    expect(await summaries('--since', '2027-01-01T00:00:00Z')).toEqual([])
    expect(await summaries('--type', 'exec.command', '--all')).toHaveLength(7)
    expect(await summaries('--type', 'exec.command', '--limit', '3')).toEqual(['step 6', 'step 5', 'step 4'])
    expect(await run('journal', '--all', '--limit', '3')).toMatchObject({ code: 2 })
    const poured = await run('journal', '--type', 'exec.command', '--all', '-o', 'ndjson')
    expect(
      poured.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).summary),
    ).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `step ${n}`))
    expect(JSON.parse((await run('journal', '--limit', '1', '--json')).stdout)).toHaveLength(1)
    expect((await run('journal', 'count', '--agent', 'ada', '--severity', 'error')).stdout).toBe('4\n')
    expect(JSON.parse((await run('journal', 'count', '--type', 'exec.command', '--json')).stdout)).toEqual({ total: 7 })
    expect(await run('journal', '--since', 'whenever')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--since must be a time'),
    })
    expect(await run('journal', '--priority', 'odd')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--priority must be one of normal, high, pin, permanent'),
    })
    expect(await run('journal', 'count', '--severity', 'info,bad')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not "bad"'),
    })
    expect(await run('journal', '--actor', 'robot', '--server', 'http://127.0.0.1:1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--actor must be one of agent'),
    })
    for (const flag of ['--type', '--exclude-type'])
      expect(await run('journal', flag, 'exec.command,run.fail', '--server', 'http://127.0.0.1:1')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${flag}: there is no entry type "run.fail"; did you mean "run.failed"?`),
      })
  })

  it('shows one entry with its payload, and marks it', async () => {
    const it = await daemon()
    const { run, screen } = await cliFor(it, 'OWNER')
    const { id } = note(it, { summary: 'evil \u001b[2Jsummary', payload: { cmd: 'echo \u001b]0;x\u0007' } })
    expect((await run('journal', 'get', id)).stdout).toContain('Summary\tevil [2Jsummary\n')
    expect(JSON.parse((await run('journal', 'show', id, '--json')).stdout)).toMatchObject({
      id,
      payload: { cmd: 'echo \u001b]0;x\u0007' },
    })
    const shown = screen(['journal', 'show', id, '--no-color'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Payload {')
    expect(shown.text()).not.toMatch(/[\u001b\u0007]/)
    expect(await run('journal', 'priority', id, 'pin', '--reason', 'of the week')).toMatchObject({
      code: 0,
      stderr: `✓ ${id} was normal and is pin now.\n`,
    })
    expect((await run('journal', 'priority', id, 'loud')).code).toBe(2)
    expect(await run('journal', 'show', 'j_0000000000000000')).toMatchObject({ code: 3 })
  })

  it('lists the facts with their types, and the schemas of their payloads', async () => {
    const { run } = await cliFor(await daemon(), 'VIEWER')
    const { stdout } = await run('journal', 'types')
    expect(stdout).toContain('crew.deleted\taudit.entity_deleted\tnotice\tcrew\t')
    expect(stdout).toContain('container.failed\tcontainer.failed\terror\t\tcontainer_id, error\n')
    expect(stdout).toContain('llm.call\tllm.call\tinfo\t\tnot recorded yet\n')
    const types = JSON.parse((await run('journal', 'types', '--json')).stdout)
    expect(types.find(({ name }: { name: string }) => name === 'container.started').payload.required).toEqual([
      'container_id',
    ])
  })

  it('names what entries speak of', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    await run('crews', 'create', 'Web')
    await run('agents', 'create', 'Ada')
    expect((await run('journal', 'lookup')).stdout).toMatch(/^web\tcrew\tWeb\tc\w{24}\nada\tagent\tAda\tc\w{24}\n$/)
  })

  it('checks the chain, and ends with 1 when it is broken', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    note(it)
    expect(await run('journal', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Journal\tvalid\n'),
    })
    it.app.db.exec("UPDATE journal SET entry_hash = x'00' WHERE seq = (SELECT max(seq) FROM journal)")
    const broken = await run('journal', 'verify', '--json')
    expect(broken.code).toBe(1)
    expect(JSON.parse(broken.stdout)).toMatchObject({ valid: false, broken: { id: expect.stringMatching(/^j_/) } })
  })

  it('checks on where a check was interrupted', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    note(it)
    const { run: read } = it.app.reads
    it.app.reads.run = async () => {
      throw new Error('the thread ended')
    }
    it.app.log.level = 'silent'
    const broken = await run('journal', 'verify')
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('muster journal verify --resume') })
    it.app.reads.run = read
    expect(await run('journal', 'verify', '--resume')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Journal\tvalid\n'),
    })
  })

  it('erases what it says of a person, and shows that', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    const { email, userId } = it.person('MEMBER')
    const { id } = note(it, { actor_type: 'user', actor_id: userId, summary: 'a secret' })
    const reason = ['--reason', 'a request']
    expect((await run('journal', 'erase', email, ...reason, '--dry-run')).stdout).toContain('journal says of user')
    expect(await run('journal', 'erase', email, ...reason), 'it asks first').toMatchObject({ code: 2 })
    expect(await run('journal', 'erase', email, ...reason, '--yes')).toMatchObject({ code: 0 })
    expect((await run('journal', 'erase', userId, ...reason, '--yes')).stderr).toContain('is being erased')
    expect((await run('journal', 'erasures', '--json=status')).stdout).toContain('running')
    const over = new Promise<void>((resolve) =>
      it.app.bus.on('entry', ({ entry }) => entry.payload?.['summaries_kept'] !== undefined && resolve()),
    )
    closing(eraseAsked(it.app))
    await over
    expect((await run('journal', 'erasures')).stdout).toContain(userId)
    expect((await run('journal', 'show', id)).stdout).not.toContain('a secret')
    expect((await run('journal', 'show', id, '-o', 'table')).stdout).toContain('(erased)')
    expect((await run('journal', 'verify')).stdout).toContain('Erased summaries\t1\n')
  })

  it('compacts: says what is due, exports it first, and shows what was rolled up', async () => {
    const it = await daemon()
    const { run, home } = await cliFor(it, 'OWNER')
    for (let n = 1; n <= 12; n++) note(it, { type: 'llm.call', summary: `call ${n}` })
    it.clock.advance(31 * 86_400_000)
    expect((await run('journal', 'compact', '--dry-run')).stdout).toContain('12 entries are to be rolled up')
    expect((await run('journal', 'compaction', '--json=running')).stdout).toContain('null')
    const file = join(home, 'calls.ndjson')
    expect(await run('journal', 'compact', '--export', file), 'it asks first').toMatchObject({ code: 2 })
    rmSync(file)
    const begun = await run('journal', 'compact', '--export', file, '--yes', '--json')
    expect(JSON.parse(begun.stdout)).toMatchObject({ entries: 12, buckets: [{ entry_type: 'llm.call', count: 12 }] })
    const exported = readFileSync(file, 'utf8').trim().split('\n')
    expect(exported.map((line) => JSON.parse(line).summary)).toEqual(
      Array.from({ length: 12 }, (_, at) => `call ${12 - at}`),
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await run('journal', 'compact', '--export', file, '--yes'), 'no file is overwritten').toMatchObject({
      code: 2,
    })
    expect(await run('journal', 'compact', '--yes')).toMatchObject({
      stderr: expect.stringContaining('being compacted'),
    })
    const [first] = it.entries()
    await compact(it)
    expect(JSON.parse((await run('journal', 'compaction', '--json')).stdout)).toMatchObject({
      compacted: 12,
      buckets: [{ bucket_date: '2026-01-01', count: 12, entry_id: expect.stringMatching(/^j_/) }],
    })
    expect((await run('journal', 'show', first!.id)).stderr).toContain('was rolled up')
    expect((await run('journal', 'verify')).stdout).toContain('Rolled up\t12\n')
    await run('workspaces', 'update', '--journal-days', '0')
    expect((await run('journal', 'compact', '--yes')).stderr).toContain('for ever')
  })

  it('prints an anchor, and checks against one that was kept', async () => {
    const it = await daemon()
    const { run, pipe, screen, home } = await cliFor(it, 'OWNER')
    note(it)
    const { stdout: anchor } = await run('journal', 'anchor')
    expect(anchor).toMatch(/^muster-anchor\.1\.\S+\n$/)
    expect(JSON.parse((await run('journal', 'anchor', '--json')).stdout)).toMatchObject({
      entries: 1,
      anchor: anchor.trim(),
    })
    const kept = join(home, 'kept.txt')
    writeFileSync(kept, `muster-anchor.1.older\nof this morning: ${anchor}`)
    note(it)
    for (const ran of [
      run('journal', 'verify', '--anchor', kept),
      run('journal', 'verify', '--anchor', anchor.trim()),
      pipe(anchor, 'journal', 'verify', '--anchor', '-'),
    ])
      expect(await ran).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Proven\tchain,columns,order,priorities,roll_ups,anchor\n'),
      })
    it.app.db.exec('DELETE FROM journal')
    expect(await run('journal', 'verify', '--anchor', kept)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('First broken\ttruncated\n'),
    })
    const shown = screen(['journal', 'verify', '--anchor', kept, '--no-color', '--no-pager'])
    expect(await shown.ended).toBe(1)
    expect(shown.text()).toMatch(
      /First broken +truncated: it ends after 0 entries; 1 were anchored on 20260101T000000Z/,
    )
    expect(await run('journal', 'verify', '--anchor', 'nowhere.txt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither an anchor nor a file that holds one'),
    })
    expect(await run('journal', 'verify', '--anchor', 'muster-anchor.2.x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('This is not an anchor'),
    })
  })

  it('says to people what a check has proven, and what it cannot', async () => {
    const it = await daemon()
    const { screen } = await cliFor(it, 'OWNER')
    note(it)
    const shown = screen(['journal', 'verify', '--no-color', '--no-pager'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toMatch(/Proven\r\n +chain: no entry was changed, and none is missing between two others\r\n/)
    expect(shown.text()).toMatch(
      /Not proven\r\n +unsealed: entries after the newest seal: the chain alone holds them\r\n +rollback: /,
    )
  })

  it('passes entries on as they are written, and after a given one', async () => {
    const it = await daemon()
    const { terminal } = await cliFor(it, 'OWNER')
    const { id } = note(it, { summary: 'before' })
    note(it, { summary: 'between' })
    const shown = terminal(['journal', 'stream', '--after', id, '--type', 'exec.command', '--jq', '.summary'])
    await shown.until(/between/)
    note(it, { summary: 'now \u001b[31mred', severity: 'error' })
    await shown.until(/now \[31mred/)
    expect(shown.text()).toBe('between\r\nnow [31mred\r\n')
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
  })

  it('fits lists to the screen', async () => {
    const entry = {
      id: 'j_1',
      ts: '2026-01-01T00:00:00Z',
      entry_type: 'run.failed',
      severity: 'error',
      priority: 'normal',
      actor_type: 'agent',
      summary: 'The run has failed because the disk of the machine that it ran on was full',
      workspace_id: 'w',
    }
    const server = await fakeServer((_, reply) => json(reply, { entries: [entry], count: 1, next_cursor: 'more' }))
    const shown = cli({ SVC_SERVER: server.url }).screen(['journal', '--no-color'], { cols: 70 })
    await shown.ended
    const [head, row, hint] = shown.text().split('\r\n')
    expect(head).toMatch(/^ID +SEVERITY +TYPE +SUMMARY +AGE$/)
    expect([row!.length <= 70, row]).toEqual([
      true,
      expect.stringMatching(/^j_1 +error +run\.failed +The run has failed because the disk… +\d+d$/),
    ])
    expect(hint).toContain('There are more. Next: --all, or --limit N')
  })
})
