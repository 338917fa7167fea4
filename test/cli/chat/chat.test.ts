import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarListener } from '../../../daemon/runtime/types.ts'
import { calls, gets, init, result, says, thinks } from '../../support/claude-lines.ts'
import { type Cli, cliFor, type Terminal } from '../../support/cli.ts'
import { eventually, seen } from '../../support/eyes.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime> & { muster: Cli; messages(): Promise<unknown[]> }
const size = { cols: 60, rows: 20 }

async function office(): Promise<Place> {
  const place = await workplace()
  const messages = async () => {
    const [chat] = (await place.call('OWNER', 'GET', `/agents/${place.agentId}/chats`)).body
    return (await place.call('OWNER', 'GET', `/chats/${chat.id}/messages`)).body.messages
  }
  return { ...place, messages, muster: await cliFor(place) }
}

/** A chat at a terminal, ready for the first word. */
async function talk({ muster }: { muster: Cli }, ...flags: string[]): Promise<Terminal> {
  const terminal = muster.terminal(['chat', 'ada', ...flags], { ...size, env: { NO_COLOR: '1' } })
  await eventually(terminal, (lines) => lines.at(-1) === '›', size)
  return terminal
}

const ready = (lines: string[]) =>
  lines.at(-1) === '›' && !lines.some((line) => line.includes('Ctrl-C cancels') && !line.startsWith('Enter'))
const from = (lines: string[], text: string) => lines.slice(lines.lastIndexOf(text))
const shows = (terminal: Terminal, text: string) =>
  eventually(terminal, (lines) => lines.some((line) => line.includes(text)), size)
const rest = (terminal: Terminal) => eventually(terminal, ready, size)

