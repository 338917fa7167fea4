import { describe, expect, it } from 'vitest'
import { type AskPlace, asked, askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import { cliFor, type Terminal } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { openSockets, requested } from '../../support/live.ts'

const size = { cols: 60, rows: 20 }
const shows = (terminal: Terminal, text: string) =>
  eventually(terminal, (lines) => lines.some((line) => line.includes(text)), size)
const typed = (terminal: Terminal, line: string) => eventually(terminal, (lines) => lines.includes(line), size)

/** A chat at a terminal in which everything is heard. */
async function talk(it: AskPlace, ...flags: string[]): Promise<Terminal> {
  openSockets(it)
  const muster = await cliFor(it)
  const heard = requested(it, /\/inbox\?/, 3)
  const terminal = muster.terminal(['chat', 'ada', ...flags], { ...size, env: { NO_COLOR: '1' } })
  await heard
  await eventually(terminal, (lines) => /^[›?]$/.test(lines.at(-1) ?? ''), size)
  return terminal
}

const escalate = async (it: AskPlace, reason: string): Promise<string> => {
  const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason }
  return (await it.call(null, 'POST', '/internal/escalations', body, token)).body.escalation_id
}
const itemOf = async (it: AskPlace, item: string) => (await it.call('OWNER', 'GET', `/inbox/${item}`)).body

