import { describe, expect, it } from 'vitest'
import { calls, gets, init, result, says, thinks } from '../../support/claude-lines.ts'
import { cli, cliFor } from '../../support/cli.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Program = Awaited<ReturnType<FakeRuntime['program']>>

/** A workplace with a command line, whose agent prints these lines at its first run and ends. */
async function office(...lines: object[]) {
  const place = await workplace()
  return { ...place, muster: await cliFor(place), work: () => work(place, lines) }
}

async function work({ runtime }: Workplace<FakeRuntime>, lines: object[], n = 0): Promise<Program> {
  const program = await runtime.program(n)
  runtime.print(program, ...lines)
  runtime.finish(program)
  return program
}

const turn = [
  init,
  says('I look.'),
  calls('t1', 'Bash', { command: 'ls -la' }),
  gets('t1', 'a\nb'),
  thinks('hm'),
  says('Two files.'),
  result(),
]

describe('muster ask', () => {
  it('writes what the agent says on stdout and nothing else anywhere', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'How many files?'), work()])
    expect(ran).toEqual({ code: 0, stdout: 'I look.\n\nTwo files.\n', stderr: '' })
  })

  it('says with -v on stderr what the agent does', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'How many files?', '-v'), work()])
    expect(ran.stdout).toBe('I look.\n\nTwo files.\n')
    expect(ran.stderr).toMatch(/^✓ Bash {2}ls -la/m)
  })

  it('takes the words, then standard input', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const [, both] = await Promise.all([muster.pipe('a diff\n', 'ask', 'ada', 'Review this'), work(place, turn)])
    expect(both.spec.stdin).toContain('Review this\n\na diff')
    const [, piped] = await Promise.all([muster.pipe('only this', 'ask', 'ada'), work(place, turn, 1)])
    expect(piped.spec.stdin).toContain('only this')
  })

  it('asks nothing when there is The question is empty', async () => {
    const { muster, call, agentId } = await office()
    expect(await muster.run('ask', 'ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The question is empty'),
    })
    expect((await call('OWNER', 'GET', `/agents/${agentId}/chats`)).body).toEqual([])
  })

  it('answers one object with --json', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x', '--json'), work()])
    expect(JSON.parse(ran.stdout)).toEqual({
      chat_id: expect.stringMatching(/^c/),
      run_id: expect.stringMatching(/^c/),
      status: 'COMPLETED',
      text: 'I look.\n\nTwo files.',
      tool_calls: [{ name: 'Bash', input: { command: 'ls -la' }, status: 'ok', duration_ms: expect.any(Number) }],
      usage: { input_tokens: 30, output_tokens: 12 },
      cost: 0.25,
      duration_ms: 1200,
      error: null,
      reason: null,
    })
    expect(ran.stderr).toBe('')
  })

  it('keeps named members, and filters with jq', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x', '--json', 'text,status'), work()])
    expect(JSON.parse(ran.stdout)).toEqual({ text: 'I look.\n\nTwo files.', status: 'COMPLETED' })
  })

  it('gives every frame of the run with -o ndjson', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x', '-o', 'ndjson'), work()])
    const frames = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(frames[0]).toMatchObject({ type: 'user_message', content: 'x' })
    expect(frames.at(-1)).toMatchObject({ type: 'done' })
    expect(frames.filter(({ type }) => type === 'text').map(({ content }) => content)).toEqual([
      'I look.',
      'Two files.',
    ])
  })

  it('writes nothing before the end with --no-stream, and then the same', async () => {
    const { muster, work } = await office(...turn)
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x', '--no-stream'), work()])
    expect(ran.stdout).toBe('I look.\n\nTwo files.\n')
  })

  it('goes on in a chat', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const first = await Promise.all([
      muster.run('ask', 'ada', 'My name is Grace', '--json'),
      work(place, [init, says('Hello Grace'), result()]),
    ])
    const { chat_id } = JSON.parse(first[0].stdout)
    const [ran, program] = await Promise.all([
      muster.run('ask', 'ada', 'Who am I?', '--chat', chat_id),
      work(place, [init, says('Grace'), result()], 1),
    ])
    expect(ran.stdout).toBe('Grace\n')
    expect(program.spec.stdin).toBe('Who am I?')
    expect(program.spec.argv.join(' ')).toContain('--resume=')
  })

  it('hands --max-turns on', async () => {
    const { muster, work } = await office(...turn)
    const [, program] = await Promise.all([muster.run('ask', 'ada', 'x', '--max-turns', '7'), work()])
    expect(program.spec.argv.join(' ')).toContain('--max-turns=7')
  })
})