const event = (it: object) => ({ type: 'stream_event', event: it })
const begins = [
  event({ type: 'message_start', message: { id: 'm1', role: 'assistant', content: [] } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
]
const delta = (text: string) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

async function answer({ runtime }: Workplace<FakeRuntime>, n: number, ...lines: object[]) {
  const program = await runtime.program(n)
  runtime.print(program, init, ...lines, result())
  runtime.finish(program)
  return program
}

describe('muster chat', () => {
  it('shows a turn: what is said as Markdown, tools on a line each, and what it took', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    await answer(
      place,
      0,
      says('I **look**.\n\n- one\n- two'),
      calls('t1', 'Bash', { command: 'ls -la' }),
      gets('t1', 'a\nb'),
      calls('t2', 'Read', { file_path: '/no/such' }),
      gets('t2', 'no such file\nl2\nl3\nl4\nl5', true),
      thinks('hm'),
      says('Done.'),
    )
    await shows(terminal, 'tokens')
    const lines = await rest(terminal)
    expect(from(lines, '› hello')).toEqual([
      '› hello',
      '',
      'I look.',
      '',
      '• one',
      '• two',
      '',
      '✓ Bash  ls -la',
      '✗ Read  /no/such · failed',
      '  no such file',
      '  l2',
      '  l3',
      '  … 2 more lines',
      '',
      'Done.',
      '',
      '2 tool calls · 42 tokens · $0.25 · 1.2 s',
      '',
      '›',
    ])
    expect((await seen(terminal.text(), size.cols, size.rows)).cursor.x).toBe(2)
    terminal.type('\u0004')
    expect(await terminal.ended).toBe(0)
  })

  it('shows the block that is being said as it comes, and rendered once it is complete', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    const program = await place.runtime.program()
    place.runtime.print(program, init, ...begins, delta('First **bo'))
    expect(from(await shows(terminal, '**bo'), '› hello')).toEqual([
      '› hello',
      '',
      'First **bo',
      '',
      expect.stringContaining('Writing'),
      '',
      '›',
    ])
    place.runtime.print(program, delta('ld**\n\nSecond'))
    expect(from(await shows(terminal, 'Second'), '› hello').slice(0, 5)).toEqual([
      '› hello',
      '',
      'First bold',
      '',
      'Second',
    ])
    place.runtime.finish(program)
    await rest(terminal)
  })

  it('lets a long answer scroll away whole, each line once, also what is taller than the screen', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    const program = await place.runtime.program()
    place.runtime.print(program, init, ...begins)
    const code = Array.from({ length: 50 }, (_, n) => `code ${n}`)
    const pieces = Array.from({ length: 30 }, (_, n) => `Paragraph ${n} of **many**.\n\n`)
    const text = `${pieces.join('')}\`\`\`\n${code.join('\n')}\n\`\`\`\n\nThe end`
    for (let at = 0; at < text.length; at += 40) {
      place.runtime.print(program, delta(text.slice(at, at + 40)))
      // The screen is drawn many times while it comes.
      if (at % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 40))
    }
    place.runtime.print(program, result())
    place.runtime.finish(program)
    await shows(terminal, 'tokens')
    const lines = from(await rest(terminal), '› hello').filter(Boolean)
    expect(lines).toEqual([
      '› hello',
      ...pieces.map((_, n) => `Paragraph ${n} of many.`),
      ...code.map((line) => `  ${line}`),
      'The end',
      expect.stringContaining('tokens'),
      '›',
    ])
  })

  it('cancels the turn on Ctrl-C, and leaves on the second', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    place.runtime.print(await place.runtime.program(), init, says('I begin'))
    await shows(terminal, 'I begin')
    terminal.type('\u0003')
    await shows(terminal, 'Cancelled.')
    expect(place.entries().filter(({ entry_type }) => entry_type === 'run.cancelled')).toHaveLength(1)
    await rest(terminal)
    terminal.type('\u0003')
    await shows(terminal, 'Ctrl-C again leaves')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  it('leaves on a second Ctrl-C while the agent does not listen to the first', async () => {
    const place = await office()
    place.runtime.obedient = false
    const terminal = await talk(place)
    terminal.type('hello\r')
    const program = await place.runtime.program()
    terminal.type('\u0003')
    await place.runtime.asked(1)
    await shows(terminal, 'Cancelling')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    place.runtime.finish(program, { kind: 'signal', signal: 'SIGKILL' })
  })

  it('queues what is typed meanwhile, marks it, and has a turn for it after this one', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('one\r')
    await place.runtime.program()
    terminal.type('two')
    await eventually(terminal, (lines) => lines.at(-1) === '› two', size)
    terminal.type('\r')
    const waiting = await shows(terminal, "waiting for the agent's next step")
    expect(from(waiting, '» two')).toEqual(['» two', "  waiting for the agent's next step", '', '›'])
    terminal.type('three\r')
    await shows(terminal, '  three')
    expect(await place.messages()).toMatchObject([{ content: 'one' }, { content: 'two' }, { content: 'three' }])
    await answer(place, 0, says('First answer'))
    const second = await answer(place, 1, says('Second answer'))
    expect(second.spec.stdin).toMatch(/two.*three$/s)
    await shows(terminal, 'Second answer')
    expect(from(await rest(terminal), '› two')).toContain('Second answer')
  })

  it('shows when the agent has what was typed while it works, and what waits for the next turn', async () => {
    const place = await office()
    let listener: SidecarListener | undefined
    const onSidecarCall = (given: SidecarListener) => {
      listener = given
    }
    answerCalls(place.app, { onSidecarCall } as Partial<Runtime> as Runtime)
    const ask = async (route: string, body: object = {}) => {
      const call = { id: route, agentId: place.agentId, runId: null, route, body }
      return (await listener!(place.crewId, call, new AbortController().signal)).body as { text: string }
    }
    const terminal = await talk(place)
    terminal.type('one\r')
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('I begin.'))
    await shows(terminal, 'I begin.')
    terminal.type('two\r')
    await shows(terminal, "waiting for the agent's next step")
    expect((await ask('/notes')).text).toBe('The OWNER says, while you work:\n> two')
    await ask('/notes/taken', { receipt: '/notes' })
    const delivered = await shows(terminal, 'Delivered: the agent has it while it works.')
    expect(from(delivered, 'I begin.').slice(0, 5)).toEqual([
      'I begin.',
      '',
      '› two',
      '',
      expect.stringMatching(/^Deliv/),
    ])
    expect(delivered.join()).not.toContain('waiting for')
    terminal.type('/steer three\r')
    await shows(terminal, "waiting for the agent's next step")
    place.runtime.print(program, says('With two.'), result())
    place.runtime.finish(program)
    await shows(terminal, 'Queued: the agent reads it with its next turn.')
    await rest(terminal)
    expect(place.runtime.programs.size).toBe(1)
  })

  it('takes several lines by a backslash, and pasted ones as they are', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('one\\\r')
    await eventually(terminal, (lines) => lines.at(-1) === '› one', size)
    terminal.type('two\r')
    expect((await answer(place, 0, says('A'))).spec.stdin).toMatch(/one\ntwo$/)
    await shows(terminal, 'tokens')
    await rest(terminal)
    terminal.type('\u001b[200~a\r\tb\u001b[201~')
    await shows(terminal, '      b')
    terminal.type('\r')
    expect((await answer(place, 1, says('B'))).spec.stdin).toMatch(/a\n\tb$/)
  })

  it('comes back to the last chat, and to what was typed', async () => {
    const place = await office()
    const first = await talk(place)
    first.type('remember me\r')
    await answer(place, 0, says('I *shall*'))
    await shows(first, 'tokens')
    first.type('/quit\r')
    expect(await first.ended).toBe(0)
    const again = await talk(place)
    await shows(again, 'I shall')
    const lines = await rest(again)
    expect(from(lines, '› remember me').slice(0, 3)).toEqual(['› remember me', '', 'I shall'])
    again.type('\u001b[A\u001b[A')
    await eventually(again, (lines) => lines.at(-1) === '› remember me', size)
    again.type('\r')
    const { argv, stdin } = (await answer(place, 1, says('Again'))).spec
    expect([stdin, argv.join(' ')]).toEqual(['remember me', expect.stringContaining('--resume=')])
    await shows(again, 'Again')
    const folder = join(place.muster.home, '.local/state/muster/chats')
    const [file] = readdirSync(folder)
    expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, file!), 'utf8')).toContain('remember me')
  })

  it('joins a turn that goes on, without telling anything twice', async () => {
    const place = await office()
    const chat = await place.openChat()
    await place.send(chat, 'from elsewhere')
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('Part one'))
    const terminal = place.muster.terminal(['chat', 'ada', '--chat', chat], { ...size, env: { NO_COLOR: '1' } })
    await shows(terminal, 'Part one')
    place.runtime.print(program, calls('t1', 'Bash', { command: 'ls' }), gets('t1', ''), says('Part two'), result())
    place.runtime.finish(program)
    await shows(terminal, 'tokens')
    const lines = await rest(terminal)
    // A tool that takes a while is shown with its time.
    const untimed = lines.map((line) => line.replace(/ · [\d.]+ s$/, ''))
    expect(untimed.filter((line) => /from elsewhere|Part|Bash/.test(line))).toEqual([
      '› from elsewhere',
      'Part one',
      '✓ Bash  ls',
      'Part two',
    ])
  })

  it('begins a new chat with --new and /new, and makes it only when something is said', async () => {
    const place = await office()
    const chats = async () => (await place.call('OWNER', 'GET', `/agents/${place.agentId}/chats`)).body.length
    const terminal = await talk(place, '--new')
    expect(await chats()).toBe(0)
    terminal.type('one\r')
    await answer(place, 0, says('First'))
    await shows(terminal, 'tokens')
    terminal.type('/new\r')
    await shows(terminal, 'A new chat.')
    expect(await chats()).toBe(1)
    terminal.type('two\r')
    expect((await answer(place, 1, says('Second'))).spec.stdin).not.toContain('one')
    await shows(terminal, 'Second')
    expect(await chats()).toBe(2)
  })

  it('tells what can be typed, and what cannot', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('/he\t\r')
    await shows(terminal, '/history   show what was said before')
    terminal.type('/nonsense\r')
    await shows(terminal, 'There is no /nonsense')
    terminal.type('/cancel\r')
    await shows(terminal, 'does nothing at the moment')
    terminal.type('//status\r')
    expect((await answer(place, 0, says('ok'))).spec.stdin).toMatch(/^\/status$/m)
  })

  it('shows thoughts only when asked', async () => {
    const place = await office()
    const terminal = await talk(place, '--thinking')
    terminal.type('one\r')
    await answer(place, 0, thinks('I wonder'), says('First'))
    await shows(terminal, 'tokens')
    terminal.type('/thinking\r')
    await shows(terminal, 'is hidden')
    terminal.type('two\r')
    await answer(place, 1, thinks('I doubt'), says('Second'))
    await shows(terminal, 'Second')
    const text = (await rest(terminal)).join('\n')
    expect(text).toContain('I wonder\n\nFirst')
    expect(text).not.toContain('I doubt')
  })

  it('says what went wrong and what to do, and keeps the words', async () => {
    const place = await office()
    const terminal = await talk(place)
    await place.call('OWNER', 'DELETE', `/agents/${place.agentId}`)
    terminal.type('hello\r')
    await shows(terminal, '✗ ')
    const lines = await eventually(terminal, (lines) => lines.at(-1) === '› hello', size)
    expect(lines.join('\n')).toContain('Next: ')
  })

  it('tells why a run failed, with the next step', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    const program = await place.runtime.program()
    place.runtime.print(program, init, { type: 'system', subtype: 'api_retry', error_status: 401, attempt: 1 })
    place.runtime.print(
      program,
      { ...says('Invalid API key'), isApiErrorMessage: true, error: 'authentication_failed' },
      result({ is_error: true, result: 'Invalid API key', api_error_status: 401 }),
    )
    place.runtime.finish(program, { kind: 'exit', code: 1, timedOut: false })
    const lines = await shows(terminal, 'Next:')
    expect(lines.join('\n')).toMatch(/✗ .*key.*\nNext: muster credentials/s)
  })

  it('lets nothing that an agent says act on the terminal', async () => {
    const place = await office()
    const terminal = await talk(place)
    terminal.type('hello\r')
    await answer(
      place,
      0,
      says('a\u001b]0;owned\u0007b\u001b[2J &#27;[31m\u202ec'),
      calls('t1', 'Ba\u001b[2Jsh', { command: 'x\u001b[1A\u009b2J' }),
      gets('t1', '\u001b[5mfailed\r\nhere', true),
      says('end'),
    )
    await shows(terminal, 'tokens')
    // Everything that is left moves the cursor, clears to the end, or asks for a mode.
    const own = /\u001b\[(?:\?(?:25|2026|2004)[hl]|\d*[ABC]|[KJ])/g
    expect(terminal.text().replace(own, '')).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202e]/)
  })

  it('says in what to use where there is no terminal', async () => {
    const { muster } = await office()
    expect(await muster.run('chat', 'ada')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('muster ask ada "..."'),
    })
    const dumb = muster.terminal(['chat', 'ada'], { env: { TERM: 'dumb' } })
    expect(await dumb.ended).toBe(2)
  })
})
