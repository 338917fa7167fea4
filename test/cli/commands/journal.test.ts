import { describe, expect, it } from 'vitest'
import type { Draft } from '#kernel/journal'
import { daemon, type TestDaemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

const note = ({ app, workspace }: TestDaemon, more: Partial<Draft> = {}) =>
  app.writeNow(() => app.journal({ workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary: 'ls', ...more })).entry

describe('muster journal', () => {
  it('lists with filters, page by page or all of it', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    await run('crews', 'create', 'Web')
    await run('agents', 'create', 'Ada', '--crew', 'web')
    const agent = JSON.parse((await run('agents', 'show', 'ada', '--json')).stdout)
    for (let n = 0; n < 7; n++) note(it, { summary: `step ${n}`, agent_id: agent.id, crew_id: agent.crew_id, severity: n % 2 ? 'info' : 'error' })
    const summaries = async (...flags: string[]) => JSON.parse((await run('journal', 'list', ...flags, '--jq', '[(.entries? // .)[].summary]')).stdout)
    expect(await summaries('--agent', 'ada', '--type', 'exec.command')).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `step ${n}`))
    expect(await summaries('--crew', 'web', '--severity', 'error', '--type', 'exec.command', '--limit', '2')).toEqual(['step 6', 'step 4'])
    expect(await summaries('--search', 'step 3')).toEqual(['step 3'])
    expect(await summaries('--since', '2027-01-01T00:00:00Z')).toEqual([])
    expect(await summaries('--type', 'exec.command', '--all', '--limit', '3')).toHaveLength(7)
    const poured = await run('journal', '--type', 'exec.command', '--all', '--limit', '2', '-o', 'ndjson')
    expect(
      poured.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).summary),
    ).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `step ${n}`))
    expect(JSON.parse((await run('journal', '--limit', '1', '--json')).stdout)).toMatchObject({ count: 1, next_cursor: expect.any(String) })
    expect((await run('journal', 'count', '--agent', 'ada', '--severity', 'error')).stdout).toBe('4\n')
    expect(JSON.parse((await run('journal', 'count', '--type', 'exec.command', '--json')).stdout)).toEqual({ total: 7 })
    expect(await run('journal', '--since', 'whenever')).toMatchObject({ code: 2, stderr: expect.stringContaining('--since must be a time') })
    expect(await run('journal', '--priority', 'odd')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--priority takes normal, high, pin, permanent'),
    })
    expect(await run('journal', 'count', '--severity', 'info,bad')).toMatchObject({ code: 2, stderr: expect.stringContaining('not "bad"') })
    expect(await run('journal', '--actor', 'robot', '--server', 'http://127.0.0.1:1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--actor takes agent'),
    })
  })

  it('shows one entry with its payload, and marks it', async () => {
    const it = await daemon()
    const { run, terminal } = await cliFor(it, 'OWNER')
    const { id } = note(it, { summary: 'evil \u001b[2Jsummary', payload: { cmd: 'echo \u001b]0;x\u0007' } })
    expect((await run('journal', 'get', id)).stdout).toContain('Summary\tevil summary\n')
    expect(JSON.parse((await run('journal', 'show', id, '--json')).stdout)).toMatchObject({ id, payload: { cmd: 'echo \u001b]0;x\u0007' } })
    const shown = terminal(['journal', 'show', id, '--no-color'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Payload {')
    expect(shown.text()).not.toMatch(/[\u001b\u0007]/)
    expect(await run('journal', 'priority', id, 'pin', '--reason', 'of the week')).toMatchObject({ code: 0, stderr: `✓ ${id} was normal and is pin now.\n` })
    expect((await run('journal', 'priority', id, 'loud')).code).toBe(2)
    expect(await run('journal', 'show', 'j_0000000000000000')).toMatchObject({ code: 3 })
  })

  it('names what entries speak of', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    await run('crews', 'create', 'Web')
    await run('agents', 'create', 'Ada')
    expect((await run('journal', 'lookup')).stdout).toMatch(/^crew\tc\w{24}\tweb\tWeb\nagent\tc\w{24}\tada\tAda\n$/)
  })

  it('checks the chain, and ends with 1 when it is broken', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER')
    note(it)
    expect(await run('journal', 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('Journal\tvalid\n') })
    it.app.db.exec("UPDATE journal SET entry_hash = x'00' WHERE seq = (SELECT max(seq) FROM journal)")
    const broken = await run('journal', 'verify', '--json')
    expect(broken.code).toBe(1)
    expect(JSON.parse(broken.stdout)).toMatchObject({ valid: false, broken: { id: expect.stringMatching(/^j_/) } })
  })

  it('passes entries on as they are written, and after a given one', async () => {
    const it = await daemon()
    const { terminal } = await cliFor(it, 'OWNER')
    const { id } = note(it, { summary: 'before' })
    note(it, { summary: 'between' })
    const shown = terminal(['journal', 'stream', '--after', id, '--type', 'exec.command', '--jq', '.summary'])
    await shown.until(/between/)
    note(it, { summary: 'now \u001b[31mred', severity: 'error' })
    await shown.until(/now red/)
    expect(shown.text()).toBe('between\r\nnow red\r\n')
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
      summary: 'x'.repeat(200),
      workspace_id: 'w',
    }
    const server = await fakeServer((_, reply) => json(reply, { entries: [entry], count: 1, next_cursor: 'more' }))
    const shown = cli({ SVC_SERVER: server.url }).terminal(['journal', '--no-color'], { cols: 70 })
    await shown.ended
    const [head, row, hint] = shown.text().split('\r\n')
    expect(head).toMatch(/^WHEN +SEVERITY +TYPE +SUMMARY +ID$/)
    expect([row!.length <= 70, row]).toEqual([true, expect.stringMatching(/error +run\.failed +x+… +j_1$/)])
    expect(hint).toContain('Next: --cursor more')
  })
})
