import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { cursor } from '../../../../daemon/runtime/adapters/cursor/index.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { turn as ada } from '../../../support/turn.ts'

const access = { via: 'direct', kind: 'api_key', token: 'the-real-one', baseUrl: null } as const
const launch = (change: Partial<Turn> = {}) => cursor.launch({ ...ada, model: 'gpt-5', access, ...change })

describe('launch of cursor-agent', () => {
  it('builds the whole command line; prompt, key and instructions go elsewhere', () => {
    const { argv, env, stdin } = launch().spec
    expect(argv).toEqual([
      'cursor-agent',
      '--print',
      '--output-format=stream-json',
      '--stream-partial-output',
      '--trust',
      '--force',
      '--model=gpt-5',
    ])
    expect(stdin).toBe('[SYSTEM]\nYou are Ada.\n\n[USER]\nBuild it')
    expect(env).toMatchObject({ CURSOR_API_KEY: 'the-real-one', CURSOR_CONFIG_DIR: '/spool/ada/run1/cursor' })
  })

  it('is never started for an agent, which would hold the real key', () =>
    expect(() => launch({ access: ada.access })).toThrow('needs the real key'))

  it.each([
    ['MINIMAL', null, '--mode=ask'],
    ['CODING', 'Read,Write,Edit', '--mode=ask'],
    ['CODING', 'Bash', '--mode=ask'],
    ['CODING', null, '--force'],
    ['FULL', 'Bash,Write,Edit', '--force'],
  ] as const)('with %s and %j says %s', (toolProfile, cliTools, expected) => {
    const { argv } = launch({ toolProfile, cliTools }).spec
    expect(argv.filter((it) => /^--(force|mode=)/.test(it))).toEqual([expected])
  })

  it('writes tool servers where only the agent reads, and lets them start', () => {
    const mcpServers = {
      git: { command: 'git-mcp', args: ['--as', '$SVC_AGENT_ID'], env: { TOKEN: '$GIT_TOKEN' } },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer $GIT_TOKEN' } },
    }
    const { spec, mcpServers: names } = launch({
      mcpConfigs: [JSON.stringify({ mcpServers })],
      env: { GIT_TOKEN: 'token-of-ada', CURSOR_API_KEY: 'x', CURSOR_CONFIG_DIR: '/x' },
    })
    const { path, content } = spec.files[1]!
    expect(path).toBe('/crew/agents/ada/.cursor/mcp.json')
    expect(JSON.parse(content.toString()).mcpServers).toEqual({
      git: { command: 'git-mcp', args: ['--as', 'agent1'], env: { TOKEN: 'token-of-ada' } },
      docs: { url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer token-of-ada' } },
    })
    expect(names).toEqual(['git', 'docs'])
    expect(spec.argv).toContain('--approve-mcps')
    expect(spec.env).toMatchObject({ CURSOR_API_KEY: 'the-real-one', CURSOR_CONFIG_DIR: '/spool/ada/run1/cursor' })
  })

  it('gives skills as files of the run, linked to from where the client looks, and none without any', () => {
    const files = [
      { path: 'SKILL.md', content: 'Greet', executable: false },
      { path: 'scripts/greet.sh', content: '#!/bin/sh', executable: true },
    ]
    expect(launch({ skills: [{ slug: 'greet', files }] }).spec.files.slice(2)).toEqual([
      { path: '/spool/ada/run1/skills/greet/SKILL.md', content: 'Greet', mode: 0o444 },
      { path: '/spool/ada/run1/skills/greet/scripts/greet.sh', content: '#!/bin/sh', mode: 0o555 },
      { path: '/crew/agents/ada/.cursor/skills', content: '', link: '/spool/ada/run1/skills' },
    ])
    expect(launch().spec.files).toHaveLength(2)
  })

  it('is found by its name', () => expect(adapterOf('CURSOR_CLI')).toBe(cursor))
})

describe('what cursor-agent says on standard error', () => {
  it.each([
    ['\u001b[31mError: Authentication required. Set CURSOR_API_KEY.\u001b[0m\n', 'bad_key'],
    ['You have hit your usage limit', 'quota'],
    ['Cannot use this model: gpt-9', 'unknown_model'],
    ['getaddrinfo ENOTFOUND: network', 'unreachable'],
    ['Something else', undefined],
    ['', undefined],
  ])('%j: %s', (stderr, kind) => expect(cursor.stderrFailure(stderr)?.kind).toBe(kind))
})

const session_id = 'c6b62c6f-7ead-4fd6-9922-e952131177ff'
const init = {
  type: 'system',
  subtype: 'init',
  apiKeySource: 'env',
  cwd: '/output/ada',
  session_id,
  model: 'GPT-5',
  permissionMode: 'default',
}
const person = { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Say it' }] }, session_id }
const whole = (text: unknown, more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  session_id,
  ...more,
})
const piece = (text: string) => whole(text, { timestamp_ms: 1 })
const call = (subtype: string, tool_call: object, call_id = 'call_1\nfc_1') => ({
  type: 'tool_call',
  subtype,
  call_id,
  tool_call,
  session_id,
})
const success = {
  type: 'result',
  subtype: 'success',
  duration_ms: 5234,
  is_error: false,
  result: 'All of it',
  session_id,
}

function read(events: (object | Buffer)[]) {
  const parser = createParser(cursor.reader({ mcpServers: ['git'], model: null, used: null }))
  const lines = events.map((it) => (Buffer.isBuffer(it) ? it : Buffer.from(`${JSON.stringify(it)}\n`)))
  const bytes = Buffer.concat(lines)
  return { bytes, parser, seen: [...parser.feed(bytes), ...parser.flush()] }
}
const texts = (events: (object | Buffer)[]) =>
  read(events).seen.flatMap((frame) => (frame.type === 'text' ? [frame.content] : []))

// Written by hand after what others wrote of the vendor's output format: no recording can be had.
describe('events of cursor-agent', () => {
  it('are a turn: start, words, a command, an end', () => {
    const args = { command: 'cat note.txt' }
    const shown = { success: { stdout: 'by me\n', stderr: '', exitCode: 0 } }
    const { seen, parser } = read([
      init,
      person,
      whole('I look.', { timestamp_ms: 2, model_call_id: 'm1' }),
      call('started', { shellToolCall: { args } }),
      call('completed', { shellToolCall: { args, result: shown } }),
      whole('Done.'),
      success,
    ])
    const ids = { tool_use_id: 'call_1\nfc_1', tool_id: 'call_1\nfc_1' }
    expect(seen).toEqual([
      { type: 'system', metadata: { subtype: 'init', model: 'GPT-5', session_id } },
      { type: 'text', content: 'I look.' },
      {
        type: 'tool_call',
        content: 'shell',
        metadata: { tool_name: 'shell', tool_id: 'call_1\nfc_1', input: args },
      },
      { type: 'tool_result', content: 'by me\n', metadata: { ...ids, exit_code: 0 } },
      { type: 'text', content: 'Done.' },
      {
        type: 'result',
        metadata: {
          subtype: 'success',
          duration_ms: 5234,
          usage: { input_tokens: 0, output_tokens: 0 },
          model_usage: {},
          is_error: false,
          session_id,
        },
      },
    ])
    expect(parser.facts).toMatchObject({ finished: true, result_text: 'Done.', session_id })
    expect(parser.facts.init).toMatchObject({ api_key_source: 'env', permission_mode: 'default', cwd: '/output/ada' })
  })

  it('of pieces are told once, also where they are alike', () =>
    expect(
      texts([piece('ha'), piece('ha'), whole('haha'), piece('Bye'), whole('Bye', { model_call_id: 'm2' })]),
    ).toEqual(['ha', 'ha', 'Bye']))

  it('of a whole message tell what its pieces left out', () =>
    expect(texts([piece('One'), whole('One and two')])).toEqual(['One', ' and two']))

  it('of thinking are thinking', () => {
    const { seen } = read([
      { type: 'thinking', subtype: 'delta', text: 'Let me see', session_id },
      { type: 'thinking', subtype: 'completed', session_id },
    ])
    expect(seen).toEqual([{ type: 'thinking', content: 'Let me see', metadata: { streaming: true } }])
  })

  it('of tools say what was shown, and what was refused', () => {
    const { seen } = read([
      call('completed', { readToolCall: { args: {}, result: { success: { content: 'text', totalLines: 1 } } } }),
      call('completed', { lsToolCall: { args: {}, result: { success: { root: {} } } } }),
      call('completed', { shellToolCall: { result: { success: { stdout: '', stderr: 'no', exitCode: 2 } } } }),
      call('completed', { writeToolCall: { result: { rejected: { reason: 'no' } } } }),
    ])
    expect(
      seen.map(({ metadata, ...frame }) => ({ ...frame, error: (metadata as { is_error?: true }).is_error })),
    ).toEqual([
      { type: 'tool_result', content: 'text', error: undefined },
      { type: 'tool_result', content: '{"root":{}}', error: undefined },
      { type: 'tool_result', content: 'no', error: true },
      { type: 'tool_result', content: '{"rejected":{"reason":"no"}}', error: true },
    ])
  })

  it.each([
    ['Authentication required', 'bad_key'],
    ['You have reached your usage limit', 'quota'],
    ['The model is overloaded', 'overloaded'],
    ['Connection lost', 'unreachable'],
    ['', 'internal'],
  ])('of the end %j are sorted as %s', (told, kind) => {
    const { seen, parser } = read([{ ...success, subtype: 'error', is_error: true, result: told }])
    expect(parser.facts.failure?.kind).toBe(kind)
    expect(seen).toMatchObject([{ type: 'result', metadata: { is_error: true } }])
  })

  it('read the same in pieces of any size', () => {
    const { bytes, seen } = read([init, piece('é'), whole('é'), success])
    const parser = createParser(cursor.reader({ mcpServers: ['git'], model: null, used: null }))
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect([...single.flatMap((it) => parser.feed(it)), ...parser.flush()]).toEqual(seen)
  })

  it('tell of a program that died before its end', () => {
    const { seen, parser } = read([init, Buffer.from('{"type":"assistant","mess')])
    expect(seen.map(({ type }) => type)).toEqual(['system'])
    expect(parser.facts.finished).toBe(false)
  })

  it('are read where they are long, strange or broken', () => {
    const long = 'x'.repeat(2 * 1024 * 1024)
    const broken = Buffer.concat([
      Buffer.from('{"type":"assistant","message":{"content":[{"type":"text","text":"a'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('b"}]}}\n'),
    ])
    const odd = [
      { type: 'something_new', text: 'never shown' },
      { type: 'system', subtype: 'something_new', text: 'never shown' },
      whole(long),
      whole(['wrong']),
      { type: 'assistant', message: 'wrong' },
      { type: 'tool_call', subtype: 'started', tool_call: 'wrong' },
      { type: 'tool_call', subtype: 'completed', tool_call: { xToolCall: 7 } },
      { type: 'result', usage: 'wrong', result: {} },
      broken,
    ]
    expect(texts(odd)).toEqual([long, 'a\ufffd\ufffdb'])
  })
})