describe('muster chat', () => {
  it('shows what the agent asks, and answers it with what is typed', async () => {
    const it = await askPlace()
    const { chat, item, next } = await asked(it, { question: 'Postgres or SQLite?', context: 'Both **would** do.' })
    const terminal = await talk(it, '--chat', chat, '--undo', '0')
    const lines = await shows(terminal, 'Enter answers · /take-over · /dismiss · /later')
    expect(lines.join('\n')).toContain('? Agent ada asks: Postgres or SQLite?')
    expect(lines.join('\n')).toContain('Both would do.')
    await typed(terminal, '?')
    terminal.type('SQLite\r')
    const program = await next()
    expect(program.spec.stdin).toContain('SQLite')
    await shows(terminal, 'Answered: Agent ada asks')
    expect(await itemOf(it, item)).toMatchObject({ state: 'resolved', resolved_action: 'answer' })
    it.runtime.print(program, init, says('I take it.'), result())
    it.runtime.finish(program)
    await shows(terminal, 'I take it.')
    await typed(terminal, '›')
  })

  it('takes an answer back for as long as the inbox would, and puts it into the line again', async () => {
    const it = await askPlace()
    const { chat, item } = await asked(it)
    const terminal = await talk(it, '--chat', chat, '--undo', '10m')
    terminal.type('The first\r')
    await shows(terminal, 'Answering in 600 s · Ctrl-C takes it back')
    terminal.type('\u0003')
    await typed(terminal, '? The first')
    expect(await itemOf(it, item)).toMatchObject({ state: 'unread' })
  })

  it('decides an escalation by its command, which Tab completes', async () => {
    const it = await askPlace()
    const terminal = await talk(it, '--undo', '0')
    const id = await escalate(it, 'May I delete the cache?')
    await shows(terminal, 'Enter answers · /approve · /deny · /later')
    terminal.type('/d\t')
    await typed(terminal, '? /deny')
    terminal.type(' not today\r')
    await shows(terminal, 'Denied: ')
    expect((await it.call('OWNER', 'GET', `/escalations/${id}`)).body).toMatchObject({
      status: 'RESOLVED',
      action: 'reject',
      resolution: 'not today',
    })
  })

  it('takes no line for an answer that was begun before the question', async () => {
    const it = await askPlace()
    const terminal = await talk(it, '--undo', '0')
    terminal.type('tell me')
    await typed(terminal, '› tell me')
    await escalate(it, 'May I delete the cache?')
    await shows(terminal, '/answer · /approve · /deny')
    terminal.type(' more\r')
    expect((await it.runtime.program()).spec.stdin).toMatch(/tell me more$/)
  })

  it('leaves a question to the inbox with /later, and says so when it is settled elsewhere', async () => {
    const it = await askPlace()
    const terminal = await talk(it)
    const [first] = [await escalate(it, 'First?')]
    await shows(terminal, '/later')
    terminal.type('/later\r')
    await typed(terminal, '›')
    const second = await escalate(it, 'Second?')
    await shows(terminal, 'Second?')
    const resolve = { action: 'approve', resolution: 'Yes' }
    await it.call('OWNER', 'PATCH', `/escalations/${second}/resolve`, resolve)
    const lines = await shows(terminal, 'Settled elsewhere')
    expect(lines.join('\n')).not.toMatch(/Settled elsewhere.*First/)
    expect((await it.call('OWNER', 'GET', `/escalations/${first}`)).body.status).toBe('PENDING')
  })

  it('keeps in the chat what was queued when the turn is cancelled, and says so', async () => {
    const it = await askPlace()
    it.runtime.obedient = false
    const terminal = await talk(it)
    terminal.type('one\r')
    const program = await it.runtime.program()
    terminal.type('two\r')
    await shows(terminal, "waiting for the agent's next step")
    terminal.type('half')
    await typed(terminal, '› half')
    terminal.type('\u0003')
    await shows(terminal, 'Cancelling')
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    const lines = await shows(terminal, 'Kept in the chat: the agent reads it with your next')
    expect(lines).toContain('› two')
    expect(lines.at(-1)).toBe('› half')
    expect(it.runtime.programs.size).toBe(1)
  })

  it('makes a message of an answer that is typed, and an answer of it again, by Esc', async () => {
    const it = await askPlace()
    const { chat, item, next } = await asked(it)
    const terminal = await talk(it, '--chat', chat, '--undo', '0')
    await shows(terminal, 'Enter answers')
    terminal.type('By the way')
    await shows(terminal, 'Enter answers · Esc makes it a message')
    terminal.type('\u001b')
    await shows(terminal, 'Enter says it · Esc makes it the answer')
    await typed(terminal, '› By the way')
    terminal.type('\r')
    await shows(terminal, 'queued for the next turn')
    expect(await itemOf(it, item)).toMatchObject({ state: 'unread' })
    terminal.type('Blue')
    await typed(terminal, '? Blue')
    terminal.type('\u001b')
    await typed(terminal, '› Blue')
    terminal.type('\u001b')
    await typed(terminal, '? Blue')
    terminal.type('\r')
    const program = await next()
    expect(program.spec.stdin).toMatch(/By the way.*Blue/s)
    it.runtime.print(program, init, says('I take it.'), result())
    it.runtime.finish(program)
    const lines = await shows(terminal, 'I take it.')
    expect(lines).not.toContain('  queued for the next turn')
    expect(lines).toContain('› By the way')
  })

  it('names the commands that a slash may become', async () => {
    const it = await askPlace()
    const terminal = await talk(it)
    terminal.type('/h')
    await shows(terminal, '/help  /history')
    terminal.type('i\t')
    await typed(terminal, '› /history')
  })

  it('shows a long paste as one, and sends it whole', async () => {
    const it = await askPlace()
    const terminal = await talk(it)
    const before = terminal.text().length
    const text = Array.from({ length: 10_000 }, (_, n) => `row ${n}`).join('\r')
    terminal.type(`\u001b[200~${text}\u001b[201~`)
    await shows(terminal, '› [pasted 10000 lines]')
    // What is drawn does not grow with what is pasted.
    expect(terminal.text().length - before).toBeLessThan(2000)
    terminal.type('\r')
    expect((await it.runtime.program()).spec.stdin).toContain(text.replaceAll('\r', '\n'))
    await shows(terminal, 'Starting the agent')
    expect(terminal.text()).not.toContain('row 5000')
  })
})
