import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import { type Cli, cliFor } from '../../support/cli.ts'
import { openSockets, requested } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

const down = '\u001b[B'
const color = { env: { NO_COLOR: '1' } }

describe('muster ask at a terminal', () => {
  it('offers the question that the agent waits with, and goes on with the answer', async () => {
    const it = await askPlace()
    const muster = await cliFor(it)
    const terminal = muster.screen(['ask', 'ada', 'Choose a database', '--undo', '0'], color)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    await it.ask({ runId: program.spec.runId, body: { question: 'Postgres or SQLite?' } })
    await terminal.until(/Agent ada asks: Postgres or SQLite\?.*Take over.*Later/s)
    terminal.type('\r')
    await terminal.until(/Answer:/)
    terminal.type('SQLite\r')
    const next = await it.runtime.program(1)
    expect(next.spec.stdin).toContain('SQLite')
    it.runtime.print(next, init, says('I take SQLite.'), result())
    it.runtime.finish(next)
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).toMatch(/I look\..*I take SQLite\./s)
  })

  it('leaves the question to the inbox, and names the next command', async () => {
    const it = await askPlace()
    const muster = await cliFor(it)
    const terminal = muster.screen(['ask', 'ada', 'Choose', '--undo', '0'], color)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    const asked = await it.ask({ runId: program.spec.runId, body: { question: 'Which?' } })
    await terminal.until(/Later/)
    terminal.type(`${down}${down}${down}\r`)
    expect(await terminal.ended).toBe(5)
    expect(terminal.text()).toContain(
      `Next: muster inbox act ${(asked.body as { inbox_item_id: string }).inbox_item_id} --answer TEXT`,
    )
  })

  it('ends the run when that is what is chosen', async () => {
    const it = await askPlace()
    const muster = await cliFor(it)
    const terminal = muster.screen(['ask', 'ada', 'Choose', '--undo', '0'], color)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    await it.ask({ runId: program.spec.runId, body: { question: 'Which?' } })
    await terminal.until(/Later/)
    terminal.type(`${down}${down}\r`)
    expect(await terminal.ended).toBe(130)
  })

  it('offers what the agent escalates while it works', async () => {
    const it = await askPlace()
    openSockets(it)
    const muster = await cliFor(it)
    const listens = requested(it, /\/inbox\?/)
    const terminal = muster.screen(['ask', 'ada', 'Clean up', '--undo', '10m'], color)
    const program = await it.runtime.program()
    await listens
    it.runtime.print(program, init)
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'May I delete the cache?' }
    const { escalation_id } = (await it.call(null, 'POST', '/internal/escalations', body, token)).body
    await terminal.until(/May I delete the cache\?.*Approve/s)
    terminal.type(`${down}\r`)
    await terminal.until(/Approving in 600 s · u takes it back/)
    terminal.type('u')
    await terminal.until(/takes it back.*Approve.*Later/s)
    expect((await it.call('OWNER', 'GET', `/escalations/${escalation_id}`)).body.status).toBe('PENDING')
    it.runtime.print(program, says('Never mind.'), result())
    it.runtime.finish(program)
    expect(await terminal.ended).toBe(0)
  })
})

/** What a shell writes on standard error for `muster ask ... | head -1`. */
function headed({ env }: Cli, ...args: string[]): { stderr: Promise<string>; first: Promise<string> } {
  const bin = new URL('../../../bin/muster.js', import.meta.url).pathname
  const words = ['ask', 'ada', 'x', ...args].join(' ')
  const child = spawn('sh', ['-c', `"${process.execPath}" "${bin}" ${words} | head -1`], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  const first = new Promise<string>((resolve) =>
    child.stdout.on('data', (chunk) => {
      out += chunk
      resolve(out)
    }),
  )
  child.stderr.on('data', (chunk) => (err += chunk))
  return { first, stderr: new Promise((resolve) => child.on('close', () => resolve(err))) }
}

describe('muster ask whose reader goes away', () => {
  it.each([
    [[], 'Nobody reads the answer any more; the run was cancelled. --detach lets it go on.\n', 1],
    [['--detach'], /^The run goes on\. Next: muster runs logs c\w+ -f\n$/, 0],
  ])('ends the run unless told otherwise, and says so: %j', async (flags, told, cancelled) => {
    const place = await workplace()
    const shell = headed(await cliFor(place), ...flags)
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('one\n'))
    expect(await shell.first).toBe('one\n')
    let over = false
    const stderr = shell.stderr.finally(() => (over = true))
    // The program learns of it by its next words.
    for (let n = 0; !over; n++) {
      place.runtime.print(program, says(`more ${n}\n`))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await stderr).toEqual(typeof told === 'string' ? told : expect.stringMatching(told))
    expect(place.entries().filter(({ entry_type }) => entry_type === 'run.cancelled')).toHaveLength(cancelled)
  })
})