describe('how it ends', () => {
  it('1 with the reason and the next step when the run failed', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const failed = async () => {
      const program = await place.runtime.program()
      place.runtime.print(
        program,
        init,
        result({ is_error: true, subtype: 'error_during_execution', result: '', errors: ['the disk is full'] }),
      )
      place.runtime.finish(program, { kind: 'exit', code: 1, timedOut: false })
    }
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x'), failed()])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^Error: .+\nNext: muster .+\n$/)
  })

  it('124 when the server ended it for taking too long', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const slow = async () => {
      const program = await place.runtime.program()
      place.runtime.print(program, init, says('I beg'))
      place.runtime.finish(program, { kind: 'exit', code: 124, timedOut: true })
    }
    const [ran] = await Promise.all([muster.run('ask', 'ada', 'x'), slow()])
    expect(ran).toMatchObject({ code: 124, stdout: 'I beg\n' })
  })

  it('124 when --timeout is over, and the run is cancelled on the server', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const ran = await muster.run('ask', 'ada', 'x', '--timeout', '300ms')
    expect(ran).toMatchObject({ code: 124, stdout: '' })
    expect(place.entries().filter(({ entry_type }) => entry_type === 'run.cancelled')).toHaveLength(1)
  })

  it('130 on Ctrl-C, after the run was cancelled on the server', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const terminal = muster.terminal(['ask', 'ada', 'x'])
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('I begin'))
    await terminal.until(/I begin/)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(place.entries().filter(({ entry_type }) => entry_type === 'run.cancelled')).toHaveLength(1)
  })

  it('130 at once on a second Ctrl-C, when the agent does not listen', async () => {
    const place = await workplace()
    place.runtime.obedient = false
    const muster = await cliFor(place)
    const terminal = muster.terminal(['ask', 'ada', 'x'])
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('I begin'))
    await terminal.until(/I begin/)
    terminal.type('\u0003')
    await place.runtime.asked(1)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    place.runtime.finish(program, { kind: 'signal', signal: 'SIGKILL' })
  })

  it('3 for an agent that is not there, with a near one named', async () => {
    const { muster } = await office()
    expect(await muster.run('ask', 'adda', 'x')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean "ada"'),
    })
  })

  it('3 for a chat that is not there', async () => {
    const { muster } = await office()
    expect(await muster.run('ask', 'ada', 'x', '--chat', 'nonsense')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('muster chats list'),
    })
  })

  it('5 while the agent works in that chat', async () => {
    const place = await workplace()
    const muster = await cliFor(place)
    const chat = await place.openChat()
    await place.send(chat, 'first')
    expect(await muster.run('ask', 'ada', 'x', '--chat', chat)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('leave out --chat'),
    })
  })

  it('8 when nothing answers', async () => {
    const muster = cli({ SVC_SERVER: 'http://127.0.0.1:1', SVC_TOKEN: 'svc_cli_x' })
    expect((await muster.run('ask', 'ada', 'x')).code).toBe(8)
  })
})

it('keeps escape sequences of an agent from the terminal, and leaves them to programs', async () => {
  const evil = says('a\u001b[2Jb\u009b31mc\u202ed')
  const one = await office(
    init,
    evil,
    calls('t1', 'Ba\u001b]0;x\u0007sh', { command: 'l\u001b[31ms' }),
    gets('t1', ''),
    result(),
  )
  const terminal = one.muster.screen(['ask', 'ada', 'x', '--no-color'])
  await Promise.all([terminal.ended, one.work()])
  expect(terminal.text()).toContain('abcd')
  expect(terminal.text()).toContain('✓ Bash  ls')
  expect(terminal.text().replace(/\u001b\[K/g, '')).not.toContain('\u001b')
  const two = await office(init, evil, result())
  const [ran] = await Promise.all([two.muster.run('ask', 'ada', 'x'), two.work()])
  expect(ran.stdout).toBe('a\u001b[2Jb\u009b31mc\u202ed\n')
})

describe('muster ask --dry-run', () => {
  const chatsOf = async ({ call, agentId }: Workplace<FakeRuntime>) =>
    (await call('OWNER', 'GET', `/agents/${agentId}/chats`)).body

  it('tells what would be sent and recorded, and that a run is admitted', async () => {
    const place = await office()
    await place.openChat()
    const ran = await place.muster.run('ask', 'ada', 'How many files?', '--dry-run')
    expect(ran).toMatchObject({
      code: 0,
      stderr: 'Would send 15 characters to ada in a new chat.\nThis was a dry run: nothing was changed.\n',
    })
    expect(ran.stdout).toMatch(
      /^Would record: .*\nWould answer: 201 .*\nWould record: [\s\S]*\nWould answer: 202 .*run_id/,
    )
    expect(await chatsOf(place)).toHaveLength(1)
    expect(place.runtime.programs.size).toBe(0)
    expect((await place.call('OWNER', 'GET', '/runs')).body.data).toEqual([])
  })

  it('says what cannot be tried before there is a chat', async () => {
    const place = await office()
    const ran = await place.muster.run('ask', 'ada', 'How many files?', '--dry-run', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ dry_run: true, status: 201 })
    expect(ran.stderr).toContain('Whether a run is admitted can only be tried once you have a chat with ada.')
  })

  it('fails as asking would', async () => {
    const place = await office()
    const chat = await place.openChat()
    await place.send(chat, 'hello')
    const busy = ['ask', 'ada', 'More', '--chat', chat, '--dry-run']
    expect(await place.muster.run(...busy)).toMatchObject({ code: 5, stderr: expect.stringContaining('Error:') })
    // Another chat is not busy.
    expect(await place.muster.run('ask', 'ada', 'More', '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Whether a run is admitted'),
    })
    expect(await place.muster.run('ask', 'nobody', 'More', '--dry-run')).toMatchObject({ code: 3 })
  })
})
