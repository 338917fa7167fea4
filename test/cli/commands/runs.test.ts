import { describe, expect, it } from 'vitest'
import { asked, askPlace } from '../../support/asks.ts'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { attachRuns, workplace } from '../../support/runs.ts'

describe('muster runs', () => {
  it('follows a run to its end, and shows it afterwards', async () => {
    const it = await workplace()
    const { run, terminal } = await cliFor(it, 'OWNER')
    const id = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    const followed = terminal(['runs', 'logs', id, '-f'])
    await followed.until(/> Look after the garden/)
    it.runtime.print(program, init, says('I \u001b[31mwater.\nAnd'), says(' weed.'))
    it.runtime.print(program, calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a'), result())
    await followed.until(/And weed\.[\s\S]*Bash/)
    it.runtime.finish(program)
    expect(await followed.ended).toBe(0)
    const { stdout, code } = await run('runs', 'logs', id)
    expect(code).toBe(0)
    expect(stdout).toBe('> Look after the garden\nI water.\nAnd weed.\n✓ Bash  ls\n')
    const frames = (await run('runs', 'logs', id, '-o', 'ndjson')).stdout.trim().split('\n')
    expect(frames.map((line) => JSON.parse(line).type)).toEqual([
      'stream.open',
      'user_message',
      'text',
      'tool_call',
      'tool_result',
      'stream.end',
    ])
    expect(await run('runs', 'logs', 'cnone')).toMatchObject({ code: 3 })
  })

  it('follows a run over lost connections and a new daemon, and shows everything once', async () => {
    const it = await workplace()
    const { run, terminal } = await cliFor(it, 'OWNER')
    const id = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program()
    const followed = terminal(['runs', 'logs', id, '-f'])
    await followed.until(/> Look after the garden/)
    it.runtime.print(program, init, says('one\ntwo\nth'))
    await followed.until(/two/)
    it.http.server.closeAllConnections()
    it.runtime.print(program, says('ree\n'), calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a'))
    await followed.until(/The connection is back[\s\S]*three[\s\S]*Bash/)
    const before = it.runs
    it.runs = attachRuns(it, it.runtime)
    await before.close()
    await it.runs.recover()
    it.runtime.print(program, says('four\n'), result())
    await followed.until(/The connection is back[\s\S]*The connection is back[\s\S]*four/)
    it.http.server.closeAllConnections()
    it.runtime.finish(program)
    expect(await followed.ended).toBe(0)
    const shown = followed.text().match(/garden|one|two|three|Bash|four/g)
    expect(shown).toEqual(['garden', 'one', 'two', 'three', 'Bash', 'four'])
    expect((await run('runs', 'logs', id)).stdout).toContain('four')
  })

  it('cancels a run, and says when it was over already', async () => {
    const it = await workplace()
    const { run } = await cliFor(it, 'OWNER')
    const id = await beginMadeUp(it, it.agentId)
    await it.runtime.program()
    expect(await run('runs', 'cancel', id)).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
      stderr: `✓ Run ${id} is being ended.\n`,
    })
    await it.runs.ended(id)
    expect(JSON.parse((await run('runs', 'cancel', id, '--json')).stdout)).toEqual({ run_id: id, status: 'CANCELLED' })
    const done = await beginMadeUp(it, it.agentId)
    const program = await it.runtime.program(1)
    it.runtime.print(program, says('x'), result())
    it.runtime.finish(program)
    await it.runs.ended(done)
    expect((await run('runs', 'cancel', done)).stderr).toBe(`✓ Run ${done} was over already: completed.\n`)
    expect(await run('runs', 'cancel', 'cnone')).toMatchObject({ code: 3, stdout: '' })
  })

  it('says WAITING of a run that waits for a person, and of its agent', async () => {
    const it = await askPlace()
    const { run } = await cliFor(it, 'OWNER')
    const { run_id, item } = await asked(it)
    const working = await beginMadeUp(it, await it.mate('bob'))
    expect((await run('runs', 'list', '--status', 'WAITING')).stdout).toMatch(new RegExp(`^${run_id}\tada\tWAITING\t`))
    const rows = (await run('runs', 'list')).stdout.trim().split('\n')
    expect(rows.map((row) => row.split('\t').slice(0, 3))).toEqual([
      [working, 'bob', 'RUNNING'],
      [run_id, 'ada', 'WAITING'],
    ])
    const shown = (await run('runs', 'show', run_id)).stdout
    expect(shown).toContain('Status\tWAITING')
    expect(shown).toContain(`Waits for\t${item}`)
    expect((await run('agents', 'list')).stdout).toMatch(/^ada\t[^\n]*\tWAITING\t/m)
  })

  it('shows what a run was asked, did, said and spent, and how it ended', async () => {
    const it = await workplace()
    const { run } = await cliFor(it, 'OWNER')
    const chat = await it.openChat()
    const { run_id: id } = await it.send(chat, 'How many files?')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'), calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a'))
    it.runtime.print(program, says('Two.'), result())
    it.runtime.finish(program)
    await it.runs.ended(id)
    const told = JSON.parse((await run('runs', 'show', id, '--json')).stdout)
    expect(told).toMatchObject({
      id,
      status: 'COMPLETED',
      started_by: it.person('OWNER').email,
      asked: ['How many files?'],
      said: 'I look.\n\nTwo.',
      tool_calls: [{ name: 'Bash', brief: 'ls', status: 'ok' }],
      usage: { input_tokens: 30, output_tokens: 12 },
      cost: 0.25,
    })
    const shown = (await run('runs', 'show', id, '-o', 'table')).stdout
    expect(shown).toMatch(new RegExp(`Started by +${it.person('OWNER').email}`))
    expect(shown).toMatch(/Tokens +42/)
    expect(shown).toMatch(/Cost +\$0\.25/)
    expect(shown).toContain('> How many files?\n\n• Bash  ls\n\nI look.\n\nTwo.')
  })
})
